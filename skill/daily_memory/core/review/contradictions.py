"""Finds statements that a later session contradicts.

"Use Flask" … "replaced Flask by FastAPI"; "TTL 定为 300 秒" … "TTL 改为 600 秒".

Within a project, a statement is contradicted if the last later one about the same thing gives up
what it uses (see `replacements`), or has another value or a "never" (see `opposition`). In doubt
there is no contradiction: people stop reading false warnings.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern, word_starts
from daily_memory.core.progress import with_progress
from daily_memory.core.review import opposition, replacements
from daily_memory.core.review.cache import Cache, Rows, uncached
from daily_memory.core.review.quality import lines_of
from daily_memory.core.review.replacements import Clause
from daily_memory.core.search.text import terms
from daily_memory.model import Session, SessionId

# How many statements that use one word are compared, the newest: a name may be everywhere.
_MOST_USES = 200
# How many lines of a session are read.
_MOST_OF_SESSION = 60
# Their places in a row of `_clauses_of`.
_WORDS, _OLD = 1, 3
# How many statements with the same word are compared, the newest.
_MOST_NEAR = 50

# What was measured once is no rule. Of lower-case text.
_MEASURES = (
    r"took takes measured benchmarked latency p9\d p50 average median faster slower passed failed"
    " coverage"
)
_MEASURED = lazy_pattern(
    word_starts(*(rf"{word}\b" for word in _MEASURES.split()))
    + "|耗时|实测|压测|测得|延迟|平均|中位|通过|失败|覆盖率|命中率|用时|改化[前后]|优化[前后]"
)


class _Placed(NamedTuple):
    """A clause, and the places of its session and its line."""

    place: int
    line: int
    clause: Clause


class Contradiction(NamedTuple):
    """Two statements that contradict each other; `subject` is what they are about."""

    earlier: Session
    later: Session
    before: str
    after: str
    subject: str


def find_contradictions(
    sessions: Sequence[Session], cache: Cache = uncached
) -> tuple[Contradiction, ...]:
    """Return the statements that a later session contradicts, oldest first."""
    ordered = tuple(sorted(sessions, key=lambda session: session.id))
    rows = cache("contradictions", ordered, lambda each: _rows_of(each, cache))
    return tuple(Contradiction(ordered[one], ordered[two], *said) for one, two, *said in rows)


def fill_cache(session: Session, cache: Cache) -> None:
    """Compute what is cached of a single session."""
    if not session.is_private and not session.is_outdated:
        cache("clauses", session, _clauses_of)
        cache("opposed", session, _read)


def _rows_of(ordered: Sequence[Session], cache: Cache) -> Rows:
    """Return the contradictions, with the indexes of their sessions."""
    projects: dict[str, list[Session]] = defaultdict(list)
    for session in ordered:
        projects[session.project.casefold()].append(session)
    found: dict[tuple[SessionId, str], Contradiction] = {}
    for group in projects.values():
        for pair in (*_replaced(group, cache), *_opposed(group, cache)):
            found.setdefault((pair.earlier.id, pair.before), pair)
    places = {session.id: place for place, session in enumerate(ordered)}
    return [
        (places[pair.earlier.id], places[pair.later.id], pair.before, pair.after, pair.subject)
        for _, pair in sorted(found.items(), key=lambda item: item[0])
    ]


def _opposed(sessions: Sequence[Session], cache: Cache) -> Iterator[Contradiction]:
    """Yield the statements of which the last later one on the same thing says another value, or
    "never"; see `opposition`. What was measured is no rule.
    """
    rows = [
        (session, row)
        for session in with_progress(sessions)
        for row in cache("opposed", session, _read)
    ]
    near = _Near([row for _, row in rows])
    last: dict[int, int] = {}
    for place in with_progress(near.asking):
        statement = near.statement(place)
        later = next(near.on_same(place, is_later=True), None)
        if later is not None:
            last[place] = later
        if statement.value is None:
            last.update(dict.fromkeys(near.on_same(place, is_later=False), place))
    for place, later in last.items():
        (session, (line, *_)), (after, (reply, *_)) = rows[place], rows[later]
        statement, other = near.statement(place), near.statement(later)
        if after is not session and opposition.are_opposed(statement, other):
            subject = " ".join(sorted(statement.words & other.words))
            sides = lines_of(session)[line], lines_of(after)[reply]
            yield Contradiction(session, after, *sides, subject)


class _Near:
    """Finds statements that share words with those that may oppose them; see `_read`."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._statements: dict[int, opposition.Statement] = {}
        # Nearly all neither have a value nor deny: what denies one is asked instead.
        self.asking = [
            place
            for place, (*_, denies, value, _, _) in enumerate(rows)
            if denies or value is not None
        ]
        self._index: dict[opposition.Group, dict[str, list[int]]] = {}
        for place in self.asking:
            statement = self.statement(place)
            partners = self._index.setdefault(opposition.group_of_partners(statement), {})
            partners.update((word, []) for word in statement.words)
        for place, (_, words, names, denies, value, unit, _) in enumerate(rows):
            is_value = value is not None
            key = unit, frozenset(names), is_value, denies and not is_value
            if index := self._index.get(key):
                for word in words.split():
                    if word in index:
                        index[word].append(place)

    def statement(self, place: int) -> opposition.Statement:
        if place not in self._statements:
            _, words, names, *rest = self._rows[place]
            self._statements[place] = opposition.Statement(
                frozenset(words.split()), frozenset(names), *rest
            )
        return self._statements[place]

    def on_same(self, place: int, *, is_later: bool) -> Iterator[int]:
        """Yield the later (or earlier) statements about the same thing, the newest first."""
        statement = self.statement(place)
        index = self._index[opposition.group_of_partners(statement)]
        listed: list[int] = []
        for word in statement.words:
            places = index[word]
            at = bisect_right(places, place)
            first, end = (at, len(places)) if is_later else (0, at)
            listed += places[max(first, end - _MOST_NEAR) : end]
        listed.sort()
        repeated = listed[opposition.least_shared(statement) - 1 :]
        near = {at for at, again in zip(listed, repeated, strict=False) if at == again}
        return (
            at
            for at in sorted(near, reverse=True)
            if opposition.is_on_same(statement, self.statement(at))
        )


def _read(session: Session) -> Rows:
    """Return the statements of a session that are not measurements, with their places."""
    statements = [
        (place, opposition.parse_statement(line))
        for place, line in enumerate(lines_of(session))
        if not _MEASURED.search(line.lower())
    ]
    # "The TTL is 300 s" is about what its topic names.
    is_short = any(len(statement.words) == 1 for _, statement in statements)
    topic = terms(session.topic) if is_short else ()
    return [
        (
            place,
            " ".join(sorted(words.union(topic) if len(words) == 1 else words)),
            sorted(names),
            *rest,
        )
        for place, (words, names, *rest) in statements
        if words
    ]


def _replaced(sessions: Sequence[Session], cache: Cache) -> Iterator[Contradiction]:
    """Yield the statements about what a later one gives up; see `replacements`."""
    rows = [
        (place, row)
        for place, session in enumerate(with_progress(sessions))
        for row in cache("clauses", session, _clauses_of)
    ]

    @functools.cache
    def placed_at(number: int) -> _Placed:
        place, (line, *row) = rows[number]
        return _Placed(place, line, Clause._make((*row, sessions[place].topic)))

    changes = [number for number, (_, row) in enumerate(rows) if row[_OLD]]
    old_words = {number: replacements.words_of(rows[number][1][_OLD]) for number in changes}
    holding: dict[str, set[int]] = {word: set() for words in old_words.values() for word in words}
    for number, (_, row) in enumerate(rows):
        for word in holding.keys() & row[_WORDS].split():
            holding[word].add(number)
    last: dict[int, int] = {}
    for number in changes:
        place, _, change = placed_at(number)
        rarest, *others = sorted((holding[word] for word in old_words[number]), key=len)
        near = sorted(rarest.intersection(*others))
        for other in near[-_MOST_USES:]:
            at, _, clause = placed_at(other)
            if at < place and replacements.overtakes(change, clause):
                last[other] = number
            elif at > place and replacements.returns_to(clause, change):
                last[number] = other
    for number, later in last.items():
        before, after = placed_at(number), placed_at(later)
        # "Use Flask", "use FastAPI instead", "back to Flask": the first is in force again.
        again = placed_at(last[later]).clause if later in last else Clause()
        if not replacements.returns_to(again, after.clause):
            shared = set(before.clause.words.split()).intersection(after.clause.words.split())
            sides = sessions[before.place], sessions[after.place]
            lines = _lines(sides[0])[before.line], _lines(sides[1])[after.line]
            yield Contradiction(*sides, *lines, " ".join(sorted(shared)))


def _lines(session: Session) -> list[str]:
    return list(filter(None, dict.fromkeys((session.topic, *lines_of(session)))))[:_MOST_OF_SESSION]


def _clauses_of(session: Session) -> Rows:
    return [
        (place, *clause[:-1])
        for place, line in enumerate(_lines(session))
        for clause in replacements.parse_clauses(line)
    ]
