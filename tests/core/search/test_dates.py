from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.dates import Mention, Period, asked_period, mentions, nearness

TODAY = date(2026, 1, 29)  # a Thursday


@pytest.mark.parametrize(
    ("question", "day", "width"),
    [
        ("what broke on 2026-01-05?", date(2026, 1, 5), 7),
        ("the plan of 2025-11", date(2025, 11, 15), 10),
        ("2025年3月的部署", date(2025, 3, 15), 10),
        ("5月4日的会议", date(2025, 5, 4), 7),
        ("1 月 28 号改了什么", date(2026, 1, 28), 7),
        ("on 8 May", date(2025, 5, 8), 7),
        ("on the 8th of May, 2023", date(2023, 5, 8), 7),
        ("May 8th, 2023", date(2023, 5, 8), 7),
        ("Sept. 3rd", date(2025, 9, 3), 7),
        ("in August 2024", date(2024, 8, 15), 10),
        ("in January", date(2026, 1, 15), 10),
        ("last May", date(2025, 5, 15), 10),
        ("3 days ago", date(2026, 1, 26), 7),
        ("two weeks ago", date(2026, 1, 15), 7),
        ("a month ago", date(2025, 12, 30), 10),
        ("三天前", date(2026, 1, 26), 7),
        ("两个月之前", date(2025, 11, 30), 10),
        ("2周前", date(2026, 1, 15), 7),
        ("yesterday", date(2026, 1, 28), 7),
        ("the day before yesterday", date(2026, 1, 27), 7),
        ("昨天的方案", date(2026, 1, 28), 7),
        ("大前天", date(2026, 1, 26), 7),
        ("last week", date(2026, 1, 22), 7),
        ("上周讨论的缓存", date(2026, 1, 22), 7),
        ("上個月", date(2025, 12, 15), 10),
        ("this month", date(2026, 1, 15), 10),
        ("今日", date(2026, 1, 29), 7),
        ("last night", date(2026, 1, 28), 7),
        ("the last 3 days", date(2026, 1, 28), 7),
        ("过去两个月", date(2025, 12, 31), 30),
        ("on Monday", date(2026, 1, 26), 7),
        ("last thursday", date(2026, 1, 22), 7),
        ("this Thursday", date(2026, 1, 29), 7),
        ("周三改的配置", date(2026, 1, 28), 7),
        ("上週五", date(2026, 1, 23), 7),
        ("上周一直在改", date(2026, 1, 22), 7),
        ("Friday, 23 January 2026", date(2026, 1, 23), 7),
    ],
)
def test_a_named_day_is_found(question, day, width):
    found = mentions(question, TODAY)

    assert [(one.day, one.width_days) for one in found] == [(day, width)]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "redis TTL",
        "it may fail 404 times",
        "31 February",
        "python 3.11",
        "9999年13月",
        "每周五发版",
        "一周五次",
        "周日志",
    ],
)
def test_no_day_is_found_where_none_is_named(question):
    found = mentions(question, TODAY)

    assert found == []


def test_a_day_is_found_once_however_often_it_is_named():
    found = mentions("yesterday, that is 2026-01-28, 昨天", TODAY)

    assert [one.day for one in found] == [date(2026, 1, 28)]


def test_a_count_that_leads_out_of_the_calendar_is_ignored():
    found = mentions("999 months ago", date(1, 2, 1))

    assert found == []


def test_nearness_is_one_on_the_day_and_less_with_each_day():
    day, month = date(2026, 1, 20), date(2025, 1, 1)
    days = [Mention(day, 7, Period(day, day)), Mention(month, 10, Period(month, month))]

    near = [nearness(days, date(2026, 1, day)) for day in (20, 21, 31)]

    assert near[0] == 1.0
    assert near[0] > near[1] > near[2] > 0
    assert nearness([], TODAY) == 0.0


@given(st.text(), st.dates())
def test_any_text_is_a_question(question, today):
    found = mentions(question, today)

    assert len(found) == len(set(found))


def asked(question: str) -> str:
    period = asked_period(question, TODAY)
    return f"{period.first} {period.last}" if period else ""


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("昨天做了什么", "2026-01-28", "2026-01-28"),
        ("我們昨天做了什麼？", "2026-01-28", "2026-01-28"),
        ("What did we do yesterday?", "2026-01-28", "2026-01-28"),
        ("show me today's sessions", "2026-01-29", "2026-01-29"),
        ("2026-01-10", "2026-01-10", "2026-01-10"),
        ("继续昨天的工作", "2026-01-28", "2026-01-28"),
        ("上周五讨论了什么", "2026-01-23", "2026-01-23"),
        ("what happened on Monday", "2026-01-26", "2026-01-26"),
        ("上周都做了什么", "2026-01-19", "2026-01-25"),
        ("two weeks ago", "2026-01-12", "2026-01-18"),
        ("上个月的记忆", "2025-12-01", "2025-12-31"),
        ("recap of January", "2026-01-01", "2026-01-31"),
        ("最近三天做了什么", "2026-01-27", "2026-01-29"),
        ("what did we do in the past two weeks", "2026-01-16", "2026-01-29"),
        ("从 1 月 5 日到 1 月 9 日做了什么", "2026-01-05", "2026-01-09"),
        ("上次做到哪了", "0001-01-01", "2026-01-29"),
        ("where did we leave off?", "0001-01-01", "2026-01-29"),
        ("最近在做什么", "0001-01-01", "2026-01-29"),
    ],
)
def test_a_question_for_days_alone_gives_the_days(question, first, last):
    assert asked(question) == f"{first} {last}"


@pytest.mark.parametrize(
    "question",
    [
        "",
        "继续",
        "what did we do?",
        "昨天的缓存方案",
        "why did we drop Flask yesterday?",
        "最近的部署",
        "since Monday",
        "不要用 2025-11",
        "404 last week",
        "昨天" * 60,
    ],
)
def test_a_question_with_a_subject_or_without_a_day_asks_for_no_days(question):
    assert asked(question) == ""


@given(st.text(alphabet="看昨天做了什么我们today what12- 月日", max_size=100), st.dates())
def test_any_text_may_ask_for_days(question, today):
    period = asked_period(question, today)

    assert period is None or period.first <= period.last
