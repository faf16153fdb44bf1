"""The text of a section, read and replaced: nothing else moves, and nothing is lost."""

from __future__ import annotations

import threading

import pytest

from daily_memory.errors import ConflictError, InvalidInputError, NotFoundError
from daily_memory.services.changing.edit import ChangedError
from daily_memory.storage.fs import files

DAY = """# 2026-01-29 对话记忆

hand-written words

## Session 1 - 09:00

### 主题
缓存方案

- TTL 定为 300 秒

---

## Session 2 - 10:00

### Topic
the second

---
"""
FIRST = "2026-01-29#1"


@pytest.fixture
def day(day_file):
    """The day file, with two sessions."""
    return day_file(DAY)


def read(path):
    return path.read_bytes().decode()


def test_a_section_is_read_with_the_hash_of_its_text(memory, day):
    opened = memory.open(FIRST)

    assert opened.text == DAY[DAY.index("## Session 1") : DAY.index("\n## Session 2")]
    assert opened.digest == memory.open(FIRST).digest != memory.open("2026-01-29#2").digest


def test_only_its_own_lines_change(memory, day):
    text = memory.open(FIRST).text.replace("300", "600")

    edited = memory.edit(FIRST, text)

    assert [str(one.session.id) for one in edited.sections] == [FIRST]
    assert read(day) == DAY.replace("300", "600")
    assert [str(hit.session.id) for hit in memory.search("600 秒").hits] == [FIRST]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_ends_of_the_file_stay(memory, day_file, end):
    path = day_file(DAY.replace("\n", "\r\n"))

    memory.edit(FIRST, "## Session 1\n\n新的文字\n\n---\n".replace("\n", end))

    text = read(path)
    assert text.count("\n") == text.count("\r\n") == text.count("\r")
    assert "新的文字\r\n" in text
    assert text.endswith(DAY[DAY.index("## Session 2") :].replace("\n", "\r\n"))


def test_secrets_are_hidden_and_active_characters_shown(memory, day):
    memory.edit(FIRST, "## Session 1\npassword = hunter2\na\x1bb\x00c\n---\n")

    text = read(day)
    assert "password = [REDACTED:password]" in text
    assert "a&#x1B;b&#x00;c" in text


def test_the_same_text_is_no_edit(memory, day):
    assert memory.edit(FIRST, memory.open(FIRST).text.strip()).sections == ()


def test_what_changed_since_it_was_read_is_not_overwritten(memory, day):
    opened = memory.open(FIRST)
    day.write_text(DAY.replace("300", "900"), encoding="utf-8")

    with pytest.raises(ChangedError, match="was changed meanwhile"):
        memory.edit(FIRST, opened.text.replace("300", "600"), digest=opened.digest)

    assert read(day) == DAY.replace("300", "900")


def test_what_changes_at_the_last_moment_is_not_overwritten(memory, day, monkeypatch):
    written = threading.Event()
    replace = files.replace

    def saved_by_an_editor(path, data, *options, **more):
        if path == str(day) and not written.is_set():
            written.set()
            day.write_text(DAY.replace("TTL", "the TTL"), encoding="utf-8")
        replace(path, data, *options, **more)

    monkeypatch.setattr(files, "replace", saved_by_an_editor)

    with pytest.raises(ConflictError):
        memory.edit(FIRST, "## Session 1\nmine\n---\n")

    assert read(day) == DAY.replace("TTL", "the TTL")


@pytest.mark.parametrize(
    "text",
    [
        "no heading",
        "## Session 3\nanother number\n---",
        "## Session 1\none\n---\n## Session 9\ntwo\n---",
        "## Session 1\n---\nbehind the end",
        "words before\n## Session 1\n---",
        "## Session 1\n<<<<<<< ours\n",
        "---",
    ],
)
def test_a_text_that_is_more_or_less_than_the_section_is_refused(memory, day, text):
    with pytest.raises(InvalidInputError, match="is not just the section"):
        memory.edit(FIRST, text)

    assert read(day) == DAY


def test_a_fence_that_would_swallow_the_next_section_is_refused(memory, day_file):
    path = day_file(DAY + "\n```\nthe end of a fence\n")

    with pytest.raises(InvalidInputError, match="is not just the section"):
        memory.edit(FIRST, "## Session 1\n```\nopen\n---\n")

    assert "hand-written" in read(path)


def test_an_empty_text_is_refused(memory, day):
    before = read(day)

    with pytest.raises(InvalidInputError, match="the text is empty"):
        memory.edit(FIRST, " \n")

    assert read(day) == before


def test_an_edited_section_counts_as_no_loss_and_its_old_text_is_kept(memory, day):
    before = memory.open(FIRST).text
    memory.edit(FIRST, "## Session 1\nnew\n---\n")

    [report] = memory.doctor(restore=True).values()
    assert report.mended == ()
    memory.undo()
    assert memory.open(FIRST).text == before


@pytest.mark.parametrize("wanted", ["2026-01-29#9", "2026-01-30#1"])
def test_there_is_no_such_session(memory, day, wanted):
    with pytest.raises(NotFoundError, match="no session"):
        memory.open(wanted)
    with pytest.raises(NotFoundError, match="no session"):
        memory.edit(wanted, "x")


def test_an_id_must_be_one(memory):
    with pytest.raises(InvalidInputError, match="is not an id"):
        memory.open("../../etc/passwd")
