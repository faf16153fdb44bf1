"""What was logged as a decision stands in the digest, whatever else is like it."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.digest import BRIEF, digest_observations
from daily_memory.core.observation import Observation

DAY = date(2026, 1, 29)


def logged(*texts: str, kind: str = "decision", detailed: bool = False):
    return digest_observations(
        [Observation(f"2026-01-29T10:30:{at:02}", kind, text) for at, text in enumerate(texts)],
        DAY,
        detailed=detailed,
    )


@pytest.mark.parametrize(
    "texts",
    [
        (
            "Set the timeout of the payment service to 3 s",
            "Set the timeout of the payment service to 5 s",
            "Set the timeout of the payment service to 8 s",
        ),
        ("支付服务的超时定为 3 秒", "支付服务的超时定为 5 秒", "支付服务的超时定为 8 秒"),
        ("Sessions of the shop are in Redis now", "Sessions of the shop are in Postgres now"),
        ("商城的会话存在 redis 里", "商城的会话存在 postgres 里", "商城的会话存在 mysql 里"),
        ("Use retries for the upload of images", "Use retries for the upload of videos"),
    ],
)
@pytest.mark.parametrize("kind", ["decision", "note"])
def test_what_was_logged_is_never_merged_with_what_is_like_it(texts, kind):
    session = logged(*texts, kind=kind)

    assert (session.decisions or session.key_points) == texts


def test_the_same_decision_logged_twice_is_there_once():
    assert logged("Use Redis", "Use Redis").decisions == ("Use Redis",)


def test_as_many_decisions_as_fit_are_there():
    texts = tuple(f"Port {number} it is" for number in range(20))

    session = logged(*texts)

    assert session.decisions == texts


def test_a_long_decision_is_whole_where_there_is_room():
    text = "Keep the sessions in Redis, " + "since the shop needs them at each request, " * 6 + "ok"

    assert logged(text).decisions == (text,)


def test_long_decisions_are_cut_only_as_far_as_all_of_them_need_it():
    texts = (
        "Use Redis",
        *(f"Port {at}: " + "since the shop asks for it, " * 12 for at in range(5)),
    )

    session = logged(*texts)

    assert session.decisions[0] == "Use Redis"
    assert len(session.decisions) == len(texts)
    assert BRIEF.max_width - 200 < sum(map(len, session.decisions)) < BRIEF.max_width


def test_of_decisions_that_can_not_all_fit_the_newest_do():
    texts = tuple(f"Port {number}: " + "since the shop asks for it, " * 3 for number in range(40))

    session = logged(*texts)

    assert len(session.decisions) > 8
    assert [text.partition(":")[0] for text in session.decisions] == [
        f"Port {number}" for number in range(40 - len(session.decisions), 40)
    ]
