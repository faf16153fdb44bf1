"""Messages of a turn that no event reports, from the host's transcript.

Claude Code also sends what the assistant says between tool calls as events, but each is a process,
and their order is not guaranteed. It sends no event for an approved plan that begins a
conversation after the context was cleared.
"""

from __future__ import annotations

from daily_memory.core.json_fields import object_in, parse_object, texts_of

# The messages of Claude Code, and those of Codex.
_KINDS = ("user", "assistant", "response_item")
_ROLES = (b'"role":"user"', b'"role":"assistant"')
_MOST_TEXTS = 20


def said_before(answer: str, transcript: bytes) -> tuple[str, ...]:
    """Return what the assistant said in its last turn before the answer.

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
    """Return the prompt that Claude Code made of an approved plan, "" for none.

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
    """Return role and texts of a line, no texts if it is not of the conversation."""
    if not any(role in line for role in _ROLES) or b'"tool_result"' in line:
        return "", []
    fields = parse_object(line) or {}  # the first line may be cut
    message = object_in(fields, "message") or object_in(fields, "payload")
    if fields.get("type") not in _KINDS or fields.get("isMeta") or fields.get("isSidechain"):
        return "", []
    said = [text for text in texts_of(message.get("content")) if text.strip()]
    return str(message.get("role")), said
