"""Rows of trae-mem: every observation comes over, and its summaries become the section's text."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from daily_memory.core.imports import trae_mem
from daily_memory.core.imports.trae_mem import TraeMemSession
from daily_memory.core.observation import Observation
from daily_memory.model import Note, Session

BEIJING = timezone(timedelta(hours=8))
DAY = date(2026, 1, 20)
AT = "2026-01-20T09:02:03+08:00"


def local(moment: datetime) -> datetime:
    return moment.astimezone(BEIJING)


def row(kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": f"o-{kind}", "ts": 1768870923, "kind": kind, "content": content, **more}


def kept(*observations: Observation, **more: Any) -> TraeMemSession:
    return TraeMemSession(
        "t1", datetime(2026, 1, 20, 9, tzinfo=BEIJING), observations=observations, **more
    )


def one(kind: str, text: str, **more: Any) -> Observation:
    return Observation(AT, kind, text, **more)


# ---------------------------------------------------------------------------- reading


def test_a_session_keeps_everything_that_trae_mem_knows_of_it():
    session = {
        "id": "t1",
        "started_at": 1768870800,
        "ended_at": 1768871400,
        "project_path": "/p/商店",
        "meta_json": '{"source": "startup"}',
    }
    tags = '{"redis": true, "where": "登录 页", "off": false, "n": 3, "deep": {"a": 1}}'
    rows = [
        row("user", "登录失败", tags_json=tags),
        row("tool", "输入=1", tool_name="Read"),
        row("note", "[PRIVATE]", private=1, tags_json='{"secret": true}'),
        row("decision", "  "),
    ]
    summaries = [
        {"level": "brief", "content": "old"},
        {"level": "detailed", "content": "long"},
        {"level": "brief", "content": "- 修复登录\n"},
        {"level": "brief", "content": " "},
    ]

    assert trae_mem.parse_session(session, rows, summaries, local) == TraeMemSession(
        "t1",
        datetime(2026, 1, 20, 9, tzinfo=BEIJING),
        datetime(2026, 1, 20, 9, 10, tzinfo=BEIJING),
        "/p/商店",
        '{"project_path": "/p/商店", "source": "startup"}',
        (
            one(
                "user",
                "登录失败",
                tags=("redis", "where=登录-页", "off=false", "n=3", 'deep={"a":-1}'),
                event="o-user",
            ),
            one("tool", "输入=1", tool="Read", event="o-tool"),
            one("note", "[PRIVATE]", tags=("secret",), event="o-note", private=True),
        ),
        (("brief", "- 修复登录"), ("detailed", "long")),
    )


@pytest.mark.parametrize(
    ("kind", "known", "tags"),
    [("exception", "error", ()), ("assistant", "assistant", ()), ("心情", "note", ("心情",))],
)
def test_a_kind_that_we_do_not_have_is_a_note_that_tells_it(kind, known, tags):
    found = trae_mem.parse_session({"id": "t1"}, [row(kind, "x")], [], local)

    assert [(seen.kind, seen.tags) for seen in found.observations] == [(known, tags)]


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        (None, ""),
        ("", ""),
        ("{}", ""),
        ("free text", '{"meta": "free text"}'),
        ("[1]", '{"meta": "[1]"}'),
    ],
)
def test_what_was_noted_of_a_session_is_kept_whatever_it_is(meta, expected):
    assert trae_mem.parse_session({"id": "t1", "meta_json": meta}, [], [], local).meta == expected


def test_a_session_without_times_began_with_the_first_observation_that_has_one():
    rows = [row("user", "a", ts=None), row("user", "b", ts="odd"), row("user", "c")]

    found = trae_mem.parse_session({"id": "t1"}, rows, [], local)

    assert found.began == datetime(2026, 1, 20, 9, 2, 3, tzinfo=BEIJING)
    assert [seen.at for seen in found.observations] == [AT, AT, AT]


@pytest.mark.parametrize("name", [None, "", 7, "two words", "x" * 101])
def test_an_observation_without_a_sound_id_is_known_by_where_it_stands(name):
    rows = [row("user", "a", id=name, row_number=7)]

    (found,) = trae_mem.parse_session({"id": "t1"}, rows, [], local).observations

    assert found.event == "t1:7"


# ---------------------------------------------------------------------------- the section


def test_summaries_are_the_text_of_the_section():
    session = trae_mem.section(
        kept(
            one("user", "登录测试为什么失败？", tags=("redis", "where=登录")),
            one("decision", "用 Redis 存 token"),
            one("decision", "private", private=True, tags=("secret",)),
            summaries=(
                ("brief", "- 修复登录\n- TTL 定为 300 秒"),
                ("detailed", "- 修复登录\n- TTL 定为 300 秒\n- 改了 auth.py"),
                ("my own", "for the team"),
            ),
        ),
        DAY,
    )

    assert session == Session(
        DAY,
        topic="登录测试为什么失败？",
        summary="- 修复登录\n- TTL 定为 300 秒",
        decisions=("用 Redis 存 token",),
        tags=("redis",),
        notes=(Note("详细摘要", "- 改了 auth.py"), Note("Detailed summary", "for the team")),
    )


def test_a_detailed_summary_that_says_no_more_is_left_out():
    summaries = (("brief", "- fixed it"), ("detailed", "- fixed it"))

    session = trae_mem.section(kept(summaries=summaries), DAY)

    assert (session.summary, session.notes) == ("- fixed it", ())


def test_without_a_brief_summary_the_detailed_one_stands_alone():
    session = trae_mem.section(kept(summaries=(("detailed", "- first line"),)), DAY)

    assert session.summary == ""
    assert session.notes == (Note("Detailed summary", "- first line"),)


def test_without_summaries_the_session_is_digested_with_what_its_tools_did():
    def ran(command: str, exit_code: int, stdout: str) -> str:
        given = json.dumps({"command": command}, ensure_ascii=False)
        gave = json.dumps({"stdout": stdout, "exit_code": exit_code}, ensure_ascii=False)
        return f"输入={given}\n输出={gave}"

    edited = '输入={"file_path": "src/auth.py", "old_string": "a", "new_string": "b"}\n输出="ok"'
    session = trae_mem.section(
        kept(
            one("user", "登录测试为什么失败？"),
            one("note", '准备执行 Edit 输入={"file_path": "src/auth.py"}', tool="Edit"),
            one("tool", edited, tool="Edit"),
            one("tool", ran("pytest -q", 1, "1 failed"), tool="RunCommand"),
            one("tool", ran("pytest -q", 0, "3 passed"), tool="RunCommand"),
            one("note", "停止，原因=done"),
            one("note", "结束，原因=exit transcript=/t"),
            one("decision", "token 有效期定为 300 秒"),
        ),
        DAY,
    )

    assert session.topic == "登录测试为什么失败？"
    assert session.decisions == ("token 有效期定为 300 秒",)
    assert session.files == ("src/auth.py",)
    assert "pytest" in " ".join((*session.key_points, session.summary))
    assert "原因=" not in str(session)


@pytest.mark.parametrize(
    "text",
    [
        '输入={"command": "x…\n输出=1',
        "输入=null\n输出=1",
        '输入={"command": "x"}',
        "free text\n输出=",
    ],
)
def test_a_row_that_is_cut_or_of_another_form_is_taken_as_it_is(text):
    assert trae_mem.find_use(one("tool", text, tool="RunCommand")) is None
