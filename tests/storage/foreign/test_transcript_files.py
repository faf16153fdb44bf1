"""Where transcripts lie, and how their lines are read."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, NotFoundError
from daily_memory.storage.foreign import transcript_files
from daily_memory.storage.fs import files


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


@pytest.mark.parametrize(
    ("host", "variable", "own", "name"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".claude", "projects"),
        ("codex", "CODEX_HOME", ".codex", "sessions"),
        ("cursor", "CURSOR_CONFIG_DIR", ".cursor", "projects"),
        ("claude-mem", "CLAUDE_MEM_DATA_DIR", ".claude-mem", "claude-mem.db"),
        ("trae-mem", "TRAE_MEM_HOME", ".trae-mem", "trae_mem.sqlite3"),
    ],
)
def test_the_place_of_a_program_may_be_moved(host, variable, own, name):
    assert transcript_files.own_place(host, "/h", {}) == os.path.join("/h", own, name)
    assert transcript_files.own_place(host, "/h", {variable: "/m"}) == os.path.join("/m", name)


@pytest.mark.parametrize(
    ("platform", "environment", "start"),
    [
        ("linux", {}, "/h/.config"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x"),
        ("darwin", {}, "/h/Library/Application Support"),
        ("win32", {}, "/h/AppData/Roaming"),
        ("win32", {"APPDATA": "/r"}, "/r"),
    ],
)
def test_each_system_has_its_place_for_the_database_of_cursor(platform, environment, start):
    path = transcript_files.cursor_database("/h", environment, platform)

    assert path.replace(os.sep, "/") == f"{start}/Cursor/User/globalStorage/state.vscdb"


def test_the_database_of_trae_mem_may_be_named():
    assert transcript_files.own_place("trae-mem", "/h", {"TRAE_MEM_DB": "/d.db"}) == "/d.db"


def test_transcripts_are_found_and_those_of_helpers_are_not(tmp_path):
    touch(tmp_path, "p/b.jsonl", "a.jsonl", "p/b/subagents/agent-1.jsonl", "p/notes.txt")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")

    assert transcript_files.jsonl_files(str(tmp_path)) == [
        str(tmp_path / "a.jsonl"),
        str(tmp_path / "p/b.jsonl"),
    ]


def test_cursor_has_other_files_beside_its_transcripts(tmp_path):
    inside = "p/agent-transcripts"
    touch(tmp_path, f"{inside}/1/1.jsonl", f"{inside}/1/subagents/2.jsonl", f"{inside}/3.jsonl")
    touch(tmp_path, "p/terminals/1.txt", f"{inside}/1.txt", "p/other.jsonl")
    names = [f"{inside}/1/1.jsonl", f"{inside}/3.jsonl"]

    assert transcript_files.cursor_files(str(tmp_path)) == [str(tmp_path / name) for name in names]
    assert transcript_files.cursor_slug(str(tmp_path / names[0])) == "p"
    assert transcript_files.cursor_slug(str(tmp_path / "p/other.jsonl")) == ""
    assert transcript_files.is_of_one_project(str(tmp_path / "p"))
    assert transcript_files.is_of_one_project(str(tmp_path / inside / "1"))
    assert not transcript_files.is_of_one_project(str(tmp_path))


def test_a_line_that_is_too_long_is_only_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(transcript_files, "MOST_LINE_BYTES", 200)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n" + b"x" * 450 + b"\n" + b"2" * 199 + b"\n" + b"3" * 200)

    lines = list(transcript_files.lines(str(path)))

    assert lines == [b"1\n", b"x" * 100, b"2" * 199 + b"\n", b"3" * 100]


def test_a_file_that_is_gone_is_our_error(tmp_path):
    with pytest.raises(NotFoundError):
        list(transcript_files.lines(str(tmp_path / "gone")))


def test_a_file_tells_its_time(tmp_path):
    path = tmp_path / "a"
    path.write_text("")
    os.utime(path, (1_600_000_000, 1_600_000_000))

    assert transcript_files.file_time(str(path)) == datetime.fromtimestamp(
        1_600_000_000, timezone.utc
    )


def test_a_folder_is_inside_also_through_a_link(tmp_path):
    touch(tmp_path, "shop/src/a", "shop-two/a")
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    shop = str(tmp_path / "shop")

    assert transcript_files.is_inside(str(tmp_path / "link/src"), shop)
    assert transcript_files.is_inside(str(tmp_path / "shop/gone"), shop)
    assert transcript_files.is_inside(shop, "/")
    assert not transcript_files.is_inside(str(tmp_path / "shop-two"), shop)
    assert not transcript_files.is_inside(str(tmp_path), shop)
    assert not transcript_files.is_inside("", shop)


@pytest.mark.parametrize("text", ['{"path": "/h/项目/a.py"}', r'{"path": "/h/\u9879\u76ee/a.py"}'])
def test_a_transcript_may_name_a_folder_in_either_form_of_json(tmp_path, text):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{{}}\n{text}\n", encoding="utf-8")

    assert transcript_files.mentions(str(path), "/h/项目")
    for other in ("/h/测试", "~/h/项目", "/h/项目/b"):
        assert not transcript_files.mentions(str(path), other)


def test_the_name_of_a_transcript_is_text(tmp_path):
    assert transcript_files.name_of(os.fsdecode(b"/p/a\xff.jsonl")) == "a\ufffd"
    assert transcript_files.name_of("/p/会话.1.jsonl") == "会话.1"
    assert transcript_files.name_of("/p/rollout-2026-01-29T10-30-45-0f3c.jsonl") == "0f3c"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_the_place_of_a_transcript_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")

    with pytest.raises(BackendError, match="is not a regular file"):
        list(transcript_files.lines(str(tmp_path / "a.jsonl")))


def test_a_transcript_that_was_made_to_fill_memory_is_not_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    os.truncate(path, files.most_bytes(str(path)) + 1)

    with pytest.raises(BackendError, match="is larger than 256 MB"):
        list(transcript_files.lines(str(path)))


def test_a_transcript_that_is_a_link_is_read(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"one\ntwo")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "a.jsonl")

    assert list(transcript_files.lines(str(tmp_path / "b.jsonl"))) == [b"one\n", b"two"]
