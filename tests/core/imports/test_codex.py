"""The rollout files of Codex, as version 0.169 writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from daily_memory.core.digests.messages import Call, Message
from daily_memory.core.imports import transcripts

META = {
    "type": "session_meta",
    "payload": {"id": "01a2", "timestamp": "2026-11-22T17:28:20.195Z", "cwd": "/home/u/app"},
}


def shown(kind: str, text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text, "text_elements": []}]
    item = {"type": kind, "id": "1", "content": content}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def sent(role: str, text: str) -> dict[str, object]:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "payload": payload}


def lines(*records: Mapping[str, object]) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def test_what_was_shown_is_what_was_said():
    transcript = transcripts.parse_codex(
        lines(
            META,
            sent("user", "# AGENTS.md instructions for /home/u/app"),
            sent("user", "加一个缓存"),
            shown("UserMessage", "加一个缓存"),
            shown("AgentMessage", "TTL 定为 300 秒"),
            sent("assistant", "TTL 定为 300 秒"),
            shown("CommandExecution", "ls"),
        ),
        "stem",
    )

    assert transcript.messages == (
        Message("user", "加一个缓存"),
        Message("assistant", "TTL 定为 300 秒"),
    )
    assert (transcript.conversation, transcript.host) == ("01a2", "codex")
    assert transcript.folder == "/home/u/app"
    assert transcript.began is not None
    assert transcript.began.isoformat() == "2026-11-22T17:28:20+00:00"


def test_a_plan_is_in_the_answer_as_the_model_wrote_it():
    plan = {"type": "Plan", "id": "p", "text": "# 会话改存 Redis\n"}
    completed = {"type": "event_msg", "payload": {"type": "item_completed", "item": plan}}

    transcript = transcripts.parse_codex(
        lines(
            META,
            completed,
            shown("AgentMessage", "看过了。"),
            shown("UserMessage", "Implement the plan."),
        ),
        "stem",
    )

    assert [message.content for message in transcript.messages] == [
        "<proposed_plan>\n# 会话改存 Redis\n\n</proposed_plan>",
        "看过了。",
        "Implement the plan.",
    ]


def test_older_files_have_plain_messages():
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": "hello"}}

    transcript = transcripts.parse_codex([*lines(said), b"{cut"], "stem")

    assert transcript.messages == (Message("user", "hello"),)
    assert (transcript.conversation, transcript.bad_lines) == ("stem", (2,))


def item(kind: str, call_id: str = "c1", **fields: object) -> dict[str, object]:
    return {"type": "response_item", "payload": {"type": kind, "call_id": call_id, **fields}}


@pytest.mark.parametrize(
    ("records", "call"),
    [
        (
            [
                item("custom_tool_call", name="apply_patch", input="*** Begin Patch"),
                item(
                    "custom_tool_call_output", output="Exit code: 0\nWall time: 0 s\nOutput:\nDone."
                ),
            ],
            Call("apply_patch", "*** Begin Patch", {"output": "Done.", "exit_code": 0}),
        ),
        (
            [
                item("function_call", name="exec_command", arguments='{"cmd": "pytest -q"}'),
                item(
                    "function_call_output",
                    output="Wall time: 0.1 s\nProcess exited with code 1\nOutput:\n1 failed",
                ),
            ],
            Call("exec_command", {"cmd": "pytest -q"}, {"output": "1 failed", "exit_code": 1}),
        ),
        (
            [
                item(
                    "function_call",
                    name="shell",
                    arguments='{"command": ["bash", "-lc", "ls src"]}',
                ),
                item("function_call_output", output='{"output": "a.py", "metadata": {}}'),
            ],
            Call("shell", {"command": "ls src"}, {"output": "a.py", "metadata": {}}),
        ),
        (
            [
                item("local_shell_call", action={"command": ["git", "status"]}),
                item("function_call_output", output=[{"type": "input_text", "text": "clean"}]),
            ],
            Call("shell", {"command": "git status"}, "clean"),
        ),
    ],
)
def test_a_tool_call_is_kept_with_its_result(records, call):
    transcript = transcripts.parse_codex(lines(META, *records), "stem")

    assert transcript.messages == (Message("tool", "", call=call),)


def test_a_call_that_was_never_finished_is_left_out_where_others_were():
    begun = item("function_call", name="exec_command", arguments='{"cmd": "sleep 99"}')
    other = item("function_call", "c2", name="exec_command", arguments='{"cmd": "ls"}')
    done = item("function_call_output", output="ok")

    transcript = transcripts.parse_codex(lines(META, begun, other, done), "stem")

    assert [message.call for message in transcript.messages] == [
        Call("exec_command", {"cmd": "sleep 99"}, "ok")
    ]


def test_the_name_of_a_thread_is_the_topic():
    named = {"type": "thread_name_updated", "thread_name": "Cache the report"}

    transcript = transcripts.parse_codex(lines(META, {"type": "event_msg", "payload": named}), "x")

    assert transcript.given == (("topic", "Cache the report"),)


def test_the_folder_is_found_in_the_first_lines():
    assert transcripts.codex_folder(lines({"type": "x"}, META)) == "/home/u/app"
    assert transcripts.codex_folder(lines({"type": "x"})) == ""
