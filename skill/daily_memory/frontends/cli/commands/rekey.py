"""`memory rekey`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import encryption, terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory rekey --dry-run         count the files
  memory rekey                   create a new key and encrypt all memories again
  memory rekey --passphrase      with a passphrase
  memory rekey --recipient age1…

This covers all projects of `memory projects` and the global memory. A copy of the old key stays
next to the new one. Run it again to continue after an interruption. Older copies remain
readable with the old key."""


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
    add_options(parser, "dry_run", "yes")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    plans = memory.encryption.plan("rekey")
    question = "Make another key, and encrypt all of this for it?"
    if not encryption.is_to_be_done(plans, "encrypt anew", question, options):
        return 0
    passphrase = encryption.new_passphrase() if options.passphrase else ""
    key, results = memory.encryption.rekey(
        passphrase=passphrase,
        recipients=options.recipient,
        progress=terminal.progress_bar("files encrypted"),
    )
    status = encryption.show_results(results, "encrypted anew")
    if status:
        terminal.talk("the old key stays, until these can be read or are gone")
    missing = [one.path or one.title for one in memory.projects.missing()]
    for name in missing:
        terminal.talk(f"not there, and still for the old key if it was encrypted: {name}")
    encryption.show_key(key)
    if options.json:
        memories = [json_shapes.conversion(result) for result in results]
        answer = {**encryption.key_as_json(key), "memories": memories, "not_there": missing}
        terminal.show_json(answer)
    return status
