"""Which sessions say nearly the same, and what becomes of two that do."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.review.duplicates import Duplicate, find_duplicates, merge
from daily_memory.model import Code, Note, Session

ENGLISH = Session(
    date(2026, 1, 1),
    1,
    topic="Redis cache for the session store",
    key_points=(
        "the cache keeps a session for 300 seconds after its last use",
        "the pool opens 20 connections and waits five seconds for a free one",
        "a lost connection is tried again three times before the login page is shown",
    ),
    tags=("redis",),
)
CHINESE = Session(
    date(2026, 1, 1),
    2,
    topic="会话缓存改用 Redis",
    key_points=(
        "会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理",
        "连接池最多打开 20 个连接，没有空闲连接时等待五秒钟再报错",
        "连接断开以后自动重试三次，仍然失败才跳转到登录页面",
    ),
    tags=("缓存",),
)


def later(session: Session, number: int = 1, **changes: object) -> Session:
    return session._replace(date=date(2026, 1, 20), number=number, **changes)  # type: ignore[arg-type]


def changed(session: Session, old: str, new: str) -> tuple[str, ...]:
    points = tuple(point.replace(old, new) for point in session.key_points)
    assert points != session.key_points
    return points


SAME = [
    (ENGLISH, later(ENGLISH)),
    (CHINESE, later(CHINESE)),
    (ENGLISH, later(ENGLISH, key_points=ENGLISH.key_points[::-1])),
    (CHINESE, later(CHINESE, topic="会话緩存改用 Redis。")),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "shown", "shown."))),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "five seconds", "five secs"))),
    (CHINESE, later(CHINESE, key_points=changed(CHINESE, "五秒钟再报错", "五秒再报错"))),
    (ENGLISH, later(ENGLISH, key_points=(*ENGLISH.key_points, "not used by the API"))),
    (CHINESE, later(CHINESE, decisions=("上线前压测",))),
]
OTHER = [
    # Another value, another name, a denial: these are news, and no copies.
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "300", "600"))),
    (CHINESE, later(CHINESE, key_points=changed(CHINESE, "300", "600"))),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "the pool", "the Memcached pool"))),
    (CHINESE, later(CHINESE, key_points=changed(CHINESE, "连接池", "Memcached 连接池"))),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "is tried", "is not tried"))),
    (CHINESE, later(CHINESE, key_points=changed(CHINESE, "自动重试", "不自动重试"))),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "cache keeps", "cache doesn't keep"))),
    (ENGLISH, later(ENGLISH, key_points=changed(ENGLISH, "login page", "error page"))),
    (CHINESE, later(CHINESE, key_points=changed(CHINESE, "三次", "五次"))),
    # Two values that changed places.
    (
        ENGLISH._replace(key_points=(*ENGLISH.key_points, "web port 80", "api port 81")),
        later(ENGLISH, key_points=(*ENGLISH.key_points, "web port 81", "api port 80")),
    ),
    # Another topic.
    (ENGLISH, later(ENGLISH, topic="Revert: Redis cache for the session store", summary="undone")),
    (CHINESE, later(CHINESE, topic="撤销：会话缓存改用 Redis", summary="撤销了")),
    # Another project, author or state.
    (ENGLISH, later(ENGLISH, project="shop")),
    (ENGLISH, later(ENGLISH, origin="git: Li")),
    (ENGLISH, later(ENGLISH, tags=("outdated",))),
    (CHINESE, later(CHINESE, tags=("私密",))),
    # Too little in common, or too little at all.
    (ENGLISH, later(ENGLISH, key_points=ENGLISH.key_points[:1])),
    (ENGLISH, CHINESE),
    (
        Session(date(2026, 1, 1), 1, topic="fix login"),
        Session(date(2026, 1, 2), 1, topic="fix log"),
    ),
    (Session(date(2026, 1, 1), 1), Session(date(2026, 1, 2), 1)),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_the_same_is_found(one, other):
    (pair,) = find_duplicates([other, one])

    assert (pair.earlier, pair.later) == (one.id, other.id)
    assert 0.8 <= pair.similarity <= 1.0


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_says_something_else_is_not(one, other):
    assert find_duplicates([one, other]) == ()


def test_a_short_one_is_like_its_equal():
    one = Session(date(2026, 1, 1), 1, topic="fix login")

    assert find_duplicates([one, later(one, topic="Fix login.", number=1)]) == ()
    assert find_duplicates([one, later(one, topic=" fix  login 。")]) == (
        Duplicate(one.id, later(one).id, 1.0),
    )


def test_each_is_named_once_as_the_earlier_one():
    several = [later(CHINESE, number) for number in range(1, 6)]

    pairs = find_duplicates(several)

    assert [(pair.earlier.number, pair.later.number) for pair in pairs] == [
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
    ]


def test_of_several_that_are_alike_the_likest_is_named():
    near = later(ENGLISH, 1, key_points=(*ENGLISH.key_points, "seen on the staging server"))
    nearer = later(ENGLISH, 2, key_points=(*ENGLISH.key_points, "seen once"))

    pairs = find_duplicates([ENGLISH, near, nearer])

    assert pairs[0].later == nearer.id
    assert pairs[0].similarity > 0.9


def test_many_of_one_form_take_no_time():
    """Each is compared with a few others only: all pairs of 3,000 would be 4.5 million."""
    said = "the build number {} passed all checks on the linux runner in the usual ten minutes"
    forms = [later(ENGLISH, n, key_points=(said.format(n),)) for n in range(1, 3001)]

    assert find_duplicates(forms) == ()


def test_a_merge_adds_what_the_later_one_lacks():
    earlier = CHINESE._replace(
        summary="老的摘要",
        decisions=("用 Redis",),
        open_questions=("要不要集群？",),
        next_steps=("压测",),
        files=("a.py", "b.py"),
        code=(Code("sh", "redis-cli"),),
        notes=(Note("背景", "手写"),),
        tags=("缓存", "important", "老"),
    )
    newer = later(
        CHINESE,
        topic="",
        summary="新的摘要",
        key_points=("会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理。",),
        decisions=("连接池最多打开 20 个连接，没有空闲连接时等待五秒钟再报错",),
        files=("b.py",),
        tags=("缓存",),
    )

    merged = merge(earlier, newer)

    assert merged.id == newer.id
    assert merged.topic == CHINESE.topic
    assert merged.summary == "新的摘要\n老的摘要"
    assert merged.key_points == (*newer.key_points, CHINESE.key_points[2])
    assert merged.decisions == (*newer.decisions, "用 Redis")
    assert (merged.open_questions, merged.next_steps) == (("要不要集群？",), ("压测",))
    assert merged.files == ("b.py", "a.py")
    assert (merged.code, merged.notes) == (earlier.code, earlier.notes)
    assert merged.tags == ("缓存", "important", "老")


def test_a_merge_of_the_same_adds_nothing():
    newer = later(CHINESE, summary="摘要")

    assert merge(CHINESE, newer) == newer
    assert merge(CHINESE._replace(summary="摘要。"), newer) == newer


@pytest.mark.parametrize("count", [10, 60])
def test_those_that_share_rare_words_only_are_compared_and_are_not_alike(count):
    """What is rare here is in both of them, so that they are compared."""
    shared = " ".join(f"wort{chr(97 + n)}" for n in range(20))
    mine = " ".join(f"mein{chr(97 + n)}" for n in range(10))
    yours = " ".join(f"dein{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count))
    others = [
        later(
            ENGLISH,
            n,
            topic=f"{mine} {yours}",
            key_points=(" ".join(f"x{n}y{m}" for m in range(90)),),
        )
        for n in range(3, 8)
    ]
    pair = [
        later(ENGLISH, 1, topic=shared, key_points=(mine,)),
        later(ENGLISH, 2, topic=shared, key_points=(yours,)),
    ]

    assert find_duplicates([*pair, *others]) == ()
