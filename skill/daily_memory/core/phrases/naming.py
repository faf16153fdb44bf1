"""What people call days and sessions: `yesterday`, `上周`, `last`."""

from __future__ import annotations

from datetime import date

from daily_memory.core.format import session_json
from daily_memory.core.search import dates
from daily_memory.core.search.dates import Period
from daily_memory.errors import InvalidInputError

_LAST = frozenset(
    "last latest newest 最近 最后 最新 上次 最近一条 最后一条 最新一条 上一条".split()
)


def is_last(name: str) -> bool:
    """Tell whether a word means the newest session."""
    return name.casefold() in _LAST


def named_days(name: str, today: date) -> Period:
    """Return the days that a date, or words such as `yesterday` or `上周`, name.

    >>> str(named_days("上周", date(2026, 1, 29)))
    '2026-01-19 to 2026-01-25'
    """
    try:
        day = session_json.parse_date(name)
        return Period(day, day)
    except InvalidInputError as error:
        named = dates.asked_period(name, today)
        if named and named.first > date.min:
            return named
        shown = name if len(name) <= 40 else f"{name[:40]}…"
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29, yesterday or 昨天"
        raise InvalidInputError("{!r} is neither an id nor a day", shown, hint=hint) from error
