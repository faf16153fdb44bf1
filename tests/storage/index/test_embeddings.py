"""Vectors on disk: those that are there belong to their entries, whatever a crash left."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from daily_memory.storage.index import embeddings
from daily_memory.storage.index.embeddings import CURRENT, NEXT, VectorEntry, VectorSet
from daily_memory.storage.roots import Root, project_root

MODEL = VectorSet("ollama", "bge-m3", dimensions=2)
ONE = VectorEntry("2026-01-29", 1, "5e", "aa", "zh", 2.5)
TWO = VectorEntry("2026-01-29", 2, "6f", "bb", "en", 1.5)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return project_root(str(tmp_path))


def vector_files(root: Root) -> list[str]:
    return sorted(name for name in os.listdir(root.index_folder) if name.endswith(".i8"))


def test_vectors_are_added_behind_those_that_are_there(root: Root) -> None:
    first = embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)

    both = embeddings.add(root, first, [TWO], [b"\x03\x04"], CURRENT)

    assert embeddings.load_vectors(root) == (both, b"\x01\x02\x03\x04")
    assert both.entries == (ONE, TWO)
    assert vector_files(root) == [both.file] == ["embeddings-1.i8"]


def test_vectors_without_entries_that_a_killed_process_left_go(root: Root) -> None:
    first = embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)
    Path(embeddings.path_of(root, first.file)).write_bytes(b"\x01\x02\x09")
    assert embeddings.load_vectors(root) == (first, b"\x01\x02")

    both = embeddings.add(root, first, [TWO], [b"\x03\x04"], CURRENT)

    assert embeddings.load_vectors(root) == (both, b"\x01\x02\x03\x04")
    assert vector_files(root) == ["embeddings-2.i8"]


def test_a_set_without_all_of_its_vectors_is_none(root: Root) -> None:
    first = embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)
    Path(embeddings.path_of(root, first.file)).write_bytes(b"\x01")

    assert embeddings.load_vectors(root) is None
    assert embeddings.load_vectors(root, NEXT) is None
    assert embeddings.load(root) == first


def test_only_the_set_of_a_known_program_is_read(root: Root) -> None:
    first = embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)

    assert embeddings.load_vectors(root, providers=["ollama"]) == (first, b"\x01\x02")
    assert embeddings.load_vectors(root, providers=["openai"]) is None


def test_another_set_takes_the_place_of_the_first_when_it_is_complete(root: Root) -> None:
    embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)
    other = embeddings.write(root, MODEL._replace(model="e5"), [TWO], b"\x03\x04", NEXT)
    assert vector_files(root) == ["embeddings-1.i8", "embeddings-2.i8"]

    embeddings.promote(root)

    assert embeddings.exists(root)
    assert embeddings.load_vectors(root) == (other, b"\x03\x04")
    assert vector_files(root) == ["embeddings-2.i8"]
    embeddings.drop(root, CURRENT)
    assert not embeddings.exists(root)
    assert vector_files(root) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("version", "2.0"), ("version", None), ("dimensions", "x"), ("known", [])),
        *(("entries", [[]]), ("entries", [[*ONE[:5], 0.0]]), ("entries", [ONE[:5]])),
        *(("file", None), ("archived", {"2026-01-29": []}), ("entries", None)),
    ],
)
def test_a_set_that_was_edited_is_none(root: Root, name: str, value: object) -> None:
    embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)
    path = Path(embeddings.path_of(root))
    found = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**found, name: value}), encoding="utf-8")

    assert embeddings.load_vectors(root) is None


def test_what_is_noted_is_read_back(root: Root) -> None:
    archived = {"2025-10-29": ("1-2-3", [("2025-10-29", 1, "5e")])}
    first = embeddings.add(root, MODEL, [ONE], [b"\x01\x02"], CURRENT)
    known = first._replace(known={"zh": 0.75}, archived=archived)

    embeddings.note(root, known)

    assert embeddings.load(root) == known
    assert known.is_of("ollama", "bge-m3")
    assert not known.is_of("ollama", "e5")
