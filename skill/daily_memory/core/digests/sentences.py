"""A conversation taken apart: messages → prose and code → sentences, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.context import without_context
from daily_memory.core.digests import cues
from daily_memory.model import Code

# What a sentence is, and what the heading above it says that it is.
POINT, DECISION, QUESTION, NEXT, FILE = "point", "decision", "question", "next", "file"
RESULT, CHOICE, PROPOSAL, ASIDE = "result", "choice", "proposal", "aside"

# Pasted logs are long, and what people and assistants conclude stands at the two ends.
_MESSAGE_END_CHARS = 10_000
_MAX_SENTENCES = 6000
_MAX_SENTENCE_CHARS = 800
_MAX_ITEM_CHARS = 200
_MAX_JOINED_CHARS = 90
# A wide table weighs options; what came of them is said below it.
_MOST_BARS = 4
_MAX_HEADING_CHARS = 40

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_HOST_TAG = re.compile(
    r"""
    <(/?)( system-reminder | local-command-stdout | command-name | command-message | command-args
         | task-notification | environment_context | user_info | attached_files
         | open_and_recently_viewed_files | git_status | rules | project_layout )\b [^<>]{0,200} >
    """,
    re.VERBOSE,
)
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
_NOT_PROSE = re.compile(r"\s*(?:[|>]|[-=*_]{3,}\s*$|/[\w:-]{1,40}\s*$|\[Request interrupted)")
# Lines of a log, a stack, a program or a shell: what they say is said again by somebody.
_NOT_SAID = re.compile(
    r"""
      \s* (?: at\ [\w.$<>\[\]/\ ]{1,120} \( | File\ " | Traceback\ \( | \.{3}\ \d | \^+\s*$ | ~+\^
        | \[? \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d | \d\d:\d\d:\d\d | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d
        | (?: DEBUG | INFO | TRACE | WARN(?:ING)? ) \b | [$#%❯] \s \S | >>>\ | PS\ [A-Z]:\\
        | (?: import | from | export | const | let | var | def | class | function | return | public
            | private | static | async | await | package | using | include | SELECT | INSERT
            | UPDATE
            | CREATE | ALTER ) \s [^\u4e00-\u9fff]{0,400} [;{(:=)},] \s* $
        | [}\])]+ [;,)]* \s* $ | </?\w[^>]{0,200}>\s*$ | [+-]{3}\ [ab]/ | @@\ -
        | [!-/:-@\[-`{-~]+ \s* $ )
    | [^\u4e00-\u9fff]{0,400} [{;] \s* $
    """,
    re.VERBOSE,
)
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


class Message(NamedTuple):
    """One turn. Roles other than user and assistant (tool, system) are not digested."""

    role: str
    content: str


class Parts(NamedTuple):
    """A message taken apart: its prose, and the fenced blocks in it."""

    role: str
    prose: str
    code: tuple[Code, ...]


class Sentence(NamedTuple):
    text: str
    role: str
    message: int  # counted from 0, among the messages that are digested
    place: int  # in its message, from 0
    section: str  # what the line above says that it is: one of the kinds above, or ""
    is_item: bool  # of a list
    is_answer: bool  # in the last message of the assistant before the user speaks again
    number: str = ""  # of an item, or of an option: "2" for "2. …", "Option B: …" and "B. …"


def role_of(message: Message) -> str:
    role = message.role.strip().lower()
    return _ROLES.get(role, role)


def taken_apart(messages: Sequence[Message]) -> list[Parts]:
    """Return the messages of user and assistant, without what was told twice in a row."""
    found: list[Parts] = []
    last: Message | None = None
    for message in messages:
        role = role_of(message)
        if role in ("user", "assistant") and message != last:
            found.append(_parts(role, message.content))
        last = message
    return found


def own_words(text: str) -> str:
    """Return a text without recalled memories and what the host put into it."""
    return _QUERY_TAG.sub("\n", _without_host_notes(without_context(text)))


def sentences(parts: Sequence[Parts]) -> list[Sentence]:
    """Return the sentences in their order; of a very long conversation, those of its two ends."""
    found = [
        sentence
        for index, part in enumerate(parts)
        for sentence in _sentences_of(part, index, is_answer=_is_answer(parts, index))
    ]
    # The first messages say what it is about, the last ones how it ended.
    half = _MAX_SENTENCES // 2
    return found if len(found) <= _MAX_SENTENCES else found[:half] + found[-half:]


def _is_answer(parts: Sequence[Parts], index: int) -> bool:
    following = parts[index + 1].role if index + 1 < len(parts) else "user"
    return parts[index].role == "assistant" and following == "user"


def _parts(role: str, content: str) -> Parts:
    text = own_words(content).replace("\r\n", "\n").replace("\r", "\n")
    prose, code = _split_code(text)
    return Parts(role, _ends(prose), code)


def _without_host_notes(text: str) -> str:
    """Return the text without what the host, not the user, put into the message."""
    kept: list[str] = []
    start, name, opened_at = 0, "", 0
    for tag in _HOST_TAG.finditer(text):
        if not name and not tag[1]:
            name, opened_at = tag[2], tag.start()
        elif name == tag[2] and tag[1]:
            kept.append(text[start:opened_at])
            start, name = tag.end(), ""
    # A line break, so that what stood apart makes no sentence together.
    return "\n".join((*kept, text[start:]))


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
            fence, language, block = mark[1], _language(mark[2]), []
            prose.append("")
        else:
            prose.append(line)
    # A block that never ends is cut off, so it's nothing to keep.
    return "\n".join(prose), tuple(blocks)


def _language(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.").lower() if words else ""


def _ends(prose: str) -> str:
    if len(prose) <= 2 * _MESSAGE_END_CHARS:
        return prose
    head = prose[:_MESSAGE_END_CHARS].rpartition("\n")[0]
    tail = prose[-_MESSAGE_END_CHARS:].partition("\n")[2]
    return f"{head}\n{tail}"


def _sentences_of(part: Parts, message: int, *, is_answer: bool) -> Iterator[Sentence]:
    heading = section = ""
    place = 0
    for line in _lines(part.prose):
        item = _LIST_MARK.match(line)
        row = None if item else _TABLE_ROW.match(line)
        is_option = bool(cues.OPTION.match(line.lstrip(" #")))
        is_heading = bool(_HEADING.match(line)) and not item and not is_option
        if is_heading or _is_lead(line, item):
            # A line with a colon speaks for its list, a heading for all up to the next one.
            section = _section(line)
            heading = "" if _is_lead(line, item) else section
        elif not item and not row and line.strip():
            section = heading
        said = _said(line, item, row)
        # What users paste in tables is the output of programs.
        is_shown = bool(row) and part.role == "assistant"
        is_prose = is_shown or not _NOT_PROSE.match(line)
        if not said.strip() or is_heading or not is_prose or _NOT_SAID.match(said):
            continue
        box = (item["box"] or "") if item else ""
        kind = NEXT if box == " " else RESULT if box else section
        kind = CHOICE if row and line.count("|") > _MOST_BARS else kind
        kind = kind if item or row or heading else ""
        whole = _BLANKS.sub(" ", said).strip()
        # The sentences of one item belong together.
        is_one = (item or row) and len(whole) <= _MAX_ITEM_CHARS
        for text in [whole] if is_one else _split(said):
            is_item = bool(item or row)
            number = _number(item, text)
            yield Sentence(text, part.role, message, place, kind, is_item, is_answer, number)
            place += 1


def _lines(prose: str) -> Iterator[str]:
    """Yield the lines, but not the heads of tables and the rules below them."""
    lines = prose.split("\n")
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        is_rule = "|" in line and "-" in line and _TABLE_RULE.match(line)
        is_head = "|" in line and "-" in following and _TABLE_RULE.match(following)
        if not is_rule and not (is_head and "|" in following):
            yield line


def _said(line: str, item: re.Match[str] | None, row: re.Match[str] | None) -> str:
    """Return what a line says, without the marks of a list, a table or a heading."""
    if item:
        return line[item.end() :]
    return line.strip().strip("|") if row else line.lstrip(" #")


def _number(item: re.Match[str] | None, text: str) -> str:
    """Return the number of an item or an option, "" where it has none."""
    option = cues.OPTION.match(text)
    if option:
        return numeral(option)
    mark = (item["number"] or item["bare"] or item["ring"] or "") if item else ""
    return cues.NUMERALS.get(mark, mark)


def numeral(match: re.Match[str]) -> str:
    """Return the number that stands in the one group of a match that is there: `2` for `B`."""
    mark = next(group for group in match.groups() if group).lower()
    return cues.NUMERALS.get(mark, mark)


def _is_lead(line: str, item: re.Match[str] | None) -> bool:
    """Tell whether a line introduces what follows: "Next steps:"."""
    return not item and _EMPHASIS.sub("", line).rstrip().endswith((":", "："))


def _section(line: str) -> str:
    """Return which kind of lines a heading or a line with a colon opens, if any."""
    bare = _EMPHASIS.sub("", line).strip()
    # In a sentence that ends in a colon, its last words say what follows.
    bare = bare[-_MAX_HEADING_CHARS:]
    kinds = (
        (NEXT, cues.TO_DO),
        (QUESTION, cues.OPEN),
        (DECISION, cues.DECIDED),
        (CHOICE, cues.OPENS_OPTIONS),
        (PROPOSAL, cues.OPENS_PROPOSAL),
        (ASIDE, cues.OPENS_ASIDE),
        (RESULT, cues.OPENS_RESULTS),
    )
    return next((kind for kind, cue in kinds if cue.search(bare)), "")


def _split(line: str) -> list[str]:
    texts = (_BLANKS.sub(" ", text).strip() for text in _SENTENCE.split(line))
    return [text[:_MAX_SENTENCE_CHARS] for text in _joined(text for text in texts if text)]


def _joined(texts: Iterable[str]) -> list[str]:
    """Return the sentences; what a Chinese semicolon parts is one, unless it gets too long."""
    found: list[str] = []
    for text in texts:
        is_continued = found and found[-1].endswith("；")
        if is_continued and len(found[-1]) + len(text) <= _MAX_JOINED_CHARS:
            found[-1] += text
        else:
            found.append(text)
    return found
