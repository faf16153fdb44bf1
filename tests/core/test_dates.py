from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.dates import Mention, mentions, nearness

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
    ],
)
def test_a_named_day_is_found(question, day, width):
    found = mentions(question, TODAY)

    assert found == [Mention(day, width)]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "redis TTL",
        "it may fail 404 times",
        "31 February",
        "python 3.11",
        "9999年13月",
    ],
)
def test_no_day_is_found_where_none_is_named(question):
    found = mentions(question, TODAY)

    assert found == []


def test_a_day_is_found_once_however_often_it_is_named():
    found = mentions("yesterday, that is 2026-01-28, 昨天", TODAY)

    assert found == [Mention(date(2026, 1, 28), 7)]


def test_a_count_that_leads_out_of_the_calendar_is_ignored():
    found = mentions("999 months ago", date(1, 2, 1))

    assert found == []


def test_nearness_is_one_on_the_day_and_less_with_each_day():
    days = [Mention(date(2026, 1, 20), 7), Mention(date(2025, 1, 1), 10)]

    near = [nearness(days, date(2026, 1, day)) for day in (20, 21, 31)]

    assert near[0] == 1.0
    assert near[0] > near[1] > near[2] > 0
    assert nearness([], TODAY) == 0.0


@given(st.text(), st.dates())
def test_any_text_is_a_question(question, today):
    found = mentions(question, today)

    assert len(found) == len(set(found))
