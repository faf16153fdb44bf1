"""Embedding models: each protocol spoken with a server, and models on disk that tests make."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daily_memory.backends.embedders import hub, table
from daily_memory.core.ports import AGAIN, LATER, NOT_AGAIN, ModelError
from daily_memory.core.setting_keys import KEY_OF
from daily_memory.core.settings import Semantic
from tests.embedding import EmbeddingServer, embedding_server, meaning_of, need, static_model

TEXTS = [f"login {number} cache" for number in range(70)]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


def vectors(settings: Semantic, texts: Sequence[str] = TEXTS, **environment: str) -> list[object]:
    found = table.open_embedder(settings, environment).embed(texts, 10.0)
    return [list(vector) for vector in found]


def test_every_provider_of_the_setting_is_there():
    assert KEY_OF["semantic.provider"].choices == tuple(table.PROVIDERS)


@pytest.mark.parametrize(
    ("provider", "path", "batch"), [("openai", "/embeddings", 10), ("ollama", "/api/embed", 32)]
)
def test_a_server_is_asked_in_batches(server, provider, path, batch):
    found = vectors(Semantic(True, provider, "m", server.url))

    assert found == [meaning_of(text) for text in TEXTS]
    assert server.texts == TEXTS
    assert {request.path for request in server.server.requests} == {path}
    assert max(len(request.body["input"]) for request in server.server.requests) == batch
    assert all(request.body["model"] == "m" for request in server.server.requests)


def test_the_key_comes_from_the_environment(server):
    settings = Semantic(True, "openai", "m", server.url)

    vectors(settings, ["a"], OPENAI_API_KEY="sk-one")
    vectors(settings, ["a"], OPENAI_API_KEY="sk-one", DAILY_MEMORY_EMBEDDING_KEY="sk-two")
    vectors(settings, ["a"])

    keys = [request.headers.get("authorization") for request in server.server.requests]
    assert keys == ["Bearer sk-one", "Bearer sk-two", None]


def test_openai_itself_is_not_asked_without_a_key():
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        table.open_embedder(Semantic(True, "openai", "text-embedding-3-small"), {})


@pytest.mark.parametrize(
    ("status", "remedy", "wait_s"), [(429, LATER, 7), (503, LATER, 7), (401, NOT_AGAIN, 7)]
)
def test_a_refusal_says_whether_to_ask_again_and_when(server, status, remedy, wait_s):
    server.refusals = [(status, {"retry-after": "7"})]

    with pytest.raises(ModelError, match=f"status {status}") as caught:
        vectors(Semantic(True, "openai", "m", server.url), ["a"])

    assert (caught.value.remedy, caught.value.wait_s) == (remedy, wait_s)
    assert "secret" not in str(caught.value)


def test_who_does_not_answer_in_time_is_asked_later(server):
    server.server.answers.clear()
    server.server.act(server.server.keep_waiting)

    with pytest.raises(ModelError, match="no answer within") as caught:
        table.open_embedder(Semantic(True, "ollama", "m", server.url), {}).embed(["a"], 0.2)

    assert caught.value.remedy == LATER


def test_where_nobody_listens_is_an_error():
    with pytest.raises(ModelError, match="can't connect") as caught:
        vectors(Semantic(True, "ollama", "m", "http://127.0.0.1:9"), ["a"])

    assert caught.value.remedy == AGAIN


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": []}]},
    ],
)
def test_an_answer_of_another_form_is_an_error(server, data):
    server.server.answers.clear()
    server.server.say(data)

    with pytest.raises(ModelError, match="another form"):
        vectors(Semantic(True, "openai", "m", server.url), ["a"])


# One text is read without numpy, many are not.
@pytest.mark.parametrize("times", [1, 6])
@pytest.mark.parametrize("is_quantised", [False, True])
def test_a_static_model_gives_what_the_library_gives(tmp_path, is_quantised, times):
    folder = static_model(tmp_path / "model", is_quantised=is_quantised)
    from model2vec import StaticModel

    texts = ["the login page", "缓存 ttl", "nothing known", "", "deploy " * 900] * times
    expected = StaticModel.from_pretrained(folder).encode(texts)
    found = vectors(Semantic(True, "model2vec", str(folder)), texts)

    for ours, theirs in zip(found, expected.tolist(), strict=True):
        length = sum(x * x for x in ours) ** 0.5 or 1.0  # type: ignore[attr-defined]
        assert [x / length for x in ours] == pytest.approx(theirs, abs=1e-3)  # type: ignore[attr-defined]


def test_what_is_no_static_model_is_an_error(tmp_path):
    need("numpy", "tokenizers")
    (tmp_path / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")

    with pytest.raises(ModelError, match="not a model2vec model"):
        table.open_embedder(Semantic(True, "model2vec", str(tmp_path)), {})
    (tmp_path / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(ModelError, match="can't be read"):
        table.open_embedder(Semantic(True, "model2vec", str(tmp_path)), {})


def test_a_model_that_is_cut_off_is_an_error(tmp_path):
    folder = static_model(tmp_path / "model")
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])

    with pytest.raises(ModelError, match="cut off"):
        table.open_embedder(Semantic(True, "model2vec", str(folder)), {})


def test_a_question_needs_no_numpy(tmp_path, monkeypatch):
    folder = static_model(tmp_path / "model")
    monkeypatch.setitem(sys.modules, "numpy", None)

    assert len(vectors(Semantic(True, "model2vec", str(folder)), ["login"])[0]) == 6  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="numpy is not installed"):
        vectors(Semantic(True, "model2vec", str(folder)), ["login"] * 3000)


def test_a_model_is_found_in_the_cache_of_the_hub_and_never_downloaded(tmp_path):
    environment = {"HF_HUB_CACHE": str(tmp_path)}
    folder = tmp_path / "models--minishlab--potion-base-8M"
    (folder / "snapshots" / "abc").mkdir(parents=True)

    assert hub.find_folder("minishlab/potion-base-8M", environment) == ""
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("abc\n")
    assert hub.find_folder("minishlab/potion-base-8M", environment) == str(
        folder / "snapshots" / "abc"
    )
    with pytest.raises(ModelError, match="not on this machine"):
        hub.get_folder("all-MiniLM-L6-v2", environment)
    with pytest.raises(ModelError, match="not on this machine"):
        hub.get_folder(str(tmp_path / "none"), environment)


@pytest.mark.parametrize("provider", ["local", "model2vec"])
def test_a_missing_library_is_named_with_what_installs_it(tmp_path, monkeypatch, provider):
    for name in ("sentence_transformers", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(ModelError, match="is not installed") as caught:
        table.open_embedder(Semantic(True, provider, str(tmp_path)), {})

    assert "install" in caught.value.hint


def test_a_model_of_sentence_transformers_is_loaded_from_disk(tmp_path):
    pytest.importorskip("sentence_transformers", reason="torch is too large for CI")
    folder = tiny_transformer(tmp_path)

    found = vectors(Semantic(True, "local", str(folder)), ["login", "cache", "login"])

    assert found[0] == pytest.approx(found[2])
    assert found[0] != found[1]


def tiny_transformer(folder: Path) -> Path:
    """Write a transformer with random weights."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    (folder / "bert").mkdir()
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nlogin\ncache\n")
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    config = BertConfig(
        vocab_size=7,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    BertModel(config).save_pretrained(folder / "bert")
    words = Transformer(str(folder / "bert"))
    SentenceTransformer(modules=[words, Pooling(16)]).save(str(folder / "model"))
    return folder / "model"
