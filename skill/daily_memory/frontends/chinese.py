"""Messages in Chinese. The code speaks English; what people see is looked up in chinese.txt."""

from __future__ import annotations

import os
import re

from daily_memory.core import templates

_PATH = os.path.join(os.path.dirname(__file__), "chinese.txt")
_GAP = re.compile(r"\{(\d)(t?)\}")
# What joins messages, or what was counted, and what joins them in Chinese.
_JOINS = {"; ": "；", ", ": "，", " and ": "和 "}
_WORD = re.compile("[A-Za-z]{3,}")
_PROSE = re.compile("[a-z]{2,} [a-z]{2,}")


def load_messages() -> tuple[dict[str, str], dict[str, str]]:
    """Return what is counted, and the messages: the Chinese of each English text."""
    with open(_PATH, encoding="utf-8", newline="\n") as file:
        _, counted, rest = file.read().split("\n\n", 2)
    return _pairs(counted), _pairs(rest)


def _pairs(text: str) -> dict[str, str]:
    """Return every second line by the line above it, without comments and blank lines."""
    lines = [line for line in text.split("\n") if line and not line.startswith("# ")]
    return dict(zip(lines[::2], lines[1::2], strict=True))


_NOUNS, _MESSAGES = load_messages()


def translated(text: str) -> str:
    """Return a message in Chinese, or as it is where nothing is known of it.

    What comes before a colon, as a path does, may be anything.

    >>> translated("no session 2026-01-29#7")
    '没有会话 2026-01-29#7'
    >>> translated("daily/x.md:3: is not a regular file")
    'daily/x.md:3: 不是普通文件'
    >>> translated("2 sessions and 1 live session")
    '2 条会话和 1 个实时会话'
    """
    chinese = _MESSAGES.get(text)
    if chinese is not None:
        return chinese
    if text[:1] == " ":  # a line below another, unless the table has it with its blanks
        bare = text.lstrip(" ")
        within = translated(bare)
        if within != bare:
            return " " * (len(text) - len(bare)) + within
    number, _, noun = text.partition(" ")
    counted = _NOUNS.get(f"{{}} {noun.removesuffix('s')}")
    if counted and number.replace(",", "").isdecimal():
        return _filled(counted, (number,))
    template, values = templates.best(_MESSAGES, text)
    if known := _beside_another(text, template):
        return known
    for join, chinese_join in _JOINS.items():
        first, joined, last = ("", "", "") if join in template else text.partition(join)
        parts = (translated(first), translated(last)) if joined else ("", "")
        if parts[0] != first and parts[1] != last:
            return chinese_join.join(parts)
    filled = _filled(_MESSAGES[template], values) if template else text
    # With hardly a word of its own, a template such as `archive {}?` fits sentences of others.
    words = _WORD.findall(template)
    prose = _PROSE.search(filled if words else text)  # {} to {} is no "not to you"
    is_sure = ": " in template or len(words) > 1 or not prose
    if template and is_sure:
        return filled
    before, colon, rest = text.partition(": ")
    after = translated(rest) if colon else ""
    return text if after == rest else f"{translated(before)}: {after}"


def _beside_another(text: str, template: str) -> str:
    """Return a message that comes after a path or label, or before a known end; else ""."""
    before, _, rest = text.partition(": ")
    if rest in _MESSAGES and ": " not in template:
        return f"{translated(before)}: {_MESSAGES[rest]}"
    for join in _JOINS:
        first, joined, last = text.rpartition(join)
        if f"{{}}{joined}{last}" in _MESSAGES:
            return _filled(_MESSAGES[f"{{}}{joined}{last}"], (first,))
    if f"{before}: {{}}" in _MESSAGES and not template.startswith(before):
        return _filled(_MESSAGES[f"{before}: {{}}"], (rest,))
    return ""


def _filled(chinese: str, values: tuple[str, ...]) -> str:
    def value(match: re.Match[str]) -> str:
        text = values[int(match[1])]
        return translated(text) if match[2] else text

    return _GAP.sub(value, chinese)
