"""Lines as a terminal shows them: colours, links and words set off. Loaded only for those."""

from __future__ import annotations

import os
import re
import socket
import unicodedata
from collections.abc import Sequence

from daily_memory.frontends.cli.command import Styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.frontends.cli.command import Line

# Numbers of ECMA-48, and only colours that both light and dark themes show.
STYLES = {
    "id": "36",
    "dim": "2",
    "bold": "1",
    "match": "1;31",
    "tag": "35",
    "good": "32",
    "bad": "1;31",
    "warning": "33",
    "added": "32",
    "removed": "31",
    "command": "36",
}
_MOST_ENDING = 4


def render(line: Line, *, has_links: bool = True) -> str:
    """Return a line of safe text as it is sent, with sequences of ours.

    >>> render((Styled("#redis", "tag"), " #redis"))
    '\\x1b[35m#redis\\x1b[0m #redis'
    """
    parts = (line,) if isinstance(line, str) else line
    return "".join(
        _part(part, has_links=has_links) if isinstance(part, Styled) else part for part in parts
    )


def _part(part: Styled, *, has_links: bool) -> str:
    text = marked(part.text, part.words, part.style) if part.words else part.text
    text = _coloured(text, part.style)
    if not part.path or not has_links:
        return text
    return f"\x1b]8;;{file_url(os.path.abspath(part.path))}\x1b\\{text}\x1b]8;;\x1b\\"


def _coloured(text: str, style: str) -> str:
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if style and text else text


def marked(text: str, words: Sequence[str], style: str = "") -> str:
    r"""Return a text with these words set off, in its own style again behind each.

    A word of letters also stands for its longer forms, such as plurals.

    >>> marked("Caches, 缓存", ["cache", "缓存"])
    '\x1b[1;31mCaches\x1b[0m, \x1b[1;31m缓存\x1b[0m'
    >>> marked("creditor", ["redi"])
    'creditor'
    """
    forms = [
        rf"(?<![A-Za-z0-9_]){re.escape(word)}[A-Za-z]{{0,{_MOST_ENDING}}}(?![A-Za-z0-9_])"
        if word.isascii()
        else re.escape(word)
        for word in sorted(set(words), key=len, reverse=True)
        if len(word) > 1
    ]
    if not forms:
        return text
    again = f"\x1b[{STYLES[style]}m" if style else ""
    return re.sub(
        "|".join(forms), lambda match: _coloured(match[0], "match") + again, text, flags=re.I
    )


def file_url(path: str) -> str:
    """Return the address of a file, with the name of this computer: a terminal may be elsewhere.

    >>> file_url("/a/缓存 1.md").partition("/a/")[2]
    '%E7%BC%93%E5%AD%98%201.md'
    """
    from urllib.parse import quote

    path = path.replace(os.sep, "/")
    return f"file://{socket.gethostname()}{'' if path.startswith('/') else '/'}{quote(path)}"


def fitted(line: Line, columns: int) -> Line:
    """Return a line cut to a width, 0 if unknown; a Chinese character takes two columns.

    >>> fitted(("缓存", Styled("方案 abc")), 7)
    ('缓存', Styled(text='方…', style='', path='', words=()))
    """
    parts = (line,) if isinstance(line, str) else line
    texts = [part.text if isinstance(part, Styled) else part for part in parts]
    if not columns or sum(map(_width, texts)) <= columns:
        return line
    left = columns - 1
    shown: list[str | Styled] = []
    for part, text in zip(parts, texts, strict=True):
        end = _fitting(text, left)
        text_ = text if end == len(text) else f"{text[:end]}…"
        shown.append(part._replace(text=text_) if isinstance(part, Styled) else text_)
        if end < len(text):
            break
        left -= _width(text)
    return tuple(shown)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _fitting(text: str, columns: int) -> int:
    for place, letter in enumerate(text):
        columns -= _width(letter)
        if columns < 0:
            return place
    return len(text)
