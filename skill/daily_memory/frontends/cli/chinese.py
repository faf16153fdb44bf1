"""Messages in Chinese. The code speaks English; what is printed is looked up in chinese.txt."""

from __future__ import annotations

import os
import re

from daily_memory.core import templates

_PATH = os.path.join(os.path.dirname(__file__), "chinese.txt")
_GAP = re.compile(r"\{(\d)(t?)\}")


def load_messages() -> dict[str, str]:
    """Return the Chinese message of each English one; blank lines and comments separate them."""
    with open(_PATH, encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if line and not line.startswith("# ")]
    return dict(zip(lines[::2], lines[1::2], strict=True))


_ALL = load_messages()
# What is counted, as `counted` writes it, is no message: it would match the end of many.
_COUNTED = re.compile(r"\{\} (?:[a-z]+|hook fault|digest warning)")
_NOUNS = {key: text for key, text in _ALL.items() if _COUNTED.fullmatch(key)}
_MESSAGES = {key: text for key, text in _ALL.items() if key not in _NOUNS}


def translated(text: str) -> str:
    """Return a message in Chinese, or as it is where nothing is known of it.

    What comes before a colon, as a path does, may be anything.

    >>> translated("no session 2026-01-29#7")
    '没有会话 2026-01-29#7'
    >>> translated("daily/x.md:3: is not a regular file")
    'daily/x.md:3: 不是普通文件'
    """
    chinese = _MESSAGES.get(text)
    if chinese is not None:
        return chinese
    number, _, noun = text.partition(" ")
    if number.isdecimal() and f"{{}} {noun.removesuffix('s')}" in _NOUNS:
        return _filled(_NOUNS[f"{{}} {noun.removesuffix('s')}"], (number,))
    template, values = templates.best(_MESSAGES, text)
    if any(map(str.isalpha, template)):
        return _filled(_MESSAGES[template], values)
    before, colon, rest = text.partition(": ")
    after = translated(rest) if colon else ""
    if after != rest:
        return f"{before}: {after}"
    return _filled(_MESSAGES[template], values) if template else text


def _filled(chinese: str, values: tuple[str, ...]) -> str:
    def value(match: re.Match[str]) -> str:
        text = values[int(match[1])]
        return translated(text) if match[2] else text

    return _GAP.sub(value, chinese)
