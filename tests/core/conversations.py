"""Conversations made up for tests, with the facts that a good digest of each must hold.

A file of tests/data/conversations is `wanted | …` lines, a line `====`, then what happened: `U> `
what the user said, `A> ` the assistant, `T> NAME ARGUMENTS => OUTPUT !! ERROR` a tool, all three in
JSON but the error. Each `fact FIELD | words` names a field of the session (`any` for all of them);
one of its items must hold all words that `&` joins, or all of one alternative where `|` parts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from daily_memory.core.observation import Observation
from daily_memory.core.tools.tool_output import shorten_call
from daily_memory.model import Session

FOLDER = Path(__file__).resolve().parent.parent / "data" / "conversations"
# Conversations that no rule was made or changed for: what others may expect.
HELD_BACK = FOLDER / "held-back"
_KINDS = {"U": "user", "A": "assistant", "N": "note", "D": "decision", "E": "error"}
_LISTS = ("key_points", "decisions", "open_questions", "next_steps")


class Fact(NamedTuple):
    """`alternatives` are sets of words: one set has to stand in one item of the field."""

    field: str
    alternatives: tuple[tuple[str, ...], ...]
    detailed: bool  # asked of the detailed form alone

    def is_in(self, session: Session) -> bool:
        return any(
            all(word.casefold() in item.casefold() for word in words)
            for words in self.alternatives
            for item in items(session, self.field)
        )


class Conversation(NamedTuple):
    name: str
    observations: tuple[Observation, ...]
    facts: tuple[Fact, ...]
    noise: tuple[str, ...]


def items(session: Session, field: str) -> list[str]:
    if field == "topic":
        return [session.topic]
    if field == "code":
        return [block.text for block in session.code]
    if field == "any":
        return [session.topic, *(text for name in _LISTS for text in getattr(session, name))]
    return list(getattr(session, field))


def text_of(session: Session) -> str:
    """Return all that a reader sees of a digest but its code."""
    tags = " ".join(f"#{tag}" for tag in session.tags)
    return "\n".join((*items(session, "any"), *session.files, tags))


def recall(found: Iterable[tuple[Conversation, Session]], *, detailed: bool) -> float:
    """Return the share of the facts that the digests hold."""
    held = [
        fact.is_in(session)
        for conversation, session in found
        for fact in conversation.facts
        if detailed or not fact.detailed
    ]
    return sum(held) / len(held)


def noise(found: Iterable[tuple[Conversation, Session]]) -> float:
    """Return the share of the texts that should not be in a digest, but are."""
    held = [
        text.casefold() in text_of(session).casefold()
        for conversation, session in found
        for text in conversation.noise
    ]
    return sum(held) / len(held)


def load_all(folder: Path = FOLDER) -> list[Conversation]:
    return [load(path) for path in sorted(folder.glob("*.txt"))]


def load(path: Path) -> Conversation:
    wanted, _, happened = path.read_text(encoding="utf-8").partition("\n====\n")
    facts, unwanted = [], []
    for line in wanted.split("\n"):
        kind, _, words = (part.strip() for part in line.partition("|"))
        if kind == "noise":
            unwanted.append(words)
        else:
            facts.append(_fact(kind, words))
    parts = re.split(r"^([UATNDE])> ", happened, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    observations = [_observation(mark, text.strip()) for mark, text in pairs]
    return Conversation(path.stem, tuple(observations), tuple(facts), tuple(unwanted))


def _fact(kind: str, words: str) -> Fact:
    level, _, field = kind.partition(" ")
    fields = {"file": "files", "tag": "tags", "fact": field, "detail": field}
    alternatives = tuple(
        tuple(word.strip() for word in one.split("&")) for one in words.split("|") if one.strip()
    )
    return Fact(fields.get(level, level), alternatives, level == "detail")


def _observation(mark: str, text: str) -> Observation:
    if mark != "T":
        return Observation("", _KINDS[mark], text)
    tool, _, rest = text.partition(" ")
    arguments, end = json.JSONDecoder().raw_decode(rest)
    output, _, error = rest[end:].strip().removeprefix("=>").partition(" !! ")
    use = shorten_call(tool, arguments, json.loads(output or "null"), error)
    return Observation("", "error" if use.failed else "tool", use.text, use.tool, use.files)
