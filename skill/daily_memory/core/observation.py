"""Observations: the steps of a live session, one JSON object per line.

docs/FORMAT.md has the format. A hook writes a line in a new process at every event, so this module
imports as little as possible.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from daily_memory.model import KINDS
from daily_memory.named_tuples import NamedTuple

SAVE_TOOL = "memory_save"


class Observation(NamedTuple):
    """One raw event of a live session, redacted.

    `at` is local time with its zone, as ISO 8601. `kind` is one of KINDS. `text` is what was said,
    or what a tool did, as `core.tools.tool_output` shortens it; `tool` then names the tool.
    `files` are the files that it touched. `turn` names the user's message that it belongs to,
    where the host tells. `event` is by what the same event is known when it comes twice.
    """

    at: str
    kind: str
    text: str
    tool: str = ""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    turn: str = ""
    event: str = ""
    private: bool = False


def format_observation(observation: Observation) -> str:
    """Return the observation as a line, with its newline; what is empty is left out.

    >>> format_observation(Observation("2026-01-29T10:30:45+08:00", "user", "缓存多久过期？"))
    '{"at":"2026-01-29T10:30:45+08:00","kind":"user","text":"缓存多久过期？"}\\n'
    """
    fields = {name: value for name, value in observation._asdict().items() if value}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def parse_observation(line: str) -> Observation | None:
    """Return the observation in a line, None if there is none, as in a half-written line.

    >>> parse_observation('{"at":"","kind":"note","text":"x","tags":["a"]}').tags
    ('a',)
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, Mapping) or fields.get("kind") not in KINDS:
        return None
    return Observation(
        at=_text(fields, "at"),
        kind=_text(fields, "kind"),
        text=_text(fields, "text"),
        tool=_text(fields, "tool"),
        files=_texts(fields, "files"),
        tags=_texts(fields, "tags"),
        turn=_text(fields, "turn"),
        event=_text(fields, "event"),
        private=fields.get("private") is True,
    )


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def is_save(tool: str) -> bool:
    """Tell whether a tool is our save tool; hosts prefix the server's name."""
    return tool.endswith(SAVE_TOOL)
