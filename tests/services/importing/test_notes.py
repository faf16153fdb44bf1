"""Notes of other programs, in the forms that they document."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory import BackendError, Memory, NotFoundError
from daily_memory.model import Note, Session
from daily_memory.storage import days

BASIC = """---
title: 缓存设计
type: note
tags: [cache, 后端]
permalink: specs/cache-design
created: 2026-01-05T08:30:00Z
---

# 缓存设计

会话放在 Redis，见 [[部署说明]]。

## Observations
- [decision] 用 Redis 保存会话 #redis (讨论过 Memcached)
- [fact] TTL is 300 s #ttl
- [question] 集群何时上线？
- [todo] write the tests
- [ ] an open box
- [link](https://example.org) is no category

```python
- [decision] not a statement
# not a heading
```

## Relations
- requires [[Deployment Notes]]
"""

MEMSEARCH = """## Session 14:30

### 14:30
<!-- session:abc123 turn:t1 transcript:/home/u/.claude/projects/x/abc123.jsonl -->
- Implemented caching with Redis
  and an LRU in process
- 修复了 N+1 查询

### 14:52
<!-- session:abc123 turn:t2 transcript:/home/u/.claude/projects/x/abc123.jsonl -->
- Wrote integration tests

## Session 17:45

### 17:45
<!-- session:mno turn:a transcript:x -->
- first
### 18:00
<!-- session:pqr turn:b transcript:y -->
- second

## Session 19:00
"""

SAVED = """# Session: 2026-01-16 14:30:00 UTC

- **Session Key**: agent:main:main
- **Session ID**: 54e9938e
- **Source**: webchat

## Conversation Summary

user: 部署为什么失败？
assistant: 端口被占用。
"""


def folder_of(tmp_path: Path, **texts: str) -> str:
    for name, text in texts.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        os.utime(path, (1_768_000_000, 1_768_000_000))
    return str(tmp_path / "notes")


def stored(memory: Memory) -> list[Session]:
    return [found.session for found in memory.sessions()]


def bring(memory: Memory, host: str, folder: str) -> list[Session]:
    told = memory.import_from(host, [folder], dry_run=True)
    assert stored(memory) == []
    done = memory.import_from(host, [folder])
    assert [one.topic for one in told.sessions] == [one.topic for one in done.sessions]
    found = stored(memory)
    assert len(done.ids) == len(found)
    again = memory.import_from(host, [folder])
    assert (again.ids, again.present) == ((), len(found))
    assert stored(memory) == found
    return found


def test_a_note_of_basic_memory(memory, tmp_path):
    folder = folder_of(tmp_path, **{"specs/cache design.md": BASIC, ".obsidian/x.md": "x"})

    (session,) = bring(memory, "basic-memory", folder)

    assert (session.date, session.time) == (date(2026, 1, 5), "16:30:00")
    assert session.topic == "缓存设计"
    assert session.decisions == ("用 Redis 保存会话 #redis (讨论过 Memcached)",)
    assert session.key_points == ("[fact] TTL is 300 s #ttl",)
    assert session.open_questions == ("集群何时上线？",)
    assert session.next_steps == ("write the tests",)
    assert session.tags == ("cache", "后端", "redis", "ttl")
    assert session.conversation == "basic-memory/specs/cache-design"
    assert (session.source, session.origin) == ("basic-memory", "")
    above, observations, relations = session.notes
    assert above == Note("", "会话放在 Redis，见 [[部署说明]]。")
    assert "- [ ] an open box" in observations.text
    assert "- [decision] not a statement\n# not a heading" in observations.text
    assert relations == Note("Relations", "- requires [[Deployment Notes]]")


def test_notes_of_basic_memory_without_front_matter(memory, tmp_path):
    folder = folder_of(
        tmp_path,
        **{
            "a.md": "just text",
            "b.md": "---\ntitle: B\ntags: x, y\ndate: 2026-01-02\n---\n",
            "c.md": "---\ntitle: C\ncreated: yesterday\n---\n~~~\n# in a fence\n```\n~~~\n# own\n",
            "d.md": "\n\n",
            "e.md": "# Title here\n\ntext\n",
            "f.md": "---\ntitle: F\ncreated: 2026-01-03 10:00:00\n---\n",
        },
    )

    found = {session.topic: session for session in bring(memory, "basic-memory", folder)}

    assert sorted(found) == ["B", "C", "F", "Title here", "a"]
    assert (found["B"].date, found["B"].time, found["B"].tags) == (date(2026, 1, 2), "", ("x", "y"))
    assert found["a"].date == found["C"].date == date(2026, 1, 10)
    assert (found["F"].date, found["F"].time) == (date(2026, 1, 3), "10:00:00")


def test_days_of_memsearch(memory, tmp_path):
    folder = folder_of(
        tmp_path,
        **{
            "2026-02-09.md": MEMSEARCH,
            "2026-02-10.md": "### 09:00\n- no session above\nplain text\n",
            "2026-02-11.md": "# A plan\n\nfree text\n" + "long " * 30,
            "2026-02-31.md": "- no such day",
            "README.md": "- no day",
        },
    )

    one, two, three, four = bring(memory, "memsearch", folder)

    assert (one.date, one.time, one.conversation) == (date(2026, 2, 9), "14:30", "abc123")
    assert one.key_points == (
        "Implemented caching with Redis\nand an LRU in process",
        "修复了 N+1 查询",
        "Wrote integration tests",
    )
    assert one.topic == "Implemented caching with Redis and an LRU in process"
    assert (two.key_points, two.conversation) == (("first", "second"), "memsearch/2026-02-09/3")
    assert (three.time, three.conversation) == ("09:00", "memsearch/2026-02-10/1")
    assert four.topic == "A plan"


def test_a_workspace_of_openclaw(memory, tmp_path):
    folder = folder_of(
        tmp_path,
        **{
            "USER.md": "- prefers pnpm 用户偏好\n",
            "MEMORY.md": "# Long term\n\n- 用户偏好 pnpm\n",
            "SOUL.md": "who I am",
            "notes.txt": "no Markdown",
            "memory/2026-01-15.md": "# 2026-01-15\n\n## 部署\n- 换了端口\n",
            "memory/2026-01-16-deploy-failure.md": SAVED,
            "memory/2026-01-17.md": "first line\nsecond\n",
            "memory/2026-01-18.md": "",
        },
    )

    found = {session.topic: session for session in bring(memory, "openclaw", folder)}

    assert sorted(found) == [
        "Long term",
        "deploy failure",
        "first line",
        "prefers pnpm 用户偏好",
        "部署",
    ]
    saved = found["deploy failure"]
    assert (saved.date, saved.time) == (date(2026, 1, 16), "22:30:00")
    assert saved.conversation == "54e9938e"
    assert saved.notes[0].heading == "Conversation Summary"
    assert "端口被占用" in saved.notes[0].text
    assert found["Long term"].is_important
    assert found["部署"].date == date(2026, 1, 15)
    assert memory.search("端口").hits


def test_their_own_places_are_looked_at(memory, tmp_path):
    for name, folder in (
        ("basic-memory", tmp_path / "home" / "basic-memory"),
        ("openclaw", tmp_path / "home" / ".openclaw" / "workspace"),
        ("memsearch", tmp_path / "app" / ".memsearch" / "memory"),
    ):
        with pytest.raises(NotFoundError, match="nothing at"):
            memory.import_from(name)
        folder.mkdir(parents=True)
        (folder / "2026-01-20.md").write_text(f"- said in {name}\n")
        assert len(memory.import_from(name).ids) == 1
    assert len(memory.import_from("basic-memory", all_projects=True).ids) == 0


def test_secrets_in_notes_are_hidden_and_odd_files_named(memory, tmp_path):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    folder = folder_of(tmp_path, **{"2026-01-20.md": f"- {key}", "2026-01-21.md": "### 99:99\n- x"})
    os.symlink("/etc/passwd", Path(folder) / "2026-01-22.md")

    result = memory.import_from("memsearch", [folder])

    assert result.redactions
    assert len(result.ids) == 1
    assert "was passed over: time" in result.warnings[0]
    assert len(result.warnings) == 2
    assert all(key not in session.topic for session in stored(memory))
    one_file = memory.import_from("openclaw", [str(Path(folder) / "2026-01-20.md")])
    assert len(one_file.ids) == 1


BEFORE = "---\ntitle: 缓存\n---\n- [decision] 用 Redis\n- [fact] TTL is 300 s\n"
AFTER = BEFORE.replace("300", "600") + "- [todo] 写测试\n"


def note(tmp_path: Path, text: str, folder: str = "a") -> str:
    path = tmp_path / folder / "缓存.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path.parent)


def test_a_note_that_changed_takes_the_place_of_its_section(memory, tmp_path):
    memory.import_from("basic-memory", [note(tmp_path, BEFORE)])
    (before,) = stored(memory)
    os.utime(tmp_path / "a" / "缓存.md", (1, 1))
    assert memory.import_from("basic-memory", [str(tmp_path / "a")]).present == 1
    folder = note(tmp_path, AFTER)

    told = memory.import_from("basic-memory", [folder], dry_run=True)
    assert stored(memory) == [before]
    done = memory.import_from("basic-memory", [folder])

    assert told.renewed == done.renewed == (str(before.id),)
    assert (done.ids, done.present) == ((), 0)
    (after,) = stored(memory)
    assert (after.id, after.time) == (before.id, before.time)
    assert after.key_points == ("[fact] TTL is 600 s",)
    assert memory.search("TTL 600").hits
    again = memory.import_from("basic-memory", [folder])
    assert (again.ids, again.renewed, again.present) == ((), (), 1)


def test_a_note_that_changed_comes_behind_a_section_that_was_edited(memory, tmp_path):
    folder = note(tmp_path, BEFORE)
    memory.import_from("basic-memory", [folder])
    memory.mark([str(stored(memory)[0].id)], {"important": True})
    opened = memory.open(str(stored(memory)[0].id))
    memory.edit(str(stored(memory)[0].id), opened.text.replace("300 s", "300 s, by hand"))

    unchanged = memory.import_from("basic-memory", [folder])
    assert (unchanged.ids, unchanged.renewed, unchanged.present) == ((), (), 1)
    changed = memory.import_from("basic-memory", [note(tmp_path, AFTER)])

    mine, theirs = stored(memory)
    assert mine.key_points == ("[fact] TTL is 300 s, by hand",)
    assert theirs.key_points == ("[fact] TTL is 600 s",)
    assert theirs.continues == str(mine.id)
    assert changed.renewed == (str(theirs.id),)
    assert memory.import_from("basic-memory", [folder]).present == 1
    assert len(stored(memory)) == 2


def test_a_note_that_changed_stays_private_and_is_undone_as_one(memory, tmp_path):
    folder = note(tmp_path, "# 缓存\n\nfirst line\nsecond line\nthird line\n")
    bring(memory, "basic-memory", folder)
    (one,) = memory.sessions()
    memory.mark([str(one.session.id)], {"private": True})
    note(tmp_path, "# 缓存\n\nfirst line\nsecond line\nanother line\n")

    changed = memory.import_from("basic-memory", [folder])
    again = memory.import_from("basic-memory", [folder])

    assert all(one.session.is_private for one in memory.sessions())
    assert (len(changed.renewed), again.renewed, again.ids) == (1, (), ())
    memory.undo()
    assert [one.session for one in memory.sessions()] == [memory.get(str(one.session.id)).session]


def test_an_import_that_rewrote_a_section_is_undone(memory, tmp_path, day_file):
    folder = note(tmp_path, "# 缓存\n\nfirst line\nsecond line\nthird line\n")
    bring(memory, "basic-memory", folder)
    before = stored(memory)
    note(tmp_path, "# 缓存\n\nfirst line\nsecond line\nanother line\n")
    assert memory.import_from("basic-memory", [folder]).renewed

    undone = memory.undo()

    assert stored(memory) == before
    assert undone.operation.action == "import"
    memory.undo(undone.redo[0])
    assert "another line" in str(stored(memory))


def test_another_note_of_the_same_name_is_another_one(memory, tmp_path):
    """Two projects of one program may each have a note of a name."""
    first, second = note(tmp_path, BEFORE), note(tmp_path, "- [fact] 端口 8080\n", "b")

    memory.import_from("basic-memory", [first])
    done = memory.import_from("basic-memory", [second])

    assert (len(done.ids), done.renewed) == (1, ())
    assert len(stored(memory)) == 2
    for folder in (first, second):
        assert memory.import_from("basic-memory", [folder]).present == 1
    both = memory.import_from("basic-memory", [first, second])
    assert (both.present, both.ids, both.renewed) == (2, (), ())


def test_what_a_hook_saved_of_a_conversation_stays(memory, tmp_path):
    memory.save({"topic": "by a hook", "conversation": "abc123", "source": "claude"})
    folder = folder_of(tmp_path, **{"2026-01-15.md": MEMSEARCH.partition("## Session 17:45")[0]})

    assert memory.import_from("memsearch", [folder]).present == 1

    assert [one.topic for one in stored(memory)] == ["by a hook"]


def test_a_day_that_grew_brings_what_is_new(memory, tmp_path):
    one, _, rest = MEMSEARCH.partition("## Session 17:45")
    folder = folder_of(tmp_path, **{"2026-01-15.md": one.partition("### 14:52")[0]})
    memory.import_from("memsearch", [folder])
    folder_of(tmp_path, **{"2026-01-15.md": one + "## Session 17:45" + rest})

    done = memory.import_from("memsearch", [folder])

    assert (len(done.renewed), len(done.ids)) == (1, 1)
    assert "Wrote integration tests" in stored(memory)[0].key_points
    assert memory.import_from("memsearch", [folder]).present == 2


def test_a_note_that_another_memory_has_stays_there(memory, tmp_path):
    folder = note(tmp_path, BEFORE)
    memory.import_from("basic-memory", [folder], scope="global")
    note(tmp_path, AFTER)

    done = memory.import_from("basic-memory", [folder], scope="project")

    assert (done.ids, done.renewed, done.present) == ((), (), 1)


def test_notes_that_can_not_all_be_written_leave_nothing(memory, tmp_path, monkeypatch):
    folder = note(tmp_path, BEFORE)
    memory.import_from("basic-memory", [folder])
    before = stored(memory)
    (tmp_path / "a" / "new.md").write_text("a new note")
    note(tmp_path, AFTER)

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("no space left on device")

    monkeypatch.setattr(days, "append_sessions", refuse)
    with pytest.raises(BackendError):
        memory.import_from("basic-memory", [folder])

    assert stored(memory) == before


def test_what_changed_is_redacted_and_told(memory, tmp_path):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    folder = note(tmp_path, BEFORE)
    memory.import_from("basic-memory", [folder])
    note(tmp_path, AFTER + f"- [fact] {key}\n")
    done: list[tuple[int, int]] = []

    result = memory.import_from("basic-memory", [folder], progress=lambda *at: done.append(at))

    assert dict(result.redactions) == {"aws_key": 1}
    assert key not in str(stored(memory))
    assert done[0] == (1, 1)
    assert memory.import_from("basic-memory", [folder]).present == 1


def test_what_a_note_does_not_say_its_name_or_first_line_does(memory, tmp_path):
    folder = folder_of(
        tmp_path,
        **{
            "2026-03-01 周报.md": "本周完成了缓存改造\n",
            "2026-99-01.md": "no such day\n",
            "20260301.md": "x\n",
        },
    )
    memory.import_from("basic-memory", [folder])
    assert [one.date for one in stored(memory)] == [date(2026, 1, 10)] * 2 + [date(2026, 3, 1)]

    other = folder_of(
        tmp_path / "oc", **{"memory/2026-03-02.md": "# 2026-03-02\n\n- 换成 FastAPI\n"}
    )
    memory.import_from("openclaw", [other])

    assert stored(memory)[-1].topic == "换成 FastAPI"


def test_a_note_in_another_encoding_is_passed_over_and_named(memory, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "gbk.md").write_bytes("- [fact] 编码\n".encode("gbk"))
    (tmp_path / "notes" / "utf16.md").write_bytes("- [fact] 编码\r\n".encode("utf-16"))

    result = memory.import_from("basic-memory", [str(tmp_path / "notes")])

    assert [one.key_points for one in stored(memory)] == [("[fact] 编码",)]
    (warning,) = result.warnings
    assert "gbk.md" in warning
    assert "is not UTF-8; it was passed over" in warning
