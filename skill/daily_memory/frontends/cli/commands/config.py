"""`memory config`"""

from __future__ import annotations

import argparse
import json

from daily_memory.core.settings import KEYS, setting_values
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory config            every setting, its value and its meaning
  memory config path       where they are read from

Edit the file with any editor; `//` comments are allowed in it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("list", "path"), default="list", help="what to show"
    )


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    screen.warn(tuple(map(str, memory.settings_problems)))
    path = memory.settings_path()
    values = setting_values(memory.settings)
    if options.json:
        problems = list(map(str, memory.settings_problems))
        idle = [key.name for key in KEYS if key.later]
        answer = {"path": path, "values": values, "without_effect": idle, "problems": problems}
        screen.show_json(answer)
    elif options.action == "path":
        screen.show(path)
    else:
        screen.show(f"# {path}")
        for key in KEYS:
            screen.show(f"{key.name} = {json.dumps(values[key.name], ensure_ascii=False)}")
            later = "; no effect in this version" if key.later else ""
            screen.show(f"    {key.meaning}{later}{_default(key.default, values[key.name])}")
    return 0


def _default(default: object, value: object) -> str:
    return "" if default == value else f" (default: {json.dumps(default, ensure_ascii=False)})"
