"""A conversation → a digest, made of its own sentences: offline, and the same every time.

Nothing is worded anew. Each point is a sentence of the conversation, whitespace aside, or a fact
of a tool (core/doings.py); where it was too long it ends in "…". What decides is where a sentence
stands, the cue words of core/cues.py, and how much it shares with what the user asked.
docs/digests.md tells it to users.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from daily_memory.core import cues, keywords, markdown
from daily_memory.core.doings import Doings, doings, told_changes
from daily_memory.core.finding import MARK
from daily_memory.core.mentions import error_codes, identifiers, paths
from daily_memory.core.observation import Observation
from daily_memory.core.phrases import is_save_refused, is_save_requested
from daily_memory.core.sentences import (
    ASIDE,
    CHOICE,
    DECISION,
    FILE,
    NEXT,
    POINT,
    QUESTION,
    RESULT,
    Message,
    Parts,
    Sentence,
    own_words,
    role_of,
    sentences,
    taken_apart,
)
from daily_memory.core.synonyms import SYNONYMS
from daily_memory.model import Code, Session

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
MAX_TOPIC_CHARS = 80
MAX_TOPICS_CHARS = 120
MAX_POINT_CHARS = 200
MAX_CODE_LINES = 60
MAX_CODE_CHARS = 4000
MAX_CODE_BLOCKS = 3
MAX_TAGS = 7

_MAX_CODE_READ = 100
_MAX_DONE = 300
_MOST_BEGINNINGS = 100
_MAX_PATHS = 200
_MAX_PASTED_LINES = 15
_ALIKE = 0.7
_FEWEST_POINTS = 4
_MOST_TOPICS = 3

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
_LEAST_OF_DECISION = 3.0
# Where what was logged stands: above all that was said.
_BEFORE_ALL = 1_000_000

_CLAUSE_END = re.compile(r"[，,;；:：、（()）—–]|\s-\s")
_TERM = re.compile(r"[a-z0-9_][a-z0-9_.-]{1,39}|[\u3400-\u9fff]+")
# Asks for work, which is no decision: "用 Python 帮我写一个".
_ORDERS = re.compile(
    r"帮我|帮忙|怎么|如何|^\s*用.{1,30}(?:写|实现|做)一?个|please|\bhow ", re.IGNORECASE
)
# A capital not at the beginning of an English sentence.
_PROPER = re.compile(
    r"""
    (?: (?<=[a-z,]\ ) | (?<=[\u3400-\u9fff]) | (?<=[\u3400-\u9fff，。、：]\ ) )
    [A-Z][A-Za-z]{2,20} (?![\w.-])
    """,
    re.VERBOSE,
)
_LATIN = re.compile(r"[A-Za-z]{2}|\d")
_COMMON = frozenset(
    "the and for with that this from have has are was were will would can could should not but you "
    "your our their its it's is in on of to we be do does did an as at or if so by then than there "
    "what when which how why please need want let use using into about also now just one all any "
    "don me my they them he she been being because some more most".split()
)
_COMMON_HAN = frozenset(
    "我们 你们 他们 一个 这个 那个 可以 什么 怎么 如何 需要 然后 现在 没有 就是 还是 一下".split()
)
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})


class _Candidate(NamedTuple):
    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]


class _Form(NamedTuple):
    """How long a digest may be, how many items of a kind it has, and what an item must score."""

    max_chars: int
    most: dict[str, int]
    least: float


class _Whole(NamedTuple):
    """What a sentence is weighed against."""

    last: int  # the number of the last message
    asked: frozenset[str]  # words of the user
    topical: frozenset[str]  # words of the topic
    frequent: frozenset[str]  # words that the conversation comes back to
    is_technical: bool


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
    found = sentences(source.parts)
    language = _language(source.parts)
    topic = _topic(found, language) or _topic_of_doings(source, language)
    topic = topic[: form.max_chars]
    session = Session(day, topic=topic, code=_code(source.parts) if save_code else ())
    if not topic:
        return session
    candidates = _candidates(found, topic, source, language, form.max_chars)
    return _fitted(session, candidates, source, form)


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
            yield _candidate(score, order - _BEFORE_ALL, kind, text)


# --- The topic -------------------------------------------------------------------------------


def _topic(found: Sequence[Sentence], language: str) -> str:
    """Return the user's first request and what else was begun; or the first thing that was said."""
    asked = [sentence for sentence in found if sentence.role == "user"]
    substantial = [sentence for sentence in asked if _is_substantial(sentence.text)]
    if not substantial:
        said = [one.text for one in (asked or found)[:1]]
        return "".join(
            _shortened(_without_greeting(text) or text, MAX_TOPIC_CHARS) for text in said
        )
    others = [
        sentence
        for sentence in substantial
        if sentence.message > substantial[0].message and _begins_topic(sentence, found)
    ]
    topics = [_request_of(first, substantial) for first in (substantial[0], *others)]
    if len(topics) == 1:
        return _shortened(topics[0], MAX_TOPIC_CHARS)
    shares = MAX_TOPICS_CHARS // min(len(topics), _MOST_TOPICS) - 2
    separator = "；" if language == "zh" else "; "
    ends = " 。.；;"
    return separator.join(_shortened(text.strip(ends), shares) for text in topics[:_MOST_TOPICS])


def _begins_topic(sentence: Sentence, found: Sequence[Sentence]) -> bool:
    """Tell whether a message says that it is about something else, in its first words."""
    text = sentence.text
    if not cues.BEGINS_NEW_TOPIC.match(text) or not (cues.REQUEST.search(text) or len(text) > 10):
        return False
    before = [
        other
        for other in found
        if other.message == sentence.message and other.place == sentence.place - 1
    ]
    # "Great. Another question: …" begins with it as well.
    return not before or bool(cues.ACKNOWLEDGEMENT.match(_without_greeting(before[0].text) or "ok"))


def _request_of(first: Sentence, substantial: Sequence[Sentence]) -> str:
    """Return the sentence of a message that says what is wanted, or about what."""
    same = [one for one in substantial if one.message == first.message and one.place >= first.place]
    best = max(same, key=lambda one: (_topic_worth(one.text), -one.place))
    return _without_greeting(best.text) or best.text


def _topic_worth(text: str) -> float:
    bare = _without_greeting(text)
    is_request = bool(cues.REQUEST.search(text))
    return (
        min(len(_terms(bare)), 6)
        + 2.5 * is_request
        - 2.0 * (not cues.EXACT.search(bare) and len(bare) < 8)
    )


def _topic_of_doings(source: _Source, language: str) -> str:
    """Return what was logged or done first, where nobody said a word."""
    for told in source.told:
        return _shortened(told.text, MAX_TOPIC_CHARS)
    outcomes = [outcome.text for outcome in source.doings.outcomes]
    lines = [line for line in (told_changes(source.doings, language), *outcomes) if line]
    return _shortened(lines[0], MAX_TOPIC_CHARS) if lines else ""


def _is_substantial(text: str) -> bool:
    bare = _without_greeting(text)
    is_empty = cues.ACKNOWLEDGEMENT.match(bare) or cues.VAGUE.match(bare) or _is_small_talk(bare)
    return not is_empty and not _is_about_saving(text) and _has_terms(bare, 2)


def _is_about_saving(text: str) -> bool:
    # A fact to remember ("remember that we use pnpm") is content; "save this" is not.
    return is_save_refused(text) or (len(text) < 25 and is_save_requested(text))


def _is_small_talk(text: str) -> bool:
    return bool(cues.SMALL_TALK.search(text)) and not cues.EXACT.search(text)


def _without_greeting(text: str) -> str:
    bare = text
    while greeting := cues.BEGINS_WITH_GREETING.match(bare):
        bare = bare[greeting.end() :]
    return bare.strip()


def _without_filler(text: str) -> str:
    bare = text
    while filler := cues.BEGINS_WITH_FILLER.match(bare):
        bare = bare[filler.end() :]
    return bare.strip()


def _has_terms(text: str, count: int) -> bool:
    return len(_terms(text)) >= count


# --- What a sentence is ----------------------------------------------------------------------


def _candidates(
    found: Sequence[Sentence], topic: str, source: _Source, language: str, max_chars: int
) -> list[_Candidate]:
    whole = _whole(found, topic, len(source.parts) - 1)
    confirmed = _confirmed(found)
    done = _later_done(found)
    candidates = list(source.told)
    for order, sentence in enumerate(found):
        kind = DECISION if order in confirmed else _kind(sentence, whole.last)
        text = _point(sentence, kind)
        terms = _terms(text)
        if not kind or not text or (kind == POINT and _repeats(terms, whole.topical, 0.5)):
            continue
        if kind in (QUESTION, NEXT) and _is_settled(sentence, terms, done, whole.last):
            continue
        score = _score(kind, sentence, terms, whole)
        if any(_announces(before, sentence) for before in found[max(order - 2, 0) : order]):
            score += 1.6
        candidates.append(_Candidate(score, order, kind, _shortened(text, MAX_POINT_CHARS), terms))
    candidates += _doing_candidates(source.doings, len(found), language)
    return [*candidates, *_file_candidates(source, len(found), max_chars)]


def _whole(found: Sequence[Sentence], topic: str, last: int) -> _Whole:
    counts = Counter(term for sentence in found for term in _terms(sentence.text))
    technical = sum(_is_technical(sentence.text) for sentence in found)
    return _Whole(
        last,
        frozenset(term for one in found if one.role == "user" for term in _terms(one.text)),
        _terms(topic),
        frozenset(term for term, count in counts.items() if count > 2),
        10 * technical >= 4 * len(found),
    )


def _candidate(score: float, order: int, kind: str, text: str) -> _Candidate:
    return _Candidate(score, order, kind, _shortened(text, MAX_POINT_CHARS), _terms(text))


def _announces(before: Sentence, sentence: Sentence) -> bool:
    """Tell whether the sentence before only says that now comes the reason."""
    return before.message == sentence.message and bool(cues.ANNOUNCES_CAUSE.fullmatch(before.text))


def _point(sentence: Sentence, kind: str) -> str:
    """Return the sentence without what it says before it says anything."""
    if sentence.role == "user" and kind == DECISION:
        # "OK, Postgres then": here the first word is the decision.
        return cues.ENDS_WITH_THANKS.sub("", sentence.text)
    bare = _without_filler(sentence.text)
    bare = cues.ASKS_CONSENT.sub("", bare) if kind == DECISION else bare
    for label in (cues.LABELLED_TO_DO.match(bare), cues.LABELLED_OPEN.match(bare)):
        bare = bare[label.end() - 1 :] if label else bare
    return cues.ENDS_WITH_THANKS.sub("", bare)


def _kind(sentence: Sentence, last: int) -> str:
    """Return what the sentence is: a decision, a question, a step to do, a point, or nothing."""
    if not _is_content(sentence):
        return ""
    if _is_open(sentence, last):
        return QUESTION
    if _is_decided(sentence):
        return DECISION
    if _is_to_do(sentence, last):
        return NEXT
    is_question = bool(cues.ASKS.search(sentence.text))
    return "" if is_question and sentence.role == "assistant" else POINT


def _is_content(sentence: Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    if text.endswith((":", "：")) or _is_about_saving(text):
        return False
    bare = _without_filler(text)
    if sentence.role == "assistant" and _says_nothing(bare, is_listed=bool(sentence.section)):
        return False
    if _is_small_talk(bare) or cues.BEGINS_WITH_OPTION.match(bare) or cues.VAGUE.match(bare):
        return False
    bare = cues.ENDS_WITH_THANKS.sub("", _without_greeting(bare))
    is_decision = sentence.role == "user" and _decides(text)
    least = 1 if sentence.section or is_decision or cues.ASKS.search(text) else 3
    # "可以，就按这个改": what is agreed to stands in the message before.
    is_agreement = cues.AGREES.match(text) and not cues.EXACT.search(text)
    is_empty = cues.ACKNOWLEDGEMENT.match(bare) or (is_agreement and not _has_terms(bare, 9))
    return not is_empty and _has_terms(bare, least)


def _says_nothing(bare: str, *, is_listed: bool) -> bool:
    if cues.COURTESY.match(bare):
        return True
    return not is_listed and bool(cues.NARRATION.match(bare) or cues.OFFER.search(bare))


def _is_decided(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.section == DECISION:
        return True
    if cues.ASKS.search(text) or sentence.section in (QUESTION, NEXT, CHOICE):
        return False
    if cues.DECIDED.search(text):
        # "改用 X" in a report of what was done is no decision.
        is_report = sentence.role == "assistant" and not cues.DECIDED_PLAINLY.search(text)
        return not is_report and not cues.UNDECIDED.search(text)
    is_reply = sentence.role == "user" and sentence.message > 0
    return is_reply and _decides(text) and not _ORDERS.search(text)


def _decides(text: str) -> bool:
    return bool(cues.DECIDED.search(text) or cues.USER_DECIDES.search(text))


def _is_open(sentence: Sentence, last: int) -> bool:
    if sentence.section in (QUESTION, NEXT, DECISION):
        return sentence.section == QUESTION
    text = sentence.text
    if cues.LABELLED_OPEN.match(_without_filler(text)):
        return True
    if sentence.message == last and cues.ASKS.search(text):
        return True
    # What was unclear in the first half has mostly been answered since.
    is_late = 2 * sentence.message >= last or sentence.message >= last - 2
    return is_late and not cues.ASKS.search(text) and bool(cues.OPEN.search(text))


def _is_to_do(sentence: Sentence, last: int) -> bool:
    if sentence.section in (QUESTION, NEXT, DECISION):
        return sentence.section == NEXT
    text = sentence.text
    if cues.LABELLED_TO_DO.match(_without_filler(text)):
        return True
    is_late = sentence.message >= last - 2 or 3 * sentence.message >= 2 * last
    is_asked = bool(cues.ASKS.search(text))
    return is_late and not is_asked and bool(cues.TO_DO.search(text))


def _confirmed(found: Sequence[Sentence]) -> frozenset[int]:
    """Return the places of the proposals that the user agreed to, and of the options picked."""
    places: set[int] = set()
    by_message: dict[int, list[int]] = {}
    for place, sentence in enumerate(found):
        by_message.setdefault(sentence.message, []).append(place)
    for sentence in found:
        before = by_message.get(sentence.message - 1, [])
        if sentence.role != "user" or not before or found[before[0]].role != "assistant":
            continue
        if cues.ASKS.search(sentence.text):
            continue
        if cues.AGREES.match(sentence.text):
            places.update(_proposals(found, before))
        picked = cues.PICKS.search(sentence.text)
        if picked:
            places.update(_options(found, before, _numeral(picked)))
    return frozenset(places)


def _numeral(match: re.Match[str]) -> str:
    mark = next(group for group in match.groups() if group).lower()
    return cues.NUMERALS.get(mark, mark)


def _proposals(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return the sentences that propose something: the items below one, or the last by itself."""
    proposed: list[int] = []
    is_open = False
    for place in places:
        text = cues.ASKS_CONSENT.sub("", found[place].text)
        proposes = bool(cues.PROPOSES.search(text)) and not cues.ASKS.search(text)
        if found[place].is_item and is_open:
            proposed.append(place)
        else:
            is_open = proposes and text.endswith((":", "："))
            proposed += [place] if proposes and not is_open else []
    strong = [place for place in proposed if found[place].is_item] or proposed[-1:]
    return strong[:4]


def _options(found: Sequence[Sentence], places: Sequence[int], picked: str) -> list[int]:
    for place in places:
        option = cues.OPTION.match(found[place].text)
        if option and _numeral(option) == picked:
            return [place]
    return []


def _later_done(found: Sequence[Sentence]) -> list[tuple[int, frozenset[str]]]:
    """Return message and words of each sentence that tells of something done."""
    return [
        (sentence.message, _terms(sentence.text))
        for sentence in found[-_MAX_DONE:]
        if cues.DONE.search(sentence.text)
        and not cues.ASKS.search(sentence.text)
        and sentence.section not in (NEXT, QUESTION)
        and not cues.OPEN.search(sentence.text)
    ]


def _is_settled(
    sentence: Sentence,
    terms: frozenset[str],
    done: Sequence[tuple[int, frozenset[str]]],
    last: int,
) -> bool:
    """Tell whether what was open or to be done is told as done later on."""
    if sentence.message >= last - 1 or not terms:
        return False
    return any(
        message > sentence.message and 2 * len(terms & words) >= len(terms)
        for message, words in done
    )


# --- What a sentence is worth ----------------------------------------------------------------


def _score(kind: str, sentence: Sentence, terms: frozenset[str], whole: _Whole) -> float:
    text = _without_filler(sentence.text)
    is_user = sentence.role == "user"
    score = {POINT: 0.0, DECISION: 2.6, QUESTION: 2.4, NEXT: 2.4}[kind]
    score += _cue_score(text) + _section_score(sentence) + _place_score(sentence, whole.last)
    score += 0.5 * bool(cues.EXACT.search(text)) + 0.3 * bool(cues.MEASURED.search(text))
    score += min(len(terms & whole.asked), 6) * (0.05 if is_user else 0.15)
    score += 0.08 * min(len(terms & whole.frequent), 8)
    score += _user_score(kind, sentence, text) if is_user else 0.0
    if whole.is_technical:
        score += 0.2 if _is_technical(text) else -0.5
    score -= 0.5 * bool(cues.BEGINS_WITH_PRONOUN.match(text))
    score -= 0.7 * (len(text) > MAX_POINT_CHARS)
    if kind == DECISION:
        # The shortest decisions are decisions all the same.
        return max(score, _LEAST_OF_DECISION)
    return score - (0.0 if sentence.section else _thinness(terms))


def _user_score(kind: str, sentence: Sentence, text: str) -> float:
    if kind == POINT and cues.ASKS.search(text):
        return -0.6
    is_order = sentence.message > 0 and bool(_ORDERS.search(text))
    return 0.7 + bool(cues.PREFERS.search(text)) - 0.8 * is_order


def _thinness(terms: frozenset[str]) -> float:
    """Return how far a sentence is from telling something by itself: few words tell little."""
    han = sum(term[0] >= "\u3400" for term in terms)
    words = len(terms) - han + han / 2
    return 1.5 * (words < 3) + 0.7 * (words < 4) + 0.5 * (words < 6)


def _cue_score(text: str) -> float:
    return (
        1.4 * bool(cues.CAUSE.search(text))
        + 1.0 * bool(cues.DONE.search(text))
        + 1.2 * bool(cues.DEAD_END.search(text))
        + 0.8 * bool(cues.CONSTRAINT.search(text))
        - 2.2 * bool(cues.PRAISE.search(text) or cues.WEIGHS.search(text))
    )


def _section_score(sentence: Sentence) -> float:
    return {RESULT: 1.0, CHOICE: -2.0, ASIDE: -1.5}.get(sentence.section, 0.0)


def _place_score(sentence: Sentence, last: int) -> float:
    score = 0.4 * (sentence.place == 0) + 0.4 * sentence.is_answer
    score += 0.4 * (sentence.message >= last - 3) + 0.6 * (sentence.message == 0)
    is_narrated = sentence.role == "assistant" and not sentence.is_answer
    return score - 0.4 * is_narrated


def _is_technical(text: str) -> bool:
    if cues.EXACT.search(text) or _LATIN.search(text):
        return True
    return any(
        text[at : at + size] in SYNONYMS for size in (2, 3, 4) for at in range(len(text) - size + 1)
    )


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


def _repeats(terms: frozenset[str], others: frozenset[str], share: float = _ALIKE) -> bool:
    """Tell whether a text says little that the other does not."""
    return len(terms & others) >= share * len(terms)


@lru_cache(maxsize=10_000)
def _terms(text: str) -> frozenset[str]:
    """Return the words of a text, and each two neighbouring Chinese characters, without filler."""
    found: set[str] = set()
    for match in _TERM.finditer(text[: 4 * MAX_POINT_CHARS].lower()):
        word = match[0]
        if word[0] < "\u3400":
            found.add(word.rstrip(".-"))
        else:
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return frozenset(found - _COMMON - _COMMON_HAN)


# --- Choosing within the budget --------------------------------------------------------------


def _fitted(
    session: Session, candidates: Sequence[_Candidate], source: _Source, form: _Form
) -> Session:
    """Return the session with the best that fit, in the order of the conversation."""
    ranked = sorted(candidates, key=lambda one: (-one.score, one.order, one.text))
    taken: list[_Candidate] = []
    room = form.max_chars - _written_chars(session)
    # Tags come last, when it is known what they are to name.
    room -= min(70, room // 8)
    counts = dict.fromkeys(_MOST, 0)
    for one in ranked:
        # A digest of almost nothing helps nobody: the first few need not score.
        is_weak = one.score < form.least and (counts[POINT] >= _FEWEST_POINTS or one.score < 0)
        cost = len(one.text) + 3 + (0 if counts[one.kind] else 22)
        if is_weak or counts[one.kind] == form.most[one.kind] or cost > room:
            continue
        if one.kind == FILE or not any(_are_alike(one, other) for other in taken):
            taken.append(one)
            counts[one.kind] += 1
            room -= cost
    return _trimmed(session, taken, source, form.max_chars)


def _trimmed(session: Session, taken: list[_Candidate], source: _Source, max_chars: int) -> Session:
    """Return the session with what was taken; escapes and tags may leave less room than thought."""
    taken = _without_told_changes(taken, source.doings.touched)
    filled = _filled(session, taken)
    filled = filled._replace(tags=_tags(filled, source))
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
    # A sentence that names a file says more than the file.
    if other.kind == FILE or not (one.terms and other.terms):
        return one.text == other.text
    return _repeats(one.terms, other.terms) or _repeats(other.terms, one.terms)


def _shortened(text: str, max_chars: int) -> str:
    """Return the text, cut behind a clause or a word with "…" where it is too long."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    ends = list(_CLAUSE_END.finditer(head))
    end = ends[-1].start() if ends else 0
    # A Chinese clause of a third says enough, of an English one there should be more.
    is_enough = ends and end >= max_chars // (3 if ends[-1][0] > "\u2fff" else 2)
    end = end if is_enough else head.rfind(" ")
    return (head[:end] if end >= max_chars // 3 else head).rstrip() + "…"


# --- Files, tags and code --------------------------------------------------------------------


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
        score = 3.2 if share * chars <= max_chars else 2.2 if path in touched else 1.6
        if path in read:
            score = 1.2
        if len(path) <= MAX_POINT_CHARS:
            yield _Candidate(score, first_order + order, FILE, path, frozenset())


def _names(path: str, known: str) -> bool:
    return known == path or known.endswith("/" + path.removeprefix("./"))


def _tags(session: Session, source: _Source) -> tuple[str, ...]:
    """Return the codes of errors, functions and classes that matter, then words of the digest."""
    points = (*session.key_points, *session.decisions, *session.open_questions, *session.next_steps)
    chosen = _unmarked("\n".join((session.topic, *points)))
    said = _unmarked("\n".join(part.prose for part in source.parts))
    codes = _ranked(error_codes(f"{chosen}\n{said}\n{_unmarked(source.doings.errors)}"))
    codes = [code for code in codes if code != "AssertionError" or code in said][:3]
    files = "\n".join(f"`{path.rpartition('/')[2]}`" for path in source.doings.touched)
    kept = set(identifiers(f"{chosen}\n{files}"))
    named = [name for name in _ranked(identifiers(f"{chosen}\n{said}\n{files}")) if name in kept]
    named = [name for name in named if name not in codes][:3]
    words = keywords.suggest_tags(
        Session(session.date, topic=_unmarked(session.topic), summary=chosen), said=said
    )
    known = " ".join((*codes, *named)).lower()
    proper = [name for name in _proper_names(said) if name in chosen][:2]
    others = (word for word in (*proper, *words) if word.lower() not in known)
    cleaned: dict[str, str] = {}
    for tag in map(markdown.clean_tag, (*codes, *named, *others)):
        cleaned.setdefault(tag.lower(), tag)
    return tuple(tag for tag in cleaned.values() if tag)[:MAX_TAGS]


def _proper_names(said: str) -> Iterator[str]:
    """Yield names such as Redis that are used more than once, the most frequent first."""
    for name, count in Counter(_PROPER.findall(said)).most_common(20):
        if count > 1:
            yield name


def _unmarked(text: str) -> str:
    # What was hidden is no word of the user.
    return MARK.sub(" ", text)


def _ranked(names: Iterable[str]) -> list[str]:
    """Return the names, the most frequent first."""
    return [name for name, _ in Counter(names).most_common()]


def _code(parts: Sequence[Parts]) -> tuple[Code, ...]:
    """Return the last version of the last blocks of the assistant; else what the user wrote.

    What users paste is mostly what went wrong, what assistants write is the result.
    """
    for role, most_lines in (("assistant", MAX_CODE_LINES), ("user", _MAX_PASTED_LINES)):
        blocks = [
            block
            for part in parts
            if part.role == role
            for block in part.code
            if _is_kept(block, most_lines)
        ]
        newest: list[Code] = []
        for block in blocks[: -_MAX_CODE_READ - 1 : -1]:
            if not any(_is_version(block, other) for other in newest):
                newest.append(block)
        if newest:
            return tuple(reversed(newest[:MAX_CODE_BLOCKS]))
    return ()


def _is_kept(block: Code, most_lines: int) -> bool:
    lines = block.text.count("\n") + 1
    if block.language in _OUTPUT_LANGUAGES or not block.text.strip():
        return False
    return lines <= most_lines and len(block.text) <= MAX_CODE_CHARS


def _is_version(block: Code, other: Code) -> bool:
    """Tell whether two blocks are versions of one: half of the lines of the smaller are shared."""
    lines, others = (
        {line.strip() for line in code.text.split("\n") if len(line.strip()) > 2}
        for code in (block, other)
    )
    smaller = min(len(lines), len(others))
    return block.text == other.text or (smaller > 0 and 2 * len(lines & others) >= smaller)
