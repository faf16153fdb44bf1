"""Transcripts: what people and models said is kept, and what programs put in between is not."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.digests.messages import Call, Message
from daily_memory.core.imports import transcripts
from daily_memory.core.imports.transcripts import Transcript
from tests.conversations import as_lines, claude_line, cursor_line, cursor_lines

BEGAN = datetime(2026, 1, 20, 1, 2, 3, tzinfo=timezone.utc)


def claude(*records: object) -> Transcript:
    return transcripts.parse_claude(as_lines(records), "stem")


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in transcript.messages]


# ---------------------------------------------------------------------------- Claude Code


def test_a_claude_transcript_tells_who_said_what_and_where_and_when():
    transcript = claude(
        {"type": "summary", "summary": "old", "leafUuid": "x"},
        claude_line("user", "缓存多久过期？"),
        claude_line("assistant", [{"type": "text", "text": "300 秒。"}], message_id="m1"),
    )

    assert transcript == Transcript(
        "S1",
        "claude",
        BEGAN,
        "/p",
        (Message("user", "缓存多久过期？"), Message("assistant", "300 秒。")),
    )


def test_the_lines_of_one_message_become_one_again():
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "pytest"}}
    transcript = claude(
        claude_line("assistant", [{"type": "text", "text": "First."}], message_id="m1"),
        claude_line("assistant", [use], message_id="m1"),
        claude_line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "1 passed"}]),
        claude_line("assistant", [{"type": "text", "text": "然后。"}], message_id="m1"),
        claude_line("assistant", [{"type": "text", "text": "Another."}], message_id="m2"),
    )

    call = Call("Bash", {"command": "pytest"}, "1 passed")
    assert transcript.messages == (
        Message("assistant", "First.\n\n然后。"),
        Message("tool", "", call=call),
        Message("assistant", "Another."),
    )


def test_a_title_is_the_topic_where_it_is_of_this_conversation():
    spoken = claude_line("user", "hi", uuid="u1")

    def topics(*records: dict[str, object]) -> list[object]:
        return [dict(claude(spoken, record).given).get("topic") for record in records]

    assert topics(
        {"type": "ai-title", "aiTitle": "Fix the login test"},
        {"type": "summary", "summary": "修复登录测试", "leafUuid": "u1"},
        {"type": "summary", "summary": "Of another one", "leafUuid": "u9"},
        {"type": "ai-title", "aiTitle": "login"},
    ) == ["Fix the login test", "修复登录测试", None, None]


@pytest.mark.parametrize(
    "record",
    [
        claude_line("user", "caveat", isMeta=True),
        claude_line("user", "of a helper", isSidechain=True),
        claude_line("user", "summary of all before", isCompactSummary=True),
        claude_line("user", "summary of all before", isVisibleInTranscriptOnly=True),
        claude_line(
            "user",
            "This session is being continued from a previous conversation that ran out of context.",
        ),
        claude_line("user", "an agent is done", origin={"kind": "task-notification"}),
        {"type": "ai-title", "aiTitle": "x"},
        {"type": "last-prompt", "lastPrompt": "x"},
        claude_line("assistant", "API Error: 529", isApiErrorMessage=True),
        claude_line("assistant", "No response requested.", message_model="<synthetic>"),
        claude_line("user", "<command-name>/clear</command-name>"),
        claude_line("user", "<local-command-stdout>ok</local-command-stdout>"),
        claude_line("user", "  <system-reminder>不要保存</system-reminder>"),
        claude_line("user", "<task-notification>done</task-notification>"),
        claude_line("user", "[Request interrupted by user for tool use]"),
        claude_line("user", [{"type": "tool_result", "content": "don't save this"}]),
        claude_line("assistant", [{"type": "thinking", "thinking": "hm"}, "odd", {"type": "text"}]),
        claude_line("user", 5),
        {"type": "user", "message": "odd"},
        {"type": "system", "subtype": "compact_boundary", "content": "x"},
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "queue-operation", "content": "x"},
    ],
)
def test_what_nobody_said_is_no_message(record):
    assert said(claude(record)) == []


def test_a_plan_that_the_user_approved_is_a_message():
    """Claude Code begins a conversation with it where the user has the context cleared."""
    data = Path(__file__).parents[2] / "data" / "hosts" / "claude-plan-transcript.jsonl"

    transcript = transcripts.parse_claude(data.read_bytes().splitlines(), "stem")

    (role, text), *_ = said(transcript)
    assert role == "user"
    assert text.startswith("Implement the following plan:\n\n# Move the session store to Redis\n")
    assert transcript.conversation == "s-implemented"


def test_a_reminder_beside_a_prompt_leaves_the_prompt():
    texts = ["修复登录", "<system-reminder>don't save</system-reminder>"]
    content = [{"type": "text", "text": text} for text in texts]

    assert said(claude(claude_line("user", content))) == [("user", "修复登录")]


def test_a_session_that_goes_on_with_an_older_one_has_its_own_id():
    transcript = claude(claude_line("user", "a"), claude_line("user", "b", sessionId="S2"))

    assert transcript.conversation == "S2"


def test_without_an_id_the_name_of_the_file_is_one():
    record = {"type": "user", "message": {"content": "a"}}

    assert claude(record) == Transcript("stem", "claude", messages=(Message("user", "a"),))


def test_lines_that_are_no_json_are_counted_and_cost_nothing_else():
    good = as_lines([claude_line("user", "a")])
    deep = b"[" * 100_000 + b"\n"
    lines = [b"\n", b"{half\n", *good, b'{"type": "\xff"}\n', b"[1]\n", deep]

    transcript = transcripts.parse_claude(lines, "x")

    assert said(transcript) == [("user", "a")]
    assert transcript.bad_lines == (2, 4, 5, 6)


def test_the_folder_is_found_without_reading_on():
    def lines() -> Any:
        yield from as_lines([{"type": "summary", "cwd": "/other"}, claude_line("user", "a")])
        raise AssertionError("read too far")

    assert transcripts.claude_folder(lines()) == "/p"
    assert transcripts.claude_folder(as_lines([{"type": "summary"}])) == ""


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_break_a_parser(lines):
    for parse in (transcripts.parse_claude, transcripts.parse_cursor):
        assert parse(lines, "x").conversation == "x"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "role", "message", "content", "text", "id", "cwd", "timestamp"]
                ),
                inner,
                max_size=5,
            )
        ),
    )
)
def test_no_json_breaks_a_parser(value):
    lines = as_lines(
        [{"type": "user", "role": "user", "message": value, "timestamp": value}, value]
    )

    assert transcripts.parse_claude(lines, "x").host == "claude"
    assert transcripts.parse_cursor(lines, "x").host == "cursor"


# ---------------------------------------------------------------------------- Cursor


def test_a_cursor_transcript_holds_what_was_typed_without_what_cursor_put_around():
    around = "<user_info>OS: linux</user_info>\n<user_query>\n修复登录测试\n</user_query>"
    records = [
        cursor_line("user", around),
        cursor_line("assistant", "I will look.", "已修复。"),
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read"}]}},
        {"type": "turn_ended", "status": "success"},
        cursor_line("user", "[Previous conversation summary]: 客户是蓝鲸集团"),
        cursor_line("user", "without a tag"),
    ]

    transcript = transcripts.parse_cursor(as_lines(records), "c1")

    assert transcript == Transcript(
        "c1",
        "cursor",
        messages=(
            Message("user", "修复登录测试"),
            Message("assistant", "I will look.\n\n已修复。"),
            Message("tool", "", call=Call("Read", None)),
            Message("user", "without a tag"),
        ),
    )


def test_a_time_in_a_cursor_transcript_is_used():
    records = [
        {**line, "timestamp": "2026-01-20T01:02:03Z"} for line in cursor_lines([("user", "a")])
    ]

    assert transcripts.parse_cursor(as_lines(records), "c1").began == BEGAN


def test_a_composer_names_its_messages_in_their_order():
    head = transcripts.parse_composer(
        "c1",
        '{"createdAt": 1768870923000, "subagentComposerIds": ["c2", 5],'
        ' "fullConversationHeadersOnly": [{"bubbleId": "b"}, {"bubbleId": "a"}, {}, 5],'
        ' "workspaceIdentifier": {"uri": {"path": "/p"}}}',
    )

    assert head == transcripts.Composer("c1", BEGAN, "/p", ("b", "a"), ("c2",))
    assert transcripts.parse_composer("c1", "null") is None


def test_bubbles_are_the_messages_and_may_tell_time_and_folder():
    head = transcripts.Composer("c1", None, "", (), ())
    bubbles: list[dict[str, Any]] = [
        {"type": 1, "text": "缓存？", "createdAt": "2026-01-20T01:02:03.000Z"},
        {
            "type": 2,
            "text": "",
            "toolFormerData": {"name": "read_file", "rawArgs": '{"path": "a.py"}', "result": "{}"},
        },
        {"type": 2, "text": "300 s", "workspaceUris": [5, "vscode-remote://h/x", "file:///p"]},
        {"type": 3, "text": "odd"},
        {"type": "1", "text": "odd"},
        {},
    ]

    transcript = transcripts.parse_bubbles(head, bubbles)

    assert transcript == Transcript(
        "c1",
        "cursor",
        BEGAN,
        "/p",
        (
            Message("user", "缓存？"),
            Message("tool", "", call=Call("read_file", '{"path": "a.py"}', "{}")),
            Message("assistant", "300 s"),
        ),
    )


# ---------------------------------------------------------------------------- claude-mem


def test_a_claude_mem_session_keeps_its_words_and_what_was_asked():
    session = {"content_session_id": "s1", "project": "shop", "started_at": "2026-01-20T01:02:03Z"}
    observations = [
        {"type": "decision", "title": "Redis", "subtitle": "for the cart"},
        {"type": "bugfix", "title": "TTL 用秒", "files_modified": '["a.py", 5]'},
        {"type": "discovery", "text": "older form", "files_modified": "{broken"},
        {"type": "change", "files_modified": '{"no": "list"}'},
    ]
    summaries = [
        {"request": "first", "learned": "A", "completed": "nothing"},
        {"request": "加缓存", "learned": "B", "completed": "done", "files_edited": '["b.py"]'},
    ]

    transcript = transcripts.parse_claude_mem(
        session, [{"prompt_text": "加缓存吧 "}], observations, summaries
    )

    assert transcript == Transcript(
        "s1",
        "claude-mem",
        BEGAN,
        messages=(Message("user", "加缓存吧"),),
        project="shop",
        given=(
            ("topic", "加缓存"),
            ("summary", "done"),
            ("key_points", ("A", "B", "TTL 用秒", "older form")),
            ("decisions", ("Redis: for the cart",)),
            ("files", ("a.py", "b.py")),
        ),
    )


def test_without_prompts_the_first_one_is_what_was_asked():
    session = {"content_session_id": "s1", "user_prompt": "加缓存"}

    transcript = transcripts.parse_claude_mem(session, [], [], [])

    assert transcript == Transcript("s1", "claude-mem", messages=(Message("user", "加缓存"),))


# ---------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-20T01:02:03Z",
        "2026-01-20T01:02:03.000Z",
        "2026-01-20T09:02:03+08:00",
        "2026-01-20T01:02:03",
        1768870923,
        1768870923000,
        1768870923.0,
    ],
)
def test_times_in_every_form_are_the_same_moment(value):
    assert transcripts.parse_time(value) == BEGAN


@pytest.mark.parametrize(
    "value", ["", "yesterday", None, True, 0, -5, float("nan"), 10**30, [], {}]
)
def test_what_is_no_time_is_none(value):
    assert transcripts.parse_time(value) is None
