"""Changing and deleting what is there, section by section.

Each change takes the lock, keeps in the journal what stood there before, and moves no byte of any
other section. What a person saves meanwhile survives, or the change is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import markdown, marking
from daily_memory.core.markdown import Day
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Section, has_tag
from daily_memory.services import viewing
from daily_memory.services.viewing import Found
from daily_memory.storage import days, indexing, journal
from daily_memory.storage.journal import Record
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root


class Edited(NamedTuple):
    """The sections that were changed or deleted, as they stood before, in the order asked for."""

    sections: tuple[Found, ...]
    warnings: tuple[str, ...] = ()


def delete(
    roots: Sequence[Root], ids: Sequence[str], now: datetime, *, dry_run: bool = False
) -> Edited:
    """Take sections out of their days; the other sections keep their numbers and their bytes.

    The journal keeps what they said for some weeks, and knows that they are not lost.

    Raises:
        InvalidInputError: one of these is not an id; nothing was deleted.
        NotFoundError: there is no such session; nothing was deleted.
        ConflictError: one changed at this very moment; those before it are gone.
    """
    wanted = _find(roots, ids)
    if dry_run:
        return Edited(wanted)
    return Edited(wanted, _rewrite(wanted, lambda _one, _day, _text: "", now))


def mark(
    roots: Sequence[Root], ids: Sequence[str], flags: Mapping[str, bool], now: datetime
) -> Edited:
    """Set flags of sections, or take them away; returns those that were not so already.

    `flags` has names of `core.marking.FLAGS`.

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

    wanted = tuple(one for one in _find(roots, ids) if not _is_so(one, flags))
    return Edited(wanted, _rewrite(wanted, written, now))


def _is_so(one: Found, flags: Mapping[str, bool]) -> bool:
    return all(
        has_tag(one.session, marking.FLAGS[flag]) == is_set for flag, is_set in flags.items()
    )


def _find(roots: Sequence[Root], ids: Sequence[str]) -> tuple[Found, ...]:
    if not ids:
        raise InvalidInputError("no id given", hint="an id is like 2026-01-29#1")
    return tuple(viewing.get(roots, id_) for id_ in dict.fromkeys(ids))


def _rewrite(
    wanted: Sequence[Found], written: Callable[[Found, Day, str], str], now: datetime
) -> tuple[str, ...]:
    """Put what `written` returns in the place of each section; return what else went wrong."""
    # The last of a day first: to take one out gives the copies behind it other names.
    ordered = sorted(wanted, key=lambda one: (one.path, one.span), reverse=True)
    warnings: list[str] = []
    for _, group in groupby(ordered, key=lambda one: one.root.path):
        sections = list(group)
        root = sections[0].root
        with locked(root):
            for one in sections:
                days.rewrite_section(
                    root, Section(one.session, one.span), partial(_noted, root, one, written, now)
                )
            warnings += _refresh(root)
    return tuple(warnings)


def _noted(
    root: Root,
    one: Found,
    written: Callable[[Found, Day, str], str],
    now: datetime,
    day: Day,
    before: str,
) -> str:
    """Return the new text of a section, noted in the journal before it is in its file.

    Whatever happens next, the old text is not lost. What others wrote does not become ours.
    """
    after = written(one, day, before)
    text = "" if one.origin else after
    record = Record(journal.format_moment(now), str(one.session.id), text, before)
    journal.add_records(root, [record], now)
    return after


def _refresh(root: Root) -> list[str]:
    try:
        indexing.update(root)
    except DailyMemoryError as error:
        return [f"done, but the index was not brought up to date: {error.message}"]
    return []
