"""`memory projects`"""

from __future__ import annotations

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled

# Action → the words that go with it.
_ACTIONS = {"list": (), "add": ("DIR",), "forget": ("NAME",), "rename": ("OLD", "NEW")}


def run(options: Options) -> Output:
    action, words = options.action, options.words
    if len(words) != len(_ACTIONS[action]):
        hint = filled("as in: memory projects {}", " ".join((action, *_ACTIONS[action])))
        raise InvalidInputError("too many or too few words after {!r}", action, hint=hint)
    if options.dry_run and action != "forget":
        raise InvalidInputError("--dry-run does not go with {!r}", action)
    memory = open_memory(options)
    if action == "list":
        return _list(memory)
    if action == "add":
        project = memory.projects.add(words[0])
        note = filled("{} known as {}", project.path, project.title)
    elif action == "rename":
        project = memory.projects.rename(words[0], words[1])
        note = filled(
            "{} is now called {}", project.path or "a project that is gone", project.title
        )
    else:
        project = memory.projects.forget(words[0], dry_run=options.dry_run)
        place = project.path or terminal.say("folder unknown")
        what = f"{project.title} ({place})"
        would = filled("would be forgotten: {}", what)
        note = would if options.dry_run else filled("forgotten; its memory stays: {}", what)
    value = {"name": project.title, "path": project.path or None, "id": project.id}
    return Output(value, notes=[note])


def _list(memory: Memory) -> Output:
    listed = memory.projects.list()
    nothing = "no projects yet; saving in one enters it, as does `memory projects add DIR`"
    value = {"projects": list(map(json_shapes.project, listed))}
    return Output(value, map(_line, listed), [] if listed else [nothing])


def _line(listed: results.ListedProject) -> str:
    count, last_use = terminal.say("not there"), ""
    if listed.is_there:
        # Those of an encrypted memory can't be counted without its key.
        count = f"{listed.sessions}+ sessions"
        count = count if listed.unread else terminal.say(counted(listed.sessions, "session"))
        last_use = listed.last_use or terminal.say("never used")
    project = listed.project
    return f"{count:>14}  {last_use:<10}  {project.title}  {project.path}".rstrip()


PROJECTS = CliCommand(
    run,
    (
        command.Argument(
            ("action",),
            {"nargs": "?", "choices": tuple(_ACTIONS), "default": "list", "help": "what to do"},
        ),
        command.argument("words", "NAME|DIR", "a project, and its new name", nargs="*"),
        *command.shared("dry_run"),
    ),
    """examples:
  memory projects                    list them: sessions, last use, folder
  memory projects add ~/work/shop    add one
  memory projects rename shop 商城   give it another name; the old one still works
  memory projects forget shop        remove it from the list; its memory stays

--project takes these names: memory search "redis" --project shop. A moved project is found
again by the next command that runs in it.""",
)
