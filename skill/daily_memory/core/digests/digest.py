"""Digests a conversation by rules: offline, deterministic, in its own sentences.

messages → sentences → candidates with scores → the best that fit. A point is a sentence of the
conversation or a fact about a tool (`actions`); if it was too long, it ends in "…".
docs/recording.md describes it for users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.digests.actions import FAILED_LAST, MENDED, PASSED, Actions, actions
from daily_memory.core.digests.candidates import Candidate, candidates
from daily_memory.core.digests.mentions import file_paths, tags_of
from daily_memory.core.digests.messages import (
    Message,
    MessageParts,
    role_of,
    split_messages,
    without_host_text,
)
from daily_memory.core.digests.sentences import (
    DECISION,
    FILE,
    MAX_TOPIC_CHARS,
    NEXT,
    POINT,
    QUESTION,
    Sentence,
    sentences,
    topic_of,
)
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    all_terms,
    as_written,
    max_item_length,
    shortened,
    simplified,
    terms_of,
    width,
)
from daily_memory.core.format import markdown
from daily_memory.core.observation import Observation
from daily_memory.core.tools.planning import with_plans
from daily_memory.core.tools.tool_output import CHANGING
from daily_memory.model import Code, Session

_MAX_CODE_LINES, _MAX_CODE_CHARS = 30, 1500
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})
_FILE_SCORE = 3.6
# Of two lines with so many words in common one is enough.
_ALIKE = 0.7
# The width of a list item without its text.
_ITEM_WIDTH = 3
# A logged decision is not cut shorter than this.
_LEAST_LOGGED_WIDTH = 60
_FIELDS = {
    POINT: "key_points",
    DECISION: "decisions",
    QUESTION: "open_questions",
    NEXT: "next_steps",
    FILE: "files",
}
_LOGGED = {"note": POINT, "decision": DECISION, "error": POINT}
_OUTCOMES = {MENDED: (2.5, POINT), FAILED_LAST: (3.5, QUESTION), PASSED: (2.2, POINT)}
# Logged entries come before everything said.
_LOGGED_SCORE, _BEFORE_ALL = 100.0, 1_000_000


class Form(NamedTuple):
    """The limits of a digest: its width, the items of each kind, and their least score."""

    max_width: int
    most: dict[str, int]
    least: float


# For each sentence of a conversation there is room for a column more, up to so many.
MOST_MORE_WIDTH = 400
BRIEF = Form(1700, {POINT: 9, DECISION: 5, QUESTION: 4, NEXT: 5, FILE: 8}, 1.6)
DETAILED = Form(4400, {POINT: 30, DECISION: 14, QUESTION: 8, NEXT: 10, FILE: 16}, 1.2)


def digest(
    messages: Iterable[Message], day: date, *, save_code: bool = False, detailed: bool = False
) -> Session:
    """Return an unsaved session (number 0): the digest of a conversation."""
    talk = [Observation("", role_of(message), message.content) for message in messages]
    return digest_observations(talk, day, save_code=save_code, detailed=detailed)


def digest_observations(
    observations: Sequence[Observation],
    day: date,
    *,
    save_code: bool = True,
    detailed: bool = False,
) -> Session:
    """Return an unsaved session (number 0): the digest of what was said and done.

    Without its code it is at most as wide as its form and MOST_MORE_WIDTH; a Chinese character is
    two columns. Private observations are left out. Nothing said and nothing done gives no topic.
    """
    read = _parsed(observations)
    topic = read.topic
    logged = list(_logged(read.shown))
    if not topic:
        checked = (outcome.text for outcome in read.done.outcomes)
        unsaid = (*(line.text for line in logged), ", ".join(read.done.touched), *checked)
        topic = shortened(next(filter(None, unsaid), ""), MAX_TOPIC_CHARS)
    session = Session(day, topic=topic)
    if not topic:
        return session
    order = len(read.spoken)
    form = DETAILED if detailed else BRIEF
    form = form._replace(max_width=form.max_width + min(order, MOST_MORE_WIDTH))
    every = [
        *logged,
        *candidates(read.spoken, topic, read.tool_terms, read.changes),
        *_facts(read.done, order),
        *_files(read.parts, read.done, order),
    ]
    session = _fitted(session, every, form)
    session = _as_written(
        session._replace(tags=tags_of(session, read.parts, read.done)), read.parts
    )
    return session._replace(code=_code_of(read.parts)) if save_code else session


def scored_lines(observations: Sequence[Observation]) -> list[Candidate]:
    """Return each line that may be kept, with its features."""
    read = _parsed(observations)
    return candidates(read.spoken, read.topic, read.tool_terms, read.changes)


class _ParsedTalk(NamedTuple):
    """A conversation, parsed."""

    shown: tuple[Observation, ...]
    parts: list[MessageParts]
    language: str
    done: Actions
    spoken: list[Sentence]
    topic: str
    tool_terms: frozenset[str]  # the words of the tools' records
    changes: dict[int, int]  # message → how many times files were changed in its turn


def _parsed(observations: Sequence[Observation]) -> _ParsedTalk:
    public: dict[object, Observation] = {}
    for place, observation in enumerate(with_plans(observations)):
        if not observation.private:  # the same event may come twice
            public.setdefault(
                observation.event or place,
                observation._replace(text=without_host_text(observation.text)),
            )
    shown = tuple(public.values())
    talk = [Message(one.kind, one.text) for one in shown if one.kind in ("user", "assistant")]
    parts = split_messages(talk)
    language = markdown.language_of(" ".join(part.prose[:200] for part in parts))
    spoken = sentences([part._replace(prose=simplified(part.prose)) for part in parts])
    tool_terms = all_terms("\n".join(one.text for one in shown if one.tool))
    done = actions(shown, language)
    topic = topic_of(spoken, parts)
    return _ParsedTalk(shown, parts, language, done, spoken, topic, tool_terms, _changes(shown))


def _changes(observations: Iterable[Observation]) -> dict[int, int]:
    """Return for each message how many file changes its turn has."""
    turn, messages = -1, list[int]()
    changes = Counter[int]()
    for one in observations:
        turn += one.kind == "user"
        messages += [turn] if one.kind in ("user", "assistant") else []
        changes[turn] += one.tool in CHANGING
    return {message: changes[turn] for message, turn in enumerate(messages)}


def _code_of(parts: Iterable[MessageParts]) -> tuple[Code, ...]:
    """Return the last short block that the assistant wrote, which is the last version of it.

    The files hold the rest; what users paste is mostly what went wrong.
    """
    short = [
        block
        for part in parts
        for block in part.code
        if part.role == "assistant"
        and block.text.strip()
        and block.language not in _OUTPUT_LANGUAGES
        and block.text.count("\n") < _MAX_CODE_LINES
        and len(block.text) <= _MAX_CODE_CHARS
    ]
    return tuple(short[-1:])


def _as_written(session: Session, parts: Iterable[MessageParts]) -> Session:
    """Return the session with its texts in the characters that people wrote."""
    prose = "\n".join(part.prose for part in parts)
    if simplified(prose) == prose:
        return session
    lists = {
        name: tuple(as_written(text, prose) for text in getattr(session, name))
        for name in ("key_points", "decisions", "open_questions", "next_steps", "tags")
    }
    topic = as_written(session.topic, prose)
    return session._replace(topic=topic, **lists)  # type: ignore[arg-type]  # texts, as in _filled


# ---------------------------------------------------------------------------- candidates


def _logged(observations: Iterable[Observation]) -> Iterator[Candidate]:
    """Yield what was logged as a note, decision or error, the newest with the highest score."""
    for order, observation in enumerate(observations):
        text = " ".join(observation.text[:2000].split())
        if observation.kind in _LOGGED and text and not observation.tool:
            kind = _LOGGED[observation.kind]
            text = text if kind == DECISION else shortened(text, MAX_POINT_CHARS)
            score = _LOGGED_SCORE + order
            yield Candidate(score, order - _BEFORE_ALL, kind, text, terms_of(text))


def _facts(done: Actions, order: int) -> Iterator[Candidate]:
    """Yield what the tools did, placed after what was said."""
    rows = [
        *((3.0, DECISION, text) for text in (*done.answers, *done.plans)),
        *((2.6, NEXT, text) for text in done.to_do),
        *((3.0, POINT, text) for text in done.commits),
        *((*_OUTCOMES[verdict], text) for text, verdict in done.outcomes),
    ]
    for score, kind, text in rows:
        text = shortened(text, MAX_POINT_CHARS)
        yield Candidate(score, order, kind, text, terms_of(text))


def _files(parts: Iterable[MessageParts], done: Actions, first_order: int) -> Iterator[Candidate]:
    """Yield the changed files, or else those that the assistant mentions.

    A file is short, and the best handle for a later search: it comes before most sentences.
    """
    named = (file_paths(part.prose) for part in parts if part.role == "assistant")
    counts = Counter(path for each in named for path in each)
    every = done.touched or [path for path, _ in counts.most_common()]
    short = (path for path in every if len(path) <= MAX_POINT_CHARS)
    for order, path in enumerate(short, first_order):
        yield Candidate(_FILE_SCORE, order, FILE, path, frozenset())


# ---------------------------------------------------------------------------- what fits


def _fitted(session: Session, every: Sequence[Candidate], form: Form) -> Session:
    """Return the session with the best candidates that fit, in the order of the conversation."""
    taken: list[Candidate] = []
    room = form.max_width - width(session.topic)
    counts = Counter[str]()
    for one in _ranked(every, room):
        cost = width(one.text) + _ITEM_WIDTH
        is_full = counts[one.kind] >= form.most[one.kind] and one.score < _LOGGED_SCORE
        if one.score < form.least or is_full or cost > room:
            continue
        if not any(_are_alike(one, other) for other in taken):
            taken.append(one)
            counts[one.kind] += 1
            room -= cost
    taken.sort(key=lambda one: one.order)
    lists = {
        field: tuple(one.text for one in taken if one.kind == kind)
        for kind, field in _FIELDS.items()
    }
    return session._replace(**lists)  # type: ignore[arg-type]  # each is a field of texts


def _ranked(every: Sequence[Candidate], room: int) -> list[Candidate]:
    """Return the candidates, the best first; logged ones are cut so that all of them fit."""
    widths = [width(one.text) + _ITEM_WIDTH for one in every if one.score >= _LOGGED_SCORE]
    widest = max(max_item_length(widths, room), _LEAST_LOGGED_WIDTH) - _ITEM_WIDTH
    ranked = [
        one._replace(text=shortened(one.text, widest * len(one.text) // width(one.text)))
        if one.score >= _LOGGED_SCORE
        else one
        for one in every
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.order, one.text))


def _are_alike(candidate: Candidate, other: Candidate) -> bool:
    # What was logged was meant to be kept.
    if candidate.score >= _LOGGED_SCORE or not (candidate.terms and other.terms):
        return candidate.text == other.text
    shared = len(candidate.terms & other.terms)
    return shared >= _ALIKE * min(len(candidate.terms), len(other.terms))
