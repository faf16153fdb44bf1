"""Copilot CLI, whose payloads name no event."""

from __future__ import annotations

import json
from collections.abc import Callable

from daily_memory.core.hosts.events import END, STOP, TOOL, parse_event


def test_the_command_line_names_the_event():
    event = parse_event({"sessionId": "d0c6", "reason": "complete"}, {}, "copilot", "sessionEnd")

    assert (event.host, event.meaning, event.conversation) == ("copilot", END, "d0c6")


def test_a_tool_and_how_it_ended():
    payload = {
        "sessionId": "d0c6",
        "toolName": "bash",
        "toolArgs": {"command": "pytest"},
        "toolResult": {
            "resultType": "success",
            "textResultForLlm": "1 failed\n<shellId: 0 completed with exit code 1>",
        },
    }

    event = parse_event(payload, {}, "copilot", "postToolUse")

    assert (event.meaning, event.tool, event.arguments) == (TOOL, "bash", {"command": "pytest"})
    assert (event.output, event.error) == ("1 failed", "Exit code 1")


def test_a_tool_that_was_refused_is_an_error():
    result = {"resultType": "denied", "textResultForLlm": "not allowed"}

    event = parse_event({"toolName": "x", "toolResult": result}, {}, "copilot", "postToolUse")

    assert event.error == "not allowed"


def test_the_answer_is_the_last_one_in_the_transcript():
    lines = [
        {"type": "assistant.message", "data": {"content": "先看看"}},
        {"type": "assistant.message", "data": {"content": "定为 300 秒"}},
        {"type": "assistant.message", "data": {"content": "", "toolRequests": []}},
        {"type": "hook.end", "data": {"of": "assistant.message"}},
    ]
    transcript = b"\n".join(json.dumps(line).encode() for line in lines)
    payload = {"transcriptPath": "/t/events.jsonl", "stop_hook_active": False}

    event = parse_event(payload, {}, "copilot", "agentStop", lambda *_: transcript)

    assert (event.meaning, event.text) == (STOP, "定为 300 秒")


def test_hooks_of_claude_code_that_it_runs_are_its_own():
    payload = {"hook_event_name": "Stop", "session_id": "d0c6"}
    environment = {"COPILOT_PROJECT_DIR": "/app", "CLAUDE_PROJECT_DIR": "/app"}

    assert parse_event(payload, environment, "claude").host == "copilot"


def test_the_answer_may_still_be_written():
    call = {"type": "assistant.message", "data": {"content": "写入", "toolRequests": [{}]}}
    answer = {"type": "assistant.message", "data": {"content": "好了", "toolRequests": []}}
    before, after = json.dumps(call).encode(), json.dumps(answer).encode()
    judged = []

    def read_end(path: str, is_whole: Callable[[bytes], bool]) -> bytes:
        judged.extend([is_whole(b""), is_whole(before), is_whole(before + b"\n" + after)])
        return before + b"\n" + after

    payload = {"transcriptPath": "/t", "stop_hook_active": False}

    assert parse_event(payload, {}, "copilot", "agentStop", read_end).text == "好了"
    assert judged == [False, False, True]
