"""A conversation taken apart: messages → prose and code → sentences, each with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.context import without_context
from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import without_lead
from daily_memory.model import Code

# What a sentence is, or what the heading above it says that it is.
POINT, DECISION, QUESTION, NEXT, FILE = "point", "decision", "question", "next", "file"

# Pasted logs are long; what people and assistants conclude is at the two ends.
_MESSAGE_END_CHARS = 10_000
_ROUTINE, _ROUTINE_CHARS = 3, 80
_MAX_SENTENCES = 6000
_MAX_SENTENCE_CHARS = 800
_MAX_ITEM_CHARS = 200
_MAX_JOINED_CHARS = 90
# A wide table weighs options.
_MOST_BARS = 4
_MAX_HEADING_CHARS = 40

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}
# What a heading, a line with a colon or the label of a sentence opens.
_OPENS = ((NEXT, cues.TO_DO), (QUESTION, cues.UNSOLVED), (DECISION, cues.DECISIONS))

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
# <system-reminder>, <local-command-stdout>, <git_status>: people write no such names.
_HOST_TAG = re.compile(r"<(/?)(?!user_query)([a-z]+(?:[-_][a-z]+)+|rules)\b[^<>]{0,200}>")
_QUERY_TAG = re.compile(r"</?user_query>")
_LIST_MARK = re.compile(
    r"""
    \s* (?: (?: [-*+•·] | (?P<number>\d{1,3}) [.)、] ) \s+ (?: \[ (?P<box>[ xX]) \] \s+ )?
      | (?P<ring> [①-⑨] ) \s* | (?P<bare>\d{1,3}) 、
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
      | \[Request\ interrupted
      | at\ .{1,120} \( | File\ " | Traceback\ \( | \[? \d{4}-\d\d-\d\d [T\ ] \d\d: | \d\d:\d\d:\d\d
      | (?: DEBUG | INFO | TRACE | WARN(?:ING)? ) \b | [$#%❯] \s \S | >>>[ ]
      | (?: \( [\w.-]+ \)\ | PS\ )? [A-Z]:\\ )
    """,
    re.VERBOSE,
)
# What begins a paste in the message of a user: an error, an indented line.
_PASTED = re.compile(
    r"(?i:error|fatal|warning|usage|info)\s?:|(?: {2,}|\t)(?![-*+•·\d])\S|(?:@\S+(?:\s+|$))+$"
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
    | (?<=["')`]\.) \s+ (?=[a-z])
    | (?<=[^\s\d]\d\.) \s+ (?=[a-z])        # "1+3. take 6h", not "2. then"
    """,
    re.VERBOSE,
)
_BLANKS = re.compile(r"\s+")


class Call(NamedTuple):
    """A use of a tool as a program kept it: what went in, and what came out."""

    name: str
    given: object
    output: object = None
    error: str = ""


class Message(NamedTuple):
    """One turn, or a use of a tool: with its `call`, or shortened, as the role "tool" or "error".

    Other roles (system) are not digested.
    """

    role: str
    content: str
    tool: str = ""
    files: tuple[str, ...] = ()
    call: Call | None = None


class Parts(NamedTuple):
    """A message taken apart: its prose, and its fenced blocks."""

    role: str
    prose: str
    code: tuple[Code, ...]


class Sentence(NamedTuple):
    text: str
    role: str
    message: int  # counted from 0, among the messages that are digested
    place: int  # in its message, from 0
    section: str  # one of the kinds above, by the heading or the line above; or ""
    depth: int  # in a list or a table: 1, or 2 for what explains an item; 0 outside of them
    is_answer: bool  # in the last message of the assistant before the user speaks again
    number: str = ""  # of an item or an option: "2" for "2. …", "Option B: …" and "B. …"


def role_of(message: Message) -> str:
    role = message.role.strip().lower()
    return _ROLES.get(role, role)


def taken_apart(messages: Sequence[Message]) -> list[Parts]:
    """Return the messages of user and assistant, without repetitions in a row.

    A long text that the user sends again and again is the work of a program, as are its answers.
    """
    counts = Counter(message.content for message in messages if role_of(message) == "user")
    parts: list[Parts] = []
    last: Message | None = None
    is_routine = False
    for message in messages:
        role = role_of(message)
        if role == "user":
            is_routine = (
                counts[message.content] >= _ROUTINE and len(message.content) >= _ROUTINE_CHARS
            )
        if role in ("user", "assistant") and message != last and not is_routine:
            text = own_words(message.content).replace("\r\n", "\n").replace("\r", "\n")
            prose, code = _split_code(text)
            parts.append(Parts(role, _ends(prose), code))
        last = message
    return parts


def own_words(text: str) -> str:
    """Return a text without recalled memories and what the host put into it."""
    text = without_context(text)
    pieces: list[str] = []
    start, name, opened_at = 0, "", 0
    for tag in _HOST_TAG.finditer(text):
        if not name and not tag[1]:
            name, opened_at = tag[2], tag.start()
        elif name == tag[2] and tag[1]:
            pieces.append(text[start:opened_at])
            start, name = tag.end(), ""
    # A line break, so that the text before and after makes no sentence together.
    return _QUERY_TAG.sub("\n", "\n".join((*pieces, text[start:])))


def sentences(parts: Sequence[Parts]) -> list[Sentence]:
    """Return the sentences in order; of a very long conversation, those of its two ends."""
    every = [
        sentence
        for index, part in enumerate(parts)
        for sentence in _sentences_of(part, index, is_answer=_is_answer(parts, index))
    ]
    # The first messages say what it is about, the last ones how it ended.
    half = _MAX_SENTENCES // 2
    return every if len(every) <= _MAX_SENTENCES else every[:half] + every[-half:]


def _is_answer(parts: Sequence[Parts], index: int) -> bool:
    following = parts[index + 1].role if index + 1 < len(parts) else "user"
    return parts[index].role == "assistant" and following == "user"


def _split_code(text: str) -> tuple[str, tuple[Code, ...]]:
    prose: list[str] = []
    blocks: list[Code] = []
    fence, language, block = "", "", list[str]()
    for line in text.split("\n"):
        mark = _FENCE.match(line) if "`" in line or "~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                blocks.append(Code(language, "\n".join(block)))
                fence = ""
            else:
                block.append(line)
        elif mark:
            words = mark[2].split()
            fence, language, block = mark[1], words[0].strip("{}.").lower() if words else "", []
            prose.append("")
        else:
            prose.append(line)
    # A block without an end was cut off.
    return "\n".join(prose), tuple(blocks)


def _ends(prose: str) -> str:
    if len(prose) <= 2 * _MESSAGE_END_CHARS:
        return prose
    head = prose[:_MESSAGE_END_CHARS].rpartition("\n")[0]
    tail = prose[-_MESSAGE_END_CHARS:].partition("\n")[2]
    return f"{head}\n{tail}"


def _sentences_of(part: Parts, message: int, *, is_answer: bool) -> Iterator[Sentence]:
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
        is_heading = not item and bool(_HEADING.match(line)) and not cues.OPTION.match(line)
        if is_heading or is_lead:
            # A line with a colon speaks for its list, a heading for all up to the next one.
            section = _section(line)
            heading = "" if is_lead else section
        elif not item and not row and line.strip():
            section = heading
        text = line[item.end() :] if item else line.strip().strip("|") if row else line.lstrip(" #")
        # Users paste the output of programs, tables too; a wide table weighs options.
        is_shown = not row or (part.role == "assistant" and line.count("|") <= _MOST_BARS)
        is_prose = is_shown and (row or not _NOT_PROSE.match(line)) and not _NOT_PROSE.match(text)
        is_prose = is_prose and not _is_code(text)
        if not text.strip() or is_heading or not is_prose:
            continue
        kind = section if item or row or heading else ""
        if item and item["box"]:
            kind = NEXT if item["box"] == " " else ""
        whole = _BLANKS.sub(" ", text).strip()
        # The sentences of one item belong together.
        depth = 2 if item and line[:2].isspace() else int(bool(item or row))
        for sentence in [whole] if depth and len(whole) <= _MAX_ITEM_CHARS else _split(text):
            label, rest = _labelled(sentence)
            number = _number(item, sentence)
            yield Sentence(rest, part.role, message, place, label or kind, depth, is_answer, number)
            place += 1


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
        is_rule = "|" in line and "-" in line and _TABLE_RULE.match(line)
        is_head = "|" in line and "-" in following and _TABLE_RULE.match(following)
        if not is_rule and not (is_head and "|" in following):
            yield line


def _number(item: re.Match[str] | None, text: str) -> str:
    """Return the number of an item or an option, "" where it has none."""
    option = cues.OPTION.match(text)
    if option:
        return cues.numeral(next(mark for mark in option.groups() if mark))
    return cues.numeral(item["number"] or item["bare"] or item["ring"] or "") if item else ""


def _section(line: str) -> str:
    """Return which kind of lines a heading or a line with a colon opens, if any."""
    # In a sentence that ends in a colon, its last words say what follows.
    words = _EMPHASIS.sub("", line).strip()[-_MAX_HEADING_CHARS:]
    return next((kind for kind, cue in _OPENS if cue.search(words)), "")


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
