from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.pages import report, report_text
from daily_memory.core.pages.report import (
    Counts,
    Judged,
    Recall,
    Recalled,
    Topics,
    is_used,
    judged,
    signs_of,
    term_counts,
    topics_over_time,
)
from daily_memory.model import Session

FIRST, LAST = date(2026, 1, 1), date(2026, 1, 29)
NOTHING = Counts(
    FIRST,
    LAST,
    sessions={},
    observations={},
    flags={"important": 0, "outdated": 0, "private": 0, "foreign": 0},
    tags={},
    projects={},
    hosts={},
    topics=Topics("month", (), {}),
    redactions={},
    recall=Recall(),
    quality=Judged(0, 0.0, 0, 0, 0, {}),
    bytes={"daily": 0, "observations": 0, "index": 0, "archive": 0},
)
FULL = NOTHING._replace(
    sessions={date(2026, 1, 5): 1, date(2026, 1, 29): 4},
    observations={LAST: 2},
    tags={"缓存与过期时间的各种约定以及例外": 3, "redis": 1, "": 9},
    projects={"商店": 5},
    hosts={"cursor": 2, "trae": 1},
    topics=Topics("week", (date(2026, 1, 5), date(2026, 1, 26)), {"redis": (1, 0), "缓存": (0, 3)}),
    redactions={"api_key": 2},
    recall=Recall(3, 2, 4, 1, 1, (Recalled("2026-01-05#1", "缓存方案 " * 30, 3, 1),)),
    quality=Judged(5, 0.9, 4, 0, 1, {"it says nothing": 1}),
    bytes={"daily": 2_400_000, "observations": 0, "index": 900, "archive": 0},
)


def session(day: int, *tags: str, month: int = 1) -> Session:
    return Session(date(2026, month, day), 1, topic="x", tags=tags)


# ---------------------------------------------------------------------------- topics


def test_topics_are_counted_by_week_from_the_first_session_on():
    sessions = [session(14, "Redis"), session(20, "redis", "缓存"), session(21, "important")]

    found = topics_over_time(sessions, FIRST, LAST)

    assert found == Topics(
        "week",
        (date(2026, 1, 12), date(2026, 1, 19), date(2026, 1, 26)),
        {"redis": (1, 1, 0), "缓存": (0, 1, 0)},
    )


def test_topics_of_a_long_time_are_counted_by_month():
    sessions = [session(31, "a", month=1), session(1, "a", month=12), session(2, "b", month=12)]

    found = topics_over_time(sessions, date(2025, 6, 1), date(2026, 12, 31))

    assert (found.unit, len(found.periods)) == ("month", 12)
    assert found.tags == {"a": (1, *[0] * 10, 1), "b": (*[0] * 11, 1)}


def test_only_the_most_frequent_topics_are_followed():
    sessions = [session(day, *(f"t{n}" for n in range(day))) for day in range(1, 20)]

    assert list(topics_over_time(sessions, FIRST, LAST).tags) == [f"t{n}" for n in range(8)]


def test_no_tags_give_no_topics():
    assert topics_over_time([session(1)], FIRST, LAST) == Topics("month", (), {})


# ---------------------------------------------------------------------------- quality


def test_digests_are_judged_together():
    good = session(1)._replace(topic="缓存的过期时间定为三百秒")
    thin = session(2)._replace(topic="", conversation="c")
    fair = good._replace(conversation="c", topic="缓存", key_points=("为什么缓存会过期这么快？",))

    assert judged([good, thin, fair]) == Judged(
        3, 0.5, 1, 1, 1, {"it says nothing": 1, "it has only questions, no outcome": 1}
    )
    assert judged([]).mean == 0.0


# ---------------------------------------------------------------------------- signs of use

KNOWN = Session(
    date(2026, 1, 5),
    2,
    topic="网关限流",
    key_points=("令牌桶每秒补充 PaymentBucket 五十个",),
    files=("src/gateway/limits.py", "a.c"),
)
OTHERS = [KNOWN, session(6), KNOWN._replace(key_points=("令牌桶",))]
SIGNS = signs_of(KNOWN, term_counts(OTHERS), len(OTHERS))


def test_a_session_is_used_where_it_or_its_file_is_named():
    assert is_used(SIGNS, "", "see 2026-01-05#2")
    assert is_used(SIGNS, "", r"edited SRC\Gateway\Limits.py")
    assert not is_used(SIGNS, "open limits.py", "edited limits.py")
    assert not is_used(SIGNS, "", "gcc a.c")


def test_a_session_is_used_where_three_of_its_rare_words_come_up():
    assert is_used(SIGNS, "", "每秒补充五十个")
    assert not is_used(SIGNS, "", "PaymentBucket")
    assert not is_used(SIGNS, "每秒补充五十个", "每秒补充五十个")
    # What other sessions say as well is no sign.
    assert not is_used(SIGNS, "", "网关限流用令牌桶")


def test_the_most_recalled_come_first():
    found = [Recalled(str(n), "", n % 4, n % 2) for n in range(12)]

    assert [one.id for one in report.most_recalled(found)][:4] == ["11", "3", "7", "10"]
    assert len(report.most_recalled(found)) == 10


# ---------------------------------------------------------------------------- text


def test_an_empty_memory_takes_few_lines():
    assert list(report_text.lines(NOTHING, 80)) == [
        "2026-01-01 to 2026-01-29",
        "sessions 0, days with sessions 0, observations 0",
        "important 0, outdated 0, private 0, by others 0",
        "",
        "  Nothing is stored for these days.",
    ]


def test_a_report_as_text():
    assert list(report_text.lines(FULL, 60)) == [
        "2026-01-01 to 2026-01-29",
        "sessions 5, days with sessions 2, observations 2",
        "important 0, outdated 0, private 0, by others 0",
        "",
        "Sessions by day",
        "      2026",
        "  Mon ░░······",
        "      ········",
        "  Wed ········",
        "      ······██",
        "  Fri ······",
        "      ······",
        "  Sun ······",
        "",
        "Sessions with each tag, by week from 2026-01-05",
        "  redis ▒▒··",
        "  缓存  ··██",
        "",
        "Tags",
        "  缓存与过期时间的各种约定以及…  █████████████████████████ 3",
        "  redis                          ████████ 1",
        "",
        "Projects",
        "  商店 ████████████████████████████████████████ 5",
        "",
        "Programs",
        "  cursor ████████████████████████████████████████ 2",
        "  trae   ████████████████████ 1",
        "",
        "Quality of digests",
        "  good            ████████████████████████████████████████ 4",
        "  fair            0",
        "  poor            ██████████ 1",
        "  it says nothing ██████████ 1",
        "  0.90 of 1 on average; `memory review` lists the poor ones",
        "",
        "Recall",
        "  live sessions         ██████████████████████████ 3",
        "  with earlier memories █████████████████ 2",
        "  memories injected     ██████████████████████████████████ 4",
        "  with signs of use     ████████ 1",
        "  deleted since         ████████ 1",
        "  Signs of use: afterwards the assistant or a tool named",
        "  that session, one of its files, or three words that hardly",
        "  any other session has, and nobody had before. They prove",
        "  nothing.",
        "",
        "Injected most (times / with signs of use)",
        "  2026-01-05#1 缓存方案 缓存方…  █████████████████████ 3 / 1",
        "",
        "Hidden",
        "  api_key ████████████████████████████████████████ 2",
        "  Marks in stored sessions and observations; text that was",
        "  not stored does not count.",
        "",
        "Size on disk",
        "  day files    ██████████████████████████████████████ 2.4 MB",
        "  observations 0 B",
        "  index        █ 900 B",
        "  archive      0 B",
    ]


def test_observations_alone_are_shown_too():
    lines = list(report_text.lines(NOTHING._replace(observations={LAST: 2}), 80))

    assert lines[-1] == "  archive      0 B"
    assert not {"Tags", "Recall", "Quality of digests"} & set(lines)


def test_the_width_of_a_text_is_that_on_the_screen():
    assert report_text.display_width("缓存 e\u0301\u200b👍") == 8


def test_live_sessions_that_received_nothing():
    counts = FULL._replace(recall=Recall(3), sessions={}, quality=NOTHING.quality)

    lines = list(report_text.lines(counts, 80))

    assert "  with earlier memories 0" in lines
    assert not any(line.startswith("Injected most") for line in lines)


def test_weeks_that_do_not_fit_are_cut_at_the_front():
    counts = FULL._replace(first=date(2023, 1, 1), sessions={date(2023, 1, 2): 1, LAST: 1})

    lines = list(report_text.lines(counts, 60))

    monday = next(line for line in lines if line.startswith("  Mon "))
    assert report_text.display_width(monday) == 60
    assert max(map(report_text.display_width, lines)) <= 60


def test_names_that_are_left_out_are_counted():
    counts = FULL._replace(tags={f"t{n}": 1 for n in range(30)})

    assert "  18 more" in list(report_text.lines(counts, 80))


@given(st.text(), st.integers(1, 30))
def test_a_fitted_text_fits(text, width):
    assert report_text.display_width(report_text.fitted(text, width)) <= width


@given(st.integers(20, 200))
def test_no_line_is_wider_than_the_terminal(width):
    lines = report_text.lines(FULL, width)

    assert all(report_text.display_width(line) <= max(width, 40) for line in lines)
