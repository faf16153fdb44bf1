"""Search by meaning: what is found beyond words, what fails, and what stays as it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory
from daily_memory.storage.fs import files
from daily_memory.storage.index import embeddings
from tests.embedding import (
    SESSIONS,
    EmbeddingServer,
    embedding_server,
    need,
    static_model,
    switch_on,
)
from tests.encryption import forget_keys


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    need("numpy")
    with embedding_server() as server:
        yield server


@pytest.fixture
def filled(memory: Memory) -> Memory:
    # The session of the last word only makes the memory large enough to stand out from.
    memory.import_sessions([*SESSIONS, {"topic": "css colour", "date": "2026-01-25"}])
    return memory


@pytest.fixture
def static(filled: Memory, tmp_path: Path) -> Memory:
    model = static_model(tmp_path / "model")
    switch_on(filled, provider="model2vec", model=str(model))
    filled.embedding.run()
    return filled


def topics(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.session.topic for hit in memory.search(query, **options).hits]  # type: ignore[arg-type]


def test_what_shares_no_word_with_the_question_is_found(static):
    assert topics(static, "passport", method="keyword") == []
    result = static.search("passport")

    assert result.method == "hybrid"
    assert result.warnings == ()
    (hit,) = result.hits
    assert hit.session.topic == "The login page"
    assert hit.semantic is not None
    assert hit.semantic > 0.9
    assert 0 < hit.score <= 1
    assert hit.keyword == 0
    assert "semantic" in hit.explanation[-1]


def test_who_asks_again_finds_the_same_with_numpy(static):
    first, second, third = (static.search("passport").hits[0] for _ in range(3))

    assert second.semantic == pytest.approx(first.semantic, abs=1e-3)
    assert third == second


def test_without_numpy_the_same_is_found(static, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)

    assert topics(static, "passport") == topics(static, "passport") == ["The login page"]


def test_a_search_by_keywords_is_as_without_a_model(static, filled):
    for query in ("login", "redis cache", "发票", "nothing of it"):
        found = static.search(query, method="keyword")
        switch_on(static, provider="model2vec", model="none", enabled=False)
        assert static.search(query).hits == found.hits
        switch_on(static, provider="model2vec", model=static.settings.semantic.model)


def test_the_method_and_the_weights_come_from_the_settings(static):
    config = Path(static.workspace.global_root.config)
    settings = json.loads(config.read_text())

    def under(**retrieval: object) -> list[float]:
        config.write_text(json.dumps({**settings, "retrieval": retrieval}))
        static.workspace.reload_settings()
        return [round(hit.score, 3) for hit in static.search("login ttl").hits]

    mixed = under()
    assert under(method="keyword") != mixed
    assert under(method="semantic") != mixed
    assert under(keyword_weight=0.4, semantic_weight=0.6) != mixed
    assert under(keyword_weight=1.0, semantic_weight=0.0) == under(method="keyword")


def test_filters_hold_for_what_is_found_by_meaning(static):
    assert topics(static, "passport", tags=["none"]) == []
    assert topics(static, "passport", days=1) == []
    assert topics(static, "passport", scope="project") == ["The login page"]


def test_private_sessions_are_not_found_by_meaning(static):
    assert "secret signin plan" not in topics(static, "authenticate")


def test_an_edited_session_is_not_found_by_what_it_said(static, day_file):
    path = day_file(name="2026-01-20.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("The login page", "Old").replace("authenticate by OAuth", "gone"))

    assert topics(static, "passport") == []


def test_a_model_that_fails_leaves_the_keywords_with_a_warning(filled, server):
    switch_on(filled, provider="ollama", model="m", url=server.url)
    filled.embedding.run()
    server.refusals = [(503, {})]

    result = filled.search("login")

    assert [hit.session.topic for hit in result.hits] == ["The login page"]
    assert result.method == "keyword"
    assert "keywords alone were used: 127.0.0.1" in result.warnings[0]


def test_nothing_embedded_is_a_warning_and_asks_no_server(filled, server):
    switch_on(filled, provider="ollama", model="m", url=server.url)

    result = filled.search("login")

    assert "nothing of" in result.warnings[0]
    assert server.texts == []
    assert [hit.session.topic for hit in result.hits] == ["The login page"]


def test_what_is_not_embedded_yet_is_told_and_found_by_words(static):
    static.import_sessions([{"topic": "Signup form", "date": "2026-01-26"}])

    result = static.search("signup form")

    assert result.hits[0].session.topic == "Signup form"
    assert result.warnings == ("1 session not embedded yet: `memory embed`",)


def test_a_secret_in_a_question_stays_here(filled, server):
    switch_on(filled, provider="ollama", model="m", url=server.url)
    filled.embedding.run()
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    server.texts.clear()

    filled.search(f"login with {key}")

    assert len(server.texts) == 1
    assert key not in server.texts[0]


def test_who_is_no_longer_chosen_is_not_asked(filled, server, tmp_path):
    switch_on(filled, provider="ollama", model="m", url=server.url)
    filled.embedding.run()
    server.texts.clear()
    model = static_model(tmp_path / "model")
    switch_on(filled, provider="model2vec", model=str(model))

    assert "nothing of" in filled.search("passport").warnings[0]
    assert server.texts == []
    filled.embedding.run()
    assert topics(filled, "passport") == ["The login page"]


def test_a_server_is_not_asked_while_a_host_waits(filled, server):
    switch_on(filled, provider="ollama", model="m", url=server.url)
    filled.embedding.run()
    server.texts.clear()

    assert "The login page" in filled.inject("login", is_hurried=True).text
    assert server.texts == []
    assert "The login page" in filled.inject("passport").text
    assert len(server.texts) == 1


@pytest.mark.parametrize("message", ["passport", "passport please"])
def test_a_static_model_answers_while_a_host_waits(static, message):
    assert "The login page" in static.inject(message, is_hurried=True).text


def test_vectors_that_another_program_wrote_as_lists_are_read(filled, server):
    switch_on(filled, provider="openai", model="text-embedding-ada-002", url=server.url)
    root = filled.workspace.project_root
    assert root is not None
    entries = [
        {"date": "2026-01-20", "session": 1, "text": "The login…", "embedding": [1, 0, 0, 0, 0, 0]},
        {"date": "2026-01-21", "session": 1, "text": "Redis…", "embedding": [0, 1, 0, 0, 0, 0]},
        {"date": "2026-01-22", "session": 1, "text": "账单…", "embedding": [0, 0, 1, 0, 0, 0]},
    ]
    data = {"version": "1.0", "model": "text-embedding-ada-002", "entries": entries}
    Path(embeddings.path_of(root)).write_text(json.dumps(data), encoding="utf-8")

    assert topics(filled, "passport") == ["The login page"]
    (status,) = filled.embedding.run()
    assert status.embedded == status.sessions == 5
    assert topics(filled, "passport") == ["The login page"]


def test_vectors_of_another_program_stay_for_the_sessions_that_are_there(filled, server):
    switch_on(filled, provider="openai", model="text-embedding-ada-002", url=server.url)
    root = filled.workspace.project_root
    assert root is not None
    entries = [
        {"date": f"2026-01-{day}", "session": 1, "text": "…", "embedding": [1, 0, 0, 0, 0, 0]}
        for day in (20, 21)
    ]
    data = {"version": "1.0", "model": "text-embedding-ada-002", "entries": entries}
    Path(embeddings.path_of(root)).write_text(json.dumps(data), encoding="utf-8")

    filled.delete(["2026-01-21#1"])
    embeddings.forget(root)

    found = embeddings.load_vectors(root, embeddings.CURRENT)
    assert found is not None
    assert [entry.date for entry in found[0].entries] == ["2026-01-20"]


@pytest.mark.parametrize("damage", ["", "{", '{"version": "1.0"}', '{"version": "2.0"}'])
def test_damaged_vectors_leave_the_keywords(static, damage):
    root = static.workspace.project_root
    assert root is not None
    Path(embeddings.path_of(root)).write_text(damage, encoding="utf-8")

    assert topics(static, "login") == ["The login page"]
    static.embedding.run()
    assert topics(static, "passport") == ["The login page"]


def test_where_it_is_off_an_explicit_search_by_meaning_says_so(filled):
    result = filled.search("login", method="semantic")

    assert "search by meaning is off" in result.warnings[0]
    with pytest.raises(InvalidInputError):
        filled.search("login", method="vector")


@pytest.fixture
def archived(static: Memory) -> Memory:
    """The memory with all but its last days archived."""
    static.archive.store(static.archive.due(before=date(2026, 1, 24)))
    return static


def test_the_archive_is_searched_by_meaning_with_the_vectors_it_came_with(archived):
    assert topics(archived, "passport") == []
    result = archived.search("passport", archived=True)

    assert [(hit.session.topic, hit.archived) for hit in result.hits] == [("The login page", True)]
    assert result.warnings == ()
    assert archived.embedding.status()[0].pending == 0


def test_what_was_archived_before_is_embedded(filled, tmp_path):
    filled.archive.store(filled.archive.due(before=date(2026, 1, 24)))
    switch_on(filled, provider="model2vec", model=str(static_model(tmp_path / "model")))
    (before,) = filled.embedding.status()
    (status,) = filled.embedding.run()

    assert (before.pending, status.pending) == (5, 0)
    assert [hit.archived for hit in filled.search("passport", archived=True).hits] == [True]
    filled.archive.restore(days=[date(2026, 1, 20)])
    assert topics(filled, "passport") == ["The login page"]
    assert filled.embedding.status()[0].pending == 0


def test_no_vector_is_left_of_what_is_purged_in_the_archive(archived):
    root = archived.workspace.project_root
    assert root is not None
    before = embeddings.load_vectors(root)
    archived.deletion.purge(archived.deletion.traces((), ["2026-01-20#1"]))
    after = embeddings.load_vectors(root)

    assert before is not None
    assert after is not None
    assert len(before[1]) - len(after[1]) == before[0].dimensions
    assert "2026-01-20" not in {entry.date for entry in after[0].entries}
    assert not archived.search("passport", archived=True).hits


def test_of_a_private_session_in_the_archive_there_is_no_vector(static):
    root = static.workspace.project_root
    assert root is not None
    static.archive.store(static.archive.due(before=date(2026, 1, 26)))
    static.embedding.run(from_scratch=True)
    known = embeddings.load(root)

    assert known is not None
    assert sorted({entry.date for entry in known.entries}) == [
        "2026-01-20",
        "2026-01-21",
        "2026-01-22",
        "2026-01-23",
        "2026-01-25",
    ]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of another test is known."""
    monkeypatch.setattr(files, "key_holders", {})
    forget_keys()


@pytest.mark.usefixtures("alone")
def test_the_archive_of_an_encrypted_memory_is_searched_by_meaning(archived):
    pytest.importorskip("pyrage")
    archived.encryption.encrypt()
    archived.embedding.run()
    root = archived.workspace.project_root
    assert root is not None

    data = Path(embeddings.path_of(root)).read_bytes()

    assert data.startswith(b"age-encryption.org")
    assert [hit.archived for hit in archived.search("passport", archived=True).hits] == [True]
