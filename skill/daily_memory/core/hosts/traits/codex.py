"""Codex: the exit status of a command is only in its transcript, an approved plan in a file."""

from __future__ import annotations

from collections.abc import Mapping

from daily_memory.core.hosts.host_text import PLAN_PROMPT
from daily_memory.core.hosts.traits import ReadEnd, anything
from daily_memory.core.json_fields import object_in, parse_object

# So a conversation begins where its user approved a plan and had the context cleared.
_READ_PLAN, _AND_DO = "Read the approved plan at ", " and implement it."


def common(payload: Mapping[str, object], read_end: ReadEnd) -> Mapping[str, object]:
    """Return the payload, with the exit status of its command or the plan of its prompt.

    >>> line = b'{"payload": {"item": {"id": "c1", "status": "failed", "exit_code": 2}}}'
    >>> payload = {"tool_use_id": "c1", "tool_name": "Bash", "transcript_path": "/t"}
    >>> common(payload, lambda *_: line)["error"]
    'Exit code 2'
    """
    prompt = payload.get("prompt")
    if isinstance(prompt, str) and prompt.startswith(_READ_PLAN):
        return {**payload, "prompt": _with_plan(prompt, read_end)}
    use, path = payload.get("tool_use_id"), payload.get("transcript_path")
    if not isinstance(use, str) or not isinstance(path, str) or "tool_name" not in payload:
        return payload
    for line in reversed(read_end(path, anything).split(b"\n")):
        # The call itself is in another line: only this one says how it went.
        if use.encode() in line and b'"status"' in line and b'"item"' in line:
            item = _item(line)
            if item.get("id") == use and item.get("status") == "failed":
                return {**payload, "error": f"Exit code {item.get('exit_code', 1)}"}
    return payload


def _with_plan(prompt: str, read_end: ReadEnd) -> str:
    path = prompt.strip().removeprefix(_READ_PLAN).removesuffix(_AND_DO)
    if not path.replace("\\", "/").endswith("/approved-plan.md"):
        return prompt
    plan = read_end(path, anything).decode("utf-8", "replace")
    return f"{PLAN_PROMPT}\n{plan}" if plan.strip() else prompt


def _item(line: bytes) -> Mapping[str, object]:
    event = parse_object(line) or {}  # the first line may be cut
    return object_in(object_in(event, "payload"), "item")
