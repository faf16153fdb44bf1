"""The topic of a conversation: what the user asked for first, and what else was begun."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.digests import cues
from daily_memory.core.digests.sentences import Sentence
from daily_memory.core.digests.wording import (
    has_terms,
    is_about_saving,
    is_small_talk,
    shortened,
    terms_of,
    without_greeting,
)

MAX_TOPIC_CHARS = 80
MAX_TOPICS_CHARS = 120
_MOST_TOPICS = 3
_FEW_TERMS = 4


def topic_of(found: Sequence[Sentence], language: str) -> str:
    """Return the user's first request and what else was begun; or the first thing that was said."""
    asked = [sentence for sentence in found if sentence.role == "user"]
    substantial = [sentence for sentence in asked if _is_substantial(sentence.text)]
    if not substantial:
        said = [one.text for one in (asked or found)[:1]]
        return "".join(shortened(without_greeting(text) or text, MAX_TOPIC_CHARS) for text in said)
    others = [
        sentence
        for sentence in substantial
        if sentence.message > substantial[0].message and _begins_topic(sentence, found)
    ]
    topics = [_request_of(first, substantial) for first in (substantial[0], *others)]
    if len(topics) == 1:
        return shortened(topics[0], MAX_TOPIC_CHARS)
    shares = MAX_TOPICS_CHARS // min(len(topics), _MOST_TOPICS) - 2
    separator = "；" if language == "zh" else "; "
    ends = " 。.；;"
    return separator.join(shortened(text.strip(ends), shares) for text in topics[:_MOST_TOPICS])


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
    return not before or bool(cues.ACKNOWLEDGEMENT.match(without_greeting(before[0].text) or "ok"))


def _request_of(first: Sentence, substantial: Sequence[Sentence]) -> str:
    """Return the sentence of a message that says what is wanted, or about what."""
    same = [one for one in substantial if one.message == first.message and one.place >= first.place]
    best = max(same, key=lambda one: (_topic_worth(one.text), -one.place))
    text = without_greeting(best.text) or best.text
    following = [one.text for one in same if one.place == best.place + 1]
    # "Review PR 214?" does not say what it is about: the next sentence does.
    is_request = cues.REQUEST.search(best.text) or cues.ORDERS.search(best.text)
    is_bare = is_request and not has_terms(text, _FEW_TERMS) and following
    return f"{text} {following[0]}" if is_bare else text


def _topic_worth(text: str) -> float:
    bare = without_greeting(text)
    is_request = bool(cues.REQUEST.search(text))
    return (
        min(len(terms_of(bare)), 6)
        + 2.5 * is_request
        - 2.0 * (not cues.EXACT.search(bare) and len(bare) < 8)
    )


def _is_substantial(text: str) -> bool:
    bare = without_greeting(text)
    is_empty = cues.ACKNOWLEDGEMENT.match(bare) or cues.VAGUE.match(bare) or is_small_talk(bare)
    return not is_empty and not is_about_saving(text) and has_terms(bare, 2)
