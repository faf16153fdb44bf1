"""Embedding: what is embedded when, what is kept, what is sent, and what is removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from daily_memory import ConflictError, InvalidInputError, Memory
from daily_memory.core.ports import ModelError
from daily_memory.services.upkeep import embed
from daily_memory.storage.fs.lock import EMBEDDING, locked
from daily_memory.storage.index import embeddings
from daily_memory.storage.roots import Root
from tests.embedding import SESSIONS, EmbeddingServer, embedding_server, switch_on


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def filled(memory: Memory, server: EmbeddingServer) -> Memory:
    memory.import_sessions(SESSIONS)
    return switch_on(memory, provider="ollama", model="m", url=server.url)


def root_of(memory: Memory) -> Root:
    assert memory.workspace.project_root is not None
    return memory.workspace.ready(memory.workspace.project_root)


def run(memory: Memory, **options: object) -> embed.EmbeddingStatus:
    waits: list[float] = []
    done = embed.embed(root_of(memory), memory.settings, {}, sleep=waits.append, **options)  # type: ignore[arg-type]
    assert all(0 < wait <= 60 for wait in waits)
    return done


def vector_files(memory: Memory) -> list[str]:
    return sorted(path.name for path in Path(root_of(memory).index_folder).glob("embeddings*"))


def test_what_is_not_private_is_embedded_the_newest_first(filled, server):
    done = run(filled)

    assert (done.sessions, done.embedded, done.pending, done.vectors) == (4, 4, 0, 4)
    assert [text.split("\n")[0] for text in server.texts[:4]] == [
        "Rollout on Friday",
        "账单页面",
        "Redis in front",
        "The login page",
    ]
    assert "secret signin" not in str(server.texts)
    assert vector_files(filled) == ["embeddings-1.i8", "embeddings.json"]


def test_what_did_not_change_is_not_embedded_again(filled, server):
    run(filled)
    server.texts.clear()

    run(filled)
    assert server.texts == []
    filled.mark(["2026-01-20#1"], {"important": True})
    filled.import_sessions([{"topic": "New style", "date": "2026-01-25"}])
    done = run(filled)

    assert [text for text in server.texts if "login" in text] == []
    assert "New style" in server.texts
    assert (done.embedded, done.vectors) == (5, 5)


def test_everything_can_be_embedded_again(filled, server):
    run(filled)
    server.texts.clear()

    done = run(filled, from_scratch=True)

    assert len(server.texts) >= 4
    assert done.embedded == 4


def test_a_busy_server_is_asked_again(filled, server):
    server.refusals = [(429, {"retry-after": "9"}), (503, {})]

    assert run(filled).embedded == 4


def test_what_was_embedded_before_a_failure_is_kept(filled, server):
    server.refusals = [None, (401, {})]

    with pytest.raises(ModelError, match="refuses the key"):
        run(filled, lot=2)

    assert embed.status(root_of(filled), filled.settings).embedded == 2
    server.texts.clear()
    assert run(filled).embedded == 4


def test_secrets_do_not_leave_the_machine(filled, server, day_file):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    day_file(f"## Session 1 - 10:00\n\n### Topic\nlogin\n\n### Key points\n- key {key}\n")

    run(filled)

    assert key not in json.dumps([request.body for request in server.server.requests])
    assert any("key [" in text for text in server.texts)


def test_the_set_of_another_model_is_kept_until_the_new_one_is_complete(filled, server):
    run(filled)
    old = embeddings.load(root_of(filled))
    switch_on(filled, provider="ollama", model="other", url=server.url)
    server.refusals = [(401, {})]

    with pytest.raises(ModelError):
        run(filled)
    assert embeddings.load(root_of(filled)) == old
    done = run(filled)

    current = embeddings.load(root_of(filled))
    assert current is not None
    assert (current.model, len(current.entries)) == ("other", 4)
    assert done.embedded == 4
    assert len(vector_files(filled)) == 2


def test_vectors_go_with_what_is_deleted_made_private_or_purged(filled):
    run(filled)

    filled.delete(["2026-01-20#1"])
    filled.mark(["2026-01-21#1"], {"private": True})
    filled.deletion.purge(filled.deletion.traces([], ["2026-01-22#1"]))

    left = embeddings.load_vectors(root_of(filled))
    assert left is not None
    assert [entry.date for entry in left[0].entries] == ["2026-01-23"]
    assert len(left[1]) == left[0].dimensions


def test_vectors_of_an_encrypted_memory_are_encrypted(filled, server):
    pytest.importorskip("pyrage")
    run(filled)
    filled.encryption.encrypt()

    folder = Path(root_of(filled).index_folder)
    filled.import_sessions([{"topic": "more css", "date": "2026-01-26"}])
    done = run(filled)

    for name in vector_files(filled):
        assert (folder / name).read_bytes().startswith(b"age-encryption.org")
    assert done.embedded == 5


def test_one_process_embeds_at_a_time(filled):
    with locked(root_of(filled), name=EMBEDDING), pytest.raises(ConflictError):
        run(filled, wait_s=0.0)


def test_nothing_is_embedded_while_it_is_off(memory):
    memory.import_sessions(SESSIONS)

    with pytest.raises(InvalidInputError, match="is off"):
        run(memory)


def test_vectors_of_a_length_that_changed_are_refused(filled, server):
    run(filled)
    filled.import_sessions([{"topic": "one more", "date": "2026-01-25"}])
    server.vectors = lambda texts: [[1.0, 2.0] for _ in texts]

    with pytest.raises(ModelError, match="another length"):
        run(filled)
    assert embed.status(root_of(filled), filled.settings).embedded == 4


def test_how_well_the_model_knows_the_languages_is_measured(filled):
    known = run(filled).known

    assert known["latin"] > 0.1
    assert known["across"] < 0.1
    assert known["measured"] == 4
