"""`memory do`: what people say is done by the right command, and nothing is destroyed unasked."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

OLD = "2020-10-01"


@pytest.fixture
def said(cli):
    """The command line in a project with two sessions, of which the newer one is of today."""
    cli("save", stdin=json.dumps({"topic": "缓存方案 redis", "date": OLD, "tags": ["旧"]}))
    cli("save", stdin=json.dumps({"topic": "部署脚本 deploy", "tags": ["ci"]}))

    def say(text, *options):
        return cli("do", text, *options)

    return say


def today_id() -> str:
    return f"{date.today().isoformat()}#1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("what do you remember about redis?", "缓存方案"),
        ("记忆里有没有关于 deploy 的内容", "部署脚本"),
        ("查看所有记忆", f"{OLD}#1"),
        ("show memories from 2020-10-01", "缓存方案"),
        ("show memories from October 2020", f"{OLD}#1"),
        (f"show {OLD}#1", "缓存方案"),
        ("今天都记了些什么", "部署脚本"),
        ("项目列表", "2 sessions  "),
        ("list projects", "app"),
        ("审核记忆", ""),
        ("查看记忆摘要", ""),
        ("检查记忆健康", "no faults"),
        ("重建索引", ""),
        ("what are my memory settings?", "storage.auto_archive"),
    ],
)
def test_what_is_asked_for_is_shown(said, text, shown):
    outcome = said(text)

    assert outcome.status == 0
    assert shown in outcome.out


@pytest.mark.parametrize(
    "text",
    [
        f"删除 {OLD} 的记忆",
        "delete memories about redis",
        "删除三个月前的记忆",
        "delete old memories",
        "删除今天的记忆",
        f"彻底删除 {OLD}#1",
        "清理三个月前的记忆",
        "clean up memories older than a year",
        "归档旧记忆",
        "加密记忆",
        "encrypt my memory",
    ],
)
def test_nothing_is_destroyed_or_converted_without_a_yes(said, text, tmp_path):
    before = list((tmp_path / "app/.cursor/skills/memories/daily").iterdir())

    shown = said(text, "--dry-run")
    asked = said(text)

    assert shown.status == 0
    assert "dry run" in shown.err
    assert asked.status == 2
    assert "nobody is there to be asked" in asked.err
    assert list((tmp_path / "app/.cursor/skills/memories/daily").iterdir()) == before


@pytest.mark.parametrize(
    "text",
    ["删除所有记忆", "清空记忆", "把我的记忆都删掉", "delete all my memories", "wipe the memory"],
)
def test_all_of_a_memory_is_not_deleted_for_a_sentence(said, cli, text):
    outcome = said(text)

    assert outcome.status == 2
    assert "say which" in outcome.err
    assert len(cli("list").out.splitlines()) == 2


def test_with_a_yes_it_is_done_and_taken_back(said):
    assert "1 session archived" in said("清理三个月前的记忆", "--yes").out
    assert said("取出归档的记忆", "--yes").out.split() == [f"{OLD}#1"]
    assert "1 session deleted" in said("delete memories older than three months", "--yes").out
    assert said("把刚才误删的记忆找回来").out.startswith(f"{OLD}#1")


def test_a_time_that_was_named_is_what_is_deleted(said, cli):
    yesterday = date.today() - timedelta(days=1)
    cli("save", stdin=json.dumps({"topic": "昨天的", "date": yesterday.isoformat()}))

    outcome = said("删除最近两天的记忆", "--yes")

    assert sorted(outcome.out.split()) == sorted([f"{yesterday}#1", today_id()])


def test_this_one_is_the_newest_session_and_is_named(said, cli):
    outcome = said("把这条标记为重要")

    assert outcome.out.split() == [today_id()]
    assert f"{today_id()}  部署脚本 deploy\nmarked as important; `memory undo`" in outcome.err
    assert "#important" in cli("show", today_id()).out
    assert "marks taken away" in said(f"unmark {today_id()}").err
    assert said("mark this as outdated").status == 0
    assert "#outdated" in cli("show", today_id()).out
    assert "mark outdated taken away" in said("把这条的过时标记去掉").err
    assert "--important and --not important" in (
        cli("mark", today_id(), "--important", "--not", "important").err
    )


def test_where_there_is_nothing_this_one_is_none(cli):
    outcome = cli("do", "mark this as important")

    assert outcome.status == 3
    assert "no session to mark" in outcome.err


def test_an_export_goes_into_a_file_that_is_named(said, cli):
    name = f"memory-{date.today().isoformat()}"

    assert name in said("导出记忆").err
    assert len(json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))["sessions"]) == 2
    assert said("export my memory as html").status == 0
    assert Path(f"{name}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert said("备份记忆").status == 0
    assert Path(f"{name}.zip").is_file()
    assert said("把记忆导出为 旧的.md").status == 0
    assert "部署脚本" in Path("旧的.md").read_text(encoding="utf-8")
    assert said("export memories from October 2020 as md").status == 0
    assert "部署脚本" not in Path(f"{name}.md").read_text(encoding="utf-8")
    assert said("导出记忆").status == 2  # the file is there


def test_what_is_archived_is_exported_too(said):
    said("清理三个月前的记忆", "--yes")

    said("export my memories to all.md")

    assert "缓存方案" in Path("all.md").read_text(encoding="utf-8")


def test_what_was_exported_comes_back(said, cli):
    said("导出记忆到 backup.json")
    cli("delete", today_id())

    assert "would" in said("导入记忆: backup.json", "--dry-run").err
    assert said("import memories from backup.json").status == 0
    assert "部署脚本" in cli("list").out


def test_a_fact_is_noted_where_no_conversation_is_recorded(said, cli):
    said("记住：测试用真实数据库")
    said("Remember that we use pnpm, not npm")
    said("添加记忆: 接口前缀是 /api/v2")

    shown = cli("today").out
    assert "测试用真实数据库" in shown
    assert "we use pnpm, not npm" in shown
    assert "接口前缀是 /api/v2" in shown


def test_a_fact_is_noted_behind_a_conversation_that_is_over(said, cli):
    cli("start", "talk")
    cli("log", "决定用 Redis", "--kind", "decision")
    cli("end")

    assert said("记住：测试用真实数据库").status == 0

    assert "测试用真实数据库" in cli("today").out


def test_what_is_the_users_own_is_set_for_all_projects(said, cli):
    assert "storage.auto_archive is now true (global)" in said("自动归档旧记忆").err
    assert said("关闭自动归档").status == 0
    assert said("把自动归档恢复默认").status == 0
    assert cli("config", "get", "storage.auto_archive").out == "false\n"


def test_a_session_is_edited_by_its_id(said, cli):
    text = cli("edit", today_id(), "--print").out.replace("部署脚本", "发布脚本")

    cli("do", f"编辑 {today_id()}", stdin=text)

    assert "发布脚本" in cli("show", today_id()).out


def test_undoing_a_deletion_takes_back_no_mark_that_was_made_since(said, cli):
    assert "nothing was deleted lately" in said("撤销删除").err
    cli("delete", f"{OLD}#1")
    said(f"mark {today_id()} as important")

    assert ": deleted 1 session at " in said("撤销删除").err
    assert "缓存方案" in cli("show", f"{OLD}#1").out
    assert "important" in cli("show", today_id()).out


def test_a_deletion_that_was_the_last_change_is_undone_as_such(said, cli):
    cli("delete", f"{OLD}#1")

    assert "nothing was undone" in said("undo the last delete", "--dry-run").err
    assert ": deleted 1 session at " in said("undo the last delete").err
