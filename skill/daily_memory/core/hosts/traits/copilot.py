"""Copilot CLI: other field names, and the answer only in the transcript."""

from __future__ import annotations

from collections.abc import Mapping

from daily_memory.core.hosts.traits import ReadEnd
from daily_memory.core.json_fields import object_in, parse_object, text_in
from daily_memory.core.lazy_pattern import lazy_pattern

_NAMES = {
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolResult": "tool_result",
    "transcriptPath": "transcript_path",
}
_STATUS = lazy_pattern(r"\s*<shellId: \d+ completed with exit code (-?\d{1,10})>\s*$")


def common(payload: Mapping[str, object], read_end: ReadEnd) -> Mapping[str, object]:
    """Return the payload with common names, the answer and the exit status.

    >>> common({"sessionId": "1", "toolName": "bash"}, lambda *_: b"")
    {'session_id': '1', 'tool_name': 'bash'}
    """
    changed = {_NAMES.get(name, name): value for name, value in payload.items()}
    result = changed.pop("tool_result", None)
    if isinstance(result, Mapping):
        text = result.get("textResultForLlm") or result.get("text_result_for_llm") or ""
        kind = result.get("resultType") or result.get("result_type")
        status = _STATUS.search(str(text))
        changed["tool_response"] = text = str(text)[: status.start()] if status else text
        if status and status[1] != "0":
            changed["error"] = f"Exit code {status[1]}"
        elif kind not in (None, "success"):
            changed["error"] = text or kind
    path = changed.get("transcript_path")
    if isinstance(path, str) and "stop_hook_active" in changed:
        # The answer may be written while the hook runs.
        end = read_end(path, lambda transcript: _last_message(transcript)[1])
        changed["last_assistant_message"] = _last_message(end)[0]
    return changed


def _last_message(transcript: bytes) -> tuple[str, bool]:
    """Return the assistant's last text, and whether no tool call came with it."""
    for line in reversed(transcript.split(b"\n")):
        if b'"assistant.message"' in line:
            data = object_in(parse_object(line) or {}, "data")  # the first line may be cut
            if text_in(data, "content").strip():
                return data["content"], not data.get("toolRequests")
    return "", False
