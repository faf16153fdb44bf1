"""The messages of a conversation, without text that hosts and programs inserted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.core.context import without_context
from daily_memory.model import Code

# Pasted logs are long; what people and assistants conclude is at the two ends.
_MESSAGE_END_CHARS = 10_000
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
# <system-reminder>, <local-command-stdout>, <git_status>: people write no such names.
_HOST_TAG = re.compile(r"<(/?)(?!user_query)([a-z]+(?:[-_][a-z]+)+|rules)\b[^<>]{0,200}>")
_QUERY_TAG = re.compile(r"</?user_query>")


class Call(NamedTuple):
    """A tool call as another program recorded it: input and output."""

    name: str
    given: object
    output: object = None
    error: str = ""


class Message(NamedTuple):
    """One turn, or a tool call: with its `call`, or shortened, as the role "tool" or "error".

    Other roles (system) are not digested.
    """

    role: str
    content: str
    tool: str = ""
    files: tuple[str, ...] = ()
    call: Call | None = None


class MessageParts(NamedTuple):
    """A message split into prose and code blocks."""

    role: str
    prose: str
    code: tuple[Code, ...]


def role_of(message: Message) -> str:
    role = message.role.strip().lower()
    return _ROLES.get(role, role)


def split_messages(messages: Sequence[Message]) -> list[MessageParts]:
    """Return the messages of user and assistant, split."""
    parts: list[MessageParts] = []
    for message in messages:
        role = role_of(message)
        if role in ("user", "assistant"):
            prose, code = _split_code(re.sub("\r\n?", "\n", without_host_text(message.content)))
            parts.append(MessageParts(role, _ends(prose), code))
    return parts


def without_host_text(text: str) -> str:
    """Return a text without recalled memories and text that the host inserted."""
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
