"""Vectors on disk: those that are there belong to their entries, whatever a crash left."""

from __future__ import annotations

import json
import os
from array import array
from datetime import date
from pathlib import Path

import pytest

from daily_memory.storage import archive_moves
from daily_memory.storage.fs import files
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
    assert sorted(os.listdir(root.index_folder)) == [
        *("embeddings-1.i8", "embeddings-2.i8", "embeddings.json", "embeddings.next.json")
    ]

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


def write_plainly(root: Root, *embeddings_: dict[str, object], version: str = "1.1") -> None:
    """Write a set as other programs do, which list the vectors."""
    files.make_folder(root.index_folder)
    found = {"version": version, "model": "m", "entries": list(embeddings_)}
    Path(embeddings.path_of(root)).write_text(json.dumps(found), encoding="utf-8")


def test_vectors_that_another_program_lists_are_read(root: Root) -> None:
    write_plainly(
        root,
        {"date": "2026-01-29", "session": "1", "embedding": [3, 4]},
        {"date": "2026-01-30", "session": 2, "embedding": [-0.5, 0.0]},
    )

    found = embeddings.load_vectors(root)

    entries = (
        VectorEntry("2026-01-29", 1, norm=158.6),
        VectorEntry("2026-01-30", 2, norm=127.0),
    )
    assert found == (VectorSet("", "m", 2, entries), bytes([95, 127, 129, 0]))


def test_a_set_of_another_program_may_be_empty_but_not_uneven(root: Root) -> None:
    write_plainly(root)
    assert embeddings.load_vectors(root) == (VectorSet("", "m"), b"")

    lists: list[list[float]] = [[1.0], [1.0, 2.0]]
    write_plainly(root, *({"date": "d", "session": 1, "embedding": each} for each in lists))
    assert embeddings.load_vectors(root) is None
    write_plainly(root, version="2.0")
    assert embeddings.load_vectors(root) is None


@pytest.mark.parametrize(
    ("vector", "packed", "length"),
    [
        ([0.0, 0.0], [0, 0], 1.0),
        ([2.0], [127], 127.0),
        ([0.001, -0.002], [64, -127], 142.215),
        ([], [], 1.0),
    ],
)
def test_a_vector_keeps_its_direction(
    vector: list[float], packed: list[int], length: float
) -> None:
    assert array("b", embeddings.pack(vector)).tolist() == packed
    assert embeddings.length(embeddings.pack(vector)) == length


def test_a_digest_has_twelve_bytes_and_takes_any_text() -> None:
    assert len(embeddings.text_digest("缓存 \ud800")) == 24
    assert embeddings.text_digest("a") != embeddings.text_digest("b")


SECTION = "## Session {} - 10:0{}\n\n### Topic\n{}\n\n### Tags\n{}\n\n---\n\n"
DAY = "2026-01-29"


def day_of(*said: tuple[int, str, str]) -> str:
    return "".join(SECTION.format(number, number, topic, tags) for number, topic, tags in said)


CACHE, LOGIN, SECRET = (1, "缓存", "#redis"), (2, "login", "#web"), (3, "salary", "#private")
DEPLOY = (4, "部署", "#ops")


@pytest.fixture
def filled(root: Root) -> Root:
    """A memory of three public sections, each with a vector, and a private one."""
    for folder in (root.daily_folder, root.index_folder):
        files.make_folder(folder)
    write_day(root, CACHE, LOGIN, SECRET, DEPLOY)
    entries = [
        VectorEntry(*key, embeddings.text_digest(f"{section.session.topic}\n{topic_tags}"))
        for (section, key), topic_tags in zip(
            embeddings.sections(root, DAY), ("redis", "web", "ops"), strict=True
        )
    ]
    vectors = [b"\x01\x02", b"\x03\x04", b"\x05\x06"]
    embeddings.add(root, MODEL, entries, vectors, CURRENT)
    return root


def write_day(root: Root, *said: tuple[int, str, str]) -> None:
    Path(root.daily_folder, f"{DAY}.md").write_text(day_of(*said), encoding="utf-8")


def test_there_could_be_vectors_of_what_is_public(filled: Root) -> None:
    found = embeddings.places(filled)

    assert sorted(key[:2] for key in found.keys) == [(DAY, 1), (DAY, 2), (DAY, 4)]
    assert found.keys == {key for _, key in embeddings.sections(filled, DAY)}
    assert found.archived == {}


def test_an_archived_day_is_read_again_only_when_it_changed(filled: Root) -> None:
    public = embeddings.places(filled).keys
    archive_moves.archive_sections(filled, date(2026, 1, 29), lambda session: session.number == 1)

    moved = embeddings.places(filled)
    embeddings.forget(filled)

    stamp, keys = moved.archived[DAY]
    assert moved.keys == public
    assert [key[:2] for key in keys] == [(DAY, 1)]
    known = embeddings.load(filled)
    assert known is not None
    assert (len(known.entries), known.archived) == (3, moved.archived)
    noted = (DAY, 9, "5e")
    embeddings.note(filled, known._replace(archived={DAY: (stamp, [noted])}))
    assert noted in embeddings.places(filled).keys
    embeddings.note(filled, known._replace(archived={DAY: ("1-2-3", [noted])}))
    assert embeddings.places(filled) == moved


def test_vectors_of_another_program_stay_until_we_have_our_own(filled: Root) -> None:
    numbers = (1, 3, 7)
    write_plainly(
        filled, *({"date": DAY, "session": number, "embedding": [1, number]} for number in numbers)
    )

    embeddings.forget(filled)
    known = embeddings.load(filled)
    embeddings.forget(filled, knows_all=True)

    assert known is not None
    assert [entry.session for entry in known.entries] == [1]
    assert embeddings.load_vectors(filled) == (
        known._replace(entries=(), file="embeddings-3.i8"),
        b"",
    )


def test_a_damaged_set_goes_and_with_it_its_vectors(filled: Root) -> None:
    other = MODEL._replace(model="e5")
    embeddings.write(filled, other, [ONE], b"\x01\x02", NEXT)
    Path(embeddings.path_of(filled)).write_bytes(b"{")

    embeddings.forget(filled)

    assert embeddings.load(filled) is None
    assert embeddings.load(filled, NEXT) == other._replace(file="embeddings-3.i8")
    assert vector_files(filled) == ["embeddings-3.i8"]


@pytest.mark.parametrize(
    ("day", "left"),
    [
        ((CACHE, LOGIN, DEPLOY), b"\x01\x02\x03\x04\x05\x06"),
        ((CACHE, DEPLOY), b"\x01\x02\x05\x06"),
        ((CACHE, (2, "logout", "#web"), DEPLOY), b"\x01\x02\x05\x06"),
        ((CACHE, (2, "login", "#web #private"), DEPLOY), b"\x01\x02\x05\x06"),
        # A mark changes nothing of what the vector is of.
        ((CACHE, (2, "login", "#web #important"), DEPLOY), b"\x01\x02\x03\x04\x05\x06"),
        # The same words under another number are another section.
        ((CACHE, DEPLOY, (5, "login", "#web")), b"\x01\x02\x05\x06"),
        ((), b""),
    ],
)
def test_what_was_changed_removed_or_made_private_has_no_vector(
    filled: Root, day: tuple[tuple[int, str, str], ...], left: bytes
) -> None:
    write_day(filled, *day)

    embeddings.forget(filled)

    found = embeddings.load_vectors(filled)
    assert found is not None
    known, vectors = found
    assert vectors == left
    assert {entry[:3] for entry in known.entries} <= embeddings.places(filled).keys
    is_untouched = day == (CACHE, LOGIN, DEPLOY)
    assert vector_files(filled) == [f"embeddings-{1 if is_untouched else 2}.i8"]
