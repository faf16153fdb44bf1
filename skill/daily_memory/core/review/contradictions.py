"""Finds statements that a later session contradicts.

"Use Flask" … "replaced Flask by FastAPI"; "TTL 定为 300 秒" … "TTL 改为 600 秒".

In one project, a statement is contradicted if the last later one on the same thing gives up what
it uses (see `replacements`), has another value or a "never" (see `opposition`). It prefers to miss
one: people stop reading wrong warnings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review import opposition, replacements
from daily_memory.core.review.asking import Ask, Rows, ask_now
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

# What was measured once is no rule.
_MEASURED = re.compile(
    r"\b(?:took|takes|measured|latency|p9\d|p50|average|median|faster|slower|passed|failed|coverage)\b"
    r"|耗时|实测|测得|延迟|平均|中位|通过|失败|覆盖率|命中率|用时|[改优]化[前后]",
    re.IGNORECASE,
)


class _Placed(NamedTuple):
    """A clause, the place of its session, and that of its line."""

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
    sessions: Sequence[Session], progress: Progress | None = None, ask: Ask = ask_now
) -> tuple[Contradiction, ...]:
    """Return the statements that a later session contradicts, oldest first."""
    projects: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(sessions, key=lambda session: session.id):
        projects[session.project.casefold()].append(session)
    found: dict[tuple[SessionId, str], Contradiction] = {}
    for group in projects.values():
        for pair in (*_replaced(group, progress, ask), *_opposed(group, progress, ask)):
            found.setdefault((pair.earlier.id, pair.before), pair)
    return tuple(sorted(found.values(), key=lambda pair: (pair.earlier.id, pair.before)))


def _opposed(
    sessions: Sequence[Session], progress: Progress | None, ask: Ask
) -> Iterator[Contradiction]:
    """Yield the statements of which the last later one on the same thing says another value, or
    "never"; see `opposition`. What was measured is no rule.
    """
    lines = [
        (session, lines_in[place], opposition.Statement(frozenset(words), frozenset(names), *rest))
        for session in watched(sessions, progress)
        for lines_in in [lines_of(session)]
        for place, words, names, *rest in ask("opposed", session, _read)
    ]
    statements = [statement for _, _, statement in lines]
    near = _Near(statements)
    last: dict[int, int] = {}
    for place, statement in enumerate(watched(statements, progress)):
        if statement.value is None and not statement.is_negated:
            continue  # nearly all are so: what denies one is asked instead
        later = next(near.on_same(place, is_later=True), None)
        if later is not None:
            last[place] = later
        if statement.value is None:
            last.update(dict.fromkeys(near.on_same(place, is_later=False), place))
    for place, later in last.items():
        (session, line, statement), (after, reply, other) = lines[place], lines[later]
        if after is not session and opposition.are_opposed(statement, other):
            subject = " ".join(sorted(statement.words & other.words))
            yield Contradiction(session, after, line, reply, subject)


class _Near:
    """Which statements share words with one that they may oppose."""

    def __init__(self, statements: Sequence[opposition.Statement]) -> None:
        self._statements = statements
        self._groups: dict[opposition.Group, dict[str, list[int]]] = {}
        for place, statement in enumerate(statements):
            index = self._groups.setdefault(opposition.group(statement), {})
            for word in statement.words:
                index.setdefault(word, []).append(place)

    def on_same(self, place: int, *, is_later: bool) -> Iterator[int]:
        """Yield the statements on the same thing after one, or before it, the newest first."""
        statement = self._statements[place]
        index = self._groups.get(opposition.group_of_partners(statement), {})
        shared: Counter[int] = Counter()
        for word in statement.words & index.keys():
            at = bisect_right(index[word], place)
            listed = index[word][at:] if is_later else index[word][:at]
            shared.update(listed[-_MOST_NEAR:])
        least = opposition.least_shared(statement)
        near = sorted((at for at, count in shared.items() if count >= least), reverse=True)
        return (at for at in near if opposition.is_on_same(statement, self._statements[at]))


def _read(session: Session) -> Rows:
    """Return what the lines of a session say that are no measurement, with their places."""
    statements = (
        (place, opposition.read(line))
        for place, line in enumerate(lines_of(session))
        if not _MEASURED.search(line)
    )
    # "The TTL is 300 s" is about what its topic names.
    topic = frozenset(terms(session.topic))
    return [
        (place, sorted(words if len(words) > 1 else words | topic), sorted(names), *rest)
        for place, (words, names, *rest) in statements
        if words
    ]


def _replaced(
    sessions: Sequence[Session], progress: Progress | None, ask: Ask
) -> Iterator[Contradiction]:
    """Yield the statements that use what a later one gives up; see `replacements`."""
    rows = [
        (place, row)
        for place, session in enumerate(watched(sessions, progress))
        for row in ask("clauses", session, _clauses_of)
    ]

    def placed_at(number: int) -> _Placed:
        place, (line, *row) = rows[number]
        return _Placed(place, line, Clause(*row)._replace(topic=sessions[place].topic))

    changes = [number for number, (_, row) in enumerate(rows) if row[_OLD]]
    old_words = {number: replacements.words_of(rows[number][1][_OLD]) for number in changes}
    holding: dict[str, set[int]] = {word: set() for words in old_words.values() for word in words}
    for number, (_, row) in enumerate(rows):
        for word in holding.keys() & row[_WORDS].split():
            holding[word].add(number)
    last: dict[int, int] = {}
    for number in changes:
        place, _, change = placed_at(number)
        near = sorted(set.intersection(*(holding[word] for word in old_words[number])))
        for other in near[-_MOST_USES:]:
            at, _, clause = placed_at(other)
            if at < place and replacements.overtakes(change, clause):
                last[other] = number
            elif at > place and replacements.returns_to(clause, change):
                last[number] = other
    for number, later in last.items():
        before, after = placed_at(number), placed_at(later)
        # "Use Flask", "use FastAPI instead", "back to Flask": the first holds again.
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
        for clause in replacements.read(line)
    ]
