"""What is said to the memory itself, in both languages, and what only sounds like it."""

from __future__ import annotations

import pytest

from daily_memory.core import intents
from daily_memory.core.intents import Intent, find_intent


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
