"""What a report tells, in numbers, and the pure part of the counting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from daily_memory.core.digests.wording import terms_of
from daily_memory.core.review import quality
from daily_memory.model import FLAG_TAGS, Session

# How many tags are followed over time, and up to how many days by week instead of month.
MOST_TOPICS = 8
_BY_WEEK_DAYS = 120
# Of the sessions that were recalled, the most recalled.
MOST_RECALLED = 10

GOOD = 0.8

# A word is a sign of one session where no more of them have it; so many signs tell of use.
_RARE = 1
_RARE_SHARE = 200
_LEAST_SIGNS = 3
_LEAST_NAME_CHARS = 5


class Topics(NamedTuple):
    """How often the most frequent tags occur in each period.

    `unit` is `week` or `month`; a period is named by its first day.
    """

    unit: str
    periods: tuple[date, ...]
    tags: Mapping[str, tuple[int, ...]]


class Recalled(NamedTuple):
    """A session that conversations were told of: how many, and how many show signs of use."""

    id: str
    topic: str
    told: int
    used: int


class Recall(NamedTuple):
    """What conversations were told of the memory, and what of it they show signs of having used.

    `conversations` are the live sessions that there were, `told` those of them that were told of
    at least one session. `sessions` counts each session once for each conversation that was told
    of it, `used` those of them with signs of use, `unknown` those that are no longer there.
    """

    conversations: int = 0
    told: int = 0
    sessions: int = 0
    used: int = 0
    unknown: int = 0
    most: tuple[Recalled, ...] = ()


class Judged(NamedTuple):
    """How good the digests are; `reasons` count what speaks against them."""

    sessions: int
    mean: float
    good: int
    fair: int
    poor: int
    reasons: Mapping[str, int]


class Counts(NamedTuple):
    """How many sessions and observations there are from `first` to `last`, and of what.

    `flags` count sessions that are important, outdated, private, or of others (`foreign`). `tags`,
    `projects`, `hosts`, `topics` and `quality` are of those that are not private. `bytes` are the
    sizes of the folders, whatever the days. `redactions` count the marks that stand in sessions and
    observations in the place of what was hidden; what was hidden in text that was not kept is not
    known.
    """

    first: date
    last: date
    sessions: Mapping[date, int]
    observations: Mapping[date, int]
    flags: Mapping[str, int]
    tags: Mapping[str, int]
    projects: Mapping[str, int]
    hosts: Mapping[str, int]
    topics: Topics
    redactions: Mapping[str, int]
    recall: Recall
    quality: Judged
    bytes: Mapping[str, int]


def as_json(counts: Counts) -> dict[str, object]:
    """Return the numbers as the JSON object that every door gives; what is named most comes first.

    Sessions without a project or host are counted in none.
    """
    all_days = sorted({*counts.sessions, *counts.observations})
    return {
        "first": counts.first.isoformat(),
        "last": counts.last.isoformat(),
        "sessions": sum(counts.sessions.values()),
        "observations": sum(counts.observations.values()),
        "flags": dict(counts.flags),
        "bytes": dict(counts.bytes),
        "days": [
            {
                "date": day.isoformat(),
                "sessions": counts.sessions.get(day, 0),
                "observations": counts.observations.get(day, 0),
            }
            for day in all_days
        ],
        "tags": _named("tag", counts.tags),
        "projects": _named("project", counts.projects),
        "hosts": _named("host", counts.hosts),
        "topics": {
            "unit": counts.topics.unit,
            "periods": [day.isoformat() for day in counts.topics.periods],
            "tags": [
                {"tag": tag, "sessions": list(numbers)}
                for tag, numbers in counts.topics.tags.items()
            ],
        },
        "redactions": [
            {"kind": kind, "count": number} for kind, number in ranked(counts.redactions)
        ],
        "recall": {
            **counts.recall._asdict(),
            "most": [one._asdict() for one in counts.recall.most],
        },
        "quality": {
            **counts.quality._asdict(),
            "reasons": [
                {"reason": reason, "sessions": number}
                for reason, number in ranked(counts.quality.reasons)
            ],
        },
    }


def ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names with their numbers, the highest first; "" is left out."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(name, number) for name, number in ordered if name]


def _named(name: str, counts: Mapping[str, int]) -> list[dict[str, object]]:
    return [{name: value, "sessions": number} for value, number in ranked(counts)]


# ---------------------------------------------------------------------------- topics


def topics_over_time(sessions: Iterable[Session], first: date, last: date) -> Topics:
    """Return how often the most frequent tags occur, by week or month, from the first session."""
    found = [(session.date, tags_of(session)) for session in sessions]
    total = Counter(tag for _, tags in found for tag in tags)
    if not total:
        return Topics("month", (), {})
    first = max(first, min(day for day, _ in found))
    unit = "week" if (last - first).days <= _BY_WEEK_DAYS else "month"
    periods = tuple(_periods(first, last, unit))
    places = {day: place for place, day in enumerate(periods)}
    tags = [tag for tag, _ in ranked(total)[:MOST_TOPICS]]
    numbers = {tag: [0] * len(periods) for tag in tags}
    for day, own in found:
        for tag in own & numbers.keys():
            numbers[tag][places[_period_of(day, unit)]] += 1
    return Topics(unit, periods, {tag: tuple(counts) for tag, counts in numbers.items()})


def tags_of(session: Session) -> set[str]:
    """Return the tags of a session in small letters, without its flags."""
    return {tag.casefold() for tag in session.tags} - FLAG_TAGS


def _period_of(day: date, unit: str) -> date:
    return day.replace(day=1) if unit == "month" else day - timedelta(days=day.weekday())


def _periods(first: date, last: date, unit: str) -> Iterable[date]:
    day = _period_of(first, unit)
    while day <= last:
        yield day
        # From the first of a month, 31 days lead into the next.
        day = _period_of(day + timedelta(days=7 if unit == "week" else 31), unit)


# ---------------------------------------------------------------------------- quality


def judged(sessions: Iterable[Session]) -> Judged:
    """Return how good the digests are."""
    found = [quality.assess(session) for session in sessions]
    poor = sum(one.is_poor for one in found)
    good = sum(one.score >= GOOD for one in found)
    mean = round(sum(one.score for one in found) / len(found), 2) if found else 0.0
    reasons = Counter(reason for one in found for reason in one.reasons)
    return Judged(len(found), mean, good, len(found) - good - poor, poor, reasons)


# ---------------------------------------------------------------------------- recall


class Signs(NamedTuple):
    """What a session can be known by: its id and files, and words that few others have."""

    exact: tuple[str, ...]
    rare: frozenset[str]


def term_counts(sessions: Iterable[Session]) -> Counter[str]:
    """Return in how many sessions each word stands."""
    return Counter(term for session in sessions for term in _all_terms(session))


def signs_of(session: Session, counts: Mapping[str, int], total: int) -> Signs:
    """Return what tells that a conversation speaks of a session; `total` sessions were counted."""
    most = max(_RARE, total // _RARE_SHARE)
    rare = frozenset(term for term in _all_terms(session) if counts.get(term, 0) <= most)
    files = [re.split(r"[\\/]", path)[-1] for path in session.files]
    names = [name.casefold() for name in files if len(name) >= _LEAST_NAME_CHARS]
    return Signs((str(session.id), *names), rare)


def is_used(signs: Signs, before: str, after: str) -> bool:
    """Tell whether what came after a recall shows signs of it that were not there before.

    It names the session or one of its files, or three words that hardly any other session has.
    A sign is no proof: the same words may come from elsewhere, and advice that was followed without
    a word leaves none.
    """
    before, after = before.casefold(), after.casefold()
    if any(name in after and name not in before for name in signs.exact):
        return True
    return len((signs.rare & _words(after)) - _words(before)) >= _LEAST_SIGNS


def _all_terms(session: Session) -> frozenset[str]:
    return frozenset(
        term for text in (session.topic, *quality.lines_of(session)) for term in terms_of(text)
    )


def _words(text: str) -> frozenset[str]:
    # `terms_of` looks at the beginning of a text alone.
    return frozenset(term for line in text.split("\n") for term in terms_of(line))


def most_recalled(found: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """Return the sessions that most conversations were told of, the most used first among these."""
    ordered = sorted(found, key=lambda one: (-one.told, -one.used, one.id))
    return tuple(ordered[:MOST_RECALLED])
