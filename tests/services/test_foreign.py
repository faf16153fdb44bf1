"""Notes of other programs, in the forms that they document."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory import Memory, NotFoundError
from daily_memory.model import Note, Session

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

    assert sorted(found) == ["Long term", "deploy failure", "first line", "部署"]
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
