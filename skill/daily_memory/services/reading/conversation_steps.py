"""The recorded steps of the conversation that a session was saved from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import zip_longest

from daily_memory.core.context import ContextItem
from daily_memory.core.observation import Observation, is_save
from daily_memory.core.recall import Step
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.storage import observations
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root

# What the call of a tool and what was said before it are worth beside the answer that followed.
_LEADING_WORTH = 0.7


def find_steps(root: Root, session: Session) -> tuple[Step, ...]:
    """Return the steps of a session's conversation, without private ones; () if none are known.

    If somebody else wrote the section, the conversation it names is not ours to read.
    """
    if session.origin or not session.conversation:
        return ()
    path = observations.new_path(root, session.conversation, session.date)
    try:
        if os.path.isfile(path):
            return tuple(steps_of(root, observations.load(path)))
        if not os.path.isdir(root.archive_folder):
            return ()
        from daily_memory.storage import archive_files  # most memories have no archive

        packed = archive_files.observed_path(root, path)
        if not os.path.isfile(packed):
            return ()
        live = observations.parse(path, archive_files.load_observed(packed))
        return tuple(steps_of(root, live))
    except DailyMemoryError:
        return ()  # encrypted, or damaged: `memory doctor` reports it


def steps_of(root: Root, live: LiveSession) -> Iterator[Step]:
    """Yield the steps of a recorded conversation, without private ones."""
    pairs = zip_longest(live.observations, live.observations[1:])
    for number, (one, after) in enumerate(pairs):
        # What an assistant says before it uses a tool announces that; its last word is the answer.
        leads_on = one.kind == "assistant" and after is not None and after.kind != "user"
        worth = _LEADING_WORTH if leads_on or one.tool else 1.0
        if not one.private and not is_save(one.tool):
            yield Step(
                _header(root, live, number, one), one.at[: len("2026-01-29")], one.text, worth
            )


def _header(root: Root, live: LiveSession, number: int, one: Observation) -> ContextItem:
    id_ = root.scoped(observations.observation_id(live, number))
    return ContextItem(id=id_, flags=(f"{one.kind} {one.tool}".strip(),))
