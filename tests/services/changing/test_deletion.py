"""Which sessions are meant by days, ids, words, age and tags."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory import InvalidInputError, Memory, NotFoundError


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Sessions of three days, one of them in the global memory."""
    for day, topic, tags in (
        ("2026-01-27", "Redis 缓存方案", ["redis"]),
        ("2026-01-28", "deploy the cat", ["Redis", "试验"]),
        ("2026-01-29", "concatenate 缓方案存", []),
        ("2026-01-29", "private Redis 缓存", ["private", "redis"]),
    ):
        memory.save({"topic": topic, "date": day, "tags": tags})
    memory.save({"topic": "global Redis", "date": "2026-01-29"}, scope="global")
    return memory


def chosen(memory: Memory, *named: str, **narrow: object) -> list[str]:
    choices = memory.deletion.choose(named, **narrow)  # type: ignore[arg-type]  # each test gives its own
    return [f"{one.root.scope[0]} {one.session.id}" for one in choices]


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        (["2026-01-28"], ["p 2026-01-28#1"]),
        (["today", "今天", "2026-01-29"], ["p 2026-01-29#1", "p 2026-01-29#2"]),
        (["昨天", "2026-01-27"], ["p 2026-01-27#1", "p 2026-01-28#1"]),
        (["Yesterday#1", "2026-01-29#2"], ["p 2026-01-28#1", "p 2026-01-29#2"]),
        (["2026-01-01"], []),
    ],
)
def test_days_and_ids_are_named(filled, named, ids):
    assert chosen(filled, *named) == ids


def test_without_a_name_all_of_the_own_memory_is_narrowed(filled):
    assert chosen(filled, before=date(2026, 1, 28)) == ["p 2026-01-27#1"]
    assert chosen(filled, tags=["#REDIS"], before=date(2026, 1, 29)) == [
        "p 2026-01-27#1",
        "p 2026-01-28#1",
    ]
    assert chosen(filled, "2026-01-28", tags=["redis", "试验"]) == ["p 2026-01-28#1"]
    assert chosen(filled, "2026-01-29", scope="global") == ["g 2026-01-29#1"]
    assert len(chosen(filled, tags=["redis"], scope="all")) == 4


def test_words_must_all_be_there_and_chinese_in_one_piece(filled):
    assert chosen(filled, query="redis 缓存") == ["p 2026-01-27#1"]
    assert chosen(filled, query="CATS deploying") == ["p 2026-01-28#1"]
    assert sorted(chosen(filled, query="方案")) == ["p 2026-01-27#1", "p 2026-01-29#1"]
    assert chosen(filled, query="redis nowhere") == []
    assert chosen(filled, query="global redis", scope="all") == ["g 2026-01-29#1"]


@pytest.mark.parametrize(
    ("named", "query", "message"),
    [
        ([], "", "no id given"),
        (["redis"], "", "'redis' is neither an id nor a day"),
        (["2026-02-30"], "", "is neither an id nor a day"),
        (["x#1"], "", "is not an id"),
        ([], "the of", "has no word to look for"),
        ([], "?!", "has no word to look for"),
    ],
)
def test_what_means_nothing_is_refused(filled, named, query, message):
    with pytest.raises(InvalidInputError, match=message):
        filled.deletion.choose(named, query=query)


def test_an_id_must_be_there(filled):
    with pytest.raises(NotFoundError, match="no session 2026-01-29#9"):
        filled.deletion.choose(["2026-01-29#1", "2026-01-29#9"])
