from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.digest import digest_observations
from daily_memory.core.review import quality
from daily_memory.core.review.quality import assess
from daily_memory.model import Code, Note, Session
from tests.core import conversations

BLANK = Session(date(2026, 1, 29), 1, conversation="3f2a")


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (BLANK, "it says nothing"),
        (BLANK._replace(topic="Redis 缓存方案与过期时间"), "it has nothing but a topic"),
        (BLANK._replace(topic="Redis", key_points=("看了",)), "it says very little"),
        (
            BLANK._replace(topic="缓存方案", key_points=("为什么 Redis 的缓存会过期这么快？",)),
            "it has only questions, no outcome",
        ),
        (
            BLANK._replace(topic="Cache", key_points=("Why does the Redis cache expire so soon?",)),
            "it has only questions, no outcome",
        ),
        (
            BLANK._replace(topic="改登录页", key_points=("让我先看看代码", "好的", "周末愉快")),
            "most lines are small talk or announcements",
        ),
        (
            BLANK._replace(
                topic="Login", key_points=("Let me look at the code", "Great", "Thanks!")
            ),
            "most lines are small talk or announcements",
        ),
        (
            BLANK._replace(
                topic="A test that fails",
                key_points=('File "/srv/app.py", line 12', "0x7f 0x8a 0x91 0x22 0x31 0x44 0x51"),
            ),
            "most lines look like raw output",
        ),
        (
            BLANK._replace(topic="帮我看个问题", key_points=("Redis 的 TTL 定为 300 秒",)),
            "its topic does not say what it is about",
        ),
    ],
)
def test_what_a_reader_misses_is_named(session, reason):
    found = assess(session)

    assert reason in found.reasons
    assert found.score < 1


def test_a_note_by_hand_may_be_short():
    note = Session(date(2026, 1, 29), 1, topic="用 pnpm，不用 npm", source="note")

    assert assess(note) == (1, ())


def test_a_decision_may_be_short():
    assert assess(BLANK._replace(topic="Packaging", decisions=("Use uv",))) == (1, ())


def test_an_announcement_that_gives_a_figure_tells_something():
    points = ("现在缓存的命中率是 92%", "接下来把 TTL 改成 300 秒")

    assert assess(BLANK._replace(topic="缓存命中率", key_points=points)).reasons == ()


def test_code_and_notes_count_as_something_said():
    with_code = BLANK._replace(topic="网关超时", code=(Code("yaml", "timeout: 30"),))
    with_note = BLANK._replace(topic="网关超时", notes=(Note("背景", "Nginx 的超时是 60 秒"),))

    assert assess(with_code).score == 1
    assert assess(with_note).score == 1


def test_a_decision_answers_a_question():
    answered = BLANK._replace(
        topic="缓存放在哪里", key_points=("缓存放在哪里好呢？",), decisions=("放在 Redis",)
    )

    assert "it has only questions, no outcome" not in assess(answered).reasons


def test_our_own_digests_of_real_conversations_are_not_poor():
    digests = [
        digest_observations(one.observations, date(2026, 1, 29))._replace(conversation=one.name)
        for one in conversations.load_all()
    ]

    poor = [digest.conversation for digest in digests if assess(digest).is_poor]

    assert poor == []


def test_the_limit_is_told():
    assert assess(BLANK).score < quality.LEAST
