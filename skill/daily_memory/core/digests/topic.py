"""The topic of a conversation: what the user said first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import Parts
from daily_memory.core.digests.sentences import Sentence
from daily_memory.core.digests.wording import (
    has_terms,
    is_about_saving,
    is_empty,
    shortened,
    without_greeting,
)

MAX_TOPIC_CHARS = 80
_FEW_TERMS = 4
_COMMAND = re.compile(r"\s*(/[\w:-]{2,40})\s*$")


def topic_of(found: Sequence[Sentence], parts: Sequence[Parts]) -> str:
    """Return the user's first sentence that tells something, else the first of all."""
    asked = [sentence for sentence in found if sentence.role == "user"]
    first = next((part for part in parts if part.role == "user"), Parts("user", "", ()))
    if asked and first.code and asked[0].text.endswith((":", "：")):
        # "We get this error:" says nothing without its first line.
        pasted = (line.strip() for line in first.code[0].text.split("\n"))
        return shortened(f"{asked[0].text} {next(filter(None, pasted), '')}", MAX_TOPIC_CHARS)
    place = next((at for at, sentence in enumerate(asked) if _tells(sentence.text)), 0)
    texts = [sentence.text for sentence in (asked or found)[place : place + 2]]
    command = _COMMAND.match(first.prose)
    if command:
        texts[:1] = [": ".join((command[1], *texts[:1]))]
    if not texts:
        return ""
    text = without_greeting(texts[0]) or texts[0]
    # "Review PR 214?" does not say what it is about: the next sentence does.
    is_bare = not has_terms(text, _FEW_TERMS) and len(asked) > place + 1
    if is_bare and asked[place].message == asked[place + 1].message:
        text = f"{text} {texts[1]}"
    return shortened(text, MAX_TOPIC_CHARS)


def _tells(text: str) -> bool:
    is_talk = is_empty(text) or cues.SMALL_TALK.search(text) or is_about_saving(text)
    return not is_talk and has_terms(without_greeting(text), 2)
