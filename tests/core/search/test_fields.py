from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.fields import FIELDS, Unit, is_chinese, read, units
from daily_memory.model import Code, Note, Session

DAY = date(2026, 1, 29)


def test_a_session_says_what_its_parts_say_but_not_its_raw_talk():
    session = Session(
        DAY,
        topic="缓存方案",
        summary="Redis it is",
        key_points=("TTL 600",),
        decisions=("no cluster",),
        code=(Code("py", "x = 1"),),
        open_questions=("who pays?",),
        next_steps=("measure",),
        files=("src/a.py", "b.md"),
        tags=("redis", "缓存"),
        notes=(Note("Later", "maybe"),),
        conversation="user: hi",
    )

    found = units(session)

    assert found == [
        Unit(0, "缓存方案"),
        Unit(1, "redis 缓存"),
        Unit(2, "Redis it is"),
        Unit(2, "TTL 600"),
        Unit(2, "no cluster"),
        Unit(2, "who pays?"),
        Unit(2, "measure"),
        Unit(2, "Later\nmaybe"),
        Unit(2, "src/a.py b.md"),
        Unit(3, "py\nx = 1"),
    ]


def test_an_empty_session_says_nothing():
    session = Session(DAY)

    reading = read(session)

    assert (units(session), reading.impacts, reading.lengths) == ([], {}, (0, 0, 0, 0))


def test_the_topic_tells_more_than_a_statement_and_that_more_than_code():
    in_topic = read(Session(DAY, topic="redis")).impacts["redi"]
    in_point = read(Session(DAY, key_points=("redis",))).impacts["redi"]
    in_code = read(Session(DAY, code=(Code("", "redis"),))).impacts["redi"]

    assert in_topic > in_point > in_code


@given(st.lists(st.text(max_size=40), max_size=4))
def test_impacts_fit_a_byte_and_lengths_count_every_term(points):
    session = Session(DAY, key_points=tuple(points))

    found = read(session)

    assert all(1 <= impact <= 255 for impact in found.impacts.values())
    assert len(found.impacts) <= sum(found.lengths)
    assert len(found.lengths) == len(FIELDS)


def test_code_files_and_tags_do_not_decide_the_language_of_a_session():
    session = Session(
        DAY,
        topic="支付超时",
        key_points=("timeout 改成 3 秒",),
        code=(Code("python", "def retry_the_payment_with_a_long_name(): return timeout"),),
        files=("src/payments/timeouts/retry_policy.py",),
        tags=("payment", "timeout"),
    )

    assert is_chinese(session)
    assert not is_chinese(session._replace(summary="What was decided about it, at some length"))
    assert not is_chinese(Session(DAY))
