"""`index/spool/`: sessions that wait for the lock. Whoever holds it saves them all.

While the process of one waits too, its file ends in `.awaited`, and it is answered in the file
`answers`. One that waited too long, or was killed, leaves its session to the next save.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from datetime import datetime

from daily_memory.errors import DamagedDataError, NotFoundError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

NAME = "spool"
# Spool files are written without the lock: younger ones may still be written.
_LEFT_OVER_S = 3600.0
_KEPT, _AWAITED, _NOTES = ".json", ".awaited", "answers"
# Nobody waits longer for an answer: see `lock.QUEUE_S`.
_ANSWERED_S = 300.0


class SpoolAnswer(NamedTuple):
    """The id of a spooled session, "" if it was not saved, and warnings."""

    id: str = ""
    warnings: tuple[str, ...] = ()


def add(root: Root, session: dict[str, object], now: datetime, *, is_awaited: bool = False) -> str:
    """Store a redacted session, and return the path. Needs no lock.

    With `is_awaited` the caller waits for the answer, or says `keep`.
    """
    # Sorted by time, and unique even if the clock stands still.
    name = f"{_moment(now)}-{os.urandom(4).hex()}"
    path = os.path.join(root.in_index(NAME), name + (_AWAITED if is_awaited else _KEPT))
    files.make_folder(root.in_index(NAME), root.modes)
    files.replace(path, files.to_bytes(json.dumps(session, ensure_ascii=False)), root.modes)
    return path


def keep(path: str) -> None:
    """Leave an awaited session to the next save."""
    files.rename(path, path.removesuffix(_AWAITED) + _KEPT)


def list_waiting(root: Root) -> list[str]:
    """Return the paths of all spooled sessions, oldest first."""
    folder = root.in_index(NAME)
    names = [name for name in files.list_names(folder) if name.endswith((_KEPT, _AWAITED))]
    return [os.path.join(folder, name) for name in names]


def list_kept(root: Root) -> list[str]:
    """Return the paths of those that no process waits for."""
    return [path for path in list_waiting(root) if not is_awaited(path)]


def is_awaited(path: str) -> bool:
    """Tell whether a process waits for the session, unless it was killed."""
    return path.endswith(_AWAITED)


def is_older(path: str, moment: datetime) -> bool:
    """Tell whether a session was spooled before a moment, by the local time in its name."""
    return os.path.basename(path) < _moment(moment)


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y%m%dT%H%M%S%f")


def load(path: str) -> dict[str, object]:
    """Return a spooled session, {} for a file that is not ours."""
    try:
        session = json.loads(files.read_bytes(path))
    except ValueError:
        return {}
    return session if isinstance(session, dict) else {}


def begin(root: Root, paths: Sequence[str]) -> set[str]:
    """Note that these are about to be saved, and return those that may be saved already.

    Somebody began with them and was killed. Call it with the lock held.
    """
    noted = _load_notes(root.in_index(NAME))
    oldest = time.time() - _ANSWERED_S
    recent = {name: note for name, note in noted.items() if note and float(note[0]) > oldest}
    _write_notes(root, {**recent, **{_name(path): [] for path in paths}})
    return {path for path in paths if _name(path) in noted}


def finish(root: Root, answers: Mapping[str, SpoolAnswer]) -> None:
    """Answer the processes that wait for these sessions, and remove the sessions."""
    noted = _load_notes(root.in_index(NAME))
    for path, answer in answers.items():
        noted.pop(_name(path), None)
        if is_awaited(path):
            noted[_name(path)] = [str(time.time()), answer.id, *answer.warnings]
    _write_notes(root, noted)
    for path in answers:
        files.remove(path)


def find_answer(path: str) -> SpoolAnswer | None:
    """Return the answer to an awaited session, None if there is none yet."""
    if not path or os.path.exists(path):
        return None
    note = _load_notes(os.path.dirname(path)).get(_name(path))
    return SpoolAnswer(note[1], tuple(note[2:])) if note else None


def _load_notes(folder: str) -> dict[str, list[str]]:
    """Return the notes on sessions: time, id and warnings; [] for those not saved yet."""
    noted = {}
    with contextlib.suppress(NotFoundError, DamagedDataError):  # then nobody is answered
        noted = load(os.path.join(folder, _NOTES))
    return {name: list(map(str, note)) for name, note in noted.items() if isinstance(note, list)}


def _write_notes(root: Root, noted: Mapping[str, list[str]]) -> None:
    path = os.path.join(root.in_index(NAME), _NOTES)
    if noted:
        data = json.dumps(noted).encode()
        # Written with the lock held: what a killed process leaves is removed at once.
        files.replace(path, data, root.modes, folder=root.index_folder)
    else:
        files.remove(path)


def _name(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def remove_leftovers(root: Root) -> None:
    files.remove_leftovers(root.in_index(NAME), older_than_s=_LEFT_OVER_S)
