"""Gemini CLI and Qwen Code, its fork: other results of tools, other names of MCP tools."""

from __future__ import annotations

from collections.abc import Mapping

from daily_memory.core.lazy_pattern import lazy_pattern

_STATUS = lazy_pattern(r"(?m)^Exit Code: (-?\d{1,10})$")
_PRINTED = lazy_pattern(r"(?ms)^Output: (.*?)^(?:Error|Exit Code): ")


def common(payload: Mapping[str, object]) -> Mapping[str, object]:
    """Return the payload with the name and the result of a tool as other hosts give them.

    >>> said = {"llmContent": "Output: x\\nExit Code: 1", "returnDisplay": "x"}
    >>> changed = common({"tool_name": "run_shell_command", "tool_response": said})
    >>> changed["tool_response"], changed["error"]
    ('x', 'Exit code 1')
    """
    changed: dict[str, object] = {}
    told: object = None
    server = payload.get("mcp_context")
    if isinstance(server, Mapping):
        changed["tool_name"] = f"mcp__{server.get('server_name')}__{server.get('tool_name')}"
    response = payload.get("tool_response")
    if isinstance(response, Mapping):
        told, shown = response.get("llmContent"), response.get("returnDisplay")
        # The text for the user lacks the wrapping for the model.
        changed["tool_response"] = shown if isinstance(shown, str) and shown else told
        error = response.get("error")
        if isinstance(error, Mapping):
            changed["error"] = error.get("message")
    # A failed command is reported as one text, which contains the output.
    report = str(payload.get("error") or told)
    status = _STATUS.search(report)
    if status and status[1] != "0":
        changed["error"] = f"Exit code {status[1]}"
        printed = _PRINTED.search(report)
        changed["tool_response"] = printed[1].rstrip() if printed else changed.get("tool_response")
    return {**payload, **changed}
