from __future__ import annotations

from datetime import date

from daily_memory.core.pages import report, report_sections
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
    assert list(report_sections.text_lines(NOTHING)) == [
        "2026-01-01 to 2026-01-29",
        "sessions 0, days with sessions 0, observations 0",
        "important 0, outdated 0, private 0, by others 0",
        "",
        "  Nothing is stored for these days.",
    ]


def test_a_report_as_text():
    assert list(report_sections.text_lines(FULL)) == [
        "2026-01-01 to 2026-01-29",
        "sessions 5, days with sessions 2, observations 2",
        "important 0, outdated 0, private 0, by others 0",
        "",
        "Tags",
        "  3  缓存与过期时间的各种约定以及例外",
        "  1  redis",
        "",
        "Projects",
        "  5  商店",
        "",
        "Programs",
        "  2  cursor",
        "  1  trae",
        "",
        "Quality of digests",
        "  4  good",
        "  0  fair",
        "  1  poor",
        "  1  it says nothing",
        "  0.90 of 1 on average; `memory review` lists the poor ones",
        "",
        "Recall",
        "  3  live sessions",
        "  2  with earlier memories",
        "  4  memories injected",
        "  1  with signs of use",
        "  1  deleted since",
        f"  {report_sections.WORDS['en']['recall_note']}",
        "",
        "Injected most (times / with signs of use)",
        "  3 / 1  2026-01-05#1 " + ("缓存方案 " * 30)[:47],
        "",
        "Hidden",
        "  2  api_key",
        f"  {report_sections.WORDS['en']['hidden_note']}",
        "",
        "Size on disk",
        "  2.4 MB  day files",
        "     0 B  observations",
        "   900 B  index",
        "     0 B  archive",
    ]


def test_observations_alone_are_shown_too():
    lines = list(report_sections.text_lines(NOTHING._replace(observations={LAST: 2})))

    assert lines[-1].split() == ["0", "B", "archive"]
    assert not {"Tags", "Recall", "Quality of digests"} & set(lines)


def test_live_sessions_that_received_nothing():
    counts = FULL._replace(recall=Recall(3), sessions={}, quality=NOTHING.quality)

    lines = list(report_sections.text_lines(counts))

    assert "  0  with earlier memories" in lines
    assert not any(line.startswith("Injected most") for line in lines)


def test_names_that_are_left_out_are_counted():
    counts = FULL._replace(tags={f"t{n}": 1 for n in range(30)})

    assert "  18 more" in list(report_sections.text_lines(counts))
