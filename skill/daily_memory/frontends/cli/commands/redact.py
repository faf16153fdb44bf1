"""`memory redact`"""

from __future__ import annotations

import argparse
import sys

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.memory import Memory

EXAMPLES = """examples:
  git diff | memory redact
  memory redact --jsonl < texts.jsonl     lines {"id": …, "text": …} in and out"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jsonl", action="store_true", help='lines {"id", "text"} in and out')


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    terminal.warn(tuple(map(str, memory.settings_problems)))
    if options.jsonl:
        return _redact_lines(memory)
    text, counts = memory.redact(terminal.read_input())
    if options.json:
        terminal.show_json({"text": text, "redactions": counts})
    else:
        terminal.write(text)
    return 0


def _redact_lines(memory: Memory) -> int:
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        item = terminal.parse_json(line.decode("utf-8", "replace"), f"line {number}")
        text = item.get("text")
        if not isinstance(text, str):
            raise InvalidInputError(f'line {number} has no "text"')
        redacted, counts = memory.redact(text)
        terminal.show_json({"id": item.get("id"), "text": redacted, "redactions": counts})
    return 0
