"""Folders of Markdown notes, as other programs and people keep them."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory, NotFoundError
from daily_memory.model import Note, Session

DESIGN = """---
title: 缓存设计
tags: [cache, 后端]
created: 2026-01-05T08:30:00Z
---

# 缓存设计

会话放在 Redis，见 [[部署说明]]。

## Observations
- [decision] 用 Redis 保存会话 #redis

```python
# not a heading
```
"""


def write_notes(folder: Path, **texts: str) -> str:
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        os.utime(path, (1_768_000_000, 1_768_000_000))  # 2026-01-10 in the zone of the tests
    return str(folder)


def sessions(memory: Memory) -> list[Session]:
    return [entry.session for entry in memory.sessions()]


def test_a_note_becomes_a_session_with_its_title_tags_date_and_headings(memory, tmp_path):
    folder = write_notes(tmp_path / "notes", design=DESIGN)

    preview = memory.import_from("notes", [folder], dry_run=True)
    assert sessions(memory) == []
    result = memory.import_from("notes", [folder])

    (session,) = sessions(memory)
    assert [each.topic for each in preview.sessions] == [session.topic] == ["缓存设计"]
    assert len(result.ids) == 1
    assert session.date == date(2026, 1, 5)
    assert {"cache", "后端"} <= set(session.tags)
    assert session.conversation == "notes/notes/design"
    assert session.notes == (
        Note("", "会话放在 Redis，见 [[部署说明]]。"),
        Note(
            "Observations",
            "- [decision] 用 Redis 保存会话 #redis\n\n```python\n# not a heading\n```",
        ),
    )


@pytest.mark.parametrize(
    ("name", "text", "topic", "day"),
    [
        ("部署", "端口 8080\n", "部署", date(2026, 1, 10)),
        ("2026-01-16-port taken", "x\n", "port taken", date(2026, 1, 16)),
        ("2026-01-16", "x\n", "2026-01-16", date(2026, 1, 16)),
        ("b", "# First heading\n\ntext\n", "First heading", date(2026, 1, 10)),
        ("c", "---\ndate: 2026-02-03 10:00:00 +08:00\n---\nx\n", "c", date(2026, 2, 3)),
        ("d", "---\ndate: yesterday\ntags: one, two\n---\nx\n", "d", date(2026, 1, 10)),
    ],
)
def test_without_front_matter_name_and_file_say_what_and_when(
    memory, tmp_path, name, text, topic, day
):
    memory.import_from("notes", [write_notes(tmp_path / "notes", **{name: text})])

    (session,) = sessions(memory)
    assert (session.topic, session.date) == (topic, day)


def test_a_note_comes_once_whatever_it_says_later(memory, tmp_path):
    folder = write_notes(tmp_path / "notes", one="# One\n\nfirst\n", empty="")
    memory.import_from("notes", [folder])
    write_notes(tmp_path / "notes", one="# One\n\nfirst\n\nsecond\n")

    result = memory.import_from("notes", [folder])

    assert (result.ids, result.present) == ((), 1)
    assert len(sessions(memory)) == 1


def test_notes_of_one_name_in_two_folders_are_two(memory, tmp_path):
    first = write_notes(tmp_path / "a", README="# A\n\nx\n")
    second = write_notes(tmp_path / "b", README="# B\n\ny\n")

    assert len(memory.import_from("notes", [first, second]).ids) == 2


def test_a_deleted_note_comes_back_only_when_asked_for(memory, tmp_path):
    folder = write_notes(tmp_path / "notes", one="# One\n\nfirst\n")
    (id_,) = memory.import_from("notes", [folder]).ids
    memory.delete([id_])
    write_notes(tmp_path / "notes", one="# One\n\nfirst\n\nsecond\n")

    assert memory.import_from("notes", [folder]).deleted == 1
    assert len(memory.import_from("notes", [folder], again=True).ids) == 1


def test_secrets_are_hidden_and_what_can_not_be_read_is_named(memory, tmp_path):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    folder = write_notes(
        tmp_path / "notes", a=f"# token {key}\n\n密码是 {key}\n", b="---\ntitle: x\n"
    )
    (tmp_path / "notes" / "latin.md").write_bytes(b"caf\xe9")
    write_notes(tmp_path / "notes" / ".hidden", c="# hidden\n\nx\n")

    preview = memory.import_from("notes", [folder], dry_run=True)
    result = memory.import_from("notes", [folder])

    assert key not in str(preview) + str(sessions(memory))
    assert result.redactions
    assert any("latin.md" in warning and "skipped" in warning for warning in result.warnings)
    assert not any("hidden" in session.topic for session in sessions(memory))


def test_a_folder_has_to_be_named_and_to_be_there(memory, tmp_path):
    with pytest.raises(InvalidInputError, match="no folder of notes"):
        memory.import_from("notes")
    with pytest.raises(NotFoundError, match="nothing at"):
        memory.import_from("notes", [str(tmp_path / "none")])
