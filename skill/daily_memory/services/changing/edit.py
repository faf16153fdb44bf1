"""Changing and deleting what is there, section by section.

Each change takes the lock, keeps in the undo store what stood there before, and moves no byte of
any other section. What a person saves meanwhile survives, or the change is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import flags as marking
from daily_memory.core.format import markdown, session_json
from daily_memory.core.format.escape import UNSAFE_CHARACTER
from daily_memory.core.format.markdown import Day
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import Blanked
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError
from daily_memory.model import Section, SessionId, Span, has_tag
from daily_memory.services.changing import replace
from daily_memory.services.changing.replace import Observed, Written
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import Found
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import days, observations
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import refresh as indexing
from daily_memory.storage.roots import Root


class Edited(NamedTuple):
    """The sections that were changed or deleted, as they stood before, in the order asked for.

    `operation` is the id by which it is undone, "" where nothing was done.
    """

    sections: tuple[Found, ...]
    warnings: tuple[str, ...] = ()
    operation: str = ""


def delete(
    roots: Sequence[Root], ids: Sequence[str], now: datetime, *, dry_run: bool = False
) -> Edited:
    """Take sections out of their days; the other sections keep their numbers and their bytes.

    What was observed of their conversations goes with them. The undo store keeps it all, as one
    operation, and the journal knows that they are not lost.

    Raises:
        InvalidInputError: one of these is not an id; nothing was deleted.
        NotFoundError: there is no such session; nothing was deleted.
        ConflictError: one changed at this very moment; those of earlier days are gone.
    """
    return delete_found(_find(roots, ids), now, dry_run=dry_run)


def delete_found(wanted: Sequence[Found], now: datetime, *, dry_run: bool = False) -> Edited:
    """Take sections out of their days that were looked up already; see `delete`.

    Raises:
        ConflictError: as there.
    """
    wanted = tuple(wanted)
    if dry_run:
        return Edited(wanted)
    observed, warnings = held(wanted)
    operation, told = _rewrite(undo_steps.DELETE, wanted, lambda *_: "", now, observed)
    return Edited(wanted, (*warnings, *told, *erase(wanted, observed)), operation)


def mark(
    roots: Sequence[Root], ids: Sequence[str], flags: Mapping[str, bool], now: datetime
) -> Edited:
    """Set flags of sections, or take them away; returns those that were not so already.

    `flags` has names of `core.format.flags.FLAGS`.

    Raises:
        InvalidInputError: there is no such flag, one of these is not an id, or a section can't be
            told apart from what is around it.
        NotFoundError: there is no such session; nothing was changed.
        ConflictError: one changed at this very moment; those before it are marked.
    """
    if not flags:
        raise InvalidInputError("no flag given", hint=f"one of {', '.join(marking.FLAGS)}")
    for flag in flags:
        if flag not in marking.FLAGS:
            raise InvalidInputError(f"flag {flag!r} is not one of {', '.join(marking.FLAGS)}")

    def written(one: Found, day: Day, text: str) -> str:
        language = markdown.heading_language("auto", [one.session])
        known = day.language in markdown.TITLES
        return marking.marked(text, flags, language=day.language if known else language)

    found = _find(roots, ids)
    wanted = tuple(one for one in found if not _is_so(one, flags))
    operation, warnings = _rewrite(undo_steps.MARK, wanted, written, now)
    if flags.get("private"):
        warnings += set_private(found, is_private=True)  # a tag written by hand hid no observation
    elif "private" in flags:
        was_private = [one for one in found if one.session.is_private]
        warnings += set_private(was_private, is_private=False)
    return Edited(wanted, warnings, operation)


def set_private(wanted: Sequence[Found], *, is_private: bool) -> tuple[str, ...]:
    """Hide or show what was observed of the conversations of sections.

    What another section holds as well that is private stays hidden.
    """

    def change(one: Found, path: str, _name: str) -> None:
        if is_private or not _is_held_privately(one.root, path):
            observations.set_private(one.root, path, is_private=is_private)

    return _each_observed(wanted, change)


def _is_held_privately(root: Root, path: str) -> bool:
    ids = observations.digested_ids(files.read_bytes(path))
    named = {session_json.parse_id(id_) for id_ in ids if id_}
    found = (days.find_section(root, one.date, one.number, one.copy) for one in named)
    return any(section.session.is_private for section in found if section)


def held(wanted: Sequence[Found]) -> tuple[dict[Found, tuple[Blanked, ...]], tuple[str, ...]]:
    """Return what was observed of the conversations of sections, each piece once."""
    found_by: dict[Found, tuple[Blanked, ...]] = {}
    seen: set[tuple[str, str, int]] = set()

    def add(one: Found, path: str, id_: str) -> None:
        data = files.read_bytes(path)
        name = observations.name_in(one.root, path)
        pieces = [
            Blanked(name, begins, undo_steps.to_text(data[begins:ends]))
            for begins, ends in observations.held(path, data, id_)
            if (one.root.path, name, begins) not in seen
        ]
        seen.update((one.root.path, name, piece.begins) for piece in pieces)
        found_by[one] = (*found_by.get(one, ()), *pieces)

    return found_by, _each_observed(wanted, add, observations.made_of)


def erase(
    wanted: Sequence[Found], observed: Mapping[Found, tuple[Blanked, ...]]
) -> tuple[str, ...]:
    """Put blanks in the place of just that; return what went wrong."""
    warnings = []
    for one in wanted:
        for name, pieces in groupby(observed.get(one, ()), key=lambda piece: piece.path):
            places = [(at, at + len(undo_steps.to_bytes(text))) for _, at, text in pieces]
            try:
                observations.erase(one.root, os.path.join(one.root.path, name), places)
            except DailyMemoryError as error:
                warnings.append(_as_it_was(error))
    return tuple(warnings)


def _as_it_was(error: DailyMemoryError) -> str:
    return f"done, but what was observed stays as it is: {error.message}"


def _each_observed(
    wanted: Sequence[Found],
    change: Callable[[Found, str, str], None],
    held_in: Callable[[Root, str, str], list[tuple[str, str]]] = observations.digested_into,
) -> tuple[str, ...]:
    """Change the live sessions that sections were made of; return what went wrong."""
    warnings = []
    for one in wanted:
        session = one.session
        try:
            for path, id_ in held_in(one.root, session.conversation, str(session.id)):
                change(one, path, id_)
        except DailyMemoryError as error:
            warnings.append(_as_it_was(error))
    return tuple(warnings)


def _is_so(one: Found, flags: Mapping[str, bool]) -> bool:
    return all(
        has_tag(one.session, marking.FLAGS[flag]) == is_set for flag, is_set in flags.items()
    )


def _find(roots: Sequence[Root], ids: Sequence[str]) -> tuple[Found, ...]:
    if not ids:
        raise InvalidInputError("no id given", hint="an id is like 2026-01-29#1")
    return browse.get_many(roots, ids)


def _rewrite(
    action: str,
    wanted: Sequence[Found],
    written: Written,
    now: datetime,
    observed: Observed | None = None,
) -> tuple[str, tuple[str, ...]]:
    """Put what `written` returns in the place of each section.

    Returns by which id that is undone, and what else went wrong.
    """
    warnings: list[str] = []
    operation = ""
    for path in dict.fromkeys(one.root.path for one in wanted):
        sections = [one for one in wanted if one.root.path == path]
        root = sections[0].root
        with locked(root):
            done = replace.apply(root, action, sections, written, now, observed)
            operation = operation or done.id
            removed = len(sections) if action == undo_steps.DELETE else 0
            warnings += refresh(root, removed)
    return operation, tuple(warnings)


def refresh(root: Root, removed: int = 0) -> list[str]:
    """Bring the index up to date, after so many sessions went; return what kept us from it."""
    try:
        indexing.update_without(root, removed)
    except DailyMemoryError as error:
        return [f"done, but the index was not brought up to date: {error.message}"]
    return []


# ---------------------------------------------------------------------------- the text


class ChangedError(ConflictError):
    """The section is not any more what the caller has seen."""

    code = "changed"


class Opened(NamedTuple):
    """A session with the text of its section; `digest` is by what an edit names that text."""

    found: Found
    text: str
    digest: str


def read(roots: Sequence[Root], session_id: str) -> Opened:
    """Return a session and its text as they stood at one moment.

    Raises:
        InvalidInputError: it is not an id.
        NotFoundError: there is no such session.
    """
    root, wanted = browse.owner(roots, session_id)
    path = days.day_path(root, wanted.date)
    data = files.find_bytes(path) or b""
    section = _section(days.parse_bytes(data, wanted.date, path), wanted)
    if not section:
        raise browse.missing(wanted, [root], others=[one for one in roots if one != root])
    text = days.decode(days.cut(data, section.span)).replace("\r\n", "\n")
    found = browse.found_at(root, section, indexing.load_origins(root))
    return Opened(found, text, _digest(text))


def edit(
    roots: Sequence[Root],
    session_id: str,
    text: str,
    settings: Settings,
    now: datetime,
    *,
    digest: str = "",
) -> Edited:
    """Put another text, redacted, in the place of a section; it keeps its number.

    With `digest` the section must still have the text that was read with it. Where nothing would
    change, nothing is named in the result.

    Raises:
        InvalidInputError: the text is not one section with that number, or it would change others.
        NotFoundError: there is no such session.
        ConflictError: it changed meanwhile; nothing was written.
    """
    opened = read(roots, session_id)
    if not text.strip():
        hint = f"`memory delete {session_id}` takes the session out"
        raise InvalidInputError("the text is empty: nothing was changed", hint=hint)
    digest = digest or opened.digest
    _check_unchanged(opened.found.session.id, opened.text, digest)
    wanted = _cleaned(text, settings)
    if wanted == opened.text.rstrip("\n") + "\n":
        return Edited(())

    def written(one: Found, _day: Day, before: str) -> str:
        _check_unchanged(one.session.id, before, digest)
        _check_others(one, wanted)
        return wanted

    operation, warnings = _rewrite(undo_steps.EDIT, [opened.found], written, now)
    now_there = browse.get([opened.found.root], opened.found.id).session
    if now_there.is_private != opened.found.session.is_private:
        warnings += set_private([opened.found], is_private=now_there.is_private)
    return Edited((opened.found,), warnings, operation)


def _cleaned(text: str, settings: Settings) -> str:
    """Return a text as it may stand in a day file: redacted, with characters that editors keep."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    hidden = privacy.redact(plain, policy(settings)).text
    return UNSAFE_CHARACTER.sub(lambda match: f"&#x{ord(match.group()):02X};", hidden) + "\n"


def _check_unchanged(wanted: SessionId, text: str, digest: str) -> None:
    if _digest(text) != digest:
        raise ChangedError(f"{wanted} was changed meanwhile", hint="read it again, and edit that")


def _check_others(one: Found, text: str) -> None:
    """Raise InvalidInputError where a text would be more or less than its section.

    An open fence would swallow the sections below, a heading would begin another one. The file is
    the one that is about to be written: it is not, if it has changed since.
    """
    session = one.session
    data = files.find_bytes(one.path) or b""
    before = days.parse_bytes(data, session.date, one.path)
    span = next(s.span for s in before.all_sections if s.session == session)
    spliced = days.splice(data, span, text.encode("utf-8", "replace"))
    after = days.parse_bytes(spliced, session.date, one.path)
    edited = _section(after, session.id)
    is_whole = edited and edited.span == Span(span.first, span.first + text.count("\n") - 1)
    if not is_whole or _others(before, session.id) != _others(after, session.id):
        hint = f"keep its heading, `## Session {session.number}`, and close each code fence"
        raise InvalidInputError(f"the text is not just the section {session.id}", hint=hint)


def _section(day: Day, wanted: SessionId) -> Section | None:
    return next((one for one in day.all_sections if one.session.id == wanted), None)


def _others(day: Day, wanted: SessionId) -> list[object]:
    return [one.session for one in day.all_sections if one.session.id != wanted]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
