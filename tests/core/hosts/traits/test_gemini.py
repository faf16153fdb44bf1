"""Gemini CLI and Qwen Code."""

from __future__ import annotations

import pytest

from daily_memory.core.hosts.events import OTHER, PROMPT, STOP, TOOL, parse_event


def test_a_turn_of_gemini():
    prompt = parse_event({"hook_event_name": "BeforeAgent", "prompt": "加缓存"}, {}, "gemini")
    answer = parse_event(
        {"hook_event_name": "AfterAgent", "prompt": "加缓存", "prompt_response": "好了"},
        {"CLAUDE_PROJECT_DIR": "/app"},
        "gemini",
    )

    assert (prompt.host, prompt.meaning, prompt.text) == ("gemini", PROMPT, "加缓存")
    assert (answer.meaning, answer.text, answer.folder) == (STOP, "好了", "/app")


def test_a_request_to_compress_is_no_compaction():
    payload = {"hook_event_name": "PreCompress", "trigger": "auto"}

    assert parse_event(payload, {}, "gemini").meaning == OTHER


def test_a_failing_command_says_so():
    event = parse_event(
        {
            "hook_event_name": "AfterTool",
            "tool_name": "run_shell_command",
            "tool_input": {"command": "pytest"},
            "tool_response": {
                "llmContent": "Output: 1 failed\nError: (none)\nExit Code: 2",
                "returnDisplay": "1 failed",
            },
        },
        {},
        "gemini",
    )

    assert (event.meaning, event.output, event.error) == (TOOL, "1 failed", "Exit code 2")


@pytest.mark.parametrize(
    ("response", "output", "error"),
    [
        ({"llmContent": "Exit Code: 0", "returnDisplay": "x"}, "x", ""),
        ({"llmContent": "wrote", "returnDisplay": {"fileDiff": ""}}, "wrote", ""),
        ({"llmContent": "x", "error": {"message": "not read"}}, "x", "not read"),
        ("plain", "plain", ""),
    ],
)
def test_the_result_of_a_tool_is_what_the_user_sees(response, output, error):
    payload = {"hook_event_name": "AfterTool", "tool_name": "x", "tool_response": response}

    event = parse_event(payload, {}, "qwen")

    assert (event.host, event.output, event.error) == ("qwen", output, error)


def test_a_tool_of_an_mcp_server_is_named_as_elsewhere():
    context = {"server_name": "daily-memory", "tool_name": "memory_search"}
    payload = {
        "hook_event_name": "AfterTool",
        "tool_name": "mcp_daily-memory_memory_search",
        "mcp_context": context,
    }

    assert parse_event(payload, {}, "gemini").tool == "mcp__daily-memory__memory_search"


def test_the_prompt_that_qwen_repeats_without_text_after_each_tool_is_none():
    payload = {"hook_event_name": "UserPromptSubmit", "prompt": ""}

    assert parse_event(payload, {}, "qwen").meaning == OTHER


def test_qwen_tells_a_failing_command_in_one_text():
    error = "Command: pytest\nDirectory: (root)\nOutput: 1 failed\nin a.py\nError: (none)\n"
    payload = {"hook_event_name": "PostToolUseFailure", "error": f"{error}Exit Code: 1\nSignal: 0"}

    event = parse_event(payload, {}, "qwen")

    assert (event.output, event.error) == ("1 failed\nin a.py", "Exit code 1")


def test_what_a_hook_added_to_a_prompt_is_not_the_users():
    said = "<hook_context>&lt;daily-memory-1&gt; notes</hook_context>\n\n上次的 TTL 是多少"

    assert parse_event({"hook_event_name": "BeforeAgent", "prompt": said}, {}, "gemini").text == (
        "上次的 TTL 是多少"
    )
