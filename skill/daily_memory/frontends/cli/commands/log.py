"""`memory log`"""

from __future__ import annotations

import argparse

from daily_memory.core.observation import KINDS
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory log "TTL 定为 300 秒" --kind decision
  memory log "why is it slow?" --kind user --conversation login-bug
  memory log "3 tests failed" --kind tool --tool pytest
  echo "a longer text" | memory log -

It prints the id of the observation."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="what happened; - for stdin")
    parser.add_argument("--kind", choices=KINDS, default="note", help="default: note")
    parser.add_argument(
        "--tool", default="", metavar="NAME", help="the name of the tool, with --kind tool"
    )
    parser.add_argument(
        "--private", action="store_true", help="record it, but keep it out of the session"
    )
    parser.add_argument(
        "--conversation", default="", metavar="NAME", help="the live session; default: the last"
    )
    add_options(parser, "tag")


def run(options: argparse.Namespace) -> int:
    text = terminal.read_input() if options.text == ["-"] else " ".join(options.text)
    logged = open_memory(options).log(
        text,
        kind=options.kind,
        tags=options.tag,
        private=options.private,
        tool=options.tool,
        conversation=options.conversation,
    )
    if options.json:
        terminal.show_json({**json_shapes.live(logged.live), "observation": logged.id})
    else:
        terminal.show(logged.id)
        terminal.talk(f"logged to {logged.path}")
    return 0
