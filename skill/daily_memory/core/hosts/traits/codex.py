"""Codex: whether a command failed is only in its transcript, an approved plan in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping

from daily_memory.core.hosts.host_text import PLAN_PROMPT
from daily_memory.core.hosts.traits import ReadEnd, anything

# So a conversation begins where its user approved a plan and had the context cleared.
_READ_PLAN, _AND_DO = "Read the approved plan at ", " and implement it."


def common(payload: Mapping[str, object], read_end: ReadEnd) -> Mapping[str, object]:
    """Return a tool with the exit status of its command, and a prompt of a plan with the plan.

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
    try:
        item = json.loads(line)["payload"]["item"]
    except (ValueError, KeyError, TypeError):
        return {}  # cut at its beginning, or another event
    return item if isinstance(item, dict) else {}
