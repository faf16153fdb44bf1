"""`index/summarizer.json`: today's requests and tokens of the language model, for the daily cap."""

from __future__ import annotations

import json
import os
from datetime import date
from typing import NamedTuple

from daily_memory.errors import BackendError
from daily_memory.model import counted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

# A digest can do without a model: it does not queue for the lock as long as a save.
WAIT_S = 2.0


class Spent(NamedTuple):
    """Requests and tokens, of one day or as its cap."""

    calls: int = 0
    tokens: int = 0


def load_spent(root: Root, day: date) -> Spent:
    """Return what a day spent; nothing if the file can't be used."""
    try:
        data = json.loads(files.find_bytes(_path(root)) or b"{}")
        if data.get("day") == day.isoformat():
            return Spent(_count(data["calls"]), _count(data["tokens"]))
    except (ValueError, RecursionError, AttributeError, KeyError):
        pass  # cut off or edited: it is made anew, and the cap begins again
    return Spent()


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def reserve(root: Root, day: date, tokens: int, most: Spent) -> None:
    """Count a request before it is sent, with the tokens that it may take."""
    with locked(root, wait_s=WAIT_S):
        spent = load_spent(root, day)
        if spent.calls + 1 > most.calls:
            raise BackendError(
                f"the cap of {counted(most.calls, 'request')} a day is reached",
                hint="recording.summarizer_daily_calls",
            )
        if spent.tokens + tokens > most.tokens:
            raise BackendError(
                f"{tokens} more tokens would exceed the cap of {most.tokens} a day, of which"
                f" {spent.tokens} are used",
                hint="recording.summarizer_daily_tokens",
            )
        _save(root, day, Spent(spent.calls + 1, spent.tokens + tokens))


def settle(root: Root, day: date, reserved: int, used: int) -> None:
    """Replace the reserved tokens of a request with those that it used."""
    with locked(root, wait_s=WAIT_S):
        spent = load_spent(root, day)
        if not spent.calls:
            return  # past midnight: the file is about another day by now
        _save(root, day, spent._replace(tokens=max(spent.tokens - reserved + used, 0)))


def _save(root: Root, day: date, spent: Spent) -> None:
    data = {"calls": spent.calls, "day": day.isoformat(), "tokens": spent.tokens}
    files.replace(_path(root), f"{json.dumps(data, indent=2)}\n".encode(), root.modes)


def _path(root: Root) -> str:
    return os.path.join(root.index_folder, "summarizer.json")
