"""A conversation → a digest, made of its own sentences: offline, and the same every time.

Nothing is worded anew. Each point is a sentence of the conversation, whitespace aside, or a fact
of a tool (doings.py); where it was too long it ends in "…". What a sentence is says kinds.py, what
it is worth worth.py, both by the words of cues.py, and what a reply decides replies.py; this module
takes the best that fit. docs/recording.md tells it to users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.blocks import code_of
from daily_memory.core.digests.doings import Doings, doings, told_changes
from daily_memory.core.digests.kinds import announces, is_settled, kind_of, later_done, point_of
from daily_memory.core.digests.mentions import paths
from daily_memory.core.digests.replies import replies_in
from daily_memory.core.digests.sentences import (
    DECISION,
    FILE,
    NEXT,
    POINT,
    QUESTION,
    Message,
    Parts,
    Sentence,
    own_words,
    role_of,
    sentences,
    taken_apart,
)
from daily_memory.core.digests.tags import tags_of
from daily_memory.core.digests.topics import MAX_TOPIC_CHARS, topic_of
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    adds,
    as_written,
    repeats,
    shares,
    shortened,
    simplified,
    terms_of,
)
from daily_memory.core.digests.worth import score_of, whole_of
from daily_memory.core.format import markdown
from daily_memory.core.observation import Observation
from daily_memory.model import Session

__all__ = [
    "BRIEF_CHARS",
    "DETAILED_CHARS",
    "Message",
    "digest",
    "digest_observations",
    "turn_count",
]

BRIEF_CHARS = 900
DETAILED_CHARS = 3200
_MOST_BEGINNINGS = 100
_MAX_PATHS = 200
_FEWEST_POINTS = 4
# What an item costs beside its text, and the first of a list.
_ITEM_CHARS = 3
_HEADING_CHARS = 22
# Shorter than this a decision tells nothing any more.
_LEAST_DECISION_CHARS = 60
# A point as well, but one that the other points may make needless.
_CHANGES = "changes"
_MOST = {POINT: 12, DECISION: 8, QUESTION: 4, NEXT: 5, FILE: 8, _CHANGES: 1}
_MOST_DETAILED = {POINT: 24, DECISION: 12, QUESTION: 8, NEXT: 10, FILE: 24, _CHANGES: 1}
_FIELDS = {
    POINT: "key_points",
    DECISION: "decisions",
    QUESTION: "open_questions",
    NEXT: "next_steps",
    FILE: "files",
}
# A sentence that scores less is left out, even where there is room.
_LEAST, _LEAST_DETAILED = 1.0, 0.7
# Where what was logged stands: above all that was said.
_BEFORE_ALL = 1_000_000


class _Candidate(NamedTuple):
    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    is_logged: bool = False  # by somebody who wanted it kept


class _Form(NamedTuple):
    """How long a digest may be, how many items of a kind it has, and what an item must score."""

    max_chars: int
    most: dict[str, int]
    least: float


class _Source(NamedTuple):
    """What a digest is made of."""

    parts: tuple[Parts, ...]
    told: tuple[_Candidate, ...] = ()  # notes, decisions and errors that were logged as such
    doings: Doings = Doings()


def digest(
    messages: Sequence[Message],
    day: date,
    *,
    max_chars: int = BRIEF_CHARS,
    save_code: bool = False,
) -> Session:
    """Return an unsaved session (number 0) that holds what the conversation was about.

    `max_chars` bounds the section as it is written, but for its code, which has bounds of its own.
    Nothing that could be read gives a session without a topic.
    """
    form = _form(max_chars)
    return _digest(_Source(tuple(taken_apart(messages))), day, form, save_code=save_code)


def digest_observations(
    observations: Sequence[Observation],
    day: date,
    *,
    save_code: bool = True,
    detailed: bool = False,
) -> Session:
    """Return an unsaved session (number 0) that holds what was said and done.

    It is brief, of BRIEF_CHARS at the most, or `detailed`, of DETAILED_CHARS; code has bounds of
    its own. What is private is not looked at. Nothing said and nothing done gives no topic.
    """
    shown = _once(one for one in observations if not one.private)
    public = [one._replace(text=own_words(one.text)) for one in shown]
    said = [Message(one.kind, one.text) for one in public if one.kind in ("user", "assistant")]
    parts = tuple(taken_apart(said))
    language = _language(parts)
    spoken_of = [path for part in parts for path in paths(part.prose)]
    source = _Source(parts, tuple(_told(public)), doings(public, language, spoken_of))
    form = _form(DETAILED_CHARS if detailed else BRIEF_CHARS)
    return _digest(source, day, form, save_code=save_code)


def turn_count(messages: Iterable[Message]) -> int:
    """Return how many times the user said something."""
    return sum(
        role_of(message) == "user" and not message.content.isspace() and message.content != ""
        for message in messages
    )


def _form(max_chars: int) -> _Form:
    if max_chars > 2 * BRIEF_CHARS:
        return _Form(max_chars, _MOST_DETAILED, _LEAST_DETAILED)
    return _Form(max_chars, _MOST, _LEAST)


def _digest(source: _Source, day: date, form: _Form, *, save_code: bool) -> Session:
    found = sentences([part._replace(prose=simplified(part.prose)) for part in source.parts])
    language = _language(source.parts)
    topic = topic_of(found, language) or _topic_of_doings(source, language)
    topic = topic[: form.max_chars]
    session = Session(day, topic=topic, code=code_of(source.parts) if save_code else ())
    if not topic:
        return session
    candidates = _candidates(found, topic, source, language, form.max_chars)
    return _as_written(_fitted(session, candidates, source, form), source.parts)


def _as_written(session: Session, parts: Sequence[Parts]) -> Session:
    """Return the session with each text in the characters that it was written in."""
    said = "\n".join(part.prose for part in parts)
    if simplified(said) == said:
        return session
    lists = {
        name: tuple(as_written(text, said) for text in getattr(session, name))
        for name in ("key_points", "decisions", "open_questions", "next_steps", "tags")
    }
    topic = as_written(session.topic, said)
    return session._replace(topic=topic, **lists)  # type: ignore[arg-type]  # texts, as in _filled


def _language(parts: Sequence[Parts]) -> str:
    """Return `zh` or `en`, by how the messages begin."""
    beginnings = [part.prose[:200] for part in parts[:_MOST_BEGINNINGS]]
    return markdown.language_of(" ".join(beginnings))


def _once(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Yield the observations, and of those with the same event only the first."""
    seen = set()
    for one in observations:
        if not one.event or one.event not in seen:
            yield one
        seen.add(one.event)


def _told(observations: Iterable[Observation]) -> Iterator[_Candidate]:
    """Yield what somebody logged as a note, a decision or an error: nothing says more."""
    kinds = {"note": (POINT, 3.0), "decision": (DECISION, 5.0), "error": (POINT, 2.0)}
    for order, one in enumerate(observations):
        if one.kind in kinds and not one.tool and (text := " ".join(one.text[:2000].split())):
            kind, score = kinds[one.kind]
            text = text if kind == DECISION else shortened(text, MAX_POINT_CHARS)
            terms = terms_of(text)
            yield _Candidate(score, order - _BEFORE_ALL, kind, text, terms, is_logged=True)


def _topic_of_doings(source: _Source, language: str) -> str:
    """Return what was logged or done first, where nobody said a word."""
    for told in source.told:
        return shortened(told.text, MAX_TOPIC_CHARS)
    outcomes = [outcome.text for outcome in source.doings.outcomes]
    lines = [line for line in (told_changes(source.doings, language), *outcomes) if line]
    return shortened(lines[0], MAX_TOPIC_CHARS) if lines else ""


def _candidates(
    found: Sequence[Sentence], topic: str, source: _Source, language: str, max_chars: int
) -> list[_Candidate]:
    whole = whole_of(found, len(source.parts) - 1)
    done = later_done(found)
    candidates = list(source.told)
    for order, (sentence, kind) in enumerate(zip(found, _kinds(found, whole.last), strict=True)):
        text = _beyond(point_of(sentence, kind), topic)
        terms = terms_of(text)
        if not kind or not text or (kind == POINT and _is_told(sentence, text, topic)):
            continue
        if kind in (QUESTION, NEXT) and is_settled(sentence, terms, done, whole.last):
            continue
        score = score_of(kind, sentence, terms, whole)
        if any(announces(before, sentence) for before in found[max(order - 2, 0) : order]):
            score += 1.6
        candidates.append(_Candidate(score, order, kind, shortened(text, MAX_POINT_CHARS), terms))
    candidates += _doing_candidates(source.doings, len(found), language)
    return [*candidates, *_file_candidates(source, len(found), max_chars)]


def _kinds(found: Sequence[Sentence], last: int) -> Iterator[str]:
    """Yield what each sentence is, by itself and by what was replied to it."""
    replies = replies_in(found)
    listed = {one.message for at, one in enumerate(found) if at in replies.to_do}
    listed |= {one.message for one in found if one.section == NEXT}
    for place, sentence in enumerate(found):
        kind = kind_of(sentence, last)
        if kind == POINT or (not kind and sentence.role == "assistant"):
            kind = DECISION if place in replies.decided else kind
            kind = NEXT if place in replies.to_do else kind
        # A later list of what is to do takes the place of an earlier one.
        is_past = sentence.section == NEXT and sentence.message < max(listed)
        yield POINT if kind == NEXT and is_past else kind


def _is_told(sentence: Sentence, text: str, topic: str) -> bool:
    """Tell whether the topic says most of it: figures before and after share words with it."""
    share = 0.5 if sentence.role == "user" else 0.7
    return shares(text, topic, 0.9 if cues.IMPROVED.search(sentence.text) else share)


def _beyond(text: str, topic: str) -> str:
    """Return what a sentence says beyond the topic, where the topic is its beginning."""
    told = topic.removesuffix("…")
    is_cut = topic.endswith("…") and text.startswith(told)
    return text[len(told) :].lstrip(" ，,;；:：、—–-") if is_cut else text


def _candidate(score: float, order: int, kind: str, text: str) -> _Candidate:
    return _Candidate(score, order, kind, shortened(text, MAX_POINT_CHARS), terms_of(text))


def _doing_candidates(found: Doings, order: int, language: str) -> Iterator[_Candidate]:
    """Yield what the tools tell, which comes behind what was said."""
    worth = {"mended": 2.0, "failed": 1.1, "failed last": 3.0, "passed": 0.9}
    changes = told_changes(found, language)
    if changes:
        yield _candidate(1.7, order, _CHANGES, changes)
    for outcome in found.outcomes:
        kind = QUESTION if outcome.verdict == "failed last" else POINT
        score = worth[outcome.verdict] + 0.5 * outcome.is_check
        yield _candidate(score, order + 1, kind, outcome.text)
    for edit in found.edits:
        yield _candidate(0.9, order + 2, POINT, edit)
    for task in found.tasks:
        yield _candidate(0.9, order + 3, POINT, task)
    for answer in found.answers:
        yield _candidate(3.0, order + 4, DECISION, answer)
    for step in found.to_do:
        yield _candidate(2.0, order + 5, NEXT, step)


def _fitted(
    session: Session, candidates: Sequence[_Candidate], source: _Source, form: _Form
) -> Session:
    """Return the session with the best that fit, in the order of the conversation."""
    taken: list[_Candidate] = []
    room = form.max_chars - _written_chars(session)
    # Tags come last, when it is known what they are to name.
    room -= min(70, room // 8)
    counts = dict.fromkeys(_MOST, 0)
    for one in _ranked(candidates, room - _HEADING_CHARS):
        # A digest of almost nothing helps nobody: the first few need not score.
        is_weak = one.score < form.least and (counts[POINT] >= _FEWEST_POINTS or one.score < 0)
        cost = len(one.text) + _ITEM_CHARS + (0 if counts[one.kind] else _HEADING_CHARS)
        is_full = counts[one.kind] >= form.most[one.kind] and not _is_logged_decision(one)
        if is_weak or is_full or cost > room:
            continue
        if one.kind == FILE or not any(_are_alike(one, other) for other in taken):
            taken.append(one)
            counts[one.kind] += 1
            room -= cost
    return _trimmed(session, taken, source, form.max_chars)


def _ranked(candidates: Sequence[_Candidate], room: int) -> list[_Candidate]:
    """Return the candidates, the best first: logged decisions come before all, the newest first.

    Those are cut only as far as they have to be for all of them to fit.
    """
    decisions = [one for one in candidates if _is_logged_decision(one)]
    longest = _longest([len(one.text) + _ITEM_CHARS for one in decisions], room) - _ITEM_CHARS
    cut = [one._replace(text=shortened(one.text, longest)) for one in reversed(decisions)]
    others = [one for one in candidates if not _is_logged_decision(one)]
    return [*cut, *sorted(others, key=lambda one: (-one.score, one.order, one.text))]


def _longest(lengths: Sequence[int], room: int) -> int:
    """Return how long a text may be, so that all fit where those that are longer are cut."""
    for place, length in enumerate(sorted(lengths)):
        share = room // (len(lengths) - place)
        if length > share:
            return max(share, _LEAST_DECISION_CHARS)
        room -= length
    return max(lengths, default=0)


def _is_logged_decision(one: _Candidate) -> bool:
    return one.is_logged and one.kind == DECISION


def _trimmed(session: Session, taken: list[_Candidate], source: _Source, max_chars: int) -> Session:
    """Return the session with what was taken; escapes and tags may leave less room than thought."""
    taken = _without_told_changes(taken, source.doings.touched)
    filled = _filled(session, taken)
    filled = filled._replace(tags=tags_of(filled, source.parts, source.doings))
    while filled.tags and _written_chars(filled) > max_chars:
        filled = filled._replace(tags=filled.tags[:-1])
    while taken and _written_chars(filled) > max_chars:
        taken = taken[:-1]
        filled = _filled(filled, taken)
    return filled


def _without_told_changes(taken: list[_Candidate], touched: Sequence[str]) -> list[_Candidate]:
    """Return what was taken without the list of changed files where the points name them all."""
    said = " ".join(one.text for one in taken if one.kind not in (FILE, _CHANGES))
    is_told = all(path.rpartition("/")[2] in said for path in touched)
    return [one for one in taken if one.kind != _CHANGES or not is_told]


def _filled(session: Session, taken: Iterable[_Candidate]) -> Session:
    ordered = sorted(taken, key=lambda one: one.order)
    lists = {
        field: tuple(one.text for one in ordered if one.kind.replace(_CHANGES, POINT) == kind)
        for kind, field in _FIELDS.items()
    }
    return session._replace(**lists)  # type: ignore[arg-type]  # each is a field of texts


def _written_chars(session: Session) -> int:
    """Return how long the section is, without its code, in the longer of the two languages."""
    prose = session._replace(code=())
    return max(len(markdown.format_section(prose, language=name)) for name in ("zh", "en"))


def _are_alike(one: _Candidate, other: _Candidate) -> bool:
    # A sentence that names a file says more than the file; what was logged was meant to be kept.
    if one.is_logged or other.kind == FILE or not (one.terms and other.terms):
        return one.text == other.text
    is_covered = repeats(other.text, one.text) and not adds(one.text, other.text)
    return is_covered or repeats(one.text, other.text)


def _file_candidates(source: _Source, first_order: int, max_chars: int) -> Iterator[_Candidate]:
    """Yield the files: those that were changed, those spoken of, then those only read.

    A file is short, and the best handle for a later search: the first of them come before most
    sentences, the others where there is room.
    """
    counts = Counter(path for part in source.parts for path in paths(part.prose))
    touched = source.doings.touched[:_MAX_PATHS]
    spoken = [path for path, _ in counts.most_common(_MAX_PATHS)]
    known = (*touched, *spoken)
    others = [path for path in spoken if not any(_names(path, one) for one in known if one != path)]
    others = [path for path in others if path not in touched]
    read = [] if touched else [path for path in source.doings.read if path not in others]
    chars = 0
    for order, path in enumerate((*touched, *others, *read)):
        chars += len(path) + 3
        share = 5 if order < len(touched) else 9
        score = 3.6 if share * chars <= max_chars else 2.2 if path in touched else 1.6
        score = 1.2 if path in read else 5.0 if touched and order == 0 else score
        if len(path) <= MAX_POINT_CHARS:
            yield _Candidate(score, first_order + order, FILE, path, frozenset())


def _names(path: str, known: str) -> bool:
    return known == path or known.endswith("/" + path.removeprefix("./"))
