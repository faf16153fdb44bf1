from datetime import date
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.dates import Period, nearness, periods_and_rest
from daily_memory.core.search.query import asked_period
from daily_memory.core.search.text import fold

TODAY = date(2026, 1, 29)  # a Thursday


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("what broke on 2026-01-05?", "2026-01-05"),
        ("the plan of 2025-11", "2025-11-01 to 2025-11-30"),
        ("2025年3月的部署", "2025-03-01 to 2025-03-31"),
        ("5月4日的会议", "2025-05-04"),
        ("1 月 28 号改了什么", "2026-01-28"),
        ("on 8 May", "2025-05-08"),
        ("on the 8th of May, 2023", "2023-05-08"),
        ("May 8th, 2023", "2023-05-08"),
        ("Sept. 3rd", "2025-09-03"),
        ("in August 2024", "2024-08-01 to 2024-08-31"),
        ("in January", "2026-01-01 to 2026-01-31"),
        ("last May", "2025-05-01 to 2025-05-31"),
        ("3 days ago", "2026-01-26"),
        ("two weeks ago", "2026-01-12 to 2026-01-18"),
        ("a month ago", "2025-12-01 to 2025-12-31"),
        ("三天前", "2026-01-26"),
        ("两个月之前", "2025-11-01 to 2025-11-30"),
        ("2周前", "2026-01-12 to 2026-01-18"),
        ("yesterday", "2026-01-28"),
        ("the day before yesterday", "2026-01-27"),
        ("昨天的方案", "2026-01-28"),
        ("大前天", "2026-01-26"),
        ("last week", "2026-01-19 to 2026-01-25"),
        ("上周讨论的缓存", "2026-01-19 to 2026-01-25"),
        ("上個月", "2025-12-01 to 2025-12-31"),
        ("this month", "2026-01-01 to 2026-01-31"),
        ("今日", "2026-01-29"),
        ("last night", "2026-01-28"),
        ("the last 3 days", "2026-01-27 to 2026-01-29"),
        ("过去两个月", "2025-12-01 to 2026-01-29"),
        ("on Monday", "2026-01-26"),
        ("last thursday", "2026-01-22"),
        ("this Thursday", "2026-01-29"),
        ("周三改的配置", "2026-01-28"),
        ("上週五", "2026-01-23"),
        ("上周一直在改", "2026-01-19 to 2026-01-25"),
        ("Friday, 23 January 2026", "2026-01-23"),
    ],
)
def test_a_named_day_is_found(question, period):
    found, _ = periods_and_rest(fold(question), TODAY)

    assert list(map(str, found)) == [period]


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
        "24/7 on call",
        "src/2/3/main.c",
        "march the tests through CI",
    ],
)
def test_no_day_is_found_where_none_is_named(question):
    found, _ = periods_and_rest(question, TODAY)

    assert found == []


def test_a_day_is_found_once_however_often_it_is_named():
    found, _ = periods_and_rest("yesterday, that is 2026-01-28, 昨天", TODAY)

    assert list(map(str, found)) == ["2026-01-28"]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("yesterday or on 2026-01-20", ["2026-01-20", "2026-01-28"]),
        ("1月20日和昨天", ["2026-01-20", "2026-01-28"]),
        # A day of the week beside a date says nothing more.
        ("the Sunday before May 4, 2025", ["2025-05-04"]),
        ("2025年5月4日之前的周六", ["2025-05-04"]),
    ],
)
def test_each_day_that_is_named_is_found(question, days):
    found, _ = periods_and_rest(question, TODAY)

    assert list(map(str, found)) == days


def test_a_count_that_leads_out_of_the_calendar_is_ignored():
    found, _ = periods_and_rest("999 months ago", date(1, 2, 1))

    assert found == []


@pytest.mark.parametrize(
    ("first", "last", "day", "days", "width"),
    [
        # Around a day a week is near, around a longer time a third of it.
        ("2026-01-20", "2026-01-20", "2026-01-21", 1, 7),
        ("2026-01-20", "2026-01-20", "2026-01-10", 10, 7),
        ("2026-01-12", "2026-01-18", "2026-01-20", 5, 7),
        ("2024-02-01", "2024-02-29", "2024-02-18", 3, 9),
        ("2025-04-01", "2025-04-30", "2025-04-20", 5, 10),
        ("2025-01-01", "2025-12-31", "2025-06-02", 30, 121),
    ],
)
def test_how_near_a_day_is_to_one_that_is_named(first, last, day, days, width):
    named = Period(date.fromisoformat(first), date.fromisoformat(last))

    assert nearness([named], date.fromisoformat(day)) == pytest.approx(exp(-days / width))


def test_nearness_is_one_on_the_day_and_less_with_each_day():
    day, month = date(2026, 1, 20), Period(date(2025, 1, 1), date(2025, 1, 31))
    named = [Period(day, day), month]

    near = [nearness(named, date(2026, 1, day)) for day in (20, 21, 31)]

    assert near[0] == nearness(named, date(2025, 1, 16)) == 1.0
    assert near[0] > near[1] > near[2] > 0
    assert nearness([], TODAY) == 0.0


@given(st.text(), st.dates())
def test_any_text_is_a_question(question, today):
    found, _ = periods_and_rest(question, today)

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


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        # months, in full and short
        ("january 5", "2026-01-05", "2026-01-05"),
        ("jan 5", "2026-01-05", "2026-01-05"),
        ("february 5", "2025-02-05", "2025-02-05"),
        ("feb 5", "2025-02-05", "2025-02-05"),
        ("march 5", "2025-03-05", "2025-03-05"),
        ("apr 5", "2025-04-05", "2025-04-05"),
        ("june 5", "2025-06-05", "2025-06-05"),
        ("july 5", "2025-07-05", "2025-07-05"),
        ("aug 5", "2025-08-05", "2025-08-05"),
        ("sept 5", "2025-09-05", "2025-09-05"),
        ("october 5", "2025-10-05", "2025-10-05"),
        ("nov. 5", "2025-11-05", "2025-11-05"),
        ("december 5", "2025-12-05", "2025-12-05"),
        # the whole of a month, also of a short one and of the last
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2025年2月", "2025-02-01", "2025-02-28"),
        ("2025年12月", "2025-12-01", "2025-12-31"),
        ("2025-04", "2025-04-01", "2025-04-30"),
        # today is not to come
        ("1月29日", "2026-01-29", "2026-01-29"),
        ("1月30日", "2025-01-30", "2025-01-30"),
        ("1月5号", "2026-01-05", "2026-01-05"),
        ("1月5號", "2026-01-05", "2026-01-05"),
        ("2026.1.5", "2026-01-05", "2026-01-05"),
        ("2026/1/5", "2026-01-05", "2026-01-05"),
        # near days
        ("today", "2026-01-29", "2026-01-29"),
        ("tonight", "2026-01-29", "2026-01-29"),
        ("yesterday", "2026-01-28", "2026-01-28"),
        ("last night", "2026-01-28", "2026-01-28"),
        ("day before yesterday", "2026-01-27", "2026-01-27"),
        ("今天", "2026-01-29", "2026-01-29"),
        ("今日", "2026-01-29", "2026-01-29"),
        ("今早", "2026-01-29", "2026-01-29"),
        ("今晚", "2026-01-29", "2026-01-29"),
        ("昨天", "2026-01-28", "2026-01-28"),
        ("昨日", "2026-01-28", "2026-01-28"),
        ("昨晚", "2026-01-28", "2026-01-28"),
        ("前天", "2026-01-27", "2026-01-27"),
        ("前日", "2026-01-27", "2026-01-27"),
        ("大前天", "2026-01-26", "2026-01-26"),
        # so long ago
        ("a day ago", "2026-01-28", "2026-01-28"),
        ("one day ago", "2026-01-28", "2026-01-28"),
        ("two days ago", "2026-01-27", "2026-01-27"),
        ("three days ago", "2026-01-26", "2026-01-26"),
        ("four days ago", "2026-01-25", "2026-01-25"),
        ("five days ago", "2026-01-24", "2026-01-24"),
        ("six days ago", "2026-01-23", "2026-01-23"),
        ("seven days ago", "2026-01-22", "2026-01-22"),
        ("一天前", "2026-01-28", "2026-01-28"),
        ("两天前", "2026-01-27", "2026-01-27"),
        ("兩天前", "2026-01-27", "2026-01-27"),
        ("四天之前", "2026-01-25", "2026-01-25"),
        ("五天以前", "2026-01-24", "2026-01-24"),
        ("六日前", "2026-01-23", "2026-01-23"),
        ("十天前", "2026-01-19", "2026-01-19"),
        ("a week ago", "2026-01-19", "2026-01-25"),
        ("an week ago", "2026-01-19", "2026-01-25"),  # as some write it
        ("一周前", "2026-01-19", "2026-01-25"),
        ("一週前", "2026-01-19", "2026-01-25"),
        ("一个星期前", "2026-01-19", "2026-01-25"),
        ("一个礼拜前", "2026-01-19", "2026-01-25"),
        ("一個禮拜前", "2026-01-19", "2026-01-25"),
        ("a month ago", "2025-12-01", "2025-12-31"),
        ("一个月前", "2025-12-01", "2025-12-31"),
        # the last days
        ("the last 3 days", "2026-01-27", "2026-01-29"),
        ("the past week", "2026-01-19", "2026-01-25"),
        ("previous 7 days", "2026-01-23", "2026-01-29"),
        ("最近0天", "2026-01-29", "2026-01-29"),
        ("最近一天", "2026-01-29", "2026-01-29"),
        ("过去三日", "2026-01-27", "2026-01-29"),
        ("過去一周", "2026-01-23", "2026-01-29"),
        ("近两天", "2026-01-28", "2026-01-29"),
        # days of the week
        ("on Monday", "2026-01-26", "2026-01-26"),
        ("on Tuesday", "2026-01-27", "2026-01-27"),
        ("on Wednesday", "2026-01-28", "2026-01-28"),
        ("on Thursday", "2026-01-22", "2026-01-22"),
        ("on Friday", "2026-01-23", "2026-01-23"),
        ("on Saturday", "2026-01-24", "2026-01-24"),
        ("on Sunday", "2026-01-25", "2026-01-25"),
        ("on Monday and Wednesday", "2026-01-26", "2026-01-28"),
        ("周一和周三做了什么", "2026-01-26", "2026-01-28"),
        ("this Monday", "2026-01-26", "2026-01-26"),
        ("周一", "2026-01-26", "2026-01-26"),
        ("周二", "2026-01-27", "2026-01-27"),
        ("周三", "2026-01-28", "2026-01-28"),
        ("周四", "2026-01-22", "2026-01-22"),
        ("週五", "2026-01-23", "2026-01-23"),
        ("星期六", "2026-01-24", "2026-01-24"),
        ("礼拜天", "2026-01-25", "2026-01-25"),
        ("禮拜日", "2026-01-25", "2026-01-25"),
        ("本周一", "2026-01-26", "2026-01-26"),
        ("这周一", "2026-01-26", "2026-01-26"),
        ("這週一", "2026-01-26", "2026-01-26"),
        ("上周一", "2026-01-19", "2026-01-19"),
        ("上上周一", "2026-01-12", "2026-01-12"),
        # weeks and months
        ("this week", "2026-01-26", "2026-02-01"),
        ("last week", "2026-01-19", "2026-01-25"),
        ("previous week", "2026-01-19", "2026-01-25"),
        ("本周", "2026-01-26", "2026-02-01"),
        ("这周", "2026-01-26", "2026-02-01"),
        ("這週", "2026-01-26", "2026-02-01"),
        ("上周", "2026-01-19", "2026-01-25"),
        ("上个星期", "2026-01-19", "2026-01-25"),
        ("上上周", "2026-01-12", "2026-01-18"),
        ("this month", "2026-01-01", "2026-01-31"),
        ("last month", "2025-12-01", "2025-12-31"),
        ("past month", "2025-12-01", "2025-12-31"),
        ("previous month", "2025-12-01", "2025-12-31"),
        ("本月", "2026-01-01", "2026-01-31"),
        ("这个月", "2026-01-01", "2026-01-31"),
        ("這個月", "2026-01-01", "2026-01-31"),
        ("上月", "2025-12-01", "2025-12-31"),
        ("上上个月", "2025-11-01", "2025-11-30"),
        # the last ones, whichever they were
        ("last time", "0001-01-01", "2026-01-29"),
        ("lately", "0001-01-01", "2026-01-29"),
        ("recently", "0001-01-01", "2026-01-29"),
        ("the latest session", "0001-01-01", "2026-01-29"),
        ("my newest chats", "0001-01-01", "2026-01-29"),
        ("where were we", "0001-01-01", "2026-01-29"),
        ("where we left off", "0001-01-01", "2026-01-29"),
        ("上一次", "0001-01-01", "2026-01-29"),
        ("上回", "0001-01-01", "2026-01-29"),
        ("近期", "0001-01-01", "2026-01-29"),
        ("这几天", "0001-01-01", "2026-01-29"),
        # months by name, Chinese numbers, parts of a month and of a day
        ("September", "2025-09-01", "2025-09-30"),
        ("early October", "2025-10-01", "2025-10-31"),
        ("九月", "2025-09-01", "2025-09-30"),
        ("十月做了什么", "2025-10-01", "2025-10-31"),
        ("九月份", "2025-09-01", "2025-09-30"),
        ("十月底", "2025-10-01", "2025-10-31"),
        ("十二月二十五日", "2025-12-25", "2025-12-25"),
        ("二〇二五年三月", "2025-03-01", "2025-03-31"),
        ("二零二五年三月", "2025-03-01", "2025-03-31"),
        ("去年十二月", "2025-12-01", "2025-12-31"),
        ("10/12", "2025-10-12", "2025-10-12"),
        ("what did we do this morning", "2026-01-29", "2026-01-29"),
        ("yesterday afternoon", "2026-01-28", "2026-01-28"),
        ("今天上午", "2026-01-29", "2026-01-29"),
        ("昨天下午做了什么", "2026-01-28", "2026-01-28"),
        # weekends, quarters and years
        ("weekend", "2026-01-24", "2026-01-25"),
        ("周末", "2026-01-24", "2026-01-25"),
        ("last weekend", "2026-01-24", "2026-01-25"),
        ("上周末", "2026-01-24", "2026-01-25"),
        ("this weekend", "2026-01-31", "2026-02-01"),
        ("last quarter", "2025-10-01", "2025-12-31"),
        ("上个季度", "2025-10-01", "2025-12-31"),
        ("本季度", "2026-01-01", "2026-03-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("今年", "2026-01-01", "2026-12-31"),
        ("前年", "2024-01-01", "2024-12-31"),
        ("just now", "0001-01-01", "2026-01-29"),
        ("刚才", "0001-01-01", "2026-01-29"),
        # a word that asks, and names no subject
        ("chat of yesterday", "2026-01-28", "2026-01-28"),
        ("decided yesterday", "2026-01-28", "2026-01-28"),
        ("anything finished yesterday", "2026-01-28", "2026-01-28"),
        ("session summary of yesterday", "2026-01-28", "2026-01-28"),
        ("昨天聊了哪些事情", "2026-01-28", "2026-01-28"),
        ("查看昨天的会话记录", "2026-01-28", "2026-01-28"),
        ("请帮我总结一下昨天的进展", "2026-01-28", "2026-01-28"),
    ],
)
def test_each_way_to_name_a_time_gives_its_days(question, first, last):
    assert asked(question) == f"{first} {last}"


@pytest.mark.parametrize(
    ("today", "first", "last"),
    [("2026-08-15", "2026-04-01", "2026-06-30"), ("2026-12-31", "2026-07-01", "2026-09-30")],
)
def test_the_last_quarter_is_that_before_the_one_of_today(today, first, last):
    period = asked_period("last quarter", date.fromisoformat(today))

    assert period is not None
    assert (str(period.first), str(period.last)) == (first, last)


def test_a_day_that_does_not_exist_does_not_hide_the_next():
    found, _ = periods_and_rest("from 2026-02-31 to 2026-01-20", TODAY)

    assert list(map(str, found)) == ["2026-01-20"]


def test_a_question_for_days_has_100_characters_at_most():
    assert asked("昨天做了什么" + "？" * 94) == "2026-01-28 2026-01-28"
    assert asked("昨天做了什么" + "？" * 95) == ""


def test_on_the_first_of_a_month_its_name_means_this_month():
    found, _ = periods_and_rest("in january", date(2026, 1, 1))

    assert list(map(str, found)) == ["2026-01-01 to 2026-01-31"]


def test_on_a_weekend_the_weekend_is_this_one():
    period = asked_period("周末", date(2026, 1, 31))

    assert period == Period(date(2026, 1, 31), date(2026, 2, 1))


@pytest.mark.parametrize("word", ["after", "before", "no", "not", "since", "until", "without"])
def test_a_word_that_turns_the_days_round_asks_for_something_else(word):
    assert asked(f"{word} yesterday") == ""


@pytest.mark.parametrize("question", ["四五十年前的桥", "二十五六年前的桥", "三四十年代", "十十年"])
def test_a_guess_at_a_number_of_years_is_no_date(question):
    assert periods_and_rest(question, date(2026, 1, 29))[0] == []
