from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.fields import FIELDS, is_chinese, read, units
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
        (0, "缓存方案"),
        (1, "redis 缓存"),
        (2, "Redis it is"),
        (2, "TTL 600"),
        (2, "no cluster"),
        (2, "who pays?"),
        (2, "measure"),
        (2, "Later\nmaybe"),
        (2, "src/a.py b.md"),
        (3, "py\nx = 1"),
    ]


def test_an_empty_session_says_nothing():
    session = Session(DAY)

    reading = read(session)

    assert (units(session), reading.impacts, reading.lengths) == ([], {}, (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("session", "impact"),
    [
        # A topic says most, a statement more than a tag, code the least.
        ({"topic": "redis"}, 224),
        ({"tags": ("redis",)}, 186),
        ({"key_points": ("redis",)}, 195),
        ({"code": (Code("", "redis"),)}, 143),
        # The longer a field, the less each of its words.
        ({"topic": f"redis{' x' * 15}"}, 150),
        ({"tags": ("redis", *"bcdefgh")}, 157),
        ({"key_points": (f"redis{' x' * 119}",)}, 116),
        ({"key_points": (f"redis{' x' * 239}",)}, 82),
        ({"code": (Code("", f"redis{' x' * 159}"),)}, 41),
        ({"code": (Code("", f"redis{' x' * 40_000}"),)}, 1),
        # What is said often counts more, wherever it is said.
        ({"topic": "redis", "key_points": ("redis",)}, 233),
        ({"key_points": ("redis", "redis")}, 220),
    ],
)
def test_what_a_word_tells_of_a_session(session, impact):
    assert read(Session(DAY, **session)).impacts["redi"] == impact


def test_statements_are_read_apart():
    reading = read(Session(DAY, key_points=("redis ttl", "cache")))

    assert reading.terms == [[], [], ["redi", "ttl", "cach"], []]


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
