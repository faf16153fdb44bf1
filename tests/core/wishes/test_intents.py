"""What is said to the memory itself, in both languages, and what only sounds like it."""

from __future__ import annotations

import pytest

from daily_memory.core.wishes import intents
from daily_memory.core.wishes.intents import Intent, find_intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("搜索记忆: redis 缓存", Intent("search", "redis 缓存")),
        ("搜索记忆：缓存过期时间？", Intent("search", "缓存过期时间")),
        ("请帮我查找记忆 部署", None),
        ("帮我查找记忆 部署", Intent("search", "部署")),
        ("search memory: redis TTL", Intent("search", "redis TTL")),
        ("Search my memories for the deploy script.", Intent("search", "the deploy script")),
        ("查看今日记忆", Intent("today")),
        ("今天的记忆", Intent("today")),
        ("Show today's memories", Intent("today")),
        ("show me the memories from today.", Intent("today")),
        ("查看昨天的记忆", Intent("day", "昨天")),
        ("看看 2026-01-29 的记忆", Intent("day", "2026-01-29")),
        ("show me yesterday's memories", Intent("day", "yesterday")),
        ("show memories from 2026-01-29", Intent("day", "2026-01-29")),
        ("查看记忆", Intent("recent")),
        ("list memories", Intent("recent")),
        ("删除记忆: 2026-01-29#1", Intent("delete", "2026-01-29#1")),
        ("forget memories about redis", Intent("delete", "redis")),
        ("删除今天的记忆", Intent("delete", "今天")),
        ("请把2026-01-29的记忆都删掉。", Intent("delete", "2026-01-29")),
        ("删除 2026-01-29 的会话 2", Intent("delete", "2026-01-29 的会话 2")),
        ("删除 2026-01-29#2、2026-01-28#1", Intent("delete", "2026-01-29#2、2026-01-28#1")),
        ("删除关于 redis 的所有记忆", Intent("delete", "redis")),
        ("delete memory about the deploy script", Intent("delete", "the deploy script")),
        ("Delete today's memories", Intent("delete", "today")),
        ("forget session 2 of 2026-01-29", Intent("delete", "session 2 of 2026-01-29")),
        ("撤销删除", Intent("undo")),
        ("恢复刚才删除的记忆", Intent("undo")),
        ("undo the last delete", Intent("undo")),
        ("please bring back the deleted memories", Intent("undo")),
        ("在记忆里搜索 redis", Intent("search", "redis")),
        ("找一下关于缓存的记忆", Intent("search", "缓存")),
        ("search my memories about redis", Intent("search", "redis")),
        ("search for redis in my memory", Intent("search", "redis")),
        ("忘掉与缓存相关的记忆", Intent("delete", "缓存")),
        ("把关于 redis 的记忆都删掉", Intent("delete", "redis")),
        ("删除会话 2026-01-29#1", Intent("delete", "2026-01-29#1")),
        ("清除昨天的记忆", Intent("delete", "昨天")),
        ("remove memories about redis", Intent("delete", "redis")),
        ("erase today's memories", Intent("delete", "today")),
        ("delete the session 2026-01-29#1", Intent("delete", "2026-01-29#1")),
        ("delete 2026-01-29#1 and 2026-01-29#2", Intent("delete", "2026-01-29#1 and 2026-01-29#2")),
        ("删除 2026-01-29 之前的记忆", Intent("delete-old", "2026-01-29")),
        ("删除超过 90 天的记忆", Intent("delete-old", "90")),
        ("delete memories before 2026-01-29", Intent("delete-old", "2026-01-29")),
        ("Delete all memories older than 90 days", Intent("delete-old", "90")),
        ("删除标签为 trial 的记忆", Intent("delete-tag", "trial")),
        ("删除带试验标签的所有记忆", Intent("delete-tag", "试验")),
        ("delete memories tagged trial", Intent("delete-tag", "trial")),
        ("把刚才删除的记忆恢复回来", Intent("undo")),
        ("取消删除", Intent("undo")),
        ("撤销记忆的修改", Intent("undo")),
        ("undo the last memory edit", Intent("undo")),
        ("recover my deleted memories", Intent("undo")),
        ("把旧记忆归档", Intent("archive")),
        ("归档过期的记忆", Intent("archive")),
        ("archive old memories", Intent("archive")),
        ("合并重复的记忆", Intent("dedupe")),
        ("remove duplicate memories", Intent("dedupe")),
        ("清理记忆里的密码", Intent("sanitize")),
        ("hide secrets in my memories", Intent("sanitize")),
        ("恢复归档的记忆", Intent("restore")),
        ("恢复 2026-01-29 的记忆", Intent("restore", "2026-01-29")),
        ("restore archived memories of 2026-01-29", Intent("restore", "2026-01-29")),
        ("把 2026-01-29#1 标记为过时", Intent("mark", "2026-01-29#1 标记为过时")),
        ("mark 2026-01-29#1 as important", Intent("mark", "2026-01-29#1 as important")),
        ("清理一下旧记忆", Intent("cleanup")),
        ("清理 2026-01-29 之前的记忆", Intent("cleanup", "2026-01-29")),
        ("归档 90 天前的记忆", Intent("cleanup", "90")),
        ("clean up memories before 2026-01-29", Intent("cleanup", "2026-01-29")),
        ("记忆配置", Intent("settings")),
        ("清理旧记忆", Intent("cleanup")),
        ("clean up old memories!", Intent("cleanup")),
        ("记忆报告", Intent("report")),
        ("帮我看看记忆报告", Intent("report")),
        ("Show me the memory report.", Intent("report")),
        ("report on my memories", Intent("report")),
        ("回顾记忆", Intent("review")),
        ("请审核一下旧记忆", Intent("review")),
        ("review my memories", Intent("review")),
        ("总结记忆", Intent("summarize")),
        ("更新记忆摘要", Intent("summarize")),
        ("Please summarize memories", Intent("summarize")),
        ("记忆设置", Intent("settings")),
        ("memory settings", Intent("settings")),
        ("记住这个", Intent("save")),
        ("save this", Intent("save")),
        ("这次不保存", Intent("skip")),
        ("don't save this conversation", Intent("skip")),
        ("上次我们怎么解决的？", Intent("search", "上次我们怎么解决的？")),
        ("What did we decide last time?", Intent("search", "What did we decide last time?")),
    ],
)
def test_a_wish_is_understood(text, intent):
    assert find_intent(text) == intent


@pytest.mark.parametrize(
    "text",
    [
        "搜索记忆模块的单元测试在哪里？",
        "给记忆设置加一个按钮",
        "the memory settings page is broken",
        "delete the memory leak in cache.py",
        "删除今天的记忆功能的代码",
        "删除 2026-01-29 的日志",
        "undo the delete migration",
        "撤销删除按钮的改动",
        "清理旧记忆的函数有 bug",
        "总结记忆模块的设计",
        "记忆报告的页面样式坏了",
        "review the memory module",
        "summarize the memory leak",
        "写一个函数，查看今日记忆的数量",
        "refactor the search",
        "undo the last edit",
        "撤销修改",
        "find memory leaks",
        "look for leaks in memory",
        "remove duplicate rows",
        "删除重复的代码",
        "restore the old version",
        "把 2026-01-29#1 标记为完成",
        "合并重复的记忆模块",
        "",
    ],
)
def test_what_is_about_something_else_is_no_wish(text):
    assert find_intent(text) is None


def test_a_long_text_is_read_in_time_that_grows_with_it():
    for text in ("搜索记忆" * 50_000, "search memory " * 50_000, " " * 200_000, "请" * 100_000):
        find_intent(text)


def test_what_is_no_change_of_a_setting_has_no_words():
    assert intents.parse_change("") == ()


@pytest.mark.parametrize(
    ("text", "named", "about"),
    [
        ("2026-01-29#1 and 2026-01-28#2", ("2026-01-29#1", "2026-01-28#2"), ""),
        ("2026-01-29#1, 2026-01-28#2~2", ("2026-01-29#1", "2026-01-28#2~2"), ""),
        ("昨天", ("昨天",), ""),
        ("今天的会话 3", ("今天#3",), ""),
        ("session 2 of yesterday", ("yesterday#2",), ""),
        ("redis 缓存", (), "redis 缓存"),
        ("2026-01-29 redis", (), "2026-01-29 redis"),
    ],
)
def test_what_is_to_be_deleted_is_named_or_described(text, named, about):
    assert intents.parse_deletion(text) == (named, about)


@pytest.mark.parametrize(
    ("said", "flag"),
    [
        ("2026-01-29#1~2 标记为重要", "important"),
        ("2026-01-29#1~2 为過時", "outdated"),
        ("2026-01-29#1~2 as Private", "private"),
    ],
)
def test_a_mark_is_an_id_and_a_flag(said, flag):
    assert intents.parse_mark(said) == ("2026-01-29#1~2", flag)
