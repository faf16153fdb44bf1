"""`memory encrypt`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import encryption, terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory encrypt --dry-run           count the files
  memory encrypt                     create a key if you have none, and encrypt
  memory encrypt --passphrase        protect the key with a passphrase
  memory encrypt --recipient age1…   add a key that can read, such as a spare one

The key is ~/.config/daily-memory/key.txt. IF YOU LOSE IT, YOU LOSE THE MEMORY: keep a copy
elsewhere. Needs the extra `crypto`. Git history and backups keep their plain text:
docs/security.md."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--passphrase", action="store_true", help="protect the key with a passphrase"
    )
    parser.add_argument(
        "--recipient",
        action="append",
        default=[],
        metavar="AGE1…",
        help="another public key that can read",
    )
    add_options(parser, "dry_run", "yes", "save_scope")


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
        progress=terminal.progress_bar("files encrypted"),
    )
    status = encryption.show_results([result], "encrypted")
    encryption.show_key(key)
    for root in memory.encryption.others_in_clear():
        terminal.talk(f"another memory stays in the clear: {root.path}")
    if memory.encryption.has_history(result.root):
        terminal.talk("git keeps what was committed before in the clear: see docs/security.md")
    if options.json:
        answer = {**encryption.key_as_json(key), **json_shapes.conversion(result)}
        terminal.show_json(answer)
    return status
