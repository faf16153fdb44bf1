"""Edit, mark and delete sections.

Each change takes the lock, stores how to undo it, and leaves all other sections byte for byte. If
a person saves the file meanwhile, their text survives, or the change is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import flags as marking
from daily_memory.core.format import markdown, section_text, session_json
from daily_memory.core.format.escape import UNSAFE_CHARACTER
from daily_memory.core.format.markdown import Day
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError
from daily_memory.model import Section, SessionId, Span, has_tag
from daily_memory.services.changing import day_changes
from daily_memory.services.changing.day_changes import Written
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.storage import days, observations
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer
from daily_memory.storage.index.refresh import load_origins
from daily_memory.storage.roots import Root
from daily_memory.text import filled


class Edited(NamedTuple):
    """The sections that were changed or deleted, as they were before.

    `operation` is the id to undo it by, "" if nothing changed.
    """

    sections: tuple[StoredSession, ...]
    warnings: tuple[str, ...] = ()
    operation: str = ""


def delete(
    roots: Sequence[Root], ids: Sequence[str], now: datetime, *, dry_run: bool = False
) -> Edited:
    """Delete sections with their observations; the others keep their numbers."""
    sections = _find(roots, ids)
    return Edited(sections) if dry_run else delete_found(sections, now)


def delete_found(sections: Sequence[StoredSession], now: datetime) -> Edited:
    """Delete sections that were looked up already."""
    operation, warnings = _rewrite(undo_steps.DELETE, sections, lambda *_: "", now)
    return Edited(tuple(sections), warnings, operation)


def mark(
    roots: Sequence[Root], ids: Sequence[str], flags: Mapping[str, bool], now: datetime
) -> Edited:
    """Set or remove flags of sections; return those that changed."""
    if not flags:
        raise InvalidInputError("no flag given", hint=filled("one of {}", ", ".join(marking.FLAGS)))
    for flag in flags:
        if flag not in marking.FLAGS:
            raise InvalidInputError("flag {!r} is not one of {}", flag, ", ".join(marking.FLAGS))

    def written(target: StoredSession, day: Day, text: str) -> str:
        language = markdown.heading_language("auto", [target.session])
        known = day.language in markdown.TITLES
        marked = marking.marked(text, flags, language=day.language if known else language)
        # A conversation that continues still updates it.
        return section_text.renew_signature(text, marked)

    found = _find(roots, ids)
    wanted = tuple(target for target in found if not _is_so(target, flags))
    operation, warnings = _rewrite(undo_steps.MARK, wanted, written, now)
    if flags.get("private"):
        warnings += set_private(
            found, is_private=True
        )  # a tag written by hand hides no observations
    elif "private" in flags:
        was_private = [target for target in found if target.session.is_private]
        warnings += set_private(was_private, is_private=False)
    return Edited(wanted, warnings, operation)


def set_private(targets: Sequence[StoredSession], *, is_private: bool) -> tuple[str, ...]:
    """Hide or show the observations of sections; those of other private sections stay hidden."""
    warnings = []
    for root, session in ((target.root, target.session) for target in targets):
        try:
            of_session = observations.digested_files(root, session.conversation, str(session.id))
            for path, _ in of_session:
                if is_private or not _is_held_privately(root, path):
                    observations.set_private(root, path, is_private=is_private)
        except DailyMemoryError as error:
            warnings.append(day_changes.observations_warning(error))
    return tuple(warnings)


def _is_held_privately(root: Root, path: str) -> bool:
    ids = observations.digested_ids(files.read_bytes(path))
    found = (days.find_section(root, session_json.parse_id(id_)) for id_ in ids if id_)
    return any(section.session.is_private for section in found if section)


def _is_so(target: StoredSession, flags: Mapping[str, bool]) -> bool:
    return all(
        has_tag(target.session, marking.FLAGS[flag]) == is_set for flag, is_set in flags.items()
    )


def _find(roots: Sequence[Root], ids: Sequence[str]) -> tuple[StoredSession, ...]:
    if not ids:
        raise InvalidInputError("no id given", hint="an id is like 2026-01-29#1")
    return browse.get_many(roots, ids)


def _rewrite(
    action: str, wanted: Sequence[StoredSession], written: Written, now: datetime
) -> tuple[str, tuple[str, ...]]:
    """Replace sections by what `written` returns; return the operation's id, and warnings."""
    warnings: list[str] = []
    operation = ""
    for path in dict.fromkeys(target.root.path for target in wanted):
        sections = [target for target in wanted if target.root.path == path]
        root = sections[0].root
        with locked(root):
            done, faults = day_changes.apply(root, action, sections, written, now)
            operation = operation or done.id
            warnings += faults
            removed = len(sections) if action == undo_steps.DELETE else 0
            warnings += refresh(root, removed)
    return operation, tuple(warnings)


def refresh(root: Root, removed: int = 0) -> list[str]:
    """Update the index after this many sessions were removed; return warnings."""
    try:
        indexer.update_without(root, removed)
    except DailyMemoryError as error:
        return [filled("done, but the index was not brought up to date: {}", error.message)]
    return []


class ChangedError(ConflictError):
    """The section changed since the caller read it."""

    code = "changed"


class Opened(NamedTuple):
    """A session with the text of its section, and the digest of that text."""

    found: StoredSession
    text: str
    digest: str


def read(roots: Sequence[Root], session_id: str) -> Opened:
    root, wanted = browse.owning_root(roots, session_id)
    path = days.day_path(root, wanted.date)
    data = days.find_data(root, wanted.date) or b""
    section = _section(days.parse_bytes(data, wanted.date, path), wanted)
    if not section:
        raise browse.missing_error(
            wanted, [root], others=[target for target in roots if target != root]
        )
    text = days.decode(days.cut(data, section.span)).replace("\r\n", "\n")
    found = browse.stored_session(root, section, load_origins(root))
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
    """Replace the text of a section, redacted; it keeps its number.

    With `digest` the section must still have the text that was read with it. The result is empty if
    nothing changed.
    """
    opened = read(roots, session_id)
    if not text.strip():
        hint = filled("`memory delete {}` takes the session out", session_id)
        raise InvalidInputError("the text is empty: nothing was changed", hint=hint)
    digest = digest or opened.digest
    _check_unchanged(opened.found.session.id, opened.text, digest)
    wanted = _cleaned(text, settings)
    if wanted == opened.text.rstrip("\n") + "\n":
        return Edited(())

    def written(target: StoredSession, _day: Day, before: str) -> str:
        _check_unchanged(target.session.id, before, digest)
        _check_others(target, wanted)
        return wanted

    operation, warnings = _rewrite(undo_steps.EDIT, [opened.found], written, now)
    now_there = browse.get([opened.found.root], opened.found.id).session
    if now_there.is_private != opened.found.session.is_private:
        warnings += set_private([opened.found], is_private=now_there.is_private)
    return Edited((opened.found,), warnings, operation)


def _cleaned(text: str, settings: Settings) -> str:
    """Return a text redacted, with characters that editors drop escaped."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    hidden = privacy.redact(plain, policy(settings)).text
    return UNSAFE_CHARACTER.sub(lambda match: f"&#x{ord(match.group()):02X};", hidden) + "\n"


def _check_unchanged(wanted: SessionId, text: str, digest: str) -> None:
    if _digest(text) != digest:
        hint = "read it again, and edit that"
        raise ChangedError(filled("{} was changed meanwhile", wanted), hint=hint)


def _check_others(target: StoredSession, text: str) -> None:
    """Raise InvalidInputError if a text is not exactly one section.

    An open code fence would swallow the sections below; a heading would begin another section.
    """
    session = target.session
    data = files.find_bytes(target.path) or b""
    before = days.parse_bytes(data, session.date, target.path)
    span = next(s.span for s in before.all_sections if s.session == session)
    spliced = days.splice(data, span, text.encode("utf-8", "replace"))
    after = days.parse_bytes(spliced, session.date, target.path)
    edited = _section(after, session.id)
    is_whole = edited and edited.span == Span(span.first, span.first + text.count("\n") - 1)
    if not is_whole or _others(before, session.id) != _others(after, session.id):
        hint = filled(
            "keep its heading, `## Session {}`, and close each code fence", session.number
        )
        raise InvalidInputError("the text is not just the section {}", session.id, hint=hint)


def _section(day: Day, wanted: SessionId) -> Section | None:
    return next((target for target in day.all_sections if target.session.id == wanted), None)


def _others(day: Day, wanted: SessionId) -> list[object]:
    return [target.session for target in day.all_sections if target.session.id != wanted]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
