"""`memory status`, and `memory` alone: the state of the memories used here, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from daily_memory import results
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.memory import Memory
from daily_memory.text import counted, filled, joined

# Where search is shown on a topic: enough words to find it, few enough to read.
_QUERY_WORDS = 4


def run(options: Options) -> Output:
    memory = open_memory(options)
    states = memory.overview()
    hosts = memory.setup.recording_hosts()
    next_command = _next(states, hosts)
    value = {
        "project": {"folder": memory.project or None, "why": memory.projects.reason()},
        "config": memory.config.path,
        "roots": [_as_json(state) for state in states],
        "hosts": hosts,
        "next": next_command,
    }
    rows = [
        *_places(memory, states),
        ("recording", (_recording(states, hosts),)),
        ("waiting", (_waiting(states),)),
        ("next", (Styled(next_command, "command"),)),
        ("help", (Styled("memory --help", "command"),)),
    ]
    lines = [(Styled(terminal.label(name, 11), "dim"), *parts) for name, parts in rows]
    return Output(value, lines, warnings=map(str, memory.settings_problems), is_cut=True)


def _as_json(state: results.Overview) -> dict[str, object]:
    last = state.last
    return {
        "scope": state.root.scope,
        "path": state.root.path,
        "sessions": state.sessions,
        "last": last.session.date.isoformat() if last else None,
        "days": state.days,
        "last_id": last.id if last else None,
        "recorded": state.recorded.isoformat(timespec="seconds") if state.recorded else None,
        "live": state.live,
        "unsaved": state.unsaved,
        "queued": state.queued,
        "unreviewed_days": state.unreviewed_days,
    }


def _places(
    memory: Memory, states: Sequence[results.Overview]
) -> Iterator[tuple[str, tuple[str | Styled, ...]]]:
    """Yield the project, its memory and the global one, and the session saved last."""
    if memory.project:
        why = Styled(f"  ({terminal.say(memory.projects.reason())})", "dim")
        yield "project", (terminal.short_path(memory.project), why)
    else:
        yield "project", (terminal.say("none here, the global memory alone"),)
    for state in states:
        path = Styled(terminal.short_path(state.root.path), "dim", state.root.path)
        sessions, days = counted(state.sessions, "session"), counted(state.days, "day")
        size = terminal.say("{} on {}", sessions, days)
        yield "global" if state.root.scope == "global" else "memory", (size, "  ", path)
    newest = _newest(states)
    if newest:
        topic = terminal.title(newest.session)
        yield "last", (Styled(newest.id, "id", newest.path), f"  {topic}")


def _newest(states: Sequence[results.Overview]) -> results.StoredSession | None:
    last = [state.last for state in states if state.last]
    return max(last, key=lambda stored: (stored.session.date, stored.session.time), default=None)


def _recording(states: Sequence[results.Overview], hosts: Sequence[str]) -> str:
    moments = [state.recorded for state in states if state.recorded]
    if not hosts and not moments:
        return terminal.say("off: no assistant is set up")
    last = (
        filled("last event {:%Y-%m-%d %H:%M}", max(moments)) if moments else "no event has come yet"
    )
    here = ", ".join(hosts) or "no assistant is set up"
    return terminal.say(joined("; ", (here, last)))


def _waiting(states: Sequence[results.Overview]) -> str:
    unsaved = sum(state.unsaved for state in states)
    queued = sum(state.queued for state in states)
    live = sum(state.live for state in states)
    unreviewed = max((state.unreviewed_days for state in states), default=0)
    waiting = [
        filled("{} to be saved", counted(unsaved, "conversation")) if unsaved else "",
        filled("{} to be written", counted(queued, "session")) if queued else "",
        filled("a review, after {}", counted(unreviewed, "day")) if unreviewed else "",
        filled("{} being recorded", counted(live, "conversation")) if live else "",
    ]
    return ", ".join(terminal.say(what) for what in waiting if what) or terminal.say("nothing")


def _next(states: Sequence[results.Overview], hosts: Sequence[str]) -> str:
    newest = _newest(states)
    if any(state.queued for state in states):
        return "memory doctor --fix"
    if any(state.unsaved for state in states):
        return "memory end --all"
    if not hosts and not any(state.recorded for state in states):
        return "memory install"
    if newest is None:
        return "memory demo"
    if any(state.unreviewed_days for state in states):
        return "memory review"
    words = terminal.title(newest.session).split()[:_QUERY_WORDS]
    return f"memory search {shlex.quote(' '.join(words).rstrip(',.;:，。；：、'))}"


STATUS = CliCommand(
    run,
    (),
    """example:
  memory status

`memory` alone shows the same.""",
)
