"""Commands in plain words, in both languages, and messages that only look like them."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.phrases.commands import nearest_commands, parse_command

TODAY = date(2026, 1, 29)
LAST_WEEK = tuple(f"2026-01-{day}" for day in range(19, 26))


# Command lines, each with messages that mean it.
PHRASES = {
    ("save",): """\
记住这个
请帮我记住这个吧
保存这次对话
保存一下
请保存对话
save this
save it
can you save this?
please save our conversation""",
    ("skip",): """\
不要保存
这次不保存
不要保存这次对话
忘掉这次对话
don't save
don't save this
forget this conversation""",
    ("search", "--", "redis"): """\
搜索记忆: redis
请帮我搜索记忆：redis。
搜索记忆 redis
查找记忆: redis
查一下记忆里的 redis
在记忆里搜索 redis
搜索关于 redis 的记忆
search memory: redis
Search my memories for redis.
search memories about redis
look for redis in my memory
find memories about redis
what do you remember about redis?""",
    ("search", "--", "上次我们怎么解决的？"): "上次我们怎么解决的？",
    ("search", "--", "where is the deploy script?"): "where is the deploy script?",
    ("search", "--", "why do we use pnpm"): "why do we use pnpm",
    ("search", "--", "缓存多久过期"): "缓存多久过期",
    ("search", "--", "今天做了什么"): "今天做了什么",
    ("search", "--", "我们讨论过缓存"): "我们讨论过缓存",
    ("list", "--days", "7"): """\
查看记忆
最近的记忆
列出最近的记忆
show memories
list my memories
show me my recent memories""",
    ("list",): """\
查看所有记忆
show all memories""",
    ("show", "--", "2026-01-29"): """\
查看今日记忆
查看今天的记忆
今日记忆
今天的记忆
请查看今日记忆
显示今天的记忆
Show today's memories
show me my memories from today.
today's memories
查看 2026-01-29 的记忆""",
    ("show", "--", "2026-01-28"): """\
看看昨天的记忆
show me yesterday's memories
show memories from 2026-01-28""",
    ("show", "--", "2026-01-29#1"): """\
查看 2026-01-29#1
show 2026-01-29#1
show session 2026-01-29#1""",
    ("list", "--since", "2026-01-19", "--until", "2026-01-25"): """\
查看上周的记忆
查看上周
show last week
show last week's memories
show memories from last week""",
    ("list", "--since", "2025-05-01", "--until", "2025-05-31"): "show memories from May 2025",
    ("delete", "--query=redis"): """\
删除记忆: redis
删掉记忆：redis
删除关于 redis 的记忆
忘记关于 redis 的记忆
delete memory: redis
delete my memories about redis
forget memories about redis""",
    ("delete", "--", "2026-01-29#1"): """\
删除记忆: 2026-01-29#1
删除记忆 2026-01-29#1
删除这条记忆: 2026-01-29#1
删除 2026-01-29#1
把 2026-01-29#1 删掉
delete memory 2026-01-29#1
delete 2026-01-29#1""",
    ("delete", "--", "2026-01-29#2", "global:2026-01-28#1~2"): """\
删除 2026-01-29#2、global:2026-01-28#1~2
delete 2026-01-29#2 and global:2026-01-28#1~2""",
    ("delete", "--", "2026-01-29"): """\
删除今天的记忆
请把2026-01-29的记忆都删掉。
删除记忆: 今天
Delete today's memories
delete memories from today""",
    ("delete", "--", *LAST_WEEK): """\
删除上周的记忆
delete last week's memories
delete memories from last week""",
    ("show", "--", "last"): """\
显示最近一条
show the last session
continue
继续上次的工作""",
    ("delete", "--", "last"): """\
删除最后一条
把最近一条记忆删掉
delete the last one""",
    ("delete", "--", "last", "2026-01-29#1"): """\
删除最后一条和 2026-01-29#1
delete the last one and 2026-01-29#1""",
    ("mark", "--outdated", "--", "2026-01-29#1"): """\
标记 2026-01-29#1 为过时
把 2026-01-29#1 标为过时
mark 2026-01-29#1 as outdated""",
    ("mark", "--important", "--", "last"): """\
把最近一条标记为重要
mark the last session as important""",
    ("undo",): """\
撤销
撤销上一次删除
undo
undo the last change""",
    ("cleanup", "--delete", "--days", "90"): """\
删除 90 天前的记忆
delete memories older than 90 days""",
    ("cleanup", "--delete", "--before", "2026-01-01"): """\
删除 2026-01-01 之前的记忆
delete memories before 2026-01-01""",
    ("cleanup",): """\
清理旧记忆
请帮我清理一下旧记忆
清理记忆
清理过期的记忆
clean up old memories!
clean up my memories
tidy up the old memories""",
    ("cleanup", "--days", "90"): """\
清理三个月前的记忆
清理 90 天以前的旧记忆
clean up memories older than 90 days
clean up memories older than three months""",
    ("cleanup", "--days", "14"): "清理两周前的记忆",
    ("cleanup", "--days", "365"): """\
清理一年前的记忆
clean up memories older than a year""",
    ("cleanup", "--before", "2026-01-01"): """\
清理 2026-01-01 之前的记忆
clean up memories before 2026-01-01""",
    ("config",): """\
记忆设置
查看记忆设置
修改记忆设置
记忆配置
memory settings
show my memory settings
what are my memory settings?
show me the settings
查看设置""",
    ("config", "--", "get", "storage.retention_days"): """\
记忆设置 storage.retention_days
memory settings storage.retention_days""",
    ("config", "--", "set", "retrieval.max_results", "8"): """\
记忆设置 retrieval.max_results 改为 8
把记忆设置 retrieval.max_results 设为 8。
记忆设置: retrieval.max_results = 8
set memory setting Retrieval.max_results to 8""",
    ("config", "--", "unset", "retrieval.max_results"): """\
记忆设置 retrieval.max_results 恢复默认
memory settings retrieval.max_results to default""",
}


@pytest.mark.parametrize(
    ("text", "words"),
    [(line, words) for words, lines in PHRASES.items() for line in lines.split("\n")],
)
def test_a_phrase_means_a_command_line(text, words):
    assert parse_command(text, TODAY) == words


@pytest.mark.parametrize(
    "text",
    [
        "给记忆设置加一个按钮",
        "标记最后一条测试为跳过",
        "undo the last commit",
        "继续写缓存方案",
        "show the last error",
        "查看日志",
        "the memory settings page is broken",
        "delete the memory leak in cache.py",
        "删除今天的记忆功能的代码",
        "删除 2026-01-29 的日志",
        "撤销删除按钮的改动",
        "清理旧记忆的函数有 bug",
        "写一个函数，查看今日记忆的数量",
        "refactor the search",
        "find memory leaks",
        "look for leaks in memory",
        "不要删除今天的记忆",
        "don't delete my memories",
        "删除所有记忆",
        "清空记忆",
        "delete all my memories",
        "删除最近的记忆",
        "删除去年的记忆",
        "delete memories older than last year",
        "查看内存的记忆",
        "delete the memory profiler's memories",
        "清理内存",
        "",
    ],
)
def test_a_message_about_something_else_means_nothing(text):
    assert parse_command(text, TODAY) == ()


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("撤销删除", ["undo", "delete ID"]),
        ("关闭自动保存", ["config", "search QUERY"]),
        ("Archive my old memories", ["cleanup", "cleanup --archive"]),
        ("把记忆导出为网页", ["export -o FILE", "search QUERY"]),
        ("把这条标记为过时", ["mark ID --important", "review"]),
        ("hello", ["search QUERY", "list"]),
        ("rm", ["delete ID", "search QUERY"]),
        ("clear", ["delete ID", "search QUERY"]),
        ("tags", ["list", "report"]),
        ("upgrade", ["upgrade", "search QUERY"]),
        ("calendar", ["list --by-day", "search QUERY"]),
        ("web", ["serve", "search QUERY"]),
        ("pause", ["install NAME --uninstall", "search QUERY"]),
    ],
)
def test_the_two_nearest_commands_are_suggested(text, commands):
    assert nearest_commands(text) == commands


@pytest.mark.parametrize(
    "text", ["搜索记忆" * 50_000, "search memory " * 50_000, " " * 200_000, "请" * 100_000]
)
def test_a_long_text_means_nothing(text):
    assert parse_command(text, TODAY) == ()
