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
