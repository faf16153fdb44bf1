"""Codex: its payloads, and what its transcript says of a command."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.hosts.events import PROMPT, TOOL, Event, parse_event


def ran(item: dict[str, object], *, output: str = "1 failed\n") -> Event:
    payload = {
        "hook_event_name": "PostToolUse",
        "session_id": "01a2",
        "turn_id": "t1",
        "transcript_path": "/home/user/.codex/rollout.jsonl",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "tool_response": output,
        "tool_use_id": "call_1",
    }
    other = {"payload": {"type": "function_call", "call_id": "call_1"}}
    lines = [{"payload": {"item": item}}, other]
    transcript = b'"cut": 1}\n' + b"\n".join(json.dumps(line).encode() for line in lines)
    return parse_event(payload, {}, "codex", "", lambda *_: transcript)


def test_a_failing_command_is_an_error():
    event = ran({"id": "call_1", "status": "failed", "exit_code": 3})

    assert (event.meaning, event.turn, event.error) == (TOOL, "t1", "Exit code 3")


@pytest.mark.parametrize(
    "item",
    [
        {"id": "call_1", "status": "completed", "exit_code": 0},
        {"id": "call_2", "status": "failed", "exit_code": 3},
        {"status": "failed"},
    ],
)
def test_any_other_command_is_none(item):
    assert ran(item).error == ""


FILE = "/home/u/.codex/attachments/fe658b63-f6ff/approved-plan.md"
READ = f"Read the approved plan at {FILE} and implement it."


@pytest.mark.parametrize(
    ("prompt", "plan", "text"),
    [
        (
            READ,
            "# 会话改存 Redis\n\n1. 加依赖\n",
            "Implement the following plan:\n\n# 会话改存 Redis\n\n1. 加依赖\n",
        ),
        (READ, "", READ),
        (
            "Read the approved plan at docs/plan.md and implement it.",
            "# X",
            "Read the approved plan at docs/plan.md and implement it.",
        ),
        ("加缓存", "# X", "加缓存"),
    ],
)
def test_a_prompt_that_names_the_file_of_an_approved_plan_has_the_plan(prompt, plan, text):
    files = {FILE: plan.encode(), "docs/plan.md": plan.encode()}
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "01a2", "prompt": prompt}

    event = parse_event(payload, {}, "codex", "", lambda path, _: files[path])

    assert event.meaning == PROMPT
    assert event.text.strip() == text.strip()
