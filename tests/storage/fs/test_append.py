"""An append that a kill or a power cut broke off is taken back, and nobody else's text with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.storage.fs import append, lock
from daily_memory.storage.roots import Root

KILLED = """
import os, sys
from daily_memory import Memory
real = os.write
def half(handle, data):
    if b"## Session" in data and data.startswith((b"# 2026", b"\\n## ", b"## ")):
        real(handle, data[: int(sys.argv[2])])
        os._exit(137)
    return real(handle, data)
os.write = half
Memory(sys.argv[1], home=sys.argv[3]).save(
    {"topic": "killed", "key_points": ["缓存"] * 20, "date": "2026-01-29"}
)
"""


@pytest.fixture
def root(memory: Memory) -> Root:
    assert memory.workspace.project_root is not None
    return memory.workspace.project_root


def kill(memory: Memory, after_bytes: int = 60) -> None:
    words = [memory.project, str(after_bytes), memory.workspace.home]
    done = subprocess.run([sys.executable, "-c", KILLED, *words])
    assert done.returncode == 137


def topics(memory: Memory) -> list[str]:
    return [found.session.topic for found in memory.sessions(scope="project")]


def test_the_half_of_a_new_day_is_taken_back(memory, day_file):
    kill(memory)
    assert day_file().exists()

    assert topics(memory) == []
    assert not day_file().exists()


def test_the_half_of_a_section_is_taken_back(memory, day_file):
    memory.save({"topic": "one"})
    before = day_file().read_bytes()
    kill(memory)
    assert day_file().read_bytes() != before

    assert topics(memory) == ["one"]
    assert day_file().read_bytes() == before
    assert memory.save({"topic": "two"}).id == "2026-01-29#2"


def test_what_somebody_wrote_since_is_kept(memory, day_file):
    memory.save({"topic": "one"})
    kill(memory)
    edited = day_file().read_text(encoding="utf-8") + "by hand\n"
    day_file(edited)

    assert memory.search("one", scope="project").hits
    assert day_file().read_text(encoding="utf-8") == edited


def test_a_section_that_somebody_shortened_is_no_half(memory, day_file):
    memory.save({"topic": "one"})
    shorter = day_file().read_text(encoding="utf-8")[:-9]
    day_file(shorter)

    memory.save({"topic": "two"})

    assert day_file().read_text(encoding="utf-8").startswith(shorter)


def test_while_another_writes_a_reader_leaves_it_alone(memory, root, day_file):
    kill(memory)
    before = day_file().read_bytes()
    with lock.locked(root):
        day_file(before)  # `locked` has mended it
        note = append.format_note("2026-01-29.md", 0, before + b"more")
        with open(root.appending, "wb") as file:
            file.write(note)
        topics(memory)
        assert day_file().read_bytes() == before


@pytest.mark.parametrize("note", [b"{", b"{}\nx", b'{"name": "x", "size": "y", "crc": 0}\nx'])
def test_half_a_note_means_that_nothing_was_begun(memory, root, day_file, note):
    memory.save({"topic": "one"})
    before = day_file().read_bytes()
    with open(root.appending, "wb") as file:
        file.write(note)

    assert topics(memory) == ["one"]
    assert day_file().read_bytes() == before
    assert os.path.getsize(root.appending) == 0


@pytest.mark.parametrize("begun", [1, -3])
def test_of_several_appends_the_half_is_taken_back_and_the_others_stay(
    memory, root, day_file, begun
):
    memory.save({"topic": "one"})
    whole = day_file().read_bytes()
    names = ["2026-01-27.md", "2026-01-28.md", "2026-01-29.md"]
    # The first is there already, the second was begun, the third was not.
    Path(root.daily_folder, names[0]).write_bytes(whole)
    Path(root.daily_folder, names[1]).write_bytes(whole[:begun])
    notes = [append.format_note(name, 0, whole) for name in names[:2]]
    notes.append(append.format_note(names[2], len(whole), b"\nmore"))
    Path(root.appending).write_bytes(b"".join(notes))

    with lock.locked(root):
        assert sorted(os.listdir(root.daily_folder)) == [names[0], names[2]]

    assert day_file().read_bytes() == whole


def test_a_note_of_a_file_elsewhere_is_no_note(memory, root, tmp_path):
    memory.save({"topic": "one"})
    elsewhere = tmp_path / "other.md"
    elsewhere.write_text("mo")
    name = os.path.relpath(elsewhere, root.daily_folder)
    with open(root.appending, "wb") as file:
        file.write(append.format_note(name, 0, b"more"))

    topics(memory)

    assert elsewhere.read_text() == "mo"
