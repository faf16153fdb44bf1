"""The mirror: true to the files whatever happens to them, and as if it had been made just now."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daily_memory import InvalidInputError, Memory
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.progress import progress_to
from daily_memory.core.record import RecordFilters
from daily_memory.core.search.observation_ranking import Document
from daily_memory.core.search.plain_corpus import PlainCorpus
from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.model import KINDS
from daily_memory.services.reading import mirror, records
from daily_memory.services.writing.digest import REFUSED
from daily_memory.storage import mirror_db, mirror_terms, observations
from daily_memory.storage.fs import files, sqlite
from daily_memory.storage.mirror_db import UnusableError
from daily_memory.storage.roots import Root
from tests.conftest import Clock

ALL = RecordFilters()


@pytest.fixture
def on(memory: Memory) -> Memory:
    """A memory with the mirror switched on."""
    switch_on(memory)
    return memory


def switch_on(memory: Memory, **more: object) -> None:
    root = memory.workspace.save_root()
    os.makedirs(root.path, exist_ok=True)
    sections = {"mirror": {"enabled": True}, **more}
    Path(root.config).write_text(json.dumps(sections), encoding="utf-8")
    memory.workspace.reload_settings()


def database(root: Root) -> sqlite3.Connection:
    return sqlite3.connect(mirror_db.mirror_path(root))


def tables(root: Root) -> dict[str, list[Any]]:
    """Return what is in each table, without the numbers of the rows and how sure the stamps are."""
    connection = database(root)
    ids = dict(connection.execute("SELECT key, id FROM observations"))
    found: dict[str, list[Any]] = {}
    for name in ("sources", "sessions", "observations", "summaries", "meta"):
        selected = connection.execute(f"SELECT * FROM {name}")
        names = [column[0] for column in selected.description]
        rows = [dict(zip(names, row, strict=True)) for row in selected]
        for row in rows:
            row.pop("key", None)
            row.pop("is_sure", None)
        found[name] = sorted(rows, key=repr)
    sql = "SELECT tag, key FROM observation_tags"
    found["tags"] = sorted((tag, ids[key]) for tag, key in connection.execute(sql))
    found["words"] = sorted(connection.execute("SELECT term FROM words"))
    found["terms"] = list(connection.execute("SELECT * FROM observations_vocabulary"))
    for term, *_ in found["terms"]:
        sql = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?"
        having = connection.execute(sql, (mirror_terms.quoted(term),))
        found[f"with {term}"] = sorted(ids[key] for (key,) in having)
    connection.close()
    return found


def asked(memory: Memory, *terms: str, filters: RecordFilters = ALL) -> list[str]:
    """Return the ids of what the mirror finds."""
    found, warnings = mirror.ask(
        memory.workspace.save_root(),
        memory.settings,
        filters,
        lambda corpus: corpus.find(terms, 100),
    )
    assert warnings == ()
    return [document.id for document in found[0]]


# ---------------------------------------------------------------------------- any history

TEXTS = st.sampled_from(
    [
        "缓存 TTL 定为 300 秒",
        "connectionPool timeout",
        "redis",
        "云工开物 优惠券",
        "\ud800 half",
        "完成",
    ]
)
NAMES = st.sampled_from(["a", "b"])
KIND = st.sampled_from(["user", "assistant", "tool", "note", "decision"])
LOGGED = st.builds(
    lambda name, kind, text, tags, private: ("log", name, kind, text, tags, private),
    NAMES,
    KIND,
    TEXTS,
    st.lists(st.sampled_from(["redis", "缓存"]), max_size=2),
    st.booleans(),
)
HOOKED = st.builds(
    lambda name, kind, text, turn, event, private: (
        "hook", name, kind, text, turn, event, private
    ),
    NAMES, KIND, TEXTS, st.sampled_from(["", "t1"]), st.sampled_from(["", "e1"]), st.booleans(),
)  # fmt: skip
STEPS = st.one_of(
    LOGGED,
    HOOKED,
    st.tuples(st.just("end"), NAMES),
    st.tuples(st.just("wait"), st.sampled_from([1, 11, 86400])),
    st.tuples(st.just("save"), TEXTS, st.booleans()),
    st.tuples(st.just("line"), NAMES, st.sampled_from(['{"recalled":["x"]}\n', "no json\n", "\n"])),
    st.tuples(st.just("half"), NAMES),
    st.tuples(st.just("empty a line"), NAMES, st.integers(1, 9)),
    st.tuples(st.just("change"), NAMES),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("edit day")),
    st.tuples(st.just("delete day")),
    st.tuples(st.just("delete section")),
    st.tuples(st.just("mark"), st.booleans()),
    st.tuples(st.just("search")),
)


class World:
    """A memory with the mirror on, and what may be done to it."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        (folder / "app").mkdir()
        self.memory = Memory(folder / "app", home=folder / "home", clock=self.clock)
        switch_on(self.memory)
        self.root = self.memory.workspace.save_root()

    def do(self, step: tuple[Any, ...]) -> None:
        name, *values = step
        getattr(self, f"_{name.replace(' ', '_')}")(*values)

    def path(self, name: str) -> Path:
        return Path(self.memory.start(name, host="cursor").path)

    def _log(self, name: str, kind: str, text: str, tags: list[str], private: bool) -> None:
        self.path(name)
        self.memory.log(text, kind=kind, tags=tags, private=private, conversation=name)

    def _hook(self, name: str, kind: str, text: str, turn: str, event: str, private: bool) -> None:
        one = Observation(
            self.clock.now.isoformat(), kind, text, "shell", ("src/a.py",), (), turn, event, private
        )
        observations.append(self.root, str(self.path(name)), format_observation(one))

    def _end(self, name: str) -> None:
        self.path(name)
        self.memory.end(name)

    def _wait(self, seconds: int) -> None:
        self.clock.now += timedelta(seconds=seconds)

    def _save(self, topic: str, private: bool) -> None:
        tags = ["redis", *(["private"] if private else [])]
        self.memory.save({"topic": topic, "key_points": ["要点 point"], "tags": tags})

    def _line(self, name: str, line: str) -> None:
        observations.append(self.root, str(self.path(name)), line)

    def _half(self, name: str) -> None:
        with open(self.path(name), "ab") as file:
            file.write('{"at":"","kind":"note","text":"half 一半"}'.encode())

    def _empty_a_line(self, name: str, place: int) -> None:
        path = self.path(name)
        lines = path.read_bytes().split(b"\n")
        lines[place % len(lines)] = b""
        path.write_bytes(b"\n".join(lines))

    def _change(self, name: str) -> None:
        """Change a text to another one of the same length."""
        path = self.path(name)
        path.write_bytes(path.read_bytes().replace(b"redis", b"mysql"))

    def _remove(self, name: str) -> None:
        self.path(name).unlink()

    def _edit_day(self) -> None:
        for path in Path(self.root.daily_folder).glob("*.md"):
            path.write_bytes(path.read_bytes().replace("要点".encode(), "改过".encode()))

    def _delete_day(self) -> None:
        for path in Path(self.root.daily_folder).glob("*.md"):
            path.unlink()

    def _delete_section(self) -> None:
        for one in [*self.memory.sessions()][:1]:
            self.memory.delete([str(one.session.id)])

    def _mark(self, is_private: bool) -> None:
        for one in [*self.memory.sessions()]:
            self.memory.mark([str(one.session.id)], {"private": is_private})

    def _search(self) -> None:
        asked(self.memory, "redi", "缓存")


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=1, max_size=14))
def test_kept_up_to_date_is_the_same_as_made_anew(steps):
    folder = Path(tempfile.mkdtemp())
    try:
        world = World(folder)
        for step in steps:
            world.do(step)

        mirror.sync(world.root, world.memory.settings)
        kept = tables(world.root)
        mirror.sync(world.root, world.memory.settings, rebuild=True)

        assert kept == tables(world.root)
        check_against_files(world.memory)
    finally:
        shutil.rmtree(folder)


def check_against_files(memory: Memory) -> None:
    """See that the mirror has the records of the files, and none else."""
    root = memory.workspace.save_root()
    expected = [
        records.observation_record(live, number)
        for live in memory.observations.live_sessions()
        for number in range(len(live.observations))
    ]
    with mirror_db.opened(root) as opened:
        keys = dict(database(root).execute("SELECT id, key FROM observations"))
        found = opened.records([keys[record.id] for record in expected]).values()
        assert opened.counts()["observations"] == len(expected)
    assert [one.record for one in found] == [cleaned(record) for record in expected]


def cleaned(record: Any) -> Any:
    return record._replace(text=record.text.encode("utf-8", "replace").decode())


# ---------------------------------------------------------------------------- what is found


@pytest.fixture
def talk(on: Memory, clock: Clock) -> list[str]:
    """Some observations, a minute apart, of a live session `c`."""
    on.start("c", host="cursor", project="shop")
    said: tuple[tuple[str, str, str, list[str]], ...] = (
        ("Redis 缓存的 TTL 定为 300 秒", "decision", "", ["redis", "缓存"]),
        ("the connectionPool timeout was raised", "note", "", []),
        ("播放器卡顿，先优化解码", "user", "", []),
        ("built with C++ and the vendored json.hpp", "tool", "shell", ["Build"]),
        ("API 重构 is done", "assistant", "", []),
    )
    ids = []
    for text, kind, tool, tags in said:
        ids.append(on.log(text, kind=kind, tool=tool, tags=tags, conversation="c").id)
        clock.now += timedelta(minutes=1)
    return ids


def found(memory: Memory, query: str, **wanted: Any) -> list[str]:
    result = memory.observations.search(query, kinds=wanted.pop("kinds", KINDS), **wanted)
    assert result.warnings == ()
    return [hit.record.id for hit in result.hits]


def best(memory: Memory, query: str, **wanted: Any) -> list[str]:
    """Return what is found first: what stands next to it may come with it."""
    return found(memory, query, **wanted)[:1]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("缓存", 0),
        ("秒", 0),
        ("TTL 300", 0),
        ("connection-pool timeouts", 1),
        ("nectionpoo", 1),
        ("播放器优化", 2),
        ("云工开物 播放器", 2),
        ("C++", 3),
        ("API重构", 4),
        ('what TTL did we choose for "redis"?', 0),
        ("redis OR NOT (timeout* AND", 0),
    ],
)
def test_the_words_of_a_question_find_it_in_both_languages(query, place, on, talk):
    assert found(on, query)[0] == talk[place]


def test_what_nobody_said_is_not_found(on, talk):
    assert found(on, "kubernetes 优惠券") == []
    assert best(on, "zzqqxx") == []
    assert best(on, "") == []


def test_filters_narrow_before_the_limit(on, talk):
    assert best(on, "redis 播放器 timeout", kinds=("user",), limit=1) == [talk[2]]
    assert best(on, "redis json timeout", tools=["shell"], limit=1) == [talk[3]]
    assert best(on, "redis json timeout", tags=["build"], limit=1) == [talk[3]]
    assert best(on, "redis", project="shop") == [talk[0]]
    assert best(on, "redis", project="other") == []
    assert best(on, "redis", since=date(2026, 1, 29), until=date(2026, 1, 29)) == [talk[0]]
    assert best(on, "redis", since=date(2026, 1, 30)) == []
    assert best(on, "redis", until=date(2026, 1, 28)) == []


def test_the_best_of_those_that_pass_the_filters_come_first(on, talk):
    since = RecordFilters(first_day="2026-01-01")
    wide = RecordFilters(kinds=("decision", "note", "assistant"))

    assert len(asked(on, "redi", "timeout", "重构", filters=since)) == 3
    assert asked(on, "redi", "timeout", filters=since._replace(kinds=("error",))) == []
    with mirror_db.opened(on.workspace.save_root()) as opened:
        assert opened.find(["redi", "timeout"], 1, wide) == opened.find(["redi", "timeout"], 1, ALL)


def test_a_hit_shows_the_words_as_they_were_said(on, talk):
    (hit,) = on.observations.search("redis", kinds=("decision",)).hits

    assert hit.snippet == "Redis 缓存的 TTL 定为 300 秒"
    assert hit.record == on.observations.get([talk[0]])[0]


def test_the_mirror_and_the_files_know_the_same_words(on, talk):
    found_, _ = mirror.ask(on.workspace.save_root(), on.settings, ALL, lambda corpus: corpus)
    with mirror_db.opened(on.workspace.save_root()) as opened:
        corpus = mirror.MirrorCorpus(opened, ALL, on.workspace.save_root().observations_folder)
        documents = corpus.find(["redi", "timeout", "优化", "重构", "vendor"], 10)
        plain = PlainCorpus(documents)

        assert len(documents) == corpus.count == plain.count == 5
        assert corpus.average_lengths == plain.average_lengths
        assert sorted(corpus.vocabulary()) == sorted(plain.vocabulary())
        assert corpus.vocabulary("t", 3, 4) == list(plain.vocabulary("t", 3, 4))
        assert corpus.vocabulary_size() == plain.vocabulary_size()
        assert corpus.frequencies(["redi", "缓存", "none"]) == plain.frequencies(["redi", "缓存"])
        assert corpus.find(["redi", "timeout"], 9) == plain.find(["redi", "timeout"], 9)
        (first, *_) = plain.find(["timeout"], 1)
        assert corpus.neighbours([first]) == [
            documents_of(documents, talk[0]),
            documents_of(documents, talk[2]),
        ]
    assert found_


def documents_of(documents: list[Document], id_: str) -> Document:
    return next(one for one in documents if one.id == id_)


@pytest.mark.parametrize("wanted", [{}, {"kinds": ("note", "tool")}, {"tags": ["redis"]}])
def test_the_same_is_answered_with_the_mirror_and_without(wanted, on, clock, tmp_path):
    words = ["redis", "缓存", "timeout", "pool", "重构", "latency", "连接池", "retryCount"]
    on.start("c")
    for number in range(40):
        clock.now += timedelta(minutes=1)
        text = " ".join(words[number % 8 :] + words[: number % 3]) + f" {number}"
        on.log(text, kind=KINDS[number % len(KINDS)], tags=["Redis"] if number % 3 else [])
    queries = ("redis 缓存", "连接池 latency 17", "tryCoun", "retry", "pool timeouts", "重构")
    answers = [on.observations.search(query, **wanted) for query in queries]

    on.config.set("mirror.enabled", False)

    assert answers == [on.observations.search(query, **wanted) for query in queries]
    assert answers[-1].hits


def test_neighbours_that_the_filters_keep_out_are_marked(on, talk):
    mirror.sync(on.workspace.save_root(), on.settings)
    with mirror_db.opened(on.workspace.save_root()) as opened:
        corpus = mirror.MirrorCorpus(opened, RecordFilters(kinds=("note", "user")), "")
        near = corpus.neighbours(corpus.find(["timeout"], 1))

        assert [one.is_wanted for one in near] == [False, True]
        assert corpus.find([], 5) == []


def test_no_question_is_an_error(on, talk):
    path = Path(__file__).parents[4] / "shared" / "reliability" / "hostile_queries.json"
    queries = [
        '"',
        "a OR",
        "NEAR(",
        "缓存 AND NOT",
        "\0",
        "%_",
        "c" * 100_000,
        "缓" * 100_000,
        "?",
        "'--",
    ]
    if path.exists():
        queries += [
            one if isinstance(one, str) else str(one) for one in json.loads(path.read_text())
        ]

    for query in queries:
        on.observations.search(query, kinds=KINDS)


# ---------------------------------------------------------------------------- never stale


def test_what_a_hook_appends_is_found_at_once(on, talk):
    path = on.observations.live("c").path
    one = Observation("2026-01-29T11:00:00+08:00", "tool", "kubectl apply 部署", tool="shell")

    observations.append(on.workspace.save_root(), path, format_observation(one))

    assert best(on, "部署") == ["2026-01-29/c:7"]


def test_a_line_that_is_being_written_is_found_once_it_is_whole(on, talk):
    path = Path(on.observations.live("c").path)
    one = Observation("2026-01-29T11:00:00+08:00", "tool", "kubectl apply 部署", tool="shell")
    line = format_observation(one).encode()
    before = path.read_bytes()

    path.write_bytes(before + line[:20])
    assert best(on, "部署") == []
    path.write_bytes(before + line.rstrip(b"\n"))
    assert best(on, "部署") == ["2026-01-29/c:7"]
    path.write_bytes(before + line * 2)

    assert best(on, "部署") == ["2026-01-29/c:7"]


def test_a_text_changed_by_hand_to_one_as_long_is_seen(on, talk):
    path = Path(on.observations.live("c").path)
    assert best(on, "timeout") == [talk[1]]
    before = path.stat()

    path.write_bytes(path.read_bytes().replace(b"timeout", b"latency"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert best(on, "timeout") == []
    assert best(on, "latency") == [talk[1]]


def test_a_change_that_left_no_trace_in_the_times_is_seen_while_it_may_be(on, talk):
    root, name = on.workspace.save_root(), "observations/2026-01-29/c.jsonl"
    mirror.sync(root, on.settings)
    with mirror_db.opened(root) as opened, opened.writing():
        source = opened.file(name)
        assert source is not None
        # As if the file had been another one, a moment ago, with the same times.
        opened.put_file(source._replace(checksum=1, is_sure=False))

    assert best(on, "timeout") == [talk[1]]
    with mirror_db.opened(root) as opened:
        after = opened.file(name)
        assert after is not None
        assert after.checksum == source.checksum


def test_a_file_that_is_gone_is_not_found(on, talk):
    assert best(on, "timeout") == [talk[1]]

    Path(on.observations.live("c").path).unlink()

    assert best(on, "timeout") == []
    state = mirror.sync(on.workspace.save_root(), on.settings)
    assert (state.sessions, state.observations) == (0, 0)


def test_what_was_written_and_not_mirrored_is_told_and_made_up_for(on, talk):
    root = on.workspace.save_root()
    assert mirror.status(root, on.settings).state == "absent"
    mirror.sync(root, on.settings)

    on.save({"topic": "部署", "key_points": ["k8s"]})
    os.utime(on.observations.live("c").path, (1, 1))
    behind = mirror.status(root, on.settings)
    state = mirror.sync(root, on.settings)

    assert (behind.state, behind.behind) == ("behind", 1)
    assert state.state == "current"
    assert (state.sessions, state.observations, state.private, state.summaries) == (2, 5, 0, 2)


def test_a_file_that_nobody_may_read_hides_only_itself(on, talk, monkeypatch):
    folder = Path(on.observations.live("c").path).parent
    (folder / "link.jsonl").symlink_to(on.observations.live("c").path)
    real = files.read_bytes

    def refuse(path: str) -> bytes:
        if path.endswith("d.jsonl"):
            raise BackendError("no")
        return real(path)

    (folder / "d.jsonl").write_bytes(b'{"at":"","kind":"note","text":"hidden"}\n{"ended":"x"}\n')
    monkeypatch.setattr(files, "read_bytes", refuse)

    assert best(on, "timeout") == [talk[1]]
    assert best(on, "hidden") == []


# ---------------------------------------------------------------------------- private


def test_what_is_private_is_neither_found_nor_in_the_file(on):
    on.start("c")
    on.log("工资表 salaryzzz is in sheet 7", private=True, tags=["paytag"], conversation="c")
    on.log("redis", conversation="c")
    on.save({"topic": "topiczzz", "key_points": ["pointzzz"], "tags": ["private"]})
    on.end("c")
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)

    assert best(on, "工资表 salaryzzz paytag") == []
    for secret in ("工资表", "salaryzzz", "paytag", "topiczzz", "pointzzz"):
        assert secret not in stored(root)
    connection = database(root)
    sql = "SELECT content, private, tags_json FROM observations ORDER BY place LIMIT 1"
    assert connection.execute(sql).fetchone() == ("[PRIVATE]", 1, None)
    connection.close()


def stored(root: Root) -> str:
    """Return what the mirror and its log hold, as one text."""
    paths = Path(root.index_folder).glob("mirror*")
    return b"".join(path.read_bytes() for path in paths).decode("utf-8", "replace")


@pytest.mark.parametrize("is_hooked", [False, True])
def test_what_was_public_once_and_is_private_now_is_private(on, clock, is_hooked):
    on.start("c")
    first = on.log("工资表 salaryzzz", tags=["paytag"], conversation="c").id
    on.log("redis cache", conversation="c")
    root = on.workspace.save_root()
    assert best(on, "salaryzzz 工资表") == [first]

    clock.now += timedelta(days=1)
    if is_hooked:
        again = Observation("2026-01-30T10:00:00+08:00", "tool", "工资表 salaryzzz", private=True)
        observations.append(root, on.observations.live("c").path, format_observation(again))
    else:
        on.log("工资表 salaryzzz", kind="tool", private=True, conversation="c")
    later = on.log("工资表 salaryzzz", kind="decision", conversation="c").id

    assert best(on, "salaryzzz 工资表 paytag") == []
    assert [one.text for one in on.observations.get([first, later])] == ["[PRIVATE]"] * 2
    mirror.sync(root, on.settings)
    assert "salaryzzz" not in stored(root)
    kept = tables(root)
    mirror.sync(root, on.settings, rebuild=True)
    assert tables(root) == kept


@pytest.mark.parametrize("at_start", [False, True])
def test_what_a_user_refused_leaves_no_word_behind(on, at_start):
    on.start("c", host="cursor")
    on.log("the codeword is xylophonezz 木琴", kind="user", conversation="c")
    on.log("Redis", kind="assistant", conversation="c")
    root = on.workspace.save_root()
    assert best(on, "xylophonezz") != []
    assert "木琴" in stored(root)
    on.log("不要保存这次对话", kind="user", conversation="c")
    os.utime(on.observations.live("c").path, (0, 0))

    ended = on.end_all() if at_start else [on.end("c")]

    assert [one.skipped for one in ended] == [REFUSED]
    assert best(on, "xylophonezz 木琴") == []
    assert "xylophonezz" not in stored(root)
    assert "木琴" not in stored(root)


def test_nothing_is_made_to_forget_where_there_is_nothing(on):
    mirror.forget(on.workspace.save_root(), on.settings)

    assert not os.path.exists(mirror_db.mirror_path(on.workspace.save_root()))


def test_what_was_deleted_leaves_no_word_behind_after_a_sync(on):
    on.start("c")
    on.log("the codeword is xylophonezz 木琴", conversation="c")
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)

    Path(on.observations.live("c").path).unlink()
    mirror.sync(root, on.settings)

    assert "xylophonezz" not in stored(root)
    assert "木琴" not in stored(root)


# ---------------------------------------------------------------------------- summaries


def test_a_section_has_a_brief_and_a_detailed_summary(on):
    points = [f"要点 {number} " + "很长的说明" * 10 for number in range(60)]
    on.save({"topic": "长", "key_points": points})
    on.save({"topic": "一" * 70, "key_points": ["字" * 5000]})
    on.save({"topic": "不给别人看", "private": True})
    connection = database(on.workspace.save_root())
    sql = "SELECT session_id, level, length(content) FROM summaries ORDER BY session_id, level"
    rows = connection.execute(sql).fetchall()
    connection.close()

    assert [row[:2] for row in rows] == [
        ("2026-01-29#1", "brief"),
        ("2026-01-29#1", "detailed"),
        ("2026-01-29#2", "brief"),
        ("2026-01-29#2", "detailed"),
    ]
    assert all(length <= {"brief": 900, "detailed": 3200}[level] for _, level, length in rows)
    assert max(length for *_, length in rows) > 3000


def test_the_summaries_of_a_conversation_are_those_of_its_section(on):
    on.start("c")
    on.log("Redis TTL 300", kind="decision", conversation="c")
    root = on.workspace.save_root()
    assert mirror.sync(root, on.settings).summaries == 0
    ended = on.end("c")
    assert mirror.status(root, on.settings).summaries == 2

    on.log("and now 600", kind="decision", conversation="c")
    on.end("c")

    connection = database(root)
    rows = connection.execute("SELECT session_id, content FROM summaries").fetchall()
    connection.close()
    assert [row[0] for row in rows] == [ended.id, ended.id]
    assert all("600" in content for _, content in rows)


class Late(mirror_db.MirrorDatabase):
    """A mirror that another process writes just before we do."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    @contextlib.contextmanager
    def writing(self, wait_s: float = sqlite.BUSY_S) -> Iterator[None]:
        self.meanwhile()
        with super().writing(wait_s):
            yield


@contextlib.contextmanager
def late(root: Root, meanwhile: Callable[[], object]) -> Iterator[Late]:
    connection = mirror_db.connect(mirror_db.mirror_path(root))
    with contextlib.closing(connection):
        opened = Late(connection)
        opened.meanwhile = meanwhile
        yield opened


def test_what_another_process_mirrored_meanwhile_is_not_called_sure(on, monkeypatch):
    on.start("c")
    on.log("redis", conversation="c")
    root = on.workspace.save_root()
    with mirror_db.opened(root) as opened:
        mirror.refresh(root, opened)
        first = opened.file("observations/2026-01-29/c.jsonl")
        assert first is not None
        with opened.writing():
            opened.put_file(first._replace(is_sure=False))
    other = first._replace(stamp=(0, 0, 0), is_sure=False)

    def put_other() -> None:
        with mirror_db.opened(root) as opened, opened.writing():
            opened.put_file(other)

    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as if it were written long ago
    with late(root, put_other) as opened:
        mirror.refresh(root, opened)

        assert opened.file("observations/2026-01-29/c.jsonl") == other


# ---------------------------------------------------------------------------- others at work


@pytest.fixture
def held(on: Memory, talk: list[str], monkeypatch) -> Iterator[sqlite3.Connection]:
    """Another connection that writes and writes."""
    monkeypatch.setattr(mirror_db, "BUSY_S", 0.05)
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    connection = database(root)
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def test_while_another_writes_what_is_mirrored_is_found(on, talk, held):
    assert best(on, "timeout") == [talk[1]]


def test_while_another_writes_what_is_new_is_found_in_the_files(on, talk, held):
    logged = on.log("a new latency target 新目标", conversation="c").id

    result = on.observations.search("latency", kinds=KINDS)

    assert [hit.record.id for hit in result.hits] == [logged]
    assert result.warnings == ("the mirror was not used: the mirror is in use by another process",)
    held.rollback()
    assert best(on, "latency") == [logged]


def test_many_threads_ask_and_log_at_once(on, talk):
    faults: list[object] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                logged = on.log(f"word{number}x{turn} 并发", conversation="c").id
                if logged not in found(on, f"word{number}x{turn}"):
                    faults.append(logged)
        except DailyMemoryError as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    assert mirror.sync(on.workspace.save_root(), on.settings).observations == 35


def test_an_end_does_not_read_a_long_file_for_the_mirror(on):
    on.start("c")
    one = format_observation(Observation("", "tool", "x" * 300_000, "shell"))
    observations.append(on.workspace.save_root(), on.observations.live("c").path, one)
    logged = on.log("redis", conversation="c")

    on.end("c")

    assert mirror.status(on.workspace.save_root(), on.settings).observations == 0
    assert best(on, "redis") == [logged.id]


def test_what_is_logged_waits_for_the_next_search(on, talk):
    assert not os.path.exists(mirror_db.mirror_path(on.workspace.save_root()))

    assert best(on, "timeout") == [talk[1]]


def test_another_process_that_mirrored_it_first_is_no_trouble(on, talk):
    root = on.workspace.save_root()
    with mirror_db.opened(root):
        pass  # it is made
    with late(root, lambda: mirror.sync(root, on.settings)) as opened:
        mirror.refresh(root, opened)

        assert opened.counts()["observations"] == 5


# ---------------------------------------------------------------------------- versions


def test_a_mirror_of_a_newer_version_is_left_alone_and_the_files_answer(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    connection = database(root)
    connection.execute("PRAGMA user_version = 99000")
    connection.close()
    before = Path(mirror_db.mirror_path(root)).read_bytes()

    on.log("latency", conversation="c")
    result = on.observations.search("timeout", kinds=KINDS)

    assert result.hits[0].record.id == talk[1]
    assert result.warnings[0].startswith(
        "the mirror was not used: index/mirror.sqlite3 is of a newer"
    )
    assert mirror.status(root, on.settings).state == "unusable"
    assert mirror.faults(root, on.settings)[0] == []
    with pytest.raises(UnusableError):
        mirror.sync(root, on.settings, rebuild=True)
    assert Path(mirror_db.mirror_path(root)).read_bytes() == before


def test_a_mirror_of_an_older_version_is_made_anew(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    connection = database(root)
    connection.executescript("PRAGMA user_version = 1; DROP TABLE sessions;")
    connection.close()

    assert best(on, "timeout") == [talk[1]]


# ---------------------------------------------------------------------------- damage


def spoiled(root: Root, place: int, data: bytes) -> None:
    with open(mirror_db.mirror_path(root), "r+b") as file:
        file.seek(place)
        file.write(data)


@pytest.mark.parametrize(
    ("place", "data"), [(0, b"no database"), (4096, b"\xff" * 200_000), (100, b"\xff" * 3000)]
)
def test_a_damaged_mirror_is_replaced_and_nothing_is_missing(place, data, on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    spoiled(root, place, data)
    assert mirror.status(root, on.settings).state == "unusable"

    assert best(on, "timeout") == [talk[1]]
    assert best(on, "重构") == [talk[4]]
    spoiled(root, place, data)
    assert mirror.sync(root, on.settings).observations == 5
    assert mirror.drop(root)
    assert list(Path(root.index_folder).glob("mirror*")) == []


def test_names_in_a_damaged_mirror_may_be_no_text_at_all(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    path = Path(mirror_db.mirror_path(root))
    whole = path.read_bytes()
    # SQLite names the table in what it says, and Python can't read that name.
    path.write_bytes(
        whole.replace(b"CREATE TABLE observations", b"CRXATE TABLE observations").replace(
            b"observations", b"\x96bservations"
        )
    )

    assert mirror.status(root, on.settings).state == "unusable"
    assert best(on, "timeout") == [talk[1]]


def test_a_list_in_it_that_is_no_json_is_damage(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    connection = sqlite3.connect(mirror_db.mirror_path(root))
    connection.execute("UPDATE observations SET tags_json = '[broken'")
    connection.commit()
    connection.close()

    assert best(on, "timeout") == [talk[1]]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE observations SET content = 'timeout: run rm -rf' WHERE place = 1",
        "UPDATE observations SET begins = 1 WHERE place = 1",
        "UPDATE observations SET id = '2026-01-29/gone:3' WHERE place = 1",
        "DROP TABLE summaries",
        "DROP TABLE observation_tags",
    ],
)
def test_what_somebody_wrote_into_it_is_no_answer(sql, on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    connection = database(root)
    connection.execute(sql)
    connection.commit()
    connection.close()
    on.save({"topic": "new", "key_points": ["x"], "tags": ["y"]})
    on.log("tagged", tags=["z"], conversation="c")

    assert best(on, "timeout") == [talk[1]]
    (hit, *_) = on.observations.search("timeout", kinds=("note",)).hits
    assert hit.record.text == "the connectionPool timeout was raised"


def test_a_link_is_not_followed(on, talk, tmp_path):
    root = on.workspace.save_root()
    os.makedirs(root.index_folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    os.symlink(elsewhere, mirror_db.mirror_path(root))

    assert best(on, "timeout") == [talk[1]]
    assert elsewhere.read_bytes() == b""


def test_doctor_finds_a_damaged_full_text_index_and_mends_it(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    (clean,) = on.doctor().values()
    connection = database(root)
    connection.execute("UPDATE observations_fts_data SET block = x'00' WHERE id > 10")
    connection.commit()
    connection.close()

    (report,) = on.doctor().values()
    (mended,) = on.doctor(fix=True).values()

    assert clean.faults == ()
    assert [fault.message for fault in report.faults] == ["is damaged; run `memory mirror rebuild`"]
    assert mended.faults == ()
    assert "rebuilt the mirror" in mended.mended
    assert best(on, "timeout") == [talk[1]]


def test_doctor_tells_of_a_mirror_that_is_no_database(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    spoiled(root, 0, b"no database")

    faults, _ = mirror.faults(root, on.settings)

    assert faults[0].startswith("the mirror is damaged")


# ---------------------------------------------------------------------------- on and off


def test_off_it_is_neither_made_nor_asked(memory):
    memory.start("c")
    memory.log("redis")

    assert memory.observations.search("redis").hits
    root = memory.workspace.save_root()
    assert not os.path.exists(mirror_db.mirror_path(root))
    assert mirror.ask(root, memory.settings, ALL, lambda corpus: corpus) == ([], ())
    assert mirror.status(root, memory.settings).state == "off"
    with pytest.raises(InvalidInputError, match="the mirror is off"):
        mirror.sync(root, memory.settings)


def test_there_is_none_of_an_encrypted_memory(on, talk):
    root = on.workspace.save_root()
    switch_on(on, storage={"encryption": "age"})

    result = on.observations.search("timeout", kinds=KINDS)

    assert result.hits[0].record.id == talk[1]
    assert result.warnings[0].startswith(
        "the mirror was not used: there is no mirror of an encrypted"
    )
    assert mirror.status(root, on.settings).state == "unusable"
    assert "holds the text" in mirror.faults(root, on.settings)[1][0]
    with pytest.raises(InvalidInputError):
        mirror.sync(root, on.settings, rebuild=True)


def test_what_is_dropped_comes_back_with_the_next_search(on, talk):
    root = on.workspace.save_root()
    mirror.sync(root, on.settings)
    before = tables(root)

    assert mirror.drop(root) == (mirror_db.mirror_path(root),)
    assert mirror.drop(root) == ()
    assert mirror.status(root, on.settings).state == "absent"
    assert best(on, "timeout") == [talk[1]]
    mirror.sync(root, on.settings)
    assert tables(root) == before
    mirror.drop(root)
    assert mirror.sync(root, on.settings, rebuild=True).observations == 5
    assert tables(root) == before


def test_only_its_owner_can_read_it(on, talk):
    for path in Path(on.workspace.save_root().index_folder).glob("mirror*"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_progress_is_told_file_by_file(on, talk):
    on.start("d")
    on.end("d")
    root = on.workspace.save_root()
    told: list[tuple[int, int]] = []

    with progress_to(lambda done, total: told.append((done, total))):
        mirror.sync(root, on.settings, rebuild=True)

    assert (2, 2) in told
