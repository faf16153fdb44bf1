"""The numbers of a report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from daily_memory.core.digests.wording import terms_of
from daily_memory.core.review import quality
from daily_memory.model import FLAG_TAGS, Session

MOST_TOPICS = 8
MOST_RECALLED = 10
# Topics are counted by week in reports up to this long, by month in longer ones.
_BY_WEEK_DAYS = 120
GOOD = 0.8

# A rare word is in at most this many sessions, or this share of them; three are a sign of use.
_RARE = 1
_RARE_SHARE = 200
_LEAST_SIGNS = 3
_LEAST_NAME_CHARS = 5


class Topics(NamedTuple):
    """The frequency of the most common tags per `unit` (`week` or `month`)."""

    unit: str
    periods: tuple[date, ...]
    tags: Mapping[str, tuple[int, ...]]


class Recalled(NamedTuple):
    """A session that was shown: to how many conversations, and how many used it."""

    id: str
    topic: str
    told: int
    used: int


class Recall(NamedTuple):
    """What conversations were shown.

    `conversations` are all live sessions, `told` those that received at least one session.
    `sessions` counts each session once per conversation that received it, `used` those with signs
    of use, `unknown` those that no longer exist. `asked` are conversations whose agent was asked to
    save what matters, `agent_saves` what agents saved, `agent_tokens` about what both cost.
    """

    conversations: int = 0
    told: int = 0
    sessions: int = 0
    used: int = 0
    unknown: int = 0
    most: tuple[Recalled, ...] = ()
    asked: int = 0
    agent_saves: int = 0
    agent_tokens: int = 0


class Judged(NamedTuple):
    """The quality of the digests, and how often each reason applies."""

    sessions: int
    mean: float
    good: int
    fair: int
    poor: int
    reasons: Mapping[str, int]


class Counts(NamedTuple):
    """The numbers of a report from `first` to `last`.

    `flags` counts important, outdated, private and foreign sessions. Private sessions do not count
    in `tags`, `projects`, `hosts`, `topics` and `quality`. `redactions` counts the marks in stored
    text. `bytes` is the size of each folder, whatever the days. `title` is the name of the project,
    `language` that of the last sessions or of the settings.
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
    title: str = "daily-memory"
    language: str = "en"

    @property
    def start(self) -> date:
        """The first day with any data."""
        return max(self.first, min((*self.sessions, *self.observations), default=self.first))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text is: four letters or a Chinese character each.

    >>> estimated_tokens("cache TTL 缓存")
    5
    """
    wide = sum(character > "\u2e7f" for character in text)
    return wide + -(-(len(text) - wide) // 4)


def ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names with numbers, the highest first, without ""."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(name, number) for name, number in ordered if name]


def topics_over_time(sessions: Iterable[Session], first: date, last: date) -> Topics:
    """Return the frequency of the most common tags since the first session."""
    tagged = [(session.date, tags_of(session)) for session in sessions]
    total = Counter(tag for _, tags in tagged for tag in tags)
    if not total:
        return Topics("month", (), {})
    first = max(first, min(day for day, _ in tagged))
    unit = "week" if (last - first).days <= _BY_WEEK_DAYS else "month"
    periods = tuple(_periods(first, last, unit))
    places = {day: place for place, day in enumerate(periods)}
    tags = [tag for tag, _ in ranked(total)[:MOST_TOPICS]]
    numbers = {tag: [0] * len(periods) for tag in tags}
    for day, own in tagged:
        for tag in own & numbers.keys():
            numbers[tag][places[_period_of(day, unit)]] += 1
    return Topics(unit, periods, {tag: tuple(counts) for tag, counts in numbers.items()})


def tags_of(session: Session) -> set[str]:
    """Return the tags of a session in lower case, without flags."""
    return {tag.casefold() for tag in session.tags} - FLAG_TAGS


def _period_of(day: date, unit: str) -> date:
    return day.replace(day=1) if unit == "month" else day - timedelta(days=day.weekday())


def _periods(first: date, last: date, unit: str) -> Iterable[date]:
    day = _period_of(first, unit)
    while day <= last:
        yield day
        # 31 days after the first of a month is the next month.
        day = _period_of(day + timedelta(days=7 if unit == "week" else 31), unit)


def judged(sessions: Iterable[Session]) -> Judged:
    judgements = [quality.assess(session) for session in sessions]
    total = len(judgements)
    poor = sum(judgement.is_poor for judgement in judgements)
    good = sum(judgement.score >= GOOD for judgement in judgements)
    mean = sum(judgement.score for judgement in judgements) / total if total else 0.0
    reasons = Counter(reason for judgement in judgements for reason in judgement.reasons)
    return Judged(total, round(mean, 2), good, total - good - poor, poor, reasons)


class Signs(NamedTuple):
    """What identifies a session in later text: its id, its files, and its rare words."""

    exact: tuple[str, ...]
    rare: frozenset[str]


def term_counts(sessions: Iterable[Session]) -> Counter[str]:
    return Counter(term for session in sessions for term in _all_terms(session))


def signs_of(session: Session, counts: Mapping[str, int], total: int) -> Signs:
    """Return what identifies a session among `total` sessions."""
    most = max(_RARE, total // _RARE_SHARE)
    rare = frozenset(term for term in _all_terms(session) if counts.get(term, 0) <= most)
    files = [re.split(r"[\\/]", path)[-1] for path in session.files]
    names = [name.casefold() for name in files if len(name) >= _LEAST_NAME_CHARS]
    return Signs((str(session.id), *names), rare)


def is_used(signs: Signs, before: str, after: str) -> bool:
    """Tell whether the text after a recall has signs of it that the text before did not."""
    before, after = before.casefold(), after.casefold()
    if any(name in after and name not in before for name in signs.exact):
        return True
    return len((signs.rare & _words(after)) - _words(before)) >= _LEAST_SIGNS


def _all_terms(session: Session) -> frozenset[str]:
    return frozenset(
        term for text in (session.topic, *quality.lines_of(session)) for term in terms_of(text)
    )


def _words(text: str) -> frozenset[str]:
    # `terms_of` reads only the beginning of a text.
    return frozenset(term for line in text.split("\n") for term in terms_of(line))


def most_recalled(hits: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """Return the sessions that were shown most, then those used most."""
    return tuple(sorted(hits, key=lambda hit: (-hit.told, -hit.used, hit.id))[:MOST_RECALLED])
