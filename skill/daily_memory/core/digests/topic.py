"""The topic of a conversation: what the user said first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import Parts
from daily_memory.core.digests.sentences import Sentence
from daily_memory.core.digests.wording import (
    has_terms,
    shortened,
    without_greeting,
)

MAX_TOPIC_CHARS = 80
_COMMAND = re.compile(r"\s*(/[\w:-]{2,40})\s*$")


def topic_of(found: Sequence[Sentence], parts: Sequence[Parts]) -> str:
    """Return the user's first sentence that tells something, else the first of all."""
    asked = [sentence for sentence in found if sentence.role == "user"]
    first = next((part for part in parts if part.role == "user"), Parts("user", "", ()))
    if asked and first.code and asked[0].text.endswith((":", "：")):
        # "We get this error:" says nothing without its first line.
        pasted = (line.strip() for line in first.code[0].text.split("\n"))
        return shortened(f"{asked[0].text} {next(filter(None, pasted), '')}", MAX_TOPIC_CHARS)
    telling = (one for one in asked if _tells(one.text))
    sentence = next(telling, next(iter(asked or found), None))
    if not sentence:
        return ""
    command = _COMMAND.match(first.prose)
    text = without_greeting(sentence.text) or sentence.text
    return shortened(f"{command[1]}: {text}" if command else text, MAX_TOPIC_CHARS)


def _tells(text: str) -> bool:
    return has_terms(without_greeting(text), 2) and not cues.SMALL_TALK.search(text)
