"""A conversation → a digest, made of its own sentences: offline, and the same every time.

messages → sentences → candidates, with what replies say of them; here the best that fit are taken.
A point is a sentence of the conversation or a fact of a tool (`actions`); where it was too long
it ends in "…". docs/recording.md describes it to users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.digests.actions import (
    FAILED,
    FAILED_LAST,
    MENDED,
    PASSED,
    Actions,
    actions,
)
from daily_memory.core.digests.candidates import Candidate, candidates
from daily_memory.core.digests.mentions import paths
from daily_memory.core.digests.messages import Message, Parts, own_words, taken_apart
from daily_memory.core.digests.sentences import DECISION, FILE, NEXT, POINT, QUESTION, sentences
from daily_memory.core.digests.tags import tags_of
from daily_memory.core.digests.topic import MAX_TOPIC_CHARS, topic_of
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    as_written,
    longest_share,
    shortened,
    simplified,
    terms_of,
)
from daily_memory.core.format import markdown
from daily_memory.core.observation import Observation
from daily_memory.model import Code, Session

BRIEF_CHARS = 1200
DETAILED_CHARS = 3200
_MOST_BEGINNINGS = 100
_MAX_PATHS = 200
_MAX_CODE_LINES, _MAX_CODE_CHARS = 30, 1500
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})
_FEWEST_POINTS = 2
# A conversation of so many sentences is long.
_LONG = 40
# Of two lines with so many words in common one is enough.
_ALIKE = 0.6
# What an item costs beside its text.
_ITEM_CHARS = 3
# A shorter piece of a decision tells nothing.
_LEAST_DECISION_CHARS = 60
_FIELDS = {
    POINT: "key_points",
    DECISION: "decisions",
    QUESTION: "open_questions",
    NEXT: "next_steps",
    FILE: "files",
}
_OUTCOME_SCORES = {MENDED: 2.0, FAILED: 1.1, FAILED_LAST: 3.0, PASSED: 0.9}
# What was logged comes before all that was said.
_BEFORE_ALL = 1_000_000


class _Form(NamedTuple):
    """How many items of a kind a digest has, and the score below which one is left out.

    The more was said, the more a line has to weigh: `more` in a long conversation.
    """

    most: dict[str, int]
    least: float
    more: float


_BRIEF = _Form({POINT: 14, DECISION: 8, QUESTION: 4, NEXT: 5, FILE: 8}, 1.8, 0.8)
_DETAILED = _Form({POINT: 30, DECISION: 14, QUESTION: 8, NEXT: 10, FILE: 16}, 0.8, 0.0)


class _DigestSource(NamedTuple):
    """What a digest is made of."""

    parts: tuple[Parts, ...]
    logged: tuple[Candidate, ...] = ()  # notes, decisions and errors
    actions: Actions = Actions()


def digest(
    messages: Sequence[Message],
    day: date,
    *,
    max_chars: int = BRIEF_CHARS,
    save_code: bool = False,
) -> Session:
    """Return an unsaved session (number 0) that holds what the conversation was about.

    `max_chars` bounds the section as it is written, without its code. A conversation that says
    nothing gives a session without a topic.
    """
    return _digest(_DigestSource(tuple(taken_apart(messages))), day, max_chars, save_code=save_code)


def digest_observations(
    observations: Sequence[Observation],
    day: date,
    *,
    save_code: bool = True,
    detailed: bool = False,
) -> Session:
    """Return an unsaved session (number 0) that holds what was said and done.

    Without its code it has at most BRIEF_CHARS, or DETAILED_CHARS. Private observations are left
    out. Nothing said and nothing done gives no topic.
    """
    public: dict[object, Observation] = {}
    for place, observation in enumerate(observations):
        if not observation.private:  # the same event may come twice
            public.setdefault(
                observation.event or place, observation._replace(text=own_words(observation.text))
            )
    shown = public.values()
    talk = [Message(one.kind, one.text) for one in shown if one.kind in ("user", "assistant")]
    parts = tuple(taken_apart(talk))
    source = _DigestSource(parts, tuple(_logged(shown)), actions(shown, _language(parts)))
    max_chars = DETAILED_CHARS if detailed else BRIEF_CHARS
    return _digest(source, day, max_chars, save_code=save_code)


def _digest(source: _DigestSource, day: date, max_chars: int, *, save_code: bool) -> Session:
    spoken = sentences([part._replace(prose=simplified(part.prose)) for part in source.parts])
    topic = topic_of(spoken, source.parts)
    if not topic:
        language = _language(source.parts)
        texts = [*(candidate.text for candidate in source.logged), source.actions.summary(language)]
        topic = shortened(texts[0], MAX_TOPIC_CHARS)
    session = Session(day, topic=topic[:max_chars])
    if not session.topic:
        return session
    found = [
        *source.logged,
        *candidates(spoken, session.topic, len(source.parts) - 1),
        *_facts(source.actions, len(spoken)),
        *_files(source, len(spoken), max_chars),
    ]
    session = _as_written(_fitted(session, found, source, max_chars), source.parts)
    return session._replace(code=_code_of(source.parts)) if save_code else session


def _code_of(parts: Sequence[Parts]) -> tuple[Code, ...]:
    """Return the last short block that the assistant wrote, which is the last version of it.

    The files hold the rest; what users paste is mostly what went wrong.
    """
    blocks = [block for part in parts if part.role == "assistant" for block in part.code]
    short = (
        block
        for block in blocks
        if block.text.strip()
        and block.language not in _OUTPUT_LANGUAGES
        and block.text.count("\n") < _MAX_CODE_LINES
        and len(block.text) <= _MAX_CODE_CHARS
    )
    return tuple(short)[-1:]


def _as_written(session: Session, parts: Sequence[Parts]) -> Session:
    """Return the session with each text in the characters that it was written in."""
    prose = "\n".join(part.prose for part in parts)
    if simplified(prose) == prose:
        return session
    lists = {
        name: tuple(as_written(text, prose) for text in getattr(session, name))
        for name in ("key_points", "decisions", "open_questions", "next_steps", "tags")
    }
    topic = as_written(session.topic, prose)
    return session._replace(topic=topic, **lists)  # type: ignore[arg-type]  # texts, as in _filled


def _language(parts: Sequence[Parts]) -> str:
    """Return `zh` or `en`, by how the messages begin."""
    beginnings = [part.prose[:200] for part in parts[:_MOST_BEGINNINGS]]
    return markdown.language_of(" ".join(beginnings))


# ---------------------------------------------------------------------------- candidates


def _logged(observations: Iterable[Observation]) -> Iterator[Candidate]:
    """Yield what somebody logged as a note, a decision or an error."""
    kinds = {"note": (POINT, 3.0), "decision": (DECISION, 5.0), "error": (POINT, 2.0)}
    for order, observation in enumerate(observations):
        if (
            observation.kind in kinds
            and not observation.tool
            and (text := " ".join(observation.text[:2000].split()))
        ):
            kind, score = kinds[observation.kind]
            text = text if kind == DECISION else shortened(text, MAX_POINT_CHARS)
            yield Candidate(score, order - _BEFORE_ALL, kind, text, terms_of(text), is_logged=True)


def _facts(done: Actions, order: int) -> Iterator[Candidate]:
    """Yield what the tools did, behind what was said."""
    rows = [
        *((3.0, DECISION, text) for text in done.answers),
        *((2.0, NEXT, text) for text in done.to_do),
    ]
    for text, verdict, is_check in done.outcomes:
        kind = QUESTION if verdict == FAILED_LAST else POINT
        rows.append((_OUTCOME_SCORES[verdict] + 0.5 * is_check, kind, text))
    for score, kind, text in rows:
        text = shortened(text, MAX_POINT_CHARS)
        yield Candidate(score, order, kind, text, terms_of(text))


def _files(source: _DigestSource, first_order: int, max_chars: int) -> Iterator[Candidate]:
    """Yield the files: those that were changed, those spoken of, then those only read.

    A file is short, and the best handle for a later search: the first of them come before most
    sentences, the others where there is room.
    """
    touched = source.actions.touched[:_MAX_PATHS]
    counts = Counter(path for part in source.parts for path in paths(part.prose))
    spoken = [path for path, _ in counts.most_common(_MAX_PATHS)]
    # Of a path and its tail, the whole path; what lies outside of the project is not of it.
    # Where files were changed, those are the ones.
    others = [
        path
        for path in ([] if touched else spoken)
        if not (path.startswith(("/", "~")) or any(one.endswith(f"/{path}") for one in spoken))
    ]
    read = [] if touched else [path for path in source.actions.read if path not in others]
    chars = 0
    for order, path in enumerate((*touched, *others, *read)):
        chars += len(path) + _ITEM_CHARS
        is_within = chars <= max_chars // (5 if touched else 9)
        score = 3.6 if is_within else 1.6
        score = 1.2 if path in read else 5.0 if touched and order == 0 else score
        if len(path) <= MAX_POINT_CHARS:
            yield Candidate(score, first_order + order, FILE, path, frozenset())


# ---------------------------------------------------------------------------- what fits


def _fitted(
    session: Session, found: Sequence[Candidate], source: _DigestSource, max_chars: int
) -> Session:
    """Return the session with the best that fit, in the order of the conversation."""
    form = _DETAILED if max_chars > 2 * BRIEF_CHARS else _BRIEF
    # The more was said, the more a line has to weigh.
    length = max((one.order for one in found if one.kind != FILE), default=0)
    least = form.least + form.more * min(length / _LONG, 1)
    taken: list[Candidate] = []
    room = max_chars - len(session.topic)
    counts = dict.fromkeys(_FIELDS, 0)
    for one in _ranked(found, room):
        # A digest of almost nothing helps nobody: the first few need not score.
        is_weak = one.worth < least and (counts[POINT] >= _FEWEST_POINTS or one.worth < 0)
        cost = len(one.text) + _ITEM_CHARS
        is_full = counts[one.kind] >= form.most[one.kind] and not _is_logged_decision(one)
        if is_weak or is_full or cost > room:
            continue
        if one.kind == FILE or not any(_are_alike(one, other) for other in taken):
            taken.append(one)
            counts[one.kind] += 1
            room -= cost
    session = _filled(session, taken)
    return session._replace(tags=tags_of(session, source.parts, source.actions))


def _ranked(found: Sequence[Candidate], room: int) -> list[Candidate]:
    """Return the candidates, the best first: logged decisions before all, the newest first.

    Those are cut only as far as they have to be for all of them to fit.
    """
    logged = [candidate for candidate in found if _is_logged_decision(candidate)]
    lengths = [len(candidate.text) + _ITEM_CHARS for candidate in logged]
    longest = max(longest_share(lengths, room), _LEAST_DECISION_CHARS) - _ITEM_CHARS
    others = (candidate for candidate in found if not _is_logged_decision(candidate))
    return [
        *(one._replace(text=shortened(one.text, longest)) for one in reversed(logged)),
        *sorted(others, key=lambda one: (-one.score, one.order, one.text)),
    ]


def _is_logged_decision(candidate: Candidate) -> bool:
    return candidate.is_logged and candidate.kind == DECISION


def _filled(session: Session, taken: Iterable[Candidate]) -> Session:
    ordered = sorted(taken, key=lambda candidate: candidate.order)
    lists = {
        field: tuple(candidate.text for candidate in ordered if candidate.kind == kind)
        for kind, field in _FIELDS.items()
    }
    return session._replace(**lists)  # type: ignore[arg-type]  # each is a field of texts


def _are_alike(candidate: Candidate, other: Candidate) -> bool:
    # A sentence that names a file says more than the file; what was logged was meant to be kept.
    if candidate.is_logged or other.kind == FILE or not (candidate.terms and other.terms):
        return candidate.text == other.text
    shared = len(candidate.terms & other.terms)
    return shared >= _ALIKE * min(len(candidate.terms), len(other.terms))
