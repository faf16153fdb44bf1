"""Messages in Chinese. The code speaks English; what people see is looked up in chinese.txt."""

from __future__ import annotations

import os
import re

from daily_memory.core import templates
from daily_memory.text import Text

_PATH = os.path.join(os.path.dirname(__file__), "chinese.txt")
# {0} has the first value as it is, {0t} in Chinese.
_NUMBERED = re.compile(r"\{(\d+)(t?)\}(: )?")
# What stands between the values of a template that the table does not have.
_JOINS = {"; ": "；", ", ": "，", " and ": "、"}


def load_messages() -> dict[str, str]:
    """Return the Chinese of each English template, whose gaps are `{}`."""
    with open(_PATH, encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if line and not line.startswith("# ")]
    return dict(zip(lines[::2], lines[1::2], strict=True))


_MESSAGES = load_messages()


def translated(text: str) -> str:
    """Return a message in Chinese, or as it is where the table does not have it.

    >>> from daily_memory.text import counted, filled, joined
    >>> translated(filled("no session {}", "2026-01-29#7"))
    '没有会话 2026-01-29#7'
    >>> translated(joined(" and ", [counted(2, "session"), counted(1, "live session")]))
    '2 条会话、1 个实时会话'
    >>> translated(joined(": ", [counted(2, "session"), "nothing to do"]))
    '2 条会话：无需改动'
    """
    if not isinstance(text, Text):
        return _MESSAGES.get(text, text)
    key = templates.without_formats(text.template)
    bare = key.lstrip(" ")  # a line below another
    chinese = _MESSAGES.get(key) or " " * (len(key) - len(bare)) + (
        _MESSAGES.get(bare) or _joined(bare)
    )
    values = [
        translated(value) if isinstance(value, Text) else gap.format(value)
        for gap, value in zip(
            templates.FORMATTED_GAP.findall(text.template), text.values, strict=True
        )
    ]

    def value(match: re.Match[str]) -> str:
        given, shown = text.values[int(match[1])], values[int(match[1])]
        shown = _MESSAGES.get(shown, shown) if match[2] else shown
        # What is named before a colon, such as a path, is no Chinese, and neither is its colon.
        is_chinese = isinstance(given, str) and shown != given
        return shown + ("：" if is_chinese and match[3] else match[3] or "")

    return _NUMBERED.sub(value, chinese)


def _joined(template: str) -> str:
    """Return a template that only joins values, with Chinese punctuation."""
    for join, chinese in _JOINS.items():
        template = template.replace(join, chinese)
    places = iter(range(template.count("{}")))
    return re.sub(r"\{\}", lambda _: f"{{{next(places)}t}}", template)
