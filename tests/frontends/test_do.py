"""`memory do`: phrases run the right command, and nothing is destroyed without a yes."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from daily_memory.core.phrases.commands import CUES
from daily_memory.frontends.cli.commands import COMMANDS

OLD = "2020-10-01"


@pytest.fixture
def do(cli):
    """Run `memory do` in a project with two sessions, an old one and one of today."""
    cli("save", stdin=json.dumps({"topic": "缓存方案 redis", "date": OLD, "tags": ["旧"]}))
    cli("save", stdin=json.dumps({"topic": "部署脚本 deploy", "tags": ["ci"]}))

    def run(text, *options):
        return cli("do", text, *options)

    return run


def today_id() -> str:
    return f"{date.today().isoformat()}#1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("what do you remember about redis?", "缓存方案"),
        ("where is the deploy script?", "部署脚本"),
        ("查看所有记忆", f"{OLD}#1"),
        ("show memories from 2020-10-01", "缓存方案"),
        ("show memories from October 2020", f"{OLD}#1"),
        (f"show {OLD}#1", "缓存方案"),
        ("查看今日记忆", "部署脚本"),
        ("what are my memory settings?", "storage.auto_archive"),
    ],
)
def test_a_phrase_shows_what_it_asks_for(do, text, shown):
    outcome = do(text)

    assert outcome.status == 0
    assert shown in outcome.out


@pytest.mark.parametrize(
    "text",
    [
        f"删除 {OLD} 的记忆",
        "delete memories about redis",
        "删除三个月前的记忆",
        "删除今天的记忆",
        "清理三个月前的记忆",
        "clean up memories older than a year",
    ],
)
def test_nothing_is_destroyed_without_a_yes(do, text, tmp_path):
    before = list((tmp_path / "app/.cursor/skills/memories/daily").iterdir())

    shown = do(text, "--dry-run")
    asked = do(text)

    assert shown.status == 0
    assert "dry run" in shown.err
    assert asked.status == 2
    assert "--yes" in asked.err
    assert list((tmp_path / "app/.cursor/skills/memories/daily").iterdir()) == before


@pytest.mark.parametrize("text", ["删除所有记忆", "把我的记忆都删掉", "delete all my memories"])
def test_a_phrase_does_not_delete_the_whole_memory(do, cli, text):
    outcome = do(text, "--yes")

    assert outcome.status == 2
    assert "memory delete ID" in outcome.err
    assert len(cli("list").out.splitlines()) == 2


def test_a_yes_deletes_and_cleans_up(do, cli):
    assert "1 session archived" in do("清理三个月前的记忆", "--yes").out
    cli("restore", "--all", "--yes")
    assert "1 session deleted" in do("delete memories older than three months", "--yes").out


def test_each_day_of_a_period_is_deleted(do, cli):
    yesterday = date.today() - timedelta(days=1)
    cli("save", stdin=json.dumps({"topic": "昨天的", "date": yesterday.isoformat()}))

    outcome = do("删除最近两天的记忆", "--yes")

    assert sorted(outcome.out.split()) == sorted([f"{yesterday}#1", today_id()])


def test_a_fact_becomes_a_note_if_no_conversation_is_recorded(do, cli):
    do("记住：测试用真实数据库")
    do("Remember that we use pnpm, not npm")

    shown = cli("today").out
    assert "测试用真实数据库" in shown
    assert "we use pnpm, not npm" in shown


def test_a_fact_becomes_a_note_after_the_conversation_has_ended(do, cli):
    cli("start", "talk")
    cli("log", "决定用 Redis", "--kind", "decision")
    cli("end")

    assert do("记住：测试用真实数据库").status == 0

    assert "测试用真实数据库" in cli("today").out


def test_your_own_settings_are_set_in_your_own_file(do):
    outcome = do("记忆设置 storage.auto_archive = on")

    assert "storage.auto_archive is now true (global)" in outcome.err


def test_the_last_session_is_marked_and_the_mark_undone(do):
    assert do("把最近一条标为重要").out == f"{today_id()}\n"
    assert do("撤销").out == f"{today_id()}  部署脚本 deploy\n"


def test_other_messages_get_the_two_nearest_commands(do):
    outcome = do("导出记忆")

    assert outcome.status == 2
    assert "not understood" in outcome.err
    assert "did you mean `memory export -o FILE` or `memory search QUERY`?" in outcome.err


def test_purge_is_an_option_of_delete(cli):
    assert "did you mean `memory delete ID --purge`" in cli("purge", "x").err


def test_every_suggested_command_exists():
    assert {command.split()[0] for command in CUES} <= COMMANDS.keys()
