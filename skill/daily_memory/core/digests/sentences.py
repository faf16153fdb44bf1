"""Splits messages into sentences, each with its place and heading; and finds the topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import MessageParts
from daily_memory.core.digests.wording import (
    has_terms,
    shortened,
    without_greeting,
    without_lead,
)

# What a sentence is, or what the heading above it says that it is.
POINT, DECISION, QUESTION, NEXT, FILE = "point", "decision", "question", "next", "file"
OPTION = "option"

MAX_TOPIC_CHARS = 80
_MAX_SENTENCES = 6000
_MAX_SENTENCE_CHARS = 800

# What a heading, a line with a colon or the label of a sentence opens.
_OPENS = ((NEXT, cues.TO_DO), (QUESTION, cues.UNSOLVED), (DECISION, cues.DECISIONS))

_ASIDE = (OPTION, cues.OPTIONS)
_LIST_MARK = re.compile(
    r"""
    \s* (?: (?: [-*+•·] | \d{1,3} [.)、] ) \s+ (?: \[ (?P<box>[ xX]) \] \s+ )? | [①-⑨] \s*
      | \d{1,3} 、
      | (?: [✅☑✔✓❌✗⚠🔴🟠🟡🟢🔵⭐👉📌] \ufe0f? \s* )+ )
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"\s*#{1,6}\s+|\s*(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__)\s*[:：]?\s*$")
# A shell prompt with a command.
_PROMPT = re.compile(
    r"\s*(?:\([\w.-]+\) ?)?(?:[$%❯➜]\s|(?:PS )?[A-Z]:\\[^>\n]*>"
    r"|\[?[\w.-]+@[\w.-]+[: ][^$#%\n]{0,80}[$#%]\s)"
)
# Whoever speaks says who, or speaks Chinese: what a program prints below a prompt hardly does.
_SPEAKS = re.compile(r"\b(?:I|we|you|my|our|please)\b|[?？一-鿿]", re.IGNORECASE)
# Quotes, what a host writes, lines of a log.
_NOT_PROSE = re.compile(
    r"\s*(?:[>⎿]|\[Request interrupted|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[[^\[\]]{10,120}\]\s)"
)
# The line below the heading row of a table: "|---|---|", "---+---".
_TABLE_RULE = re.compile(r"[\s:]*(?:-+[\s:]*[|+]|\|[\s:]*-)[\s|:+-]*$")
_CODE = re.compile(r"`[^`\n]*`")
_SYMBOLS = re.compile(r"[!-/:-@\[-`{-~](?<![,.?!'-])|\t| {3}")
# What people type has few symbols; more of it was pasted. Assistants name code in their prose.
_DENSE = {"user": 0.1, "assistant": 0.16}
_EMPHASIS = re.compile(r"\*\*|__")
_SENTENCE = re.compile(
    r"""
      (?<=[。！？]) (?! [。！？”』」"')）】] ) \s*
      # Not after `e.g.`, nor after ": 2." in a list.
    | (?: (?<=[^\s.]{2}[.!?]) | (?<=[a-z]\ \d[.!?]) (?=\s+[A-Z])
      | (?<=[.!?][*_"')]) ) \s+
    """,
    re.VERBOSE,
)
_BLANKS = re.compile(r"\s+")
_COMMAND = re.compile(r"\s*(/[\w:-]{2,40})\s*$")


class Sentence(NamedTuple):
    text: str
    role: str
    message: int  # counted from 0, among the messages that are digested
    place: int  # in its message, from 0
    section: str  # one of the kinds above, by the heading or the line above; or ""
    is_answer: bool  # in the last message of the assistant before the user speaks again
    number: str = ""  # "2" for "2. …", "Option B: …" and "B. …"


def sentences(parts: Sequence[MessageParts]) -> list[Sentence]:
    """Return the sentences in order; of a very long conversation, its beginning and end."""
    following = [part.role for part in (*parts[1:], MessageParts("user", "", ()))]
    every = [
        sentence
        for message, (part, then) in enumerate(zip(parts, following, strict=False))
        for sentence in _sentences_of(part, message, part.role == "assistant" and then == "user")
    ]
    # The first messages say what it is about, the last ones how it ended.
    half = _MAX_SENTENCES // 2
    return every if len(every) <= _MAX_SENTENCES else every[:half] + every[-half:]


def _sentences_of(part: MessageParts, message: int, is_answer: bool) -> Iterator[Sentence]:
    section, place = "", 0
    prose = _without_terminal(part.prose) if part.role == "user" else part.prose
    lines = prose.split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        item = _LIST_MARK.match(line)
        is_heading = not item and _HEADING.match(line)
        if not item and (is_heading or _EMPHASIS.sub("", line).rstrip().endswith((":", "："))):
            section = _section(line)
        text = line[item.end() :] if item else line.strip("#| ")
        if _NOT_PROSE.match(line) or _PROMPT.match(line) or _TABLE_RULE.match(below):
            continue
        if not text.strip() or is_heading or _is_code(text, part.role):
            continue
        number = cues.number_of(line)
        kind = section if item else ""
        if item and item["box"]:
            kind = NEXT if item["box"] == " " else ""
        # The sentences of one item belong together.
        for sentence in [text] if item else _SENTENCE.split(text):
            whole = _BLANKS.sub(" ", sentence).strip()[:_MAX_SENTENCE_CHARS]
            label, rest = _labelled(whole)
            if rest:
                yield Sentence(rest, part.role, message, place, label or kind, is_answer, number)
                place, number = place + 1, ""


def _without_terminal(prose: str) -> str:
    r"""Return a text without pasted terminal output, from a shell prompt on.

    >>> _without_terminal("It fails:\n$ git push\nfatal: rejected\n\nWhat can I do?")
    'It fails:\n\nWhat can I do?'
    """
    kept: list[str] = []
    is_pasted = False
    for paragraph in prose.split("\n\n"):
        lines = paragraph.split("\n")
        prompt = next((at for at, line in enumerate(lines) if _PROMPT.match(line)), None)
        own = lines if prompt is None else lines[:prompt]
        if not is_pasted or _SPEAKS.search(next(filter(None, own), "")):
            kept.append("\n".join(own))
        is_pasted = is_pasted or prompt is not None
    return "\n\n".join(kept)


def _is_code(line: str, role: str) -> bool:
    """Tell whether a line is code or output, by its share of symbols.

    >>> _is_code("const x = f(1);", "user"), _is_code("I fixed `f(1);` (twice).", "assistant")
    (True, False)
    """
    bare = _CODE.sub("q", line).strip()
    return len(_SYMBOLS.findall(bare)) > _DENSE[role] * len(bare)


def _section(line: str) -> str:
    """Return the kind of lines that a heading, or a line with a colon, introduces."""
    words = _EMPHASIS.sub("", line)
    return next((kind for kind, cue in (*_OPENS, _ASIDE) if cue.search(words)), "")


def _labelled(text: str) -> tuple[str, str]:
    """Return the kind that a label gives a sentence, and the sentence without it."""
    bare = without_lead(text).lstrip("*_ ")
    for kind, cue in _OPENS:
        label = cue.match(bare)
        if label and label.end() < len(bare):
            return kind, bare[label.end() :]
    return "", text


def topic_of(found: Sequence[Sentence], parts: Sequence[MessageParts]) -> str:
    """Return the user's first sentence that says something, else the first of all."""
    asked = [sentence for sentence in found if sentence.role == "user"]
    first = next((part for part in parts if part.role == "user"), MessageParts("user", "", ()))
    if asked and first.code and asked[0].text.endswith((":", "：")):
        # "We get this error:" says nothing without its first line.
        pasted = (line.strip() for line in first.code[0].text.split("\n"))
        return shortened(f"{asked[0].text} {next(filter(None, pasted), '')}", MAX_TOPIC_CHARS)
    telling = (
        one
        for one in asked
        if has_terms(without_greeting(one.text), 2) and not cues.SMALL_TALK.search(one.text)
    )
    sentence = next(telling, next(iter(asked or found), None))
    if not sentence:
        return ""
    command = _COMMAND.match(first.prose)
    text = without_greeting(sentence.text) or sentence.text
    return shortened(f"{command[1]}: {text}" if command else text, MAX_TOPIC_CHARS)
