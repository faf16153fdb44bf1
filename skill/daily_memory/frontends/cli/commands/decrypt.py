"""`memory decrypt`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import encryption, terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory decrypt --dry-run    count the files
  memory decrypt              write every file as plain text and turn encryption off

The key is kept. Run it again to continue after an interruption."""


def add_arguments(parser: argparse.ArgumentParser) -> None:

    add_options(parser, "dry_run", "yes", "save_scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    plans = memory.encryption.plan("decrypt", scope=options.scope)
    question = "Write this memory in the clear, from now on?"
    if not encryption.is_to_be_done(plans, "decrypt", question, options):
        return 0
    result = memory.encryption.decrypt(
        scope=options.scope, progress=terminal.progress_bar("files decrypted")
    )
    status = encryption.show_results([result], "decrypted")
    if options.json:
        terminal.show_json(json_shapes.conversion(result))
    return status
