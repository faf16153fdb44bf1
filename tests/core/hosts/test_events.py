"""Hosts: whatever they send becomes one kind of event, and the answer has the form they read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.hosts import events
from daily_memory.core.hosts.events import find_host, format_answer, parse_event
from daily_memory.core.hosts.names import host_name
from daily_memory.frontends import json_shapes

CURSOR = {"cursor_version": "3.20", "conversation_id": "c", "generation_id": "g"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@pytest.mark.parametrize(
    ("payload", "environment", "named", "host"),
    [
        (CURSOR, {}, "", "cursor"),
        (CURSOR, {"CLAUDE_PROJECT_DIR": "/p"}, "claude", "cursor"),
        ({}, {"CURSOR_VERSION": "3", "CLAUDE_PROJECT_DIR": "/p"}, "claude", "cursor"),
        ({}, {"TRAE_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}, "claude", "trae"),
        ({"transcript_path": "/t"}, {"CLAUDE_PROJECT_DIR": "/p"}, "", "claude"),
        ({}, {}, "trae", "trae"),
        ({"transcript_path": "/t"}, {}, "codex", "codex"),
        ({}, {}, "other", ""),
    ],
)
def test_the_host_is_told_apart(payload, environment, named, host):
    assert find_host(payload, environment, named) == host


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"hook_event_name": "beforeSubmitPrompt", "prompt": "缓存？"}, ("prompt", "缓存？")),
        ({"hook_event_name": "UserPromptSubmit", "prompt": "why?"}, ("prompt", "why?")),
        ({"hook_event_name": "afterAgentResponse", "text": "done"}, ("answer", "done")),
        ({"hook_event_name": "Stop", "last_assistant_message": "done"}, ("stop", "done")),
        ({"hook_event_name": "sessionEnd", "reason": "user_close"}, ("end", "")),
        ({"hook_event_name": "PreCompact"}, ("compact", "")),
        ({"hook_event_name": "preToolUse", "tool_name": "Shell"}, ("other", "")),
        ({"hook_event_name": "somethingNew"}, ("other", "")),
        ({}, ("other", "")),
    ],
)
def test_events_of_all_hosts_mean_the_same(payload, expected):
    event = parse_event(payload, {})

    assert (event.meaning, event.text) == expected


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash",
                "tool_input": {"command": "ls"},
            },
            ("Bash", {"command": "ls"}),
        ),
        (
            {"hook_event_name": "afterShellExecution", "command": "ls", "output": "a"},
            ("Shell", {"command": "ls"}),
        ),
        (
            {"hook_event_name": "afterFileEdit", "file_path": "a.py", "edits": []},
            ("Edit", {"file_path": "a.py", "edits": []}),
        ),
        (
            {"hook_event_name": "afterMCPExecution", "tool_name": "search", "tool_input": "{}"},
            ("MCP:search", "{}"),
        ),
        (
            {"hook_event_name": "subagentStop", "task": "look", "summary": "found"},
            ("Task", {"task": "look"}),
        ),
    ],
)
def test_a_tool_comes_with_its_name_and_arguments(payload, expected):
    event = parse_event(payload, {})

    assert (event.meaning, event.tool, event.arguments) == ("tool", *expected)


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "SubagentStop", "agent_type": "", "last_assistant_message": "all"},
        # So the client's own work ends in a conversation that is held with an agent.
        {"hook_event_name": "SubagentStop", "agent_type": "reviewer", "agent_id": "a"},
        {"hook_event_name": "PostToolUse", "tool_name": "Edit", "agent_id": "a", "agent_type": ""},
        {
            "hook_event_name": "PostToolUse",
            "transcript_path": "C:\\u\\.claude\\projects\\p\\s.jsonl",
            "tool_input": {"file_path": "C:\\u\\.claude\\projects\\p\\s\\notes.md"},
        },
        {"hook_event_name": "PostCompact", "compact_summary": "all that was said"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "<bash-stdout>ok</bash-stdout>"},
        {
            "hook_event_name": "UserPromptSubmit",
            "prompt": "<task-notification><summary>done</summary></task-notification>",
        },
    ],
)
def test_what_a_host_does_for_itself_is_no_event(payload):
    assert parse_event(payload, {}).meaning == "other"


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "PostToolUse", "agent_id": "a", "agent_type": "Explore"},
        {
            "hook_event_name": "PostToolUse",
            "transcript_path": "",
            "tool_input": {"file_path": "/a"},
        },
        {"hook_event_name": "PostToolUse", "transcript_path": "/t/s.jsonl", "tool_input": "ls"},
    ],
)
def test_what_an_agent_or_the_assistant_does_is_an_event(payload):
    assert parse_event(payload, {}).meaning == "tool"


def test_the_end_of_an_agent_in_the_background_is_the_answer_of_a_tool():
    answers = ("cache.py has no lock", "没有锁")
    prompt = "\n".join(
        f'<task-notification>\n<tool-use-id>t1</tool-use-id>\n<summary>Agent "查缓存" finished'
        f"</summary>\n<result>{answer}</result>\n</task-notification>"
        for answer in answers
    )

    event = parse_event({"hook_event_name": "UserPromptSubmit", "prompt": prompt}, {})

    assert (event.meaning, event.text, event.tool, event.id) == ("tool", "", "Task", "t1")
    assert (event.arguments, event.output) == ({"description": "查缓存"}, "\n\n".join(answers))


def test_what_the_user_says_behind_words_of_the_host_is_a_prompt():
    prompt = (
        "<task-notification>a</task-notification>\n<system-reminder>b</system-reminder> 为什么？"
    )

    event = parse_event({"hook_event_name": "UserPromptSubmit", "prompt": prompt}, {})

    assert (event.meaning, event.text) == ("prompt", "为什么？")


def test_an_id_with_a_line_break_is_one_line():
    payload = {"hook_event_name": "postToolUse", "tool_use_id": "call_1\nfc_2"}

    assert parse_event(payload, {}).id == "call_1 fc_2"


def test_the_id_of_a_conversation_names_no_turn():
    payload = {**CURSOR, "generation_id": "c", "hook_event_name": "stop"}

    assert parse_event(payload, {}).turn == ""


@pytest.mark.parametrize(
    ("payload", "environment", "folder"),
    [
        ({"workspace_roots": ["/a", "/b"], "cwd": "/c"}, {"CLAUDE_PROJECT_DIR": "/d"}, "/a"),
        ({"cwd": "/c"}, {"CLAUDE_PROJECT_DIR": "/d"}, "/d"),
        ({"cwd": "/c", "workspace_roots": []}, {}, "/c"),
        ({"workspace_roots": ["/c:/work"]}, {}, "c:/work"),
        ({"workspace_roots": [5], "cwd": None}, {}, ""),
    ],
)
def test_the_project_is_what_the_host_says(payload, environment, folder):
    assert parse_event(payload, environment).folder == folder


@pytest.mark.parametrize(
    ("host", "name", "answer"),
    [
        ("cursor", "sessionStart", {"additional_context": "notes"}),
        ("cursor", "beforeSubmitPrompt", {"additional_context": "notes"}),
        ("copilot", "userPromptSubmitted", {"additionalContext": "notes"}),
        (
            "gemini",
            "BeforeAgent",
            {
                "hookSpecificOutput": {
                    "hookEventName": "BeforeAgent",
                    "additionalContext": "notes",
                }
            },
        ),
        (
            "claude",
            "SessionStart",
            {
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": "notes",
                }
            },
        ),
        ("claude", "Stop", {}),
        ("cursor", "stop", {}),
    ],
)
def test_the_answer_has_the_form_of_the_host(host, name, answer):
    event = parse_event({"hook_event_name": name, "prompt": "x"}, {}, host)

    assert format_answer(event, "notes") == answer
    assert format_answer(event, "") == {}


FIELDS = st.sampled_from(
    [
        "hook_event_name",
        "conversation_id",
        "prompt",
        "tool_name",
        "tool_input",
        "tool_output",
        "workspace_roots",
        "cwd",
        "text",
        "edits",
        "tool_use_id",
    ]
)
NAMES = st.sampled_from([*events.MEANINGS, "sessionStart", "PostToolUse", ""])


@given(st.dictionaries(FIELDS, JSON), NAMES)
def test_no_payload_fails(payload, name):
    event = parse_event({**payload, "hook_event_name": name}, {})

    json.dumps(format_answer(event, "notes"))


def test_a_host_is_known_by_one_word(memory):
    named = [
        host_name(text) for text in ("claude-code", "Claude Code", "claude", "VS Code", "trae")
    ]

    assert named == ["claude", "claude", "claude", "vscode", "trae"]
    assert find_host({}, {}, "claude-code") == "claude"
    memory.save({"topic": "缓存", "source": "claude-code"})
    memory.start("talk", host="claude-code")
    memory.import_sessions([{"topic": "连接池", "source": "claude"}])
    assert json_shapes.report(memory.report())["hosts"] == [{"host": "claude", "sessions": 2}]
    assert memory.observations.live("talk").host == "claude"
