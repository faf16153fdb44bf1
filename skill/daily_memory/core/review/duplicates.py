"""Finds sessions that say the same, and puts two of them together.

Two sessions are alike by the words and Chinese pairs that they share (Jaccard). Pairs are found
without comparing all with all: two that are alike enough share some of their rarest words (prefix
filtering; Bayardo, Ma, Srikant 2007, "Scaling up all pairs similarity search").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from daily_memory.core.digests.wording import is_replaced
from daily_memory.core.progress import Progress, watched
from daily_memory.core.search.text import fold as fold_text
from daily_memory.core.search.text import folded_tokens, is_cjk, is_stop_word, run_pairs, word_terms
from daily_memory.model import Session, SessionId

# Below this, two sessions about one subject are as likely as two that say the same.
LEAST_SIMILARITY = 0.8
# With fewer words than these, one other word makes another statement: only equal ones are alike.
_FEW_WORDS = 8
# How many of their rarest words two must share to be compared at all.
_SHARED = 4
# How many with the same rare word are compared, the newest: a form filled in a thousand times
# shares all its words.
_MOST_COMPARED = 30

_NEGATIONS = frozenset("不没未无非勿别")
_NEGATIVE_WORDS = frozenset(
    "no not never none without nothing cannot cant dont doesnt didnt isnt arent wasnt wont shouldnt"
    " disable disabled off remove removed instead".split()
)
_APOSTROPHE = re.compile("(?<=[a-z])['’](?=[a-z])", re.IGNORECASE)
_END = " \t.。!！;；,，"


class Duplicate(NamedTuple):
    """Two sessions that say nearly the same; `similarity` is 1.0 where they say just the same."""

    earlier: SessionId
    later: SessionId
    similarity: float


class _Content(NamedTuple):
    """What a session says: its words, and its statements in one spelling, the topic first."""

    session: Session
    topic: str
    words: frozenset[str]
    statements: frozenset[str]


def find_duplicates(
    sessions: Sequence[Session], progress: Progress | None = None
) -> tuple[Duplicate, ...]:
    """Return near-duplicates among the sessions of one memory, the likest first.

    Each session is named once at the most as the earlier one, with the later one that is likest.
    Sessions are not alike where their topics differ, or where statements that only one of them has
    name or deny something else; nor are those of other projects or authors. Private and outdated
    ones are left out.

    >>> from datetime import date
    >>> said = ("缓存 TTL 定为 300 秒", "连接池最多 20 个连接", "会话存 Redis")
    >>> one = Session(date(2026, 1, 1), 1, topic="Redis 缓存", key_points=said)
    >>> other = one._replace(date=date(2026, 1, 2), key_points=said[::-1])
    >>> [(str(pair.earlier), str(pair.later)) for pair in find_duplicates([one, other])]
    [('2026-01-01#1', '2026-01-02#1')]
    """
    wanted = (one for one in sessions if not one.is_private and not one.is_outdated)
    groups: dict[tuple[str, str], list[_Content]] = {}
    for session in watched(sorted(wanted, key=lambda one: one.id), progress):
        content = _content(session)
        if content.words:
            groups.setdefault((session.project, session.origin), []).append(content)
    found = [pair for group in groups.values() for pair in _pairs(group, progress)]
    return tuple(sorted(found, key=lambda pair: (-pair.similarity, pair.earlier, pair.later)))


def merge(earlier: Session, later: Session) -> Session:
    """Return the later session with what the earlier one says and it does not.

    What both say stays as the later one says it.
    """
    said = _content(later).statements

    def added(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
        return (*ours, *(one for one in theirs if _folded(one) not in said))

    tags = {tag.casefold() for tag in later.tags}
    lost = "" if _folded(earlier.summary) in said or not earlier.summary else earlier.summary
    summary = "\n".join(text for text in (later.summary, lost) if text)
    return later._replace(
        topic=later.topic or earlier.topic,
        summary=summary,
        key_points=added(later.key_points, earlier.key_points),
        decisions=added(later.decisions, earlier.decisions),
        open_questions=added(later.open_questions, earlier.open_questions),
        next_steps=added(later.next_steps, earlier.next_steps),
        files=(*later.files, *(one for one in earlier.files if one not in later.files)),
        code=(*later.code, *(one for one in earlier.code if one not in later.code)),
        notes=(*later.notes, *(one for one in earlier.notes if one not in later.notes)),
        tags=(*later.tags, *(tag for tag in earlier.tags if tag.casefold() not in tags)),
    )


# ---------------------------------------------------------------------------- what it says


def _content(session: Session) -> _Content:
    texts = [
        session.topic,
        *session.summary.split("\n"),
        *session.key_points,
        *session.decisions,
        *session.open_questions,
        *session.next_steps,
        *(line for block in session.code for line in block.text.split("\n")),
        *(line for note in session.notes for line in note.text.split("\n")),
    ]
    statements = frozenset(filter(None, map(_folded, texts)))
    words = frozenset(word for one in statements for word in _words(one))
    return _Content(session, _folded(session.topic), words, statements)


def _folded(text: str) -> str:
    """Return a statement in the spelling that all writings of it share."""
    return " ".join(fold_text(_APOSTROPHE.sub("", text)).split()).strip(_END)


def _words(text: str) -> Iterator[str]:
    for token in folded_tokens(text):
        if not is_cjk(token):
            yield from word_terms(token) or (token.lower(),)
        elif len(token) == 1:
            yield token
        else:
            yield from run_pairs(token)


def _names(statements: Iterable[str]) -> frozenset[str]:
    """Return what statements name: numbers, versions, identifiers, and names such as Redis.

    A Latin word in Chinese is a name. In English one with a capital is, but for "The" and its like.
    """
    found = set()
    for statement in statements:
        tokens = folded_tokens(statement)
        is_chinese = any(map(is_cjk, tokens))
        for token in tokens:
            is_name = not token.islower() and not is_stop_word(token.lower())
            if not is_cjk(token) and (is_name or is_chinese or not token.isalpha()):
                found.add(token.lower())
    return frozenset(found)


def _denials(statements: Iterable[str]) -> Counter[str]:
    """Return how often statements deny something: to deny makes another statement of it."""
    found: Counter[str] = Counter()
    for statement in statements:
        for token in folded_tokens(statement):
            if is_cjk(token):
                found.update(character for character in token if character in _NEGATIONS)
            elif token.lower() in _NEGATIVE_WORDS:
                found[token.lower()] += 1
    return found


# ---------------------------------------------------------------------------- pairs


def _pairs(group: Sequence[_Content], progress: Progress | None) -> Iterator[Duplicate]:
    """Yield each of some sessions, oldest first, with the later one that is likest to it."""
    same: dict[frozenset[str], _Content] = {}
    newest: list[_Content] = []
    for content in reversed(group):
        later = same.get(content.statements)
        same[content.statements] = content
        if later is None:
            newest.append(content)
        else:
            yield Duplicate(content.session.id, later.session.id, 1.0)
    yield from _near_pairs(newest, progress)


def _near_pairs(newest_first: Sequence[_Content], progress: Progress | None) -> Iterator[Duplicate]:
    frequency = Counter(word for content in newest_first for word in content.words)
    later_with: dict[str, list[int]] = {}
    for place, content in enumerate(watched(newest_first, progress)):
        size = len(content.words)
        rarest = sorted(content.words, key=lambda word: (frequency[word], word))
        rarest = rarest[: size - ceil(LEAST_SIMILARITY * size) + _SHARED]
        shared: Counter[int] = Counter()
        for word in rarest:
            with_word = later_with.setdefault(word, [])
            shared.update(with_word[-_MOST_COMPARED:])
            with_word.append(place)
        found = [
            (_similarity(content, newest_first[other]), other)
            for other, count in shared.items()
            if count >= _SHARED
        ]
        # Of several that are as like, the one that came next.
        similarity, other = max(found, default=(0.0, 0))
        if similarity:
            later = newest_first[other].session.id
            yield Duplicate(content.session.id, later, round(similarity, 3))


def _similarity(earlier: _Content, later: _Content) -> float:
    """Return how much of the words two share, 0 where they do not say the same."""
    fewer, more = sorted((len(earlier.words), len(later.words)))
    if fewer < LEAST_SIMILARITY * more or fewer < _FEW_WORDS:
        return 0.0
    shared = len(earlier.words & later.words)
    similarity = shared / (fewer + more - shared)
    if similarity < LEAST_SIMILARITY:
        return 0.0
    ours = earlier.statements - later.statements
    theirs = later.statements - earlier.statements
    # "Revert X" shares all words but one with "X".
    if set(_words(earlier.topic)) != set(_words(later.topic)):
        return 0.0
    # Where one has all that the other says, whatever else it says contradicts nothing.
    return 0.0 if ours and theirs and not _agree(ours, theirs) else similarity


def _agree(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    if _denials(ours) != _denials(theirs) or _named_together(ours) != _named_together(theirs):
        return False
    return not any(is_replaced(one, other) for one in ours for other in theirs)


def _named_together(statements: Iterable[str]) -> frozenset[frozenset[str]]:
    """Return what each statement names: two values that changed places say something else."""
    return frozenset(names for one in statements if (names := _names([one])))
