"""Finds sessions that say the same, and merges two of them.

Two sessions are compared by the words and Chinese pairs that they share (Jaccard). Similar ones
share some of their rarest words, so most pairs are never compared (prefix filtering; Bayardo, Ma,
Srikant 2007, "Scaling up all pairs similarity search").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil
from typing import Any, NamedTuple

from daily_memory.core.progress import with_progress
from daily_memory.core.review.similarity import adds
from daily_memory.core.search.text import fold as fold_text
from daily_memory.core.search.text import folded_tokens, is_cjk, run_pairs, word_terms
from daily_memory.model import Session, SessionId

# Below this, two sessions about one subject are as likely as two that say the same.
LEAST_SIMILARITY = 0.8
# In shorter sessions one other word changes the meaning: only equal ones are alike.
_FEW_WORDS = 8
# How many of their rarest words two sessions must share to be compared.
_SHARED = 4
# How many sessions with the same rare word are compared, the newest: forms share all their words.
_MOST_COMPARED = 30

_NEGATIONS = frozenset("不没未无非勿别")
_NEGATIVE_WORDS = frozenset(
    "no not never none without nothing cannot cant dont doesnt didnt isnt arent wasnt wont shouldnt"
    " disable disabled off remove removed instead".split()
)
_APOSTROPHE = re.compile("(?<=[a-z])['’](?=[a-z])", re.IGNORECASE)
_END = " \t.。!！;；,，"


class Duplicate(NamedTuple):
    """Two sessions that say nearly the same; `similarity` is 1.0 if they say exactly the same."""

    earlier: SessionId
    later: SessionId
    similarity: float


class _Content(NamedTuple):
    """The words and statements of a session, normalized."""

    session: Session
    words: frozenset[str]
    statements: frozenset[str]


def find_duplicates(sessions: Sequence[Session]) -> tuple[Duplicate, ...]:
    """Return near-duplicates among the sessions of one memory, the most similar first.

    Each session is the earlier one of at most one pair. Sessions with other topics, projects or
    authors are no duplicates, nor those that name or deny something else. Private and outdated
    sessions are left out.

    >>> from datetime import date
    >>> points = ("缓存 TTL 定为 300 秒", "连接池最多 20 个连接", "会话存 Redis")
    >>> first = Session(date(2026, 1, 1), 1, topic="Redis 缓存", key_points=points)
    >>> second = first._replace(date=date(2026, 1, 2), key_points=points[::-1])
    >>> [(str(pair.earlier), str(pair.later)) for pair in find_duplicates([first, second])]
    [('2026-01-01#1', '2026-01-02#1')]
    """
    groups: dict[tuple[str, str, frozenset[str]], list[Session]] = {}
    for session in with_progress(sorted(sessions, key=lambda session: session.id)):
        if not session.is_private and not session.is_outdated:
            topic = _words(_folded(session.topic))
            groups.setdefault((session.project, session.origin, topic), []).append(session)
    # "Revert X" shares all words but one with "X". Nearly every session has a topic of its own.
    several = [group for group in groups.values() if len(group) > 1]
    pairs = [pair for group in with_progress(several) for pair in _pairs(group)]
    return tuple(sorted(pairs, key=lambda pair: (-pair.similarity, pair.earlier, pair.later)))


def merge(earlier: Session, later: Session) -> Session:
    """Return the later session with what only the earlier one says."""
    statements = _content(later).statements
    changes: dict[str, Any] = {
        field: (
            *getattr(later, field),
            *(item for item in getattr(earlier, field) if _folded(item) not in statements),
        )
        for field in ("key_points", "decisions", "open_questions", "next_steps")
    }
    for field in ("files", "code", "notes"):
        ours = getattr(later, field)
        changes[field] = (*ours, *(item for item in getattr(earlier, field) if item not in ours))
    tags = {tag.casefold() for tag in later.tags}
    lost = "" if _folded(earlier.summary) in statements else earlier.summary
    return later._replace(
        topic=later.topic or earlier.topic,
        summary="\n".join(filter(None, (later.summary, lost))),
        tags=(*later.tags, *(tag for tag in earlier.tags if tag.casefold() not in tags)),
        **changes,
    )


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
    words = _words("\n".join(statements))
    return _Content(session, words, statements)


def _folded(text: str) -> str:
    return " ".join(fold_text(_APOSTROPHE.sub("", text)).split()).strip(_END)


def _words(text: str) -> frozenset[str]:
    words: set[str] = set()
    for token in set(folded_tokens(text)):
        if not is_cjk(token):
            words.update(word_terms(token) or (token.lower(),))
        else:
            words.update(run_pairs(token) if len(token) > 1 else token)
    return frozenset(words)


def _pairs(group: Sequence[Session]) -> Iterator[Duplicate]:
    """Yield each session of a group, the newest first, with its most similar later one."""
    contents = map(_content, reversed(group))
    newest_first = [content for content in contents if content.words]
    frequency = Counter(chain.from_iterable(content.words for content in newest_first))
    by_rarity = sorted(frequency, key=lambda word: (frequency[word], word))
    rarity = {word: rank for rank, word in enumerate(by_rarity)}
    same: dict[frozenset[str], SessionId] = {}
    later_with: dict[str, list[int]] = {}
    for place, content in enumerate(newest_first):
        equal = same.get(content.statements)
        same[content.statements] = content.session.id
        if equal:
            yield Duplicate(content.session.id, equal, 1.0)
            continue
        size = len(content.words)
        rarest = sorted(content.words, key=rarity.__getitem__)
        shared: Counter[int] = Counter()
        for word in rarest[: size - ceil(LEAST_SIMILARITY * size) + _SHARED]:
            with_word = later_with.setdefault(word, [])
            shared.update(with_word[-_MOST_COMPARED:])
            with_word.append(place)
        candidates = (other for other, count in shared.items() if count >= _SHARED)
        scores = [(_similarity(content, newest_first[other]), other) for other in candidates]
        # Of equal ones, the next session.
        similarity, other = max(scores, default=(0.0, 0))
        if similarity:
            later = newest_first[other].session.id
            yield Duplicate(content.session.id, later, round(similarity, 3))


def _similarity(earlier: _Content, later: _Content) -> float:
    """Return the share of common words, 0 if the sessions say different things."""
    fewer, more = sorted((len(earlier.words), len(later.words)))
    if fewer < LEAST_SIMILARITY * more or fewer < _FEW_WORDS:
        return 0.0
    shared = len(earlier.words & later.words)
    similarity = shared / (fewer + more - shared)
    if similarity < LEAST_SIMILARITY:
        return 0.0
    ours = earlier.statements - later.statements
    theirs = later.statements - earlier.statements
    # If one says everything that the other says, they do not contradict each other.
    return 0.0 if ours and theirs and not _agree(ours, theirs) else similarity


def _agree(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Tell whether each statement has a counterpart that names and denies the same."""
    if _denials(ours) != _denials(theirs):
        return False
    return all(any(_is_same(text, other) for other in theirs) for text in ours) and all(
        any(_is_same(other, text) for text in ours) for other in theirs
    )


def _is_same(text: str, other: str) -> bool:
    return not adds(text, other) and not adds(other, text)


def _denials(statements: Iterable[str]) -> Counter[str]:
    denials: Counter[str] = Counter()
    for statement in statements:
        for token in folded_tokens(statement):
            if is_cjk(token):
                denials.update(character for character in token if character in _NEGATIONS)
            elif token.lower() in _NEGATIVE_WORDS:
                denials[token.lower()] += 1
    return denials
