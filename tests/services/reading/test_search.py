"""Searching: what is found, what is not, and that the answer is of this moment."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from daily_memory import (
    BackendError,
    ConflictError,
    DamagedDataError,
    InvalidInputError,
    Memory,
    Query,
)
from daily_memory.core.progress import progress_to
from daily_memory.storage import days
from daily_memory.storage.fs import files, sqlite
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import lookup

SESSIONS = [
    {
        "topic": "Redis 缓存方案",
        "key_points": ["TTL 定为 300 秒"],
        "tags": ["redis"],
        "date": "2026-01-28",
    },
    {"topic": "Replace Flask by FastAPI", "tags": ["api"], "date": "2026-01-20"},
    {"topic": "Old redis notes", "tags": ["redis", "outdated"], "date": "2025-01-20"},
    {"topic": "secret redis plan", "tags": ["private"], "date": "2026-01-28"},
]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.import_sessions(SESSIONS)
    return memory


def topics(memory: Memory, query: str, **options: object) -> list[str]:
    result = memory.search(query, **options)  # type: ignore[arg-type]  # each test knows its options
    return [hit.session.topic for hit in result.hits]


def test_the_best_comes_first_and_the_outdated_later(filled):
    assert topics(filled, "redis") == ["Redis 缓存方案", "Old redis notes"]


@pytest.mark.parametrize(
    "query", ["缓存", "300 秒", "reddis", "REDIS ttl", "为什么 Redis 缓存 TTL？"]
)
def test_both_languages_and_slips_of_the_fingers_are_understood(filled, query):
    assert topics(filled, query)[0] == "Redis 缓存方案"


@pytest.mark.parametrize(
    "query", ["2026-01-28", "1 月 28 日做了什么", "what did we do on 28 January 2026?"]
)
def test_a_question_for_a_day_alone_lists_its_sessions(filled, query):
    result = filled.search(query, now=date(2026, 1, 29))

    assert [hit.session.topic for hit in result.hits] == ["Redis 缓存方案"]
    assert result.hits[0].snippet == "TTL 定为 300 秒"
    assert result.warnings == ()


def test_the_newest_sessions_are_what_was_last(filled):
    filled.save({"topic": "later that day", "tags": ["x"], "date": "2026-01-28"})

    found = topics(filled, "上次做到哪了", now=date(2026, 1, 29), k=3)

    assert found == ["later that day", "Redis 缓存方案", "Replace Flask by FastAPI"]


def test_a_question_for_days_heeds_the_filters(filled):
    assert topics(filled, "this month", now=date(2026, 1, 29), tags=("api",)) == [
        "Replace Flask by FastAPI"
    ]


def test_days_without_sessions_are_answered_as_such(memory):
    memory.save({"topic": "November freeze", "key_points": ["13 deploys"], "date": "2026-01-05"})

    result = memory.search("what did we do on 13 Nov", now=date(2026, 1, 29))

    assert (result.hits, result.warnings) == ((), ("nothing is stored on 2025-11-13",))


@pytest.mark.parametrize("question", ["待办", "what is still to do?", "上周的待办事项"])
def test_a_question_for_what_is_left_to_do_gives_the_sessions_that_say_so(memory, question):
    memory.save({"topic": "Done", "date": "2026-01-20"})
    memory.save({"topic": "Half done", "next_steps": ["move the jobs"], "date": "2026-01-21"})
    memory.save({"topic": "Asked", "open_questions": ["who pays?"], "date": "2026-01-22"})

    result = memory.search(question, now=date(2026, 1, 29))

    assert [(hit.session.topic, hit.snippet) for hit in result.hits] == [
        ("Asked", "who pays?"),
        ("Half done", "move the jobs"),
    ]


def test_sessions_of_the_days_that_are_not_shown_are_told(filled):
    result = filled.search("in January 2026", now=date(2026, 1, 29), k=1)

    assert [hit.session.topic for hit in result.hits] == ["Redis 缓存方案"]
    assert result.warnings == (
        "1 more session of these days; "
        "`memory list --since 2026-01-01 --until 2026-01-31` shows all",
    )


def test_nothing_relevant_is_an_answer(filled):
    result = filled.search("kubernetes ingress")

    assert (result.hits, result.warnings) == ((), ())


@pytest.mark.parametrize("query", ["", "?!", "\0", "NEAR(", '"', "a" * 100_000, "\ud800", "😀"])
def test_any_text_is_a_safe_query(filled, query):
    assert topics(filled, query) == []


def test_results_can_be_narrowed(filled):
    assert topics(filled, "redis", tags=["outdated"]) == ["Old redis notes"]
    assert topics(filled, "redis", since=date(2026, 1, 1)) == ["Redis 缓存方案"]
    assert topics(filled, "redis", until=date(2025, 12, 31)) == ["Old redis notes"]
    assert topics(filled, "redis", days=2) == ["Redis 缓存方案"]
    assert topics(filled, "redis", k=1) == ["Redis 缓存方案"]
    assert topics(filled, "redis", project="app") == ["Redis 缓存方案", "Old redis notes"]
    assert topics(filled, "redis", project="other") == []


def test_with_another_today_what_is_later_does_not_exist(filled):
    assert topics(filled, "redis", now=date(2025, 6, 1)) == ["Old redis notes"]


def test_a_scope_of_days_holds_unless_a_first_day_is_named(filled):
    filled.setup.init()
    Path(filled.config.path).write_text('{"retrieval": {"search_scope_days": 30}}')
    narrowed = filled.in_folder(filled.project)

    assert topics(narrowed, "redis") == ["Redis 缓存方案"]
    assert len(topics(narrowed, "redis", since=date(2000, 1, 1))) == 2


@pytest.mark.parametrize(
    "options", [{"k": -1}, {"k": 1000}, {"days": -1}, {"method": "magic"}, {"scope": "x"}]
)
def test_an_option_that_is_none_is_refused(filled, options):
    with pytest.raises(InvalidInputError):
        filled.search("redis", **options)


def test_search_by_meaning_says_that_it_is_not_there(filled):
    result = filled.search("redis", method="semantic")

    assert result.method == "keyword"
    assert "search by meaning is off" in result.warnings[0]


def test_many_queries_share_one_look_at_the_index(filled):
    results = list(filled.search_many([Query("flask"), Query("缓存")]))

    assert [result.hits[0].session.topic for result in results] == [
        "Replace Flask by FastAPI",
        "Redis 缓存方案",
    ]


def test_the_project_comes_before_the_global_memory_and_each_session_once(filled):
    filled.save({"topic": "redis everywhere", "tags": ["x"]}, scope="global")

    found = filled.search("redis").hits

    assert [hit.root.scope for hit in found].count("global") == 1
    assert {hit.session.project for hit in found if hit.root.scope == "global"} == {"app"}
    assert topics(filled, "redis", scope="global") == ["redis everywhere"]


@pytest.mark.parametrize("added", ["\n", "\n\n", "above\n", "---\n", "a line as long as another\n"])
def test_a_file_that_changes_under_a_search_is_read_again(filled, monkeypatch, added):
    real = files.read_part
    changed: list[int] = []

    def edited(path, start, stop):
        if not changed:
            day = Path(path)
            changed.append(day.write_text(added + day.read_text()))
        return real(path, start, stop)

    monkeypatch.setattr(files, "read_part", edited)

    assert topics(filled, "flask") == ["Replace Flask by FastAPI"]


def test_of_a_file_that_never_rests_a_section_is_read_as_it_is_in_the_end(filled, monkeypatch):
    monkeypatch.setattr(files, "read_part", lambda *_: b"nothing")

    assert topics(filled, "flask") == ["Replace Flask by FastAPI"]


def test_a_file_that_never_rests_and_lost_the_section_is_told(filled, monkeypatch):
    monkeypatch.setattr(files, "read_part", lambda *_: b"nothing")
    monkeypatch.setattr(days, "find_section", lambda *_: None)

    with pytest.raises(ConflictError):
        filled.search("flask")


def test_a_file_that_goes_away_under_a_search_is_read_as_empty(filled, monkeypatch):
    assert (
        days.load_data(filled.workspace.project_root._replace(path="/dev/null"), date(2026, 1, 1))
        == b""
    )


@pytest.mark.parametrize("error", [DamagedDataError("malformed"), sqlite.ReadError("disk I/O")])
def test_damage_that_shows_in_the_middle_of_a_search_is_mended(filled, monkeypatch, error):
    real = lookup.Lookup.postings
    failed: list[str] = []

    def broken(self, term):
        if not failed:
            failed.append(term)
            raise error
        return real(self, term)

    monkeypatch.setattr(lookup.Lookup, "postings", broken)

    assert topics(filled, "flask") == ["Replace Flask by FastAPI"]


def test_a_cache_that_another_program_has_locked_is_told(filled, monkeypatch):
    monkeypatch.setattr(sqlite, "BUSY_S", 0)
    connection = sqlite3.connect(lookup.lookup_path(filled.workspace.project_root), timeout=0)
    opened = lookup.open_lookup(filled.workspace.project_root)
    assert opened is not None
    connection.execute("BEGIN EXCLUSIVE")

    with pytest.raises(BackendError):
        opened.count  # noqa: B018  # the access is the test

    connection.rollback()
    connection.close()
    opened.close()


def test_a_cache_that_can_not_be_copied_is_made_in_memory(filled, monkeypatch):
    path = Path(filled.workspace.project_root.daily_folder, "2026-01-20.md")
    path.write_text(path.read_text() + "\nmore\n")
    real = lookup.copy_in_memory

    def refuse(opened):
        if opened:
            raise DamagedDataError("malformed")
        return real(opened)

    monkeypatch.setattr(lookup, "copy_in_memory", refuse)
    with locked(filled.workspace.project_root):
        assert topics(filled, "flask") == ["Replace Flask by FastAPI"]


def test_a_long_statement_is_cut_around_what_was_found(memory):
    point = "filler words here " * 20 + "the needle is here " + "more filler words " * 20
    memory.save({"topic": "x", "key_points": [point], "tags": ["t"]})

    (hit,) = memory.search("needle").hits

    assert "needle" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= 160


def test_front_matter_names_the_project_of_a_day(memory, day_file):
    day_file("---\nproject: shop\n---\n## Session 1\n\n### Topic\nredis\n")

    (hit,) = memory.search("redis").hits

    assert hit.session.project == "shop"


def test_progress_is_told_while_days_are_read(memory, day_file):
    day_file("## Session 1\n\n### Topic\nredis\n")
    told: list[tuple[int, int]] = []

    with progress_to(lambda *at: told.append(at)):
        memory.search("redis")

    assert told == [(1, 1)]


def test_an_index_that_can_not_be_read_back_is_told(memory, day_file, monkeypatch):
    day_file("## Session 1\n\n### Topic\nredis\n")
    monkeypatch.setattr(lookup, "open_lookup", lambda *_, **__: None)

    result = memory.search("redis")

    assert result.hits[0].session.topic == "redis"
    assert result.warnings == ("the index was not written: it can't be read back",)


def test_a_question_finds_what_is_written_in_the_other_language_and_says_so(memory):
    memory.import_sessions(
        [
            {"topic": "Secrets rotation", "key_points": ["Database passwords every 90 days"]},
            {"topic": "发票导出乱码", "key_points": ["加上字节序标记"]},
        ]
    )

    chinese = memory.search("数据库密码多久轮换一次").hits
    english = memory.search("garbled export of invoices").hits
    same = memory.search("发票导出").hits

    assert [(hit.session.topic, hit.translated) for hit in chinese] == [("Secrets rotation", True)]
    assert chinese[0].matched == ("数据库", "密码", "轮换")
    assert [(hit.session.topic, hit.translated) for hit in english] == [("发票导出乱码", True)]
    assert english[0].matched == ("garbled", "export", "invoices")
    assert [(hit.session.topic, hit.translated) for hit in same] == [("发票导出乱码", False)]


@pytest.mark.parametrize("asked", ["chinese_questions", "english_questions"])
def test_developers_find_notes_that_are_in_the_other_language(memory, asked):
    """Written before the first search, and not changed since; `scripts/bench` has the figures."""
    path = Path(__file__).parents[2] / "data" / "crosslanguage" / f"{asked}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    memory.import_sessions(
        {"topic": row["topic"], "key_points": row["key_points"], "date": "2026-01-20"}
        for row in rows
    )

    results = list(memory.search_many(Query(row["question"]) for row in rows))

    first = [result.hits[0].session.topic if result.hits else "" for result in results]
    right = sum(topic == row["topic"] for topic, row in zip(first, rows, strict=True))
    assert len(rows) == 60
    assert right >= 54


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("kubernetes", "k8s rollout stuck"),
        ("javascript", "js bundle too large"),
        ("image", "img tags without alt"),
        ("编译", "构建变慢了"),
    ],
)
def test_a_word_that_no_session_has_finds_what_it_is_called_otherwise(memory, question, topic):
    rest = ["Invoices as PDF", "登录页改版", "Webhook retries", "周报模板", "Dark mode", "灰度发布"]
    memory.import_sessions({"topic": each, "date": "2026-01-20"} for each in [topic, *rest])

    assert topics(memory, question)[:1] == [topic]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("which package manager do we use?", "Switched from npm to pnpm"),
        ("package managers", "Switched from npm to pnpm"),
        ("包管理器", "Switched from npm to pnpm"),
        ("database", "Postgres 15 upgrade"),
        ("测试框架", "改用 vitest"),
        ("message queue", "Kafka 积压"),
        ("反向代理", "nginx 502"),
        ("我们用的什么数据库？", "选定 PostgreSQL 16"),
        ("数据库用的是哪个", "选定 PostgreSQL 16"),
    ],
)
def test_what_is_asked_for_by_its_kind_is_found_by_its_name(memory, question, topic):
    rest = ["Invoices as PDF", "登录页改版", "Webhook retries", "周报模板", "Dark mode", "灰度发布"]
    memory.import_sessions({"topic": each, "date": "2026-01-20"} for each in [topic, *rest])

    assert topics(memory, question) == [topic]


@pytest.mark.parametrize("question", ["k8s", "i18n", "e2e"])
def test_a_number_within_a_word_is_not_looked_for_alone(memory, question):
    memory.import_sessions(
        [{"topic": "Chapter 8 of 18, part 2"}, {"topic": "第 8 章，18 页，2 节"}]
    )

    assert topics(memory, question) == []


def test_a_kind_is_no_part_of_a_longer_word(memory):
    memory.import_sessions([{"topic": "Jenkins agents"}, {"topic": "Prisma schema"}])

    assert topics(memory, "specific form") == []


def test_a_name_that_is_known_to_us_is_not_mistyped(memory):
    memory.import_sessions([{"topic": "Buttons in red", "key_points": ["red is for errors"]}])

    assert topics(memory, "redis") == []


def test_filters_hold_for_what_is_found_by_translation(memory):
    memory.import_sessions(
        [
            {"topic": "Circuit breaker", "date": "2026-01-10", "tags": ["payment"]},
            {"topic": "Circuit breaker again", "date": "2026-01-20"},
        ]
    )

    assert topics(memory, "熔断", since=date(2026, 1, 15)) == ["Circuit breaker again"]
    assert topics(memory, "熔断", tags=("payment",)) == ["Circuit breaker"]


def test_with_no_weight_nothing_is_translated(memory):
    memory.import_sessions([{"topic": "Secrets rotation of the database"}])
    assert topics(memory, "数据库轮换")

    memory.config.set("retrieval.translation_weight", 0)

    assert topics(memory, "数据库轮换") == []
