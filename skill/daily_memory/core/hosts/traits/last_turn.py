"""What was said in a turn that no event tells, from the transcript of a host.

What the assistant says between its uses of tools Claude Code sends as an event as well, but that
is a process each, and not in order. The plan that a conversation begins with, where the user
approved it and cleared the context, it sends as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

# The messages of Claude Code, and those of Codex.
_KINDS = ("user", "assistant", "response_item")
_ROLES = (b'"role":"user"', b'"role":"assistant"')
_TEXTS = ("text", "output_text", "input_text")
_MOST_TEXTS = 20


def said_before(answer: str, transcript: bytes) -> tuple[str, ...]:
    """Return what the assistant said in its last turn before its answer, in order.

    >>> asked = b'{"type":"user","message":{"role":"user","content":"why?"}}'
    >>> said = b'{"type":"assistant","message":{"role":"assistant","content":[%s]}}'
    >>> texts = [b'{"type":"text","text":"No index."}', b'{"type":"text","text":"Done."}']
    >>> said_before("Done.", b"\\n".join([asked, *(said % text for text in texts)]))
    ('No index.',)
    """
    texts: list[str] = []
    for line in reversed(transcript.split(b"\n")):
        role, found = _message(line)
        if found and role == "user":
            break
        texts[:0] = found
    return tuple(text for text in texts[-_MOST_TEXTS:] if text.strip() != answer.strip())


def plan_begun_with(transcript: bytes) -> str:
    """Return the prompt that Claude Code made of an approved plan, if the last turn began with it.

    >>> line = b'{"type":"user","message":{"role":"user","content":"Do it"},"planContent":"# Do"}'
    >>> plan_begun_with(line)
    'Do it'
    """
    if b'"planContent"' not in transcript:
        return ""
    for line in reversed(transcript.split(b"\n")):
        role, found = _message(line)
        if found and role == "user":
            return "\n\n".join(found) if b'"planContent":"' in line else ""
    return ""


def _message(line: bytes) -> tuple[str, list[str]]:
    """Return who speaks in a line and the texts, none where it is not of the conversation."""
    if not any(role in line for role in _ROLES) or b'"tool_result"' in line:
        return "", []
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "", []  # cut at its beginning
    fields = record if isinstance(record, Mapping) else {}
    message = fields.get("message") or fields.get("payload")
    is_inner = fields.get("isMeta") or fields.get("isSidechain")
    if fields.get("type") not in _KINDS or is_inner or not isinstance(message, Mapping):
        return "", []
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in _TEXTS
    ]
    said = [text for text in texts if isinstance(text, str) and text.strip()]
    return str(message.get("role")), said
