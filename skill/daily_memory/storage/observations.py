"""Live sessions: `observations/<day>/<conversation>.jsonl`; lines are appended or blanked out.

A hook appends one line, without lock or index. Besides observations, lines say what became of the
session; docs/FORMAT.md lists them. The day is that on which it began.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import partial

from daily_memory.core.json_fields import parse_object
from daily_memory.core.observation import SAVE_TOOL, Observation, parse_observation
from daily_memory.errors import DailyMemoryError, DamagedDataError, LockedError, NotFoundError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.fs.file_cache import FileCache
from daily_memory.storage.roots import Root
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Made = TypeVar("_Made")

# An older conversation gets a new file.
_LOOK_BACK_DAYS = 31
# How long a conversation may be silent before it counts as over.
IDLE_S = 30 * 60.0
# How far back, in days that have live sessions, a start looks for one that was left; those before
# are looked at once a day, while no host waits.
START_DAYS = 14
_NAME_CHARS = 80
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
# Two channels of a host report the same event within this time.
_SAME_MOMENT_S = 10
_TAIL_BYTES = 4096
# Lines after which there is nothing more to digest than before.
_NO_NEWS = (b'{"session":', b'{"recalled":', b'{"asked":')
# So many tool calls, or one edit, are work that is worth summing up.
_MUCH_WORK = 8
# The end of the name of our tool that saves, as an observation has it.
_SAVED = f'{SAVE_TOOL}"'.encode()


class LiveSession(NamedTuple):
    """A live session, as its file describes it.

    `digested` is the id of its section, "" if something came after it; `skipped` says why there is
    none. `ended`: the host said that it is over. `refused`: the user did not want it saved.
    `recalled` are the ids of memories that it was shown. `places` are the line numbers of the
    observations, from 1. `meta` is JSON from whoever began it. `private`: all of it is. `asked`:
    its agent was asked to save what matters.
    """

    path: str
    conversation: str = ""
    host: str = ""
    project: str = ""
    began: str = ""
    observations: tuple[Observation, ...] = ()
    recalled: frozenset[str] = frozenset()
    digested: str = ""
    skipped: str = ""
    ended: str = ""
    refused: bool = False
    places: tuple[int, ...] = ()
    meta: str = ""
    private: bool = False
    asked: bool = False


def find_path(root: Root, conversation: str) -> str:
    """Return the file of a conversation, "" if it has none."""
    name = file_name(conversation)
    for day in list_days(root)[: -_LOOK_BACK_DAYS - 1 : -1]:
        path = os.path.join(root.observations_folder, day, name)
        if os.path.isfile(path):
            return path
    return ""


def get_path(root: Root, conversation: str) -> str:
    """Return the file of a live session; without a name, of the one last written to."""
    path = find_path(root, conversation) if conversation else _latest(root)
    if not path:
        message = (
            filled("no live session {!r}", conversation) if conversation else "no live session yet"
        )
        raise NotFoundError(message, hint="start one with `memory start`")
    return path


def _latest(root: Root) -> str:
    for day in reversed(list_days(root)):
        paths = list_paths(root, day)
        if paths:
            return max(paths, key=lambda path: files.stamp(path)[1])
    return ""


def scoped(root: Root, live: LiveSession) -> LiveSession:
    """Return a live session with the id of its section as users see it."""
    return live._replace(digested=root.scoped(live.digested)) if live.digested else live


def new_path(root: Root, conversation: str, day: date) -> str:
    """Return the path for a conversation that begins on this day."""
    return os.path.join(root.observations_folder, day.isoformat(), file_name(conversation))


def inherited_lines(root: Root, conversation: str) -> list[str]:
    """Return the first lines of a new file for a conversation that already has one."""
    return [format_line(private=True)] if _was_private(root, conversation) else []


def _was_private(root: Root, conversation: str) -> bool:
    """Tell whether the last file of a conversation, even an archived one, is private as a whole.

    One that can't be read counts as private.
    """
    paths = _all_paths(root, conversation)
    try:
        if paths:
            return load(paths[-1]).private
        if not os.path.isdir(root.archive_folder):
            return False
        from daily_memory.storage import archive_files  # a hook seldom asks

        packed = archive_files.find_observed(root, file_name(conversation))
        return bool(packed) and parse(packed, archive_files.load_observed(packed)).private
    except DailyMemoryError:
        return True


def file_name(conversation: str) -> str:
    """Return a portable file name, unique for each conversation.

    >>> file_name("3f2a-77"), file_name("../etc/passwd")
    ('3f2a-77.jsonl', '.._etc_passwd-f57401c7.jsonl')
    """
    # Some file systems ignore case.
    kept = "".join(c if c in _NAME_CHARACTERS else "_" for c in conversation)
    if kept == conversation and 0 < len(kept) <= _NAME_CHARS and kept.strip("."):
        return f"{kept}.jsonl"
    import zlib  # a checksum tells apart what the letters no longer do

    checksum = zlib.crc32(files.to_bytes(conversation))
    return f"{kept[:_NAME_CHARS]}-{checksum:08x}.jsonl"


def list_days(root: Root) -> list[str]:
    """Return the days with live sessions, oldest first, as `YYYY-MM-DD`."""
    names = files.list_names(root.observations_folder)
    return [name for name in names if len(name) == len("2026-01-29") and name[:1].isdigit()]


def list_paths(root: Root, day: str, *, files_only: bool = True) -> list[str]:
    """Return the files of a day's live sessions, or all such entries; no links."""
    try:
        with os.scandir(os.path.join(root.observations_folder, day)) as entries:
            return sorted(
                entry.path
                for entry in entries
                if entry.name.endswith(".jsonl")
                and (not files_only or entry.is_file(follow_symlinks=False))
            )
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def find_events(root: Root, names: Iterable[str]) -> dict[str, str]:
    """Return observation ids by the host's event ids. This may read all files."""
    wanted = {name: files.to_bytes(f'"event":{_json(name)}') for name in names}
    found: dict[str, str] = {}
    for day in reversed(list_days(root)):
        for path in list_paths(root, day):
            if len(found) == len(wanted):
                return found
            try:
                data = files.read_bytes(path)
            except DailyMemoryError:
                continue  # as in `each`
            name = os.path.basename(path).removesuffix(".jsonl")
            for event, needle in wanted.items():
                place = data.find(needle) if event not in found else -1
                if place >= 0:
                    line = data[:place].count(b"\n") + 1
                    found[event] = f"{day}/{name}:{line}"
    return found


def list_stamps(root: Root, day: str) -> dict[str, files.Stamp]:
    """Return the stamps of a day's regular files, by name below the root."""
    stamps = {root.name_of(path): files.stamp(path) for path in list_paths(root, day)}
    return {name: stamp for name, stamp in stamps.items() if stamp != files.NO_STAMP}


def observation_id(live: LiveSession, number: int) -> str:
    """Return the id of an observation: day, file and line."""
    day, name = os.path.split(live.path.removesuffix(".jsonl"))
    return f"{os.path.basename(day)}/{name}:{live.places[number]}"


def append(root: Root, path: str, *lines: str) -> int:
    """Append lines with one write, without fsync; return the size of the file then.

    Waiting would hold up the host at every event. A power cut can only shorten the file.
    """
    files.make_folder(os.path.dirname(path), root.modes)
    return files.append_line(path, files.to_bytes("".join(lines)), root.modes)


def place_of_last(path: str, size: int, added: Observation) -> int:
    """Return the line of the observation that ends at this size, or of its first copy.

    Only lines with the same text are parsed: a conversation may have thousands.
    """
    raw = files.read_raw(path)[:size]
    try:
        data = files.decrypted(path, raw)
    except (LockedError, DamagedDataError):
        return raw.count(b"\n")  # lines stay lines: only whether it was there before is not known
    text = files.to_bytes(json.dumps(added.text, ensure_ascii=False))
    if text not in data[: data.rfind(b"\n", 0, -1)]:
        return data.count(b"\n")
    # An answer that repeats the last one is dropped, whatever its tool.
    is_answer = added.kind == "assistant"
    _, found = read_lines(path, data if is_answer else _only(data, text))
    return max(
        line.place
        for line in distinct(found)
        for one in [line.observation]
        if (one.kind, one.text) == (added.kind, added.text)
        if is_answer or one.tool == added.tool
    )


def _only(data: bytes, text: bytes) -> bytes:
    """Return the data with all lines emptied but those that contain `text`."""
    return b"\n".join(line if text in line else b"" for line in data.split(b"\n"))


def session_line(conversation: str, host: str, project: str, began: str, meta: str = "") -> str:
    fields = {"conversation": conversation, "host": host, "project": project, "began": began}
    return format_line(session={**fields, "meta": meta} if meta else fields)


def format_line(**fields: object) -> str:
    """Return a line about a session; docs/FORMAT.md lists them.

    Empty texts are left out.
    """
    return _json({name: value for name, value in fields.items() if value != ""}) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load(path: str) -> LiveSession:
    """Return a live session, each observation once."""
    return parse(path, files.read_bytes(path))


def parse(path: str, data: bytes) -> LiveSession:
    """Parse the file of a live session, each observation once."""
    live, found = read_lines(path, data)
    kept = tuple(distinct(found))
    return live._replace(
        observations=tuple(
            line.observation._replace(private=live.private or line.observation.private)
            for line in kept
        ),
        places=tuple(line.place for line in kept),
    )


def each(root: Root, *, first: date = date.min, last: date = date.max) -> Iterator[LiveSession]:
    """Yield the live sessions that began in these days, oldest day first.

    Those that can't be read are skipped; `doctor` reports them.
    """
    for day in list_days(root):
        if first.isoformat() <= day <= last.isoformat():
            for path in list_paths(root, day):
                with contextlib.suppress(DailyMemoryError):
                    yield load(path)


def each_cached(
    root: Root, cache: FileCache, make: Callable[[LiveSession], _Made]
) -> Iterator[_Made]:
    """Yield `make(live)` for each live session, cached while its file is unchanged."""
    for day in list_days(root):
        for path in list_paths(root, day):
            with contextlib.suppress(DailyMemoryError):
                stamp = files.stamp(path)
                yield cache.get(root.modes, path, stamp, partial(_made, path, make))


def _made(path: str, make: Callable[[LiveSession], _Made]) -> _Made:
    return make(load(path))


def digested_files(root: Root, conversation: str, session_id: str) -> list[tuple[str, str]]:
    """Return the files of a conversation whose observations are in a section.

    With each comes the id by which it names the section: a merge may have renumbered that.
    """
    if not conversation:
        return []
    named = (
        (path, section_name(root, conversation, session_id, files.read_bytes(path)))
        for path in _all_paths(root, conversation)
    )
    return [(path, id_) for path, id_ in named if id_]


def _all_paths(root: Root, conversation: str) -> list[str]:
    name = file_name(conversation)
    paths = [os.path.join(root.observations_folder, day, name) for day in list_days(root)]
    return [path for path in paths if os.path.isfile(path)]


def source_files(root: Root, conversation: str, session_id: str) -> list[tuple[str, str]]:
    """Return the files that a section was made of, as `digested_files` does.

    If no file says so, these are the files of the conversation without a section.
    """
    found = digested_files(root, conversation, session_id)
    if found or not conversation:
        return found
    return [
        (path, session_id)
        for path in _all_paths(root, conversation)
        if not digested_ids(files.read_bytes(path))
    ]


def section_name(root: Root, conversation: str, session_id: str, data: bytes) -> str:
    """Return the id by which a file names a section of its conversation, "" for none.

    If a merge renumbered the section, that is the last id of its day that no section of the
    conversation has any more. An id that another conversation has now names none.
    """
    day = session_id.partition("#")[0]
    ids = [one for one in digested_ids(data) if one.partition("#")[0] == day]
    if not ids:
        return ""
    from daily_memory.storage import archive_files, days  # a hook, which only appends, goes without

    when = date.fromisoformat(day)
    talks = {
        str(section.session.id): section.session.conversation
        for found in (archive_files.load_day(root, when), days.load_day(root, when))
        for section in found.sections
    }
    if talks.get(session_id, conversation) != conversation:
        return ""
    former = [one for one in ids if talks.get(one) != conversation]
    return session_id if session_id in ids else next(reversed(former), "")


def digested_ids(data: bytes) -> list[str]:
    """Return the section ids that a file names, in its order."""
    lines = [line for line in data.split(b"\n") if line.startswith(b'{"digested":')]
    return [_with_line(LiveSession(""), files.to_text(line)).digested for line in lines]


def digested_ranges(path: str, data: bytes, session_id: str) -> list[tuple[int, int]]:
    """Return the byte ranges of the observations that a section was made of."""
    held, note, _ = data.rpartition(files.to_bytes(format_line(digested=session_id)))
    if not note and digested_ids(data):
        return []  # by now another one holds it
    _, found = read_lines(path, held if note else data)
    return [(line.begins, line.ends) for line in found]


def text_ranges(path: str, data: bytes) -> list[tuple[int, int]]:
    """Return the byte ranges of all observations, and of what the host told about the session."""
    _, found = read_lines(path, data)
    places = [(line.begins, line.ends) for line in found]
    head = data.partition(b"\n")[0]
    before, meta, _ = head.partition(b',"meta":')
    if head.startswith(b'{"session":') and meta and head.endswith(b"}}"):
        places.append((len(before), len(head) - len(b"}}")))
    return places


def half_blank_ranges(data: bytes) -> list[tuple[int, int]]:
    """Return the byte ranges of lines that a killed process left half blank."""
    places, begins = [], 0
    for line in data.split(b"\n"):
        if line.startswith(b" ") and line.strip():
            places.append((begins, begins + len(line)))
        begins += len(line) + 1
    return places


def erase(root: Root, path: str, places: Iterable[tuple[int, int]]) -> None:
    """Overwrite observations with blanks; no line moves, so ids stay valid."""
    from daily_memory.storage.fs import replace  # a hook only appends

    replace.blank_out(path, lambda _data: places, root.modes, folder=root.index_folder)


def put_back(root: Root, path: str, pieces: Sequence[tuple[int, bytes]]) -> None:
    """Restore erased observations."""
    if os.path.isfile(path):
        from daily_memory.storage.fs import replace  # as above

        replace.fill_in(path, pieces, root.modes, folder=root.index_folder)


def note_digested(root: Root, path: str, session_id: str) -> None:
    """Record in a file which section it was digested into."""
    line = format_line(digested=session_id)
    data = files.find_bytes(path)
    if data is not None and files.to_bytes(line) not in data:
        append(root, path, line)


def set_private(root: Root, path: str, *, is_private: bool) -> None:
    """Record whether the whole conversation is private."""
    live = load(path)
    if live.private == is_private:
        return
    # It stays settled if it was.
    rest = [format_line(digested=live.digested)] if live.digested else []
    append(root, path, format_line(private=is_private), *rest)


def broken_lines(path: str) -> list[int]:
    """Return the numbers of the lines that are no JSON object, from 1."""
    lines = files.to_text(files.read_bytes(path)).split("\n")
    return [
        place for place, line in enumerate(lines, 1) if line.strip() and parse_object(line) is None
    ]


class ObservationLine(NamedTuple):
    """An observation with its line number, from 1, and the line's byte range."""

    place: int
    begins: int
    ends: int
    observation: Observation


def unread(path: str) -> LiveSession:
    """Return a live session of which only the file is known."""
    return LiveSession(path, os.path.basename(path).removesuffix(".jsonl"))


def read_lines(path: str, data: bytes) -> tuple[LiveSession, list[ObservationLine]]:
    """Return a live session without observations, and all its observations with their lines."""
    live, begins = unread(path), 0
    lines: list[ObservationLine] = []
    for place, line in enumerate(data.split(b"\n"), 1):
        text, ends = files.to_text(line), begins + len(line)
        observation = parse_observation(text) if text else None
        if observation:
            lines.append(ObservationLine(place, begins, ends, observation))
            live = live._replace(digested="", skipped="", ended="")
        elif text:
            live = _with_line(live, text)
        begins = ends + 1
    return live, lines


def load_recalled(path: str) -> frozenset[str]:
    """Return the ids of the memories that a conversation was shown."""
    recalled: frozenset[str] = frozenset()
    for line in (files.find_bytes(path) or b"").split(b"\n"):
        if line.startswith(b'{"recalled":'):
            text = files.to_text(line)
            recalled = _with_line(LiveSession(path, recalled=recalled), text).recalled
    return recalled


def recently_known(root: Root) -> frozenset[str]:
    """Return the ids of sessions that recent conversations were shown, or were digested into."""
    known: frozenset[str] = frozenset()
    for day in list_days(root)[-2:]:
        for path in list_paths(root, day):
            with contextlib.suppress(DailyMemoryError):  # encrypted
                live = load(path)
                known |= live.recalled | {live.digested} - {""}
    return known


def count_prompts(path: str) -> int:
    return (files.find_bytes(path) or b"").count(b',"kind":"user",')


def needs_agent_save(path: str) -> bool:
    """Tell whether a conversation did much work, and its agent was not asked to save it.

    What can't be read, as without the key, is not to be saved.
    """
    try:
        data = files.find_bytes(path) or b""
    except DailyMemoryError:
        return False
    if any(line in data for line in (b'{"asked":', b'{"refused":', _SAVED)):
        return False
    edits = (b'"tool":"edit"', b'"tool":"write"', b'"tool":"delete"')
    return any(edit in data for edit in edits) or data.count(b',"tool":"') >= _MUCH_WORK


def load_recalls(path: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return each line number at which memories were shown, with their marks."""
    shown: list[tuple[int, tuple[str, ...]]] = []
    with contextlib.suppress(DailyMemoryError):
        for place, line in enumerate(files.read_bytes(path).split(b"\n"), 1):
            if line.startswith(b'{"recalled":['):
                with contextlib.suppress(ValueError, RecursionError):
                    marks = json.loads(files.to_text(line))["recalled"]
                    shown.append((place, tuple(map(str, marks))))
    return shown


def is_settled(path: str) -> bool:
    """Tell whether the session was digested or skipped, with nothing added since."""
    try:
        with files.stream(path) as file:
            begins = max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES)
            file.seek(begins)
            lines = file.read().rstrip(b"\n").split(b"\n")
        for line in reversed(lines[1:] if begins else lines):
            line = files.decrypted(path, line)
            if not line.startswith(_NO_NEWS):
                return line.startswith((b'{"digested":', b'{"skipped":'))
    except DailyMemoryError:
        return True  # what can't be read can't be digested either
    return not begins  # else something may have been said before


def is_over(path: str) -> bool:
    """Tell whether the host ended the conversation, with nothing added since."""
    try:
        return is_settled(path) and bool(load(path).ended)  # most go on: the end alone is read
    except DailyMemoryError:
        return False


def unfinished(
    root: Root, now: datetime, *, idle_s: float = 0, days_back: int = _LOOK_BACK_DAYS, but: str = ""
) -> list[str]:
    """Return the files of live sessions that are not fully digested.

    `idle_s`: only those without additions for so long. `days_back`: of so many days with live
    sessions; 0 is all. `but`: not this conversation.
    """
    name = file_name(but)
    return [
        path
        for day in list_days(root)[-days_back:]
        for path in list_paths(root, day)
        if os.path.basename(path) != name
        and (not idle_s or files.stamp(path)[1] / 1e9 + idle_s <= now.timestamp())
        and not is_settled(path)
    ]


def _with_line(live: LiveSession, line: str) -> LiveSession:
    """Return the session after one of our lines; other lines change nothing."""
    name, value = next(iter((parse_object(line) or {}).items()), ("", ""))
    if name == "session" and isinstance(value, dict) and not live.began:
        told = {key: str(text) for key, text in value.items()}
        return live._replace(
            conversation=told.get("conversation", ""),
            host=told.get("host", ""),
            project=told.get("project", ""),
            began=told.get("began", ""),
            meta=told.get("meta", ""),
        )
    if name == "recalled":
        known = live.recalled if isinstance(value, list) else frozenset()
        return live._replace(recalled=known | frozenset(map(str, value or ())))
    changed = {
        "digested": live._replace(digested=str(value)),
        "skipped": live._replace(skipped=str(value)),
        "ended": live._replace(ended=str(value)),
        "refused": live._replace(refused=True),
        "private": live._replace(private=value is True),
        "asked": live._replace(asked=True),
    }
    return changed.get(name, live)


def distinct(found: Sequence[ObservationLine]) -> Iterator[ObservationLine]:
    """Yield each observation once: hosts may report one twice.

    If one report is private, so is the observation.
    """
    # The time of the last observation of each key, and the answer since the last question.
    seen: dict[tuple[str, ...], str] = {}
    last_answer = ""
    private = {line.observation.text for line in found if line.observation.private}
    for line in found:
        observation = line.observation
        kind, text = observation.kind, observation.text
        key = kind, observation.tool, text, observation.turn, observation.event
        before = seen.get(key)
        is_named = observation.event or observation.turn
        is_repeated = before is not None and (is_named or _is_moment(before, observation.at))
        # Trae ends a turn more than once, each time with the same last answer.
        if kind == "assistant":
            is_repeated = is_repeated or text == last_answer
            last_answer = text
        elif kind == "user":
            last_answer = ""
        if not is_repeated:
            seen[key] = observation.at
            yield line._replace(observation=observation._replace(private=text in private))


def _is_moment(earlier: str, later: str) -> bool:
    try:
        apart = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
        return abs(apart.total_seconds()) <= _SAME_MOMENT_S
    except (ValueError, TypeError):
        return False
