"""The prose of messages → sentences, each with its place, and what the heading above it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import Parts
from daily_memory.core.digests.wording import without_lead

# What a sentence is, or what the heading above it says that it is.
POINT, DECISION, QUESTION, NEXT, FILE = "point", "decision", "question", "next", "file"
OPTION = "option"

_MAX_SENTENCES = 6000
_MAX_SENTENCE_CHARS = 800
_MAX_ITEM_CHARS = 200
_MAX_JOINED_CHARS = 90
_MAX_HEADING_CHARS = 40

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
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"[\s|:-]+$")
_HEADING = re.compile(r"\s*#{1,6}\s+|\s*(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__)\s*[:：]?\s*$")
# Quotes, rules, commands of a host, and how lines of a log, a stack or a shell begin.
_NOT_PROSE = re.compile(
    r"""
    \s* (?: [|>⎿] | [-=*_]{3,}\s*$ | (?:@\w+\s+)?/[\w:-]{1,40}(?:\s*$|\ (?=[A-Z]))
      | \[Request\ interrupted | \[ [^\]\[]{10,120} \] \s   # a prompt with its time and folder
      | at\ .{1,120} \( | File\ " | Traceback\ \( | \[? \d{4}-\d\d-\d\d [T\ ] \d\d: | \d\d:\d\d:\d\d
      | (?: DEBUG | INFO | TRACE | WARN(?:ING)? ) \b | [$#%❯] \s \S | >>>[ ]
      | (?: \( [\w.-]+ \)\ | PS\ )? [A-Z]:\\ )
    """,
    re.VERBOSE,
)
# What begins a paste in the message of a user: an error, an indented line, a picture.
_PASTED = re.compile(
    r"(?i:error|fatal|warning|usage|info)\s?:|(?: {2,}|\t)(?![-*+•·\d])\S|(?:@\S+(?:\s+|$))+$"
    r"|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s"
)
_QUOTED = re.compile(r"`[^`\n]*`|https?://\S+|\*\*|[\w.@/\\-]*[/\\][\w./\\-]*")
_SYMBOLS = re.compile(r"[!-/:-@\[-`{-~](?<![,.?!'-])|\t| {3}")
_DENSE = 0.16
_EMPHASIS = re.compile(r"\*\*|__")
_SENTENCE = re.compile(
    r"""
      (?<=[。！？；]) (?! [。！？；”』」"')）] ) \s*
    | (?<=[!?]) (?: \s+ | (?=[\u4e00-\u9fff]) )
    | (?<=\.) \s+ (?=[A-Z\u4e00-\u9fff`])   # not behind `e.g.`, as a rule
    | (?<=[a-z]{3}\.) (?<!\betc\.) \s+ (?=[a-z])
    | (?<=[.!?][*_"')]) \s+ (?=[A-Za-z\u4e00-\u9fff])
    | (?<=["')`\d]\.) (?<![\s\d]\d\.) \s+ (?=[a-z])        # "1+3. take 6h", not "2. then"
    """,
    re.VERBOSE,
)
_BLANKS = re.compile(r"\s+")


class Sentence(NamedTuple):
    text: str
    role: str
    message: int  # counted from 0, among the messages that are digested
    place: int  # in its message, from 0
    section: str  # one of the kinds above, by the heading or the line above; or ""
    depth: int  # 1 in a list or a table, else 0
    is_answer: bool  # in the last message of the assistant before the user speaks again
    number: str = ""  # "2" for "2. …", "Option B: …" and "B. …"


def sentences(parts: Sequence[Parts]) -> list[Sentence]:
    """Return the sentences in order; of a very long conversation, those of its two ends."""
    following = [part.role for part in (*parts[1:], Parts("user", "", ()))]
    every = [
        sentence
        for message, (part, then) in enumerate(zip(parts, following, strict=False))
        for sentence in _sentences_of(part, message, part.role == "assistant" and then == "user")
    ]
    # The first messages say what it is about, the last ones how it ended.
    half = _MAX_SENTENCES // 2
    return every if len(every) <= _MAX_SENTENCES else every[:half] + every[-half:]


def _sentences_of(part: Parts, message: int, is_answer: bool) -> Iterator[Sentence]:
    heading = section = ""
    place, is_pasted = 0, False
    for line in _lines(part.prose):
        # What a user pastes goes on to the next empty line.
        is_pasted = bool(line.strip()) and (
            is_pasted or bool(_PASTED.match(line)) or _is_code(line)
        )
        if is_pasted and part.role == "user":
            continue
        item = _LIST_MARK.match(line)
        row = None if item else _TABLE_ROW.match(line)
        is_lead = not item and _EMPHASIS.sub("", line).rstrip().endswith((":", "："))
        is_heading = not item and _HEADING.match(line)
        if is_heading or is_lead:
            # A line with a colon speaks for its list, a heading for all up to the next one.
            section = _section(line)
            heading = "" if is_lead else section
        elif not item and not row and line.strip():
            section = heading
        text = line[item.end() :] if item else line.strip(" |" if row else "# ")
        is_prose = (row or not _NOT_PROSE.match(line)) and not _NOT_PROSE.match(text)
        # Users paste the output of programs, tables too.
        is_prose = is_prose and not _is_code(text) and not (row and part.role == "user")
        if not text.strip() or is_heading or not is_prose:
            continue
        kind = section if item or row or heading else ""
        if item and item["box"]:
            kind = NEXT if item["box"] == " " else ""
        whole = _BLANKS.sub(" ", text).strip()
        depth, number = int(bool(item or row)), cues.number_of(line)
        # The sentences of one item belong together.
        for sentence in [whole] if depth and len(whole) <= _MAX_ITEM_CHARS else _split(text):
            label, rest = _labelled(sentence)
            yield Sentence(rest, part.role, message, place, label or kind, depth, is_answer, number)
            place, number = place + 1, ""


def _is_code(line: str) -> bool:
    """Tell whether a line is of a program or its output, by the symbols in it.

    >>> _is_code("const x = f(1);"), _is_code("I fixed `f(1);` (twice).")
    (True, False)
    """
    bare = _QUOTED.sub("q", line).strip()
    return len(_SYMBOLS.findall(bare)) > _DENSE * len(bare)


def _lines(prose: str) -> Iterator[str]:
    """Yield the lines, but not the heads of tables and the rules below them."""
    lines = prose.split("\n")
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        if "|" not in line or not (_is_rule(line) or _is_rule(following)):
            yield line


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and bool(_TABLE_RULE.match(line))


def _section(line: str) -> str:
    """Return which kind of lines a heading or a line with a colon opens, if any."""
    # In a sentence that ends in a colon, its last words say what follows.
    words = _EMPHASIS.sub("", line).strip()[-_MAX_HEADING_CHARS:]
    return next((kind for kind, cue in (*_OPENS, _ASIDE) if cue.search(words)), "")


def _labelled(text: str) -> tuple[str, str]:
    """Return the kind that a label gives a sentence, and the sentence without it."""
    bare = without_lead(text).lstrip("*_ ")
    for kind, cue in _OPENS:
        label = cue.match(bare)
        if label and label.end() < len(bare):
            return kind, bare[label.end() :]
    return "", text


def _split(line: str) -> list[str]:
    """Return the sentences of a line; a Chinese semicolon parts only long ones."""
    texts: list[str] = []
    for text in _SENTENCE.split(line):
        text = _BLANKS.sub(" ", text).strip()
        is_continued = texts and texts[-1].endswith("；")
        if is_continued and len(texts[-1]) + len(text) <= _MAX_JOINED_CHARS:
            texts[-1] += text
        elif text:
            texts.append(text[:_MAX_SENTENCE_CHARS])
    return texts
