"""`memory encrypt`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import encryption, screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory

EXAMPLES = """examples:
  memory encrypt --dry-run           counts the files, and does nothing
  memory encrypt                     with a key of your own, which it makes if there is none
  memory encrypt --passphrase        the key opens with a passphrase only
  memory encrypt --recipient age1…   another key can read it too: a spare one, or a colleague's

The key is ~/.config/daily-memory/key.txt. WHO LOSES IT LOSES THE MEMORY: keep a copy elsewhere.
Needs the extra `crypto`; without it, it says what to run. After an interruption run it again.
What git and backups have of earlier days stays as it was: docs/security.md."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--passphrase", action="store_true", help="protect the key by a passphrase (asked for)"
    )
    parser.add_argument(
        "--recipient", action="append", default=[], metavar="AGE1…", help="a further public key"
    )
    parser.add_argument("--dry-run", action="store_true", help="only count what would be done")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_scope(parser, choices=("project", "global"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    plans = memory.encryption.plan("encrypt", scope=options.scope)
    question = "Encrypt this memory, from now on?"
    if not encryption.is_to_be_done(plans, "encrypt", question, options):
        return 0
    passphrase = encryption.new_passphrase() if options.passphrase else ""
    key, result = memory.encryption.encrypt(
        scope=options.scope,
        passphrase=passphrase,
        recipients=options.recipient,
        progress=screen.progress_bar("files encrypted"),
    )
    status = encryption.show_results([result], "encrypted")
    encryption.show_key(key)
    for root in memory.encryption.others_in_clear():
        screen.talk(f"another memory stays in the clear: {root.path}")
    if memory.encryption.has_history(result.root):
        screen.talk("git keeps what was committed before in the clear: see docs/security.md")
    if options.json:
        answer = {**encryption.key_as_json(key), **json_shapes.conversion(result)}
        screen.show_json(answer)
    return status
