"""`memory observations`"""

from __future__ import annotations

import argparse

from daily_memory.core.observation import KINDS
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory observations                       of the last live session
  memory observations login-bug --kind tool
  memory observations --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "conversation", nargs="?", default="", metavar="NAME", help="the live session"
    )
    parser.add_argument("--kind", choices=KINDS, default="", help="only this kind; repeatable")


def run(options: argparse.Namespace) -> int:
    live = open_memory(options).observations.live(options.conversation)
    shown = [item for item in live.observations if options.kind in ("", item.kind)]
    if options.json:
        observations = [json_shapes.observation(item) for item in shown]
        terminal.show_json({**json_shapes.live(live), "observations": observations})
        return 0
    for item in shown:
        what = f"{item.kind} {item.tool}".rstrip()
        lines = item.text.split("\n")
        terminal.show(f"{item.at[11:19]}  {what:<14}  {lines[0]}")
        for line in lines[1:]:
            terminal.show(f"{'':26}{line}")
    return 0
