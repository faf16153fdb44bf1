"""Only one of two statements can hold: another value, or the same with a "never"."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.review.contradictions import find_contradictions
from daily_memory.core.review.opposition import (
    are_opposed,
    opposed_pairs,
    parse_statement,
    states_value,
)
from daily_memory.model import Session


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Logs are kept for 30 days", "Logs are kept for 90 days"),
        ("Refresh tokens expire after 14 days", "Refresh tokens now expire after 30 days"),
        ("decided: deploy on Fridays", "never deploy on Fridays"),
        ("日志保留 30 天", "日志保留改为 90 天"),
        ("日志保留30天", "日志从 30 天改成保留 90 天"),
        ("token 有效期 14 天", "token 有效期改成 30 天"),
        ("每周五部署", "周五不要部署"),
        ("周五可以發布", "周五禁止发布"),
    ],
)
def test_another_value_or_a_never_is_opposed(before, after):
    assert are_opposed(parse_statement(before), parse_statement(after))
    assert are_opposed(parse_statement(after), parse_statement(before))
    assert not are_opposed(parse_statement(before), parse_statement(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("log rotation every 7 days", "logs are kept for 30 days"),
        ("node 1 is the primary", "node 2 is the primary"),
        ("fixed issue 12 in the parser", "fixed issue 14 in the parser"),
        ("not sure why the cache is slow", "the cache is slow"),
        ("缓存 300 秒", "超时 600 秒"),
        ("缓存过期 300 秒", "会话过期 600 秒"),
        ("登录接口限流 100 次每分钟", "下载接口限流 20 次每分钟"),
        ("retry 3 times for the payment API", "retry 5 times for the mail API"),
        ("copied 300 MB in 12 s", "copied 300 MB in 15 s"),
        ("should logs be kept for 30 days?", "logs are kept for 90 days"),
        ("never", "never deploy"),
        ("the lower bound of rows (inclusive, default=0)", "the lower bound of rows"),
        ("行数的下限默认为 0", "行数的下限"),
    ],
)
def test_what_is_about_something_else_is_not(before, after):
    assert not are_opposed(parse_statement(before), parse_statement(after))


@pytest.mark.parametrize(
    ("line", "is_value"),
    [
        ("Logs are kept for 30 days", True),
        ("日志从 30 天改成保留 90 天", True),
        ("copied 300 MB in 12 s", False),
        ("should logs be kept for 30 days?", False),
        ("fixed issue 12 in the parser", False),
        ("周五不要部署", False),
        (f"logs are kept for 30 days {'and so on ' * 20}", False),
    ],
)
def test_a_value_is_told_without_reading_the_words(line, is_value):
    assert states_value(line) == is_value
    assert (parse_statement(line).value is not None) == is_value


def test_a_review_lists_what_the_last_statement_opposes_and_no_measurement():
    said = ("logs are kept for 30 days", "logs are kept for 60 days", "logs are kept for 90 days")
    latency = ("p95 延迟是 300 ms", "p95 延迟是 200 ms", "压测上传 30 秒", "压测上传 20 秒")
    benchmarks = ("Benchmarked the parser: 300 ms", "Benchmarked the parser: 200 ms")
    lines = (*said, *latency, *benchmarks)
    sessions = [
        Session(date(2026, 1, day), 1, topic=f"{day}", key_points=(line,))
        for day, line in enumerate(lines, 1)
    ]

    pairs = [(pair.before, pair.after) for pair in find_contradictions(sessions)]

    assert pairs == [(said[0], said[2]), (said[1], said[2])]
    expiry = [
        Session(date(2026, 1, day), 1, topic="", key_points=(f"Sessions expire after {days} days",))
        for day, days in ((1, 14), (2, 30))
    ]
    assert len(find_contradictions(expiry)) == 1
    assert find_contradictions([sessions[0], sessions[1]._replace(project="other")]) == ()


def test_of_many_lines_those_are_paired_of_which_one_can_hold():
    lines = [
        "Logs are kept for 30 days",
        "每周五部署",
        "the cache is warm",
        "logs are kept for 90 days",
        "周五不要部署",
        "Builds are kept for 7 days",
    ]

    assert list(opposed_pairs(lines)) == [(0, 3), (1, 4)]
    assert list(opposed_pairs(lines[:3])) == []
