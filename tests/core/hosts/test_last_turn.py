"""What an assistant said between its uses of tools, from the transcripts of hosts."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.hosts.events import parse_event
from daily_memory.core.hosts.traits.last_turn import plan_begun_with, said_before


def claude(role, *content, **fields):
    return {"type": role, "message": {"role": role, "content": list(content)}, **fields}


def text(said):
    return {"type": "text", "text": said}


def codex(role, said):
    part = {"type": "input_text" if role == "user" else "output_text", "text": said}
    return {
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": [part]},
    }


def transcript(*records):
    return b"\n".join(json.dumps(one, separators=(",", ":")).encode() for one in records)


CLAUDE = transcript(
    claude("user", text("earlier")),
    claude("assistant", text("of an earlier turn")),
    {"type": "user", "message": {"role": "user", "content": "为什么慢？"}},
    claude("assistant", text("原因是缺索引。")),
    claude("assistant", {"type": "tool_use", "name": "Bash"}),
    claude("user", {"type": "tool_result", "content": "x"}),
    claude("user", text("of a skill"), isMeta=True),
    claude("assistant", text("of an agent"), isSidechain=True),
    {"type": "api-request-blob", "message": {"role": "user", "content": [text("a blob")]}},
    claude("assistant", text("加了索引。"), text(" ")),
    claude("assistant", text("好了。\n")),
)
CODEX = transcript(
    codex("user", "为什么慢？"),
    codex("assistant", "原因是缺索引。"),
    {"type": "response_item", "payload": {"type": "function_call_output", "output": "x"}},
    codex("assistant", "加了索引。"),
    codex("assistant", "好了。"),
)


@pytest.mark.parametrize("data", [CLAUDE, CODEX, b'{"type":"user"\n' + CODEX])
def test_the_texts_of_the_last_turn_are_found(data):
    assert said_before("好了。", data) == ("原因是缺索引。", "加了索引。")


@pytest.mark.parametrize(
    "data",
    [b"", b'"role":"user"', b'["role":"user"]', b'{"type":"user","message":{"role":"user"}}'],
)
def test_what_is_no_transcript_says_nothing(data):
    assert said_before("x", data) == ()


@pytest.mark.parametrize(("host", "count"), [("claude", 2), ("codex", 2), ("cursor", 0)])
def test_only_the_end_of_a_turn_reads_it(host, count):
    payload = {"session_id": "c", "transcript_path": "/t", "last_assistant_message": "好了。"}

    def parsed(name):
        event = {**payload, "hook_event_name": name}
        return parse_event(event, {}, host, "", lambda *_: CLAUDE)

    assert len(parsed("Stop").said_before) == count
    assert parsed("UserPromptSubmit").said_before == ()


PLANNED = claude(
    "user", text("Implement the following plan:\n\n# Use Redis"), planContent="# Use Redis"
)


@pytest.mark.parametrize(
    ("records", "plan"),
    [
        (
            [PLANNED, claude("assistant", text("Done."))],
            "Implement the following plan:\n\n# Use Redis",
        ),
        ([PLANNED, claude("user", text("and the tests?")), claude("assistant", text("Done."))], ""),
        ([claude("user", text('what is "planContent"?')), claude("assistant", text("A key."))], ""),
        ([claude("assistant", text("Done."), planContent="# Use Redis")], ""),
    ],
)
def test_the_plan_that_the_last_turn_began_with_is_found(records, plan):
    assert plan_begun_with(transcript(*records)) == plan


@pytest.mark.parametrize(("goes_on", "asked"), [(False, PLANNED), (True, None)])
def test_the_end_of_a_turn_tells_the_plan_once(goes_on, asked):
    payload = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "transcript_path": "/t.jsonl",
        "stop_hook_active": goes_on,
        "last_assistant_message": "Done.",
    }
    data = transcript(PLANNED, claude("assistant", text("Done.")))

    event = parse_event(payload, {}, "claude", read_end=lambda *_: data)

    assert event.asked == (asked["message"]["content"][0]["text"] if asked else "")
