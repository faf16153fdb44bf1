"""What the agent saved by itself: before what the rules pick out, and one section with it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from daily_memory.core.hosts import events
from daily_memory.core.hosts.events import parse_event
from daily_memory.services.writing import agent_saves
from daily_memory.storage.fs import files

TOPIC = "导出改为流式"
DECISION = "导出用流式 CSV，因为 10 万行一次读进内存会超时"
SAVED = {"topic": TOPIC, "decisions": [DECISION], "files": ["export/csv.py"]}


def send(memory, name, **fields):
    payload = {"session_id": "c1", "hook_event_name": name, **fields}
    event = parse_event(payload, {"CLAUDE_PROJECT_DIR": memory.project}, "claude")
    handled = memory.handle(event)
    return events.format_answer(event, handled.context, request=handled.request)


def later(memory, **time):
    memory.workspace.now.now += timedelta(**time)  # the clock of the tests


def work(memory):
    """One turn with an edit, and its digest, as a hook makes it at Stop."""
    send(memory, "UserPromptSubmit", prompt="订单导出在 10 万行时超时，帮我改")
    edited = {
        "file_path": f"{memory.project}/export/orders.py",
        "old_string": "a",
        "new_string": "b",
    }
    send(memory, "PostToolUse", tool_name="Edit", tool_input=edited, tool_response={})
    send(memory, "Stop", last_assistant_message="改好了：每批 1000 行写出。")
    return memory.end("c1", so_far=True).id


def save(memory, data=SAVED, tool="mcp__daily-memory__memory_save", **answer):
    """The agent calls our tool, and the host tells the hook of it."""
    later(memory, minutes=2)
    id_ = memory.save(data).id
    output = json.dumps({"id": id_, **answer})
    send(memory, "PostToolUse", tool_name=tool, tool_input=data, tool_response=output)
    return id_


def ids(memory):
    return [str(stored.session.id) for stored in memory.sessions()]


def test_it_is_one_section_with_the_digest(memory):
    digested = work(memory)
    saved = save(memory)
    assert ids(memory) == [digested, saved]

    ended = memory.end("c1")

    assert (ended.id, ids(memory)) == (saved, [saved])
    session = memory.get(saved).session
    assert (session.topic, session.decisions) == (TOPIC, (DECISION,))
    assert session.files == ("export/csv.py", "export/orders.py")
    assert (session.conversation, session.source) == ("c1", "claude")


def test_what_comes_later_renews_that_section(memory):
    work(memory)
    saved = save(memory)
    memory.end("c1", so_far=True)

    later(memory, minutes=5)
    send(memory, "UserPromptSubmit", prompt="再给导出加个测试")
    made = {"file_path": f"{memory.project}/tests/test_export.py", "content": "def test(): ..."}
    send(memory, "PostToolUse", tool_name="Write", tool_input=made, tool_response={})
    memory.end("c1")

    session = memory.get(saved).session
    assert ids(memory) == [saved]
    assert (session.topic, session.decisions) == (TOPIC, (DECISION,))
    assert "tests/test_export.py" in session.files


@pytest.mark.parametrize("is_digested", [False, True])
def test_what_a_person_edited_is_theirs(memory, is_digested):
    work(memory)
    saved = save(memory)
    if is_digested:
        memory.end("c1", so_far=True)
        send(memory, "UserPromptSubmit", prompt="再看一下日志")
    day = Path(memory.get(saved).path)
    day.write_text(day.read_text(encoding="utf-8").replace(TOPIC, "我自己的标题"), encoding="utf-8")

    memory.end("c1")

    assert memory.get(saved).session.topic == "我自己的标题"
    assert len(ids(memory)) == 2


def test_what_a_person_marked_stays_marked(memory):
    work(memory)
    saved = save(memory)
    memory.mark([saved], {"important": True})

    memory.end("c1")

    assert memory.get(saved).session.is_important


def test_what_was_deleted_does_not_come_back(memory):
    work(memory)
    saved = save(memory)
    memory.delete([saved])

    memory.end("c1")

    (other,) = memory.sessions()
    assert DECISION not in other.session.decisions


def test_a_refusal_takes_it_along_once_it_is_one(memory):
    work(memory)
    save(memory)
    memory.end("c1", so_far=True)

    send(memory, "UserPromptSubmit", prompt="这次对话不要保存")
    memory.end("c1")

    assert ids(memory) == []


def test_secrets_are_hidden_in_what_is_recorded(memory):
    work(memory)
    save(memory, {**SAVED, "key_points": ["api_key = sk-live-51Habcdefghijklmnopqrstuv"]})

    assert b"sk-live" not in files.read_bytes(memory.observations.live("c1").path)


@pytest.mark.parametrize(
    ("tool", "arguments", "output"),
    [
        ("mcp__daily-memory__memory_search", {"topic": "x"}, {"id": "2026-01-29#1"}),
        ("memory_save", "text", {"id": "2026-01-29#1"}),
        ("memory_save", {"messages": [{"role": "user"}]}, {"id": "2026-01-29#1"}),
        ("memory_save", {"topic": "x"}, {"skipped": "refused"}),
        ("memory_save", {"topic": "x"}, {"id": "global:2026-01-29#1"}),
    ],
)
def test_other_calls_are_no_save(tool, arguments, output):
    assert agent_saves.observed_text(tool, arguments, output) == ""


@pytest.mark.parametrize(
    "output",
    [
        {"id": "2026-01-29#1"},
        '{"id": "2026-01-29#1"}',
        {"content": [{"type": "text", "text": '{"id": "2026-01-29#1", "session": 1}'}]},
        [{"type": "text", "text": '{"id":"2026-01-29#1"}'}],
    ],
)
def test_hosts_wrap_the_answer_each_in_their_way(output):
    text = agent_saves.observed_text("daily-memory.memory_save", {"topic": "x"}, output)

    assert text == 'memory_save 2026-01-29#1\n{"topic": "x"}'


# ---------------------------------------------------------------------------- asking for it


def test_the_agent_is_asked_once_with_the_prompt_after_an_edit(memory):
    assert "memory_save" not in str(send(memory, "UserPromptSubmit", prompt="导出超时怎么办"))
    work(memory)

    asked = [
        str(send(memory, "UserPromptSubmit", prompt=text)) for text in ("加个测试", "再跑一遍")
    ]

    assert ["call memory_save" in answer for answer in asked] == [True, False]


def test_many_steps_are_work_too(memory):
    for number in range(8):
        read = {"file_path": f"{memory.project}/{number}.py"}
        send(memory, "PostToolUse", tool_name="Read", tool_input=read, tool_response="x")

    assert "call memory_save" in str(send(memory, "UserPromptSubmit", prompt="结论是什么"))


def test_an_agent_that_saved_is_not_asked(memory):
    work(memory)
    save(memory)

    assert "call memory_save" not in str(send(memory, "UserPromptSubmit", prompt="谢谢"))


@pytest.mark.parametrize(
    ("wanted", "at_stop", "at_prompt"),
    [("off", False, False), ("when-it-fits", False, True), ("always", True, False)],
)
def test_the_setting_says_when(memory, wanted, at_stop, at_prompt):
    memory.config.set("recording.agent_digest", wanted)
    memory = memory.in_folder(memory.project)
    edited = {"file_path": f"{memory.project}/a.py", "old_string": "a", "new_string": "b"}
    send(memory, "PostToolUse", tool_name="Edit", tool_input=edited, tool_response={})

    stopped = send(memory, "Stop", last_assistant_message="done")
    told = send(memory, "UserPromptSubmit", prompt="and now the tests")

    assert ("memory_save" in str(stopped), "memory_save" in str(told)) == (at_stop, at_prompt)
    assert (stopped.get("decision") == "block") == at_stop
    assert send(memory, "Stop", last_assistant_message="done again") == {}


def test_what_is_not_recorded_is_not_asked_for(memory):
    memory.config.set("recording.auto_save", False)
    memory = memory.in_folder(memory.project)
    work(memory)

    assert "memory_save" not in str(send(memory, "UserPromptSubmit", prompt="and now the tests"))


def test_what_the_user_refused_is_not_asked_for(memory):
    work(memory)
    send(memory, "UserPromptSubmit", prompt="这次对话不要保存")
    memory.end("c1")
    work(memory)

    assert "memory_save" not in str(send(memory, "UserPromptSubmit", prompt="and now the tests"))


@pytest.mark.parametrize("wanted", ["when-it-fits", "always"])
def test_the_very_prompt_that_refuses_is_answered_with_no_request(memory, wanted):
    work(memory)
    memory.config.set("recording.agent_digest", wanted)
    memory = memory.in_folder(memory.project)

    refused = send(memory, "UserPromptSubmit", prompt="不要保存：改完把 a.py 删掉")
    stopped = send(memory, "Stop", last_assistant_message="好的")

    assert ("memory_save" in str(refused), "memory_save" in str(stopped)) == (False, False)


def test_the_report_tells_what_that_costs(memory):
    work(memory)
    send(memory, "UserPromptSubmit", prompt="加个测试")
    save(memory)

    recall = memory.report().recall

    assert (recall.asked, recall.agent_saves) == (1, 1)
    assert 60 < recall.agent_tokens < 200
