"""The values that travel between modules: all frozen, none knows of files or screens.

They are named tuples and not dataclasses because `import dataclasses` alone costs more than a
whole search over a small memory (docs/decisions/0001).
"""

from __future__ import annotations

from datetime import date

from daily_memory.errors import InvalidInputError
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled, joined

IMPORTANT_TAGS = frozenset({"important", "重要"})
OUTDATED_TAGS = frozenset({"outdated", "过时"})
PRIVATE_TAG = "private"
PRIVATE_TAGS = frozenset({PRIVATE_TAG, "私密"})

FLAG_TAGS = IMPORTANT_TAGS | OUTDATED_TAGS | PRIVATE_TAGS

# The source of what `memory add` saves.
BY_HAND = "note"
# The kinds of observations.
KINDS = ("user", "assistant", "tool", "note", "decision", "error")


class Span(NamedTuple):
    """Lines first..last of a file, counted from 1, both ends included."""

    first: int
    last: int


class Code(NamedTuple):
    """A block of code or configuration; `language` may be empty."""

    language: str
    text: str


class Note(NamedTuple):
    """Text under a sub-heading that the format does not know; heading "" is text above all."""

    heading: str
    text: str


class SessionId(NamedTuple):
    """Names one session for ever: the day, the number, and which of several with that number."""

    date: date
    number: int
    copy: int = 1

    def __str__(self) -> str:
        """Return `2026-01-29#3`, or `2026-01-29#3~2` for the second session 3 of that day."""
        suffix = f"~{self.copy}" if self.copy > 1 else ""
        return f"{self.date.isoformat()}#{self.number}{suffix}"


class Session(NamedTuple):
    """One conversation, as one section of a day file.

    `number` is 0 while the session has not been saved. `time` is `HH:MM:SS`, `HH:MM` or empty.
    `continues` is the id of an earlier section of the same conversation. `digest` is the hash of
    the section as we wrote it: as long as it fits, nobody edited it by hand.
    """

    date: date
    number: int = 0
    time: str = ""
    topic: str = ""
    summary: str = ""
    key_points: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    code: tuple[Code, ...] = ()
    open_questions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    conversation: str = ""
    source: str = ""
    project: str = ""
    origin: str = ""
    continues: str = ""
    digest: str = ""
    copy: int = 1

    @property
    def id(self) -> SessionId:
        return SessionId(self.date, self.number, self.copy)

    @property
    def is_important(self) -> bool:
        return has_tag(self, IMPORTANT_TAGS)

    @property
    def is_outdated(self) -> bool:
        return has_tag(self, OUTDATED_TAGS)

    @property
    def is_private(self) -> bool:
        return has_tag(self, PRIVATE_TAGS)


def has_tag(session: Session, names: frozenset[str]) -> bool:
    """Tell whether the session carries one of these tags, in any case.

    >>> has_tag(Session(date(2026, 1, 29), tags=("Important",)), IMPORTANT_TAGS)
    True
    """
    return any(tag.casefold() in names for tag in session.tags)


class Section(NamedTuple):
    """A session together with the lines of the day file that it was read from."""

    session: Session
    span: Span


class Problem(NamedTuple):
    """A fault in a file that people may edit: a value to report, never an exception."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return joined(": ", (place, self.message))


def check_period(first: date | None, last: date | None) -> None:
    """Refuse a period that ends before it begins."""
    if first and last and first > last:
        hint = filled("as in: since {}, until {}", last, first)
        raise InvalidInputError("since {} is later than until {}", first, last, hint=hint)


def days_before(day: date, count: int) -> date:
    """Return the day so many days earlier, or the first day that there is.

    >>> days_before(date(2026, 1, 29), 28), days_before(date(2026, 1, 29), 10**9)
    (datetime.date(2026, 1, 1), datetime.date(1, 1, 1))
    """
    return date.fromordinal(max(1, day.toordinal() - count))


def day_after(day: date) -> date:
    """Return the next day, or the last day that there is.

    >>> day_after(date(2026, 1, 31)), day_after(date.max) == date.max
    (datetime.date(2026, 2, 1), True)
    """
    return date.fromordinal(min(date.max.toordinal(), day.toordinal() + 1))
