from __future__ import annotations

import pytest

from daily_memory.core.review.replacements import adopts, overtakes, parse_clauses, returns_to


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        ("Moved the queue from RabbitMQ over to Kafka", "rabbitmq", "kafka"),
        ("Dropped Celery in favour of RQ", "celery", "rq"),
        ("The old parser was replaced by tree-sitter", "old parser", "tree-sitter"),
        ("pgvector replaced Pinecone", "pinecone", "pgvector"),
        ("use uv rather than the pip wrapper", "pip wrapper", "use uv"),
        ("we no longer use Jest", "jest", ""),
        ("PostgreSQL 15 now, no longer MySQL", "mysql", ""),
        ("登录态从 JWT 迁移到服务端会话", "jwt", "服务端会话"),
        ("用 Vite 替换了 Webpack", "webpack", "vite"),
        ("MySQL 已被 TiDB 取代", "mysql", "tidb"),
        ("不再使用 Gradle", "gradle", ""),
        ("现在是 PostgreSQL 15，不再是 MySQL", "mysql", ""),
        ("把乐观锁换成悲观锁", "乐观锁", "悲观锁"),
    ],
)
def test_what_is_given_up_and_what_comes_instead(line, old, new):
    [clause] = [clause for clause in parse_clauses(line) if clause.old]

    assert (clause.old, clause.new) == (old, new)


@pytest.mark.parametrize(
    "line",
    [
        "Should we replace Redis by Memcached?",
        "要不要把 Redis 换成 Memcached？",
        "Considered replacing Redis with Memcached",
        "考虑把 Redis 换成 Memcached",
        "Upgraded Redis to 7",
        "axios 升级到 1.7",
        "Replaced Redis by Redis",
        "removed from the queue when it is done",
        "Replaced Redis by Memcached " + "and wrote much more on it " * 12,
    ],
)
def test_what_asks_weighs_or_only_gets_newer_gives_nothing_up(line):
    assert not any(clause.old for clause in parse_clauses(line))


@pytest.mark.parametrize(
    "line", ["用 Redis 存会话", "We chose MongoDB", "built on FastAPI", "uses RQ"]
)
def test_a_named_thing_is_adopted(line):
    assert adopts(line)


@pytest.mark.parametrize("line", ["要不要用 Redis？", "用户登录失败", "Use it with care", "ok", ""])
def test_without_a_name_nothing_is_adopted(line):
    assert not adopts(line)


def clause(line: str, topic: str = ""):
    [found] = parse_clauses(line)
    return found._replace(topic=topic)


def test_what_both_are_about_has_to_be_the_same():
    tests, all_of_it = clause("Use SQLite in tests"), clause("Use SQLite")
    change = clause("Migrated production from SQLite to PostgreSQL")

    assert not overtakes(change, tests)
    assert overtakes(change, all_of_it)


def test_a_topic_tells_what_a_clause_is_about():
    change = clause("Replaced Redis by Memcached on two hosts", "Growth of the product cache")

    assert overtakes(change, clause("Use Redis for what sells", "Product cache"))
    assert not overtakes(change, clause("Use Redis for what sells", "Login sessions"))


def test_what_speaks_of_both_or_gives_up_the_same_is_not_overtaken():
    change = clause("Replaced Flask by FastAPI")

    assert not overtakes(change, clause("Use Flask beside FastAPI"))
    assert not overtakes(change, clause("Moved from Flask to Quart, use Quart".split(",")[0]))


def test_what_was_given_up_is_used_again_for_the_same():
    change = clause("Moved the blog from Flask to FastAPI")

    assert returns_to(clause("Back to Flask"), change)
    assert returns_to(clause("The blog uses Flask"), change)
    assert not returns_to(clause("The demo of the plugin uses Flask"), change)
    assert not returns_to(clause("use FastAPI"), change)
