"""`memory embed`, and how search by meaning is switched on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedding import EmbeddingServer, embedding_server, need, static_model

MEMORIES = Path(".cursor/skills/memories")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def model(cli, tmp_path: Path) -> Path:
    """A static model that the settings name; search by meaning is still off."""
    folder = static_model(tmp_path / "model")
    for topic in ("The login page", "Redis cache ttl", "css colour", "invoice billing"):
        cli("save", "--topic", topic)
    cli("config", "set", "--global", "semantic.provider", "model2vec")
    cli("config", "set", "--global", "semantic.model", str(folder))
    return folder


def switch_on(cli):
    return cli("config", "set", "--global", "semantic.enabled", "true", "--yes")


def test_switching_it_on_says_what_is_loaded_and_asks(cli, model):
    refused = cli("config", "set", "--global", "semantic.enabled", "true")

    assert refused.status == 2
    assert f"{model}: loaded from this machine; nothing leaves it" in refused.err
    assert cli("config", "get", "semantic.enabled").out == "false\n"
    assert switch_on(cli).status == 0
    assert cli("config", "get", "semantic.enabled").out == "true\n"


def test_a_server_is_named_before_it_is_asked(cli, server):
    cli("config", "set", "--global", "semantic.provider", "ollama")
    cli("config", "set", "--global", "semantic.model", "bge-m3")
    cli("config", "set", "--global", "semantic.url", server.url)

    assert f"sent to {server.url}, secrets hidden" in switch_on(cli).err
    # Another server is asked about too.
    changed = cli("config", "set", "--global", "semantic.url", "http://127.0.0.1:9")
    assert (changed.status, "sent to http://127.0.0.1:9" in changed.err) == (2, True)


def test_a_model_that_can_not_be_used_is_not_switched_on(cli, model):
    (model / "model.safetensors").write_bytes(b"")

    refused = switch_on(cli)

    assert "can't be read as a static model" in refused.err
    assert cli("config", "get", "semantic.enabled").out == "false\n"


def test_a_model_that_is_not_here_is_said_to_be_downloaded(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cli("config", "set", "--global", "semantic.provider", "model2vec")
    cli("config", "set", "--global", "semantic.model", "minishlab/potion-base-8M")

    refused = cli("config", "set", "--global", "semantic.enabled", "true")

    assert refused.status == 2
    assert "downloaded once from huggingface.co (about 30 MB)" in refused.err
    assert list(tmp_path.glob("models--*")) == []


def test_a_project_can_not_switch_it_on(cli, model):
    refused = cli("config", "set", "semantic.enabled", "true", "--yes")

    assert "can only be made stricter" in refused.err


def test_sessions_are_embedded_and_found_by_meaning(cli, model):
    switch_on(cli)

    done = cli("embed", "--json").json()["roots"][0]
    found = cli("search", "passport", "--explain")

    assert (done["sessions"], done["embedded"], done["pending"]) == (4, 4, 0)
    assert "4 of 4 sessions embedded with model2vec" in cli("embed", "--status").out
    assert "The login page" in found.out
    assert "semantic" in found.out
    answer = cli("search", "passport", "--json").json()
    assert answer["method"] == "hybrid"
    assert answer["results"][0]["scores"]["semantic"] > 0.9
    assert cli("search", "passport", "--method", "keyword").out == ""


def test_a_save_embeds_in_the_background(cli, model):
    switch_on(cli)

    cli("save", "--topic", "rollout at noon")

    end = time.monotonic() + 60
    while cli("embed", "--status", "--json").json()["roots"][0]["pending"]:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert "rollout at noon" in cli("search", "release").out


def test_vectors_can_be_removed(cli, model):
    switch_on(cli)
    cli("embed")

    cli("embed", "--remove")

    assert list((MEMORIES / "index").glob("embeddings*")) == []
    assert "nothing of" in cli("search", "passport").err


def test_while_it_is_off_nothing_is_embedded(cli):
    cli("save", "--topic", "x")

    assert "search by meaning is off" in cli("embed").err


def test_only_one_thing_is_done_at_a_time(cli):
    assert cli("embed", "--all", "--status").status == 2


def test_doctor_says_what_is_not_searched_by_meaning(cli, server):
    need("numpy")
    cli("save", "--topic", "login")
    for name, value in (("provider", "ollama"), ("model", "m"), ("url", server.url)):
        cli("config", "set", "--global", f"semantic.{name}", value)
    server.refusals = [None, *[(401, {})] * 9]
    switch_on(cli)

    shown = cli("doctor").out

    assert "1 session not embedded yet" in shown
    assert "hooks search by words alone" in shown


def test_doctor_names_vectors_that_nobody_uses(cli, model):
    switch_on(cli)
    cli("embed")
    cli("config", "set", "--global", "semantic.enabled", "false")

    assert "the vectors are still there; `memory embed --remove`" in cli("doctor").out
