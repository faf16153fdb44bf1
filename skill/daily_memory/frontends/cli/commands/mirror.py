"""`memory mirror`"""

from __future__ import annotations

import os
from collections.abc import Iterator

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled, joined


def run(options: Options) -> Output:
    action = options.action
    if (options.dry_run or options.yes) and action != "drop":
        raise InvalidInputError("{} removes nothing", action, hint="leave --dry-run and --yes out")
    memory = open_memory(options)
    if action == "setup":
        steps = memory.team.setup()
        return Output({"steps": steps}, notes=["ready" if steps else "nothing to do"])
    if action == "drop":
        return _drop(memory, options)
    if action == "status":
        mirrors = memory.mirror.status(scope=options.scope)
    else:
        with terminal.progress("files mirrored"):
            mirrors = memory.mirror.sync(scope=options.scope, rebuild=action == "rebuild")
    lines = [line for status in mirrors for line in _lines(status)]
    nothing = "no memory here yet; create one with `memory save` or `memory init`"
    value: dict[str, object] = {"mirrors": [status._asdict() for status in mirrors]}
    if memory.settings.mirror.has_team and memory.team.is_shared():
        if action == "status":
            team = memory.team.status()
        else:
            with terminal.progress("days pushed"):
                team = memory.team.push(from_scratch=action == "rebuild")
        value["team"] = team._asdict()
        lines += _team_lines(team)
    return Output(value, lines, [] if mirrors else [nothing], is_ours=True)


def _team_lines(team: results.TeamStatus) -> Iterator[str]:
    yield filled("team, project {}: {}", team.project, "behind" if team.behind else "current")
    observations = counted(team.observations, "observation")
    yield filled("  {}; {}, from here", counted(team.sessions, "session"), observations)
    if team.behind:
        yield filled(
            "  {} changed since; `memory mirror sync` pushes them", counted(team.behind, "day")
        )
    if team.days:
        yield filled(
            "  {} pushed: {} added, {} removed", counted(team.days, "day"), team.added, team.removed
        )


def _lines(status: results.Status) -> Iterator[str]:
    yield joined(": ", (status.path, status.state))
    if status.message:
        yield joined("  ", ("", status.message))
    if status.state in ("current", "behind"):
        summaries = filled(
            "{} summaries" if status.summaries != 1 else "{} summary", status.summaries
        )
        observations = counted(status.observations, "observation")
        private = filled("{} of them private", status.private)
        sessions = counted(status.sessions, "session")
        yield filled("  {}; {}, {}; {}", sessions, observations, private, summaries)
        yield f"  {status.size / 1e6:.1f} MB"
    if status.behind:
        yield filled(
            "  {} changed since; the next search reads them", counted(status.behind, "file")
        )


def _drop(memory: Memory, options: Options) -> Output:
    paths = memory.mirror.paths(scope=options.scope)
    is_shared = memory.settings.mirror.has_team and memory.team.is_shared()
    if is_shared:
        count = memory.team.status()
        shared = counted(count.sessions + count.observations, "record")
        terminal.talk(filled("team: {} pushed from here", shared))
    for path in paths:
        terminal.talk(
            filled("{}  {:.1f} MB; the files have it all", path, os.path.getsize(path) / 1000000.0)
        )
    if (paths or is_shared) and not options.dry_run:
        mirrors = counted(len(paths), "mirror")
        team = filled("remove {} and what the team has from here?", mirrors)
        terminal.confirm(team if is_shared else filled("remove {}?", mirrors), is_sure=options.yes)
        if is_shared:
            memory.team.withdraw()
        paths = memory.mirror.drop(scope=options.scope)
    mirrors = counted(len(paths), "mirror")
    note = filled("{} removed", mirrors) if paths else "there is no mirror"
    if paths and options.dry_run:
        note = filled("{} would be removed: this was a dry run", mirrors)
    return Output({"dropped": paths, "dry_run": options.dry_run}, notes=[note])


MIRROR = CliCommand(
    run,
    (
        command.choice("action", ("status", "sync", "rebuild", "drop", "setup"), "what to do"),
        *command.shared("dry_run", "yes", "scope"),
    ),
    """examples:
  memory mirror status      what it holds, and whether it is current
  memory mirror sync        update it; every search does so too
  memory mirror rebuild     build it again from the files
  memory mirror drop        remove it

  memory mirror setup       create or upgrade the tables of your team's database

Enable it with `memory config set mirror.enabled true`. With `mirror.engine` postgresql, sync,
rebuild and drop also push to your team's database, and remove from it: docs/team.md.""",
)
