"""`memory decrypt`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import encryption, screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.services import encrypting

EXAMPLES = """examples:
  memory decrypt --dry-run    counts the files, and does nothing
  memory decrypt              writes every file in the clear, and turns encryption off

The key stays where it is. Run it again after an interruption; it goes on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only count what would be done")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_scope(parser, choices=("project", "global"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    plans = memory.encryption_plan("decrypt", scope=options.scope)
    encryption.show_plan(plans, "decrypt")
    if options.dry_run:
        screen.talk("nothing was done: this was a dry run")
        if options.json:
            screen.show_json({"plans": [encrypting.plan_as_json(one) for one in plans]})
        return 0
    encryption.agree("Write this memory in the clear, from now on?", is_agreed=options.yes)
    result = memory.decrypt(scope=options.scope, progress=screen.progress_bar("files decrypted"))
    status = encryption.show_results([result], "decrypted")
    if options.json:
        screen.show_json(encrypting.result_as_json(result))
    return status
