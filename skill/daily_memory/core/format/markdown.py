"""Day file text ↔ sessions, in the format of docs/FORMAT.md.

`parse_day` reads whatever people make of a file; `format_section` writes a session so that
`parse_day` returns an equal one, whatever its text is.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import date
from itertools import pairwise

from daily_memory.core.format import day_scan
from daily_memory.core.format.escape import (
    UNSAFE_CHARACTER,
    escape_characters,
    escape_ends,
    escape_structure,
    restore_characters,
    restore_structure,
)
from daily_memory.core.json_fields import parse_object, text_in
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.model import Code, Note, Problem, Section, Session, SessionId, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Field of Session → its headings: Chinese first, then English, then what else people write.
HEADINGS: dict[str, tuple[str, ...]] = {
    "topic": ("主题", "Topic", "話題", "Title"),
    "summary": ("摘要", "Summary", "总结", "總結"),
    "key_points": ("关键信息", "Key points", "要点", "關鍵資訊", "关键点", "Key point"),
    "decisions": ("决策", "Decisions", "决定", "決策", "Decision"),
    "code": ("代码/配置", "Code", "代码", "配置", "程式碼", "Code/Config", "Config"),
    "open_questions": ("未解决/风险", "Open questions", "未解决", "风险", "待确认", "Risks"),
    "next_steps": ("下一步", "Next steps", "待办", "TODO", "Next step"),
    "files": ("文件", "Files", "檔案", "相关文件"),
    "tags": ("标签", "Tags", "標籤", "Tag"),
}
TITLES = {"zh": "对话记忆", "en": "Conversation memory"}

_FIELD_OF_HEADING = {name.casefold(): field for field, names in HEADINGS.items() for name in names}
_TEXT_FIELDS = ("topic", "summary")
_LIST_FIELDS = ("key_points", "decisions", "open_questions", "next_steps", "files", "tags")
FACT_FIELDS = ("conversation", "source", "project", "origin", "continues", "digest")
_BULLETS = ("-", "*", "+")
_LEAD = lazy_pattern(r"^\s*(?:(?:#{1,6}|>|[-*+])\s+)*")
# A word such as `#redis`; not the `#1` of an issue.
HASHTAG = lazy_pattern(r"(?:(?<=\s)|^)#([^\W\d][\w.+#-]*)")
_TAG_SEPARATORS = ",，、;；"
# The bytes of Latin letters, and the first bytes of characters from U+4000 to U+9FFF.
_LATIN = bytes([*range(0x41, 0x5B), *range(0x61, 0x7B)])
_FIRST_OF_CHINESE = bytes(range(0xE4, 0xEA))
_HEADING_NUMBER = lazy_pattern(r"^(##[ \t]+\S+?[ \t]*)[0-9]+")
_BACKTICK_RUNS = lazy_pattern(r"`{3,}")


class Day(NamedTuple):
    """The contents of a day file; `sections` are in the order of the file.

    `loose` is what people wrote outside of them: it has no number, and its ids end in `#0`.
    `language` and `project` are what its front matter says. `open_fences` has the characters of
    the fences that are never closed.
    """

    date: date
    sections: tuple[Section, ...]
    problems: tuple[Problem, ...]
    open_fences: str = ""
    language: str = ""
    project: str = ""
    loose: tuple[Section, ...] = ()

    @property
    def all_sections(self) -> tuple[Section, ...]:
        """The sections, and what people wrote outside of them, in the order of the file."""
        if not self.loose:
            return self.sections
        return tuple(sorted((*self.sections, *self.loose), key=lambda one: one.span))

    @property
    def last_number(self) -> int:
        """The highest session number of the day, 0 for none."""
        return max((section.session.number for section in self.sections), default=0)


class Cut(NamedTuple):
    """An unparsed section; `copy` counts those with the same number."""

    block: day_scan.Block
    copy: int
    is_loose: bool

    @property
    def span(self) -> Span:
        return Span(self.block.first + 1, self.block.last + 1)


class Outline(NamedTuple):
    """A day file split into unparsed sections; `day` is what else it says."""

    day: Day
    lines: list[str]
    cuts: tuple[Cut, ...]

    def parsed(self) -> Day:
        sections = tuple(self.section(cut) for cut in self.cuts if not cut.is_loose)
        loose = tuple(self.section(cut) for cut in self.cuts if cut.is_loose)
        return self.day._replace(sections=sections, loose=loose)

    def id(self, cut: Cut) -> SessionId:
        return SessionId(self.day.date, cut.block.number, cut.copy)

    def sections(self, wanted: Collection[SessionId]) -> list[Section]:
        """Return the sections with these ids, in their order; no other is parsed."""
        return [self.section(cut) for cut in self.cuts if self.id(cut) in wanted]

    def section(self, cut: Cut) -> Section:
        parse = _parse_loose if cut.is_loose else _parse_block
        session = parse(self.lines, cut.block, self.day.date)
        own = "" if cut.is_loose else session.project
        session = session._replace(copy=cut.copy, project=own or self.day.project)
        return Section(session, cut.span)

    def digest(self, cut: Cut) -> bytes:
        """Return a digest that two cuts of a day share only if they are parsed to the same."""
        import hashlib  # who reads needs none

        first, last, end, parts, skipped = cut.block[2:]
        shape = (cut.copy, cut.is_loose, end - first, [part - first for part in parts])
        lines = "\n".join(self.lines[first : last + 1])
        known = f"{shape} {[line - first for line in skipped]} {self.day.project}\n{lines}"
        data = known.encode("utf-8", "backslashreplace")
        return hashlib.blake2b(data, digest_size=12).digest()


_Body = tuple[str, list[str]]  # a sub-heading, "" for none, and the lines under it


class _Part(NamedTuple):
    heading: str
    lines: list[str]


# ---------------------------------------------------------------------------- reading


def parse_day(text: str, day: date, path: str = "") -> Day:
    """Return the sessions of a day file with their lines, and its problems.

    Never raises: a file that people broke is read as far as it goes.
    """
    return outline(text, day, path).parsed()


def outline(text: str, day: date, path: str = "") -> Outline:
    """Split a day file into unparsed sections, ten times faster than parsing."""
    # A search reads sections only.
    from daily_memory.core.format.front_matter import parse_front_matter

    lines = text.split("\n")
    front = parse_front_matter(lines)
    lines[: front.line_count] = [""] * front.line_count
    project = str(front.values.get("project") or "")
    scan = day_scan.scan(lines)
    cuts: list[Cut] = []
    problems = [Problem(path, front.fault_line, front.fault)] if front.fault else []
    problems += [Problem(path, fault.line, fault.message) for fault in scan.faults]
    seen: dict[int, int] = {}
    for block in scan.blocks:
        copy = seen[block.number] = seen.get(block.number, 0) + 1
        cuts.append(Cut(block, copy, is_loose=False))
        if copy > 1:
            message = filled("session {} occurs more than once", block.number)
            problems.append(Problem(path, block.first + 1, message))
    language = str(front.values.get("language") or "")
    cuts += [Cut(block, copy, is_loose=True) for copy, block in enumerate(scan.loose, 1)]
    cuts.sort(key=lambda cut: cut.block.first)
    rest = Day(day, (), tuple(problems), scan.open_fences, language, project)
    return Outline(rest, lines, tuple(cuts))


def parse_section(lines: list[str], day: date) -> Session | None:
    """Return the session in the lines of one section, None if they are anything else."""
    scan = day_scan.scan(lines)
    if len(scan.blocks) == 1:
        return _parse_block(lines, scan.blocks[0], day)
    is_loose = len(scan.loose) == 1 and not scan.blocks
    return _parse_loose(lines, scan.loose[0], day) if is_loose else None


def _parse_loose(lines: list[str], block: day_scan.Block, day: date) -> Session:
    """Return text outside of sections as a session; its first line is the topic."""
    first = lines[block.first]
    is_topic = not day_scan.opening_fence(first)
    session = _parse_block(lines, block._replace(first=block.first - (not is_topic)), day)
    # Facts about a conversation are valid only in a section that we wrote.
    session = session._replace(conversation="", continues="", digest="")
    topic = parse_text([_LEAD.sub("", first)]) if is_topic else ""
    tags = (*session.tags, *hashtags("\n".join((topic, *(note.text for note in session.notes)))))
    return session._replace(topic=session.topic or topic, tags=tuple(dict.fromkeys(tags)))


def _parse_block(lines: list[str], block: day_scan.Block, day: date) -> Session:
    found: dict[str, list[Any]] = defaultdict(list)
    notes: list[Note] = []
    facts: dict[str, str] = {}
    for part in _parts(lines, block):
        field = field_of(part.heading)
        if field:
            found[field] += _PARSERS[field](part.lines)
        else:
            told, rest = _split_facts(part) if not part.heading else ({}, part.lines)
            facts.update(told)
            notes += _notes(part.heading, rest)
    found["tags"] = list(dict.fromkeys(found["tags"]))
    fields: dict[str, Any] = {
        field: "\n".join(items) if field in _TEXT_FIELDS else tuple(items)
        for field, items in found.items()
    }
    fields.update(facts)
    return Session(day, block.number, block.time, notes=tuple(notes), **fields)


def _parts(lines: list[str], block: day_scan.Block) -> list[_Part]:
    """Split a section at its sub-headings; the first part has none."""
    starts = (block.first, *block.parts, block.end)
    skipped = set(block.skipped)
    parts = []
    for start, stop in pairwise(starts):
        heading = "" if start == block.first else lines[start].rstrip()[4:].strip()
        body = lines[start + 1 : stop]
        if skipped:
            body = [lines[i] for i in range(start + 1, stop) if i not in skipped]
        parts.append(_Part(heading, body))
    return parts


def field_of(heading: str) -> str:
    """Return the field that a heading names: `topic` for `主题 / Topic：`, "" for none."""
    name = heading.rstrip(":：").strip().casefold()
    return _FIELD_OF_HEADING.get(name) or _FIELD_OF_HEADING.get(name.split(" / ")[0].strip(), "")


def _split_facts(part: _Part) -> tuple[dict[str, str], list[str]]:
    """Return the facts in our comment, and the other lines."""
    facts: dict[str, str] = {}
    rest = []
    for line in part.lines:
        found = parse_facts(line)
        facts.update(found)
        if not found:
            rest.append(line)
    return facts, rest


def _notes(heading: str, lines: list[str]) -> list[Note]:
    text = parse_text(lines)
    return [Note(restore_characters(heading), text)] if text or heading else []


def parse_facts(line: str) -> dict[str, str]:
    """Return the facts in our comment; none for any other line."""
    line = line.rstrip()
    words = line[4:-3].strip().split(maxsplit=1)
    is_ours = line.startswith("<!--") and line.endswith("-->") and words[:1] == ["memory"]
    if not is_ours or not words[-1].startswith("{"):
        return {}
    facts = parse_object(words[-1]) or {}
    return {name: value for name in FACT_FIELDS if (value := text_in(facts, name))}


def parse_text(lines: list[str]) -> str:
    """Return a text as it was before formatting."""
    plain = "\n".join(restore_structure(line.rstrip()) for line in lines)
    return restore_characters(plain.strip())


def parse_items(lines: list[str]) -> tuple[str, ...]:
    """Return the items of a list, even one that was edited by hand."""
    items: list[list[str]] = []
    width = blank = 0
    for line in (raw.rstrip() for raw in lines):
        match = day_scan.LIST_ITEM.match(line)
        if not line:
            blank += 1
            continue
        if match:
            width = len(match.group(1))
            items.append([match.group(2)])
        elif items and (line[0] in " \t" or not blank):
            indent = len(line) - len(line.lstrip(" "))
            items[-1] += [""] * blank + [restore_structure(line[min(indent, width) :])]
        else:
            width = 2
            items.append([restore_structure(line)])
        blank = 0
    return tuple(restore_characters("\n".join(item).strip()) for item in items)


def parse_code(lines: list[str]) -> tuple[Code, ...]:
    """Return the code blocks; text outside of fences is code without a language."""
    blocks: list[Code] = []
    index = 0
    for fence, start, end in day_scan.fenced_blocks(lines):
        blocks += _loose_code(lines[index:start])
        body = [_unindent(line, fence.indent).rstrip("\r") for line in lines[start + 1 : end]]
        blocks.append(Code(fence.info, restore_characters("\n".join(body))))
        index = end + 1
    return (*blocks, *_loose_code(lines[index:]))


def _parse_texts(lines: list[str]) -> list[str]:
    return [text for text in [parse_text(lines)] if text]


def _loose_code(lines: list[str]) -> list[Code]:
    text = parse_text(lines)
    return [Code("", text)] if text else []


def _unindent(line: str, width: int) -> str:
    return line[:width].lstrip(" ") + line[width:]


def parse_tags(lines: list[str]) -> tuple[str, ...]:
    """Return the tags of a line such as `#skill #memory`, without the `#`.

    >>> parse_tags(["#skill #C#, 设计"])
    ('skill', 'C#', '设计')
    """
    tags = (word.lstrip("#＃") for word in _tag_words(" ".join(lines)))
    return tuple(tag for tag in tags if tag and tag not in _BULLETS)


def hashtags(text: str) -> list[str]:
    """Return the tags in a text.

    >>> hashtags("TTL 300 s #redis, see #12 #private.")
    ['redis', 'private']
    """
    return [match.group(1).rstrip(".-") for match in HASHTAG.finditer(text)]


def without_tags_at_end(text: str) -> str:
    """Return a text without the tags at its end, unless there is nothing else.

    >>> without_tags_at_end("#redis holds 300 s, see #12 #cache, #db.")
    '#redis holds 300 s, see #12'
    """
    end = len(text)
    for match in reversed(list(HASHTAG.finditer(text))):
        if text[match.end() : end].strip().strip(f"{_TAG_SEPARATORS}。"):
            break
        end = match.start()
    return text[:end].rstrip() or text


_PARSERS: dict[str, Callable[[list[str]], Sequence[Any]]] = {
    **dict.fromkeys(_TEXT_FIELDS, _parse_texts),
    **dict.fromkeys(_LIST_FIELDS, parse_items),
    "tags": parse_tags,
    "code": parse_code,
}


# ---------------------------------------------------------------------------- writing


def format_section(session: Session, *, language: str, open_fences: str = "") -> str:
    """Return the session as a section: heading to closing rule, as text.

    `language` is that of the headings, `zh` or `en`. `open_fences` names the characters of the
    fences that the text above left open: code must not close them.
    """
    time = f" - {session.time}" if session.time else ""
    lines = [f"## Session {session.number}{time}"]
    lines += format_facts(session)
    lines.append("")
    for heading, body in _bodies(session, language, open_fences):
        if heading:
            lines.append(f"### {escape_characters(heading)}")
        lines += [*body, ""]
    return "\n".join([*lines, "---", ""])


def _bodies(session: Session, language: str, open_fences: str) -> list[_Body]:
    heading = {field: names[language == "en"] for field, names in HEADINGS.items()}
    bodies: list[_Body] = [
        ("", _text_lines(note.text)) for note in session.notes if not note.heading
    ]
    for field in _TEXT_FIELDS:
        bodies += [
            (heading[field], _text_lines(text)) for text in [getattr(session, field)] if text
        ]
    for field in ("key_points", "decisions"):
        bodies += _list_body(heading[field], getattr(session, field))
    if session.code:
        code = [line for block in session.code for line in _code_lines(block, open_fences)]
        bodies.append((heading["code"], code))
    for field in ("open_questions", "next_steps", "files"):
        bodies += _list_body(heading[field], getattr(session, field))
    bodies += [(note.heading, _text_lines(note.text)) for note in session.notes if note.heading]
    if session.tags:
        bodies.append((heading["tags"], [" ".join(f"#{tag}" for tag in session.tags)]))
    return bodies


def format_facts(session: Session) -> list[str]:
    """Return our comment with the facts, no line if there are none."""
    facts = {name: getattr(session, name) for name in FACT_FIELDS if getattr(session, name)}
    if not facts:
        return []
    return [f"<!-- memory {format_fact(facts)} -->"]


def format_fact(value: object) -> str:
    """Return a value as JSON that can't end our comment or its line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


_UNSAFE_IN_JSON = lazy_pattern("[\x7f-\x9f\u2028\u2029\ufeff]")


def _text_lines(text: str) -> list[str]:
    escaped = escape_ends(escape_characters(text))
    return [escape_structure(line) for line in escaped.split("\n")] if text else []


def _list_body(heading: str, items: tuple[str, ...]) -> list[_Body]:
    lines = [line for item in items for line in _item_lines(item)]
    return [(heading, lines)] if lines else []


def _item_lines(item: str) -> list[str]:
    first, *rest = escape_ends(escape_characters(item)).split("\n")
    indented = (f"  {escape_structure(line)}" if line else "" for line in rest)
    return [f"- {first}".rstrip(), *indented]


def _code_lines(block: Code, open_fences: str) -> list[str]:
    if open_fences:
        # Any fence of ours, or in the code, could close the one that a person left open, and
        # hide the sessions below it. As escaped text the code can close nothing.
        return _text_lines(block.text)
    longest = max((len(run) for run in _BACKTICK_RUNS.findall(block.text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}{block.language}", *escape_characters(block.text).split("\n"), fence]


def renumbered(text: str, number: int) -> str:
    """Return the lines of a section with another number.

    >>> renumbered("## 会话 1 - 10:30", 2)
    '## 会话 2 - 10:30'
    """
    return _HEADING_NUMBER.sub(rf"\g<1>{number}", text)


# ---------------------------------------------------------------------------- words


def clean_tag(text: str) -> str:
    """Return a text as a valid tag, "" if nothing is left.

    >>> clean_tag(" #Web API ")
    'Web-API'
    """
    text = text if text.isprintable() else UNSAFE_CHARACTER.sub(" ", text)
    tag = "-".join(_tag_words(text)).lstrip("#＃")
    return "" if tag in _BULLETS else tag


def _tag_words(text: str) -> list[str]:
    for separator in _TAG_SEPARATORS:
        text = text.replace(separator, " ")
    return text.split()


def clean_language(text: str) -> str:
    """Return the language name for a code fence, "" if it is invalid.

    >>> clean_language(" c++ "), clean_language("the key is AKIA")
    ('c++', '')
    """
    name = text.strip()
    return name if re.fullmatch(r"[0-9A-Za-z+#._-]{1,32}", name) else ""


def language_of(text: str) -> str:
    """Return `zh` for a text that is at least a fifth Chinese, else `en`.

    >>> language_of("Memory Skill 设计讨论"), language_of("fix the 缓存 cache before release")
    ('zh', 'en')
    """
    if text.isascii():
        return "en"
    # By the first bytes of the characters: to look at each took a fifth of an import.
    data = text.encode("utf-8", "replace")
    han = len(data) - len(data.translate(None, _FIRST_OF_CHINESE))
    latin = len(data) - len(data.translate(None, _LATIN))
    return "zh" if han and han * 4 >= latin else "en"


def heading_language(setting: str, sessions: Sequence[Session]) -> str:
    """Return the language of the headings: the one set, or with `auto` that of most statements.

    Each counts once, and what is quoted as code not at all: an error message of two lines does not
    make a Chinese session English.
    """
    if setting != "auto":
        return setting
    found = [
        language_of(" ".join(text.split("`")[::2]) if "`" in text else text)
        for session in sessions
        for text in (session.topic, session.summary, *session.key_points)
        if text
    ]
    return max(dict.fromkeys(found), key=found.count, default="en")
