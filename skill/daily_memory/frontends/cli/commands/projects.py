"""`memory projects`"""

from __future__ import annotations

import argparse

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted

EXAMPLES = """examples:
  memory projects                    list them: sessions, last use, folder
  memory projects add ~/work/shop    add one
  memory projects rename shop 商城   give it another name; the old one still works
  memory projects forget shop        remove it from the list; its memory stays

--project takes these names: memory search "redis" --project shop. A moved project is found
again by the next command that runs in it."""

# Action → how many words go with it.
_ACTIONS = {"list": 0, "add": 1, "forget": 1, "rename": 2}
_USAGE = {"add": "add DIR", "forget": "forget NAME", "rename": "rename OLD NEW"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=tuple(_ACTIONS), default="list", help="what to do"
    )
    parser.add_argument("words", nargs="*", metavar="NAME|DIR", help="a project, and its new name")
    add_options(parser, "dry_run")


def run(options: argparse.Namespace) -> int:
    action, words = options.action, options.words
    if len(words) != _ACTIONS[action]:
        hint = f"as in: memory projects {_USAGE.get(action, action)}"
        raise InvalidInputError(f"too many or too few words after {action!r}", hint=hint)
    if options.dry_run and action != "forget":
        raise InvalidInputError(f"--dry-run does not go with {action!r}")
    memory = open_memory(options)
    if action == "list":
        return _show(memory, as_json=options.json)
    if action == "add":
        project, said = memory.projects.add(words[0]), "known as"
    elif action == "rename":
        project, said = memory.projects.rename(words[0], words[1]), "is now called"
    else:
        project = memory.projects.forget(words[0], dry_run=options.dry_run)
        said = "would be forgotten:" if options.dry_run else "forgotten; its memory stays:"
    if options.json:
        terminal.show_json({"name": project.title, "path": project.path or None, "id": project.id})
    elif action == "forget":
        terminal.talk(f"{said} {project.title} ({project.path or 'nobody knows where'})")
    else:
        terminal.talk(f"{project.path or 'a project that is gone'} {said} {project.title}")
    return 0


def _show(memory: Memory, *, as_json: bool) -> int:
    listed = memory.projects.list()
    if as_json:
        terminal.show_json({"projects": [json_shapes.project(one) for one in listed]})
        return 0
    for one in listed:
        name, path = one.project.title, one.project.path
        if one.is_there:
            # Those of an encrypted memory can't be counted without its key.
            count = f"{one.sessions}+ sessions" if one.unread else counted(one.sessions, "session")
            known = f"{count:>14}  {one.last_use or 'never used':<10}"
        else:
            known = f"{'not there':>14}  {'':<10}"
        terminal.show(f"{known}  {name}  {path}".rstrip())
    if not listed:
        terminal.talk("no projects yet; saving in one enters it, as does `memory projects add DIR`")
    return 0
