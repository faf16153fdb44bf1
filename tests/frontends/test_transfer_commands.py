"""`memory export` and `memory import`, as they are typed."""

from __future__ import annotations

import io
import json
import stat
import sys
from pathlib import Path

import pytest

from daily_memory.storage import keys
from daily_memory.storage.fs import files, zips


@pytest.fixture
def saved(cli):
    cli("save", "--topic", "缓存方案", "--point", "TTL 300 秒", "--tag", "redis")
    cli("add", "use pnpm #tooling")
    return cli


def test_a_zip_is_written_and_brought_back(saved, tmp_path):
    path = tmp_path / "m.zip"

    outcome = saved("export", "--format", "zip", "-o", str(path), "--with-observations", "--json")

    assert outcome.json() == {"path": str(path), "format": "zip", "bytes": path.stat().st_size}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert min(zips.unpack(path.read_bytes(), "x")).startswith("daily/")
    told = saved("import", str(path), "--scope", "global", "--dry-run", "--json").json()
    assert (told["imported"], len(told["ids"]), told["dry_run"]) == (0, 2, True)
    assert (
        "2 sessions would be imported"
        in saved("import", str(path), "--scope", "global", "--dry-run").err
    )
    outcome = saved("import", str(path), "--scope", "global")
    assert "2 sessions imported, 0 there already, 0 secrets hidden" in outcome.err
    assert "1 file written unchanged" in outcome.err
    again = saved("import", str(path), "--scope", "global", "--json").json()
    assert (again["imported"], again["present"], again["restored"]) == (0, 2, [])


def test_what_had_been_deleted_is_told_of(saved, tmp_path):
    path = tmp_path / "m.json"
    saved("export", "-o", str(path))
    first = saved("list", "--json").json()["sessions"][0]["id"]
    saved("delete", first)

    told = saved("import", str(path), "--dry-run")
    done = saved("import", str(path), "--json")

    assert "1 of them had been deleted here" in told.err
    assert (done.json()["imported"], done.json()["returned"]) == (1, 1)
    assert "had been deleted" not in saved("import", str(path)).err


def test_what_gets_another_number_is_named(saved, tmp_path):
    day = saved("list", "--json").json()["sessions"][0]["date"]
    path = tmp_path / f"{day}.md"
    path.write_text("## Session 1\n\n### Topic\ntheirs\n")

    told = saved("import", str(path), "--dry-run").err
    assert f"{day}#1 is another session here: it would become {day}#3" in told
    assert f"{day}#1 is another session here: it became {day}#3" in saved("import", str(path)).err


def test_a_file_that_is_there_is_not_replaced_unasked(saved, tmp_path):
    path = tmp_path / "m.html"
    path.write_text("mine")

    outcome = saved("export", "--format", "html", "-o", str(path))

    assert outcome.status == 2
    assert "is there already" in outcome.err
    assert path.read_text() == "mine"
    assert saved("export", "--format", "html", "-o", str(path), "--force").status == 0
    assert "缓存方案" in path.read_text(encoding="utf-8")


def test_a_file_is_named_as_for_an_import(saved, tmp_path):
    path = tmp_path / "backup.jsonl"

    outcome = saved("export", str(path), "--tag", "redis")

    assert (outcome.status, len(path.read_text(encoding="utf-8").splitlines())) == (0, 1)
    assert "two files to write to" in saved("export", "a.md", "-o", "b.md").err


def test_days_and_tags_narrow_an_export(saved):
    sessions = json.loads(saved("export", "--tag", "redis").out)["sessions"]
    assert [one["topic"] for one in sessions] == ["缓存方案"]
    assert json.loads(saved("export", "--until", "2020-01-01").out)["sessions"] == []
    assert saved("export", "--format", "md", "--since", "2999-01-01").out == ""
    of_redis = saved("export", "--format", "md", "--tag", "#redis").out
    assert "缓存方案" in of_redis
    assert "pnpm" not in of_redis


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--format", "zip", "--scope", "all", "-o", "x.zip"),
        ("export", "--format", "zip", "-o", "x.zip", "--tag", "a"),
        ("export", "--with-observations"),
        ("export", "--force"),
        ("import", "--all-projects", "x.json"),
        ("import",),
    ],
)
def test_what_does_not_go_together_is_refused(cli, words):
    outcome = cli(*words)

    assert outcome.status == 2
    assert outcome.err.startswith("error: ")
    assert not Path("x.zip").exists()


def test_a_zip_goes_into_a_pipe_and_not_to_a_screen(saved, monkeypatch):
    pipe = io.BytesIO()
    out = io.TextIOWrapper(pipe, encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", out)
        assert saved("export", "--format", "zip").status == 0

    assert min(zips.unpack(pipe.getvalue(), "x")).startswith("daily/")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "can't print a zip" in saved("export", "--format", "zip").err


def test_an_export_says_how_many_sessions_it_has(saved, tmp_path):
    path = tmp_path / "m.jsonl"

    told = saved("export", "--format", "jsonl", "-o", str(path), "--json")

    assert told.json()["sessions"] == 2
    for form in ("md", "html", "json"):
        outcome = saved("export", "--format", form, "-o", str(tmp_path / form))
        assert "2 sessions, " in outcome.err
    assert "no sessions" in saved("export", "--tag", "没有").err
    assert "no sessions" in saved("export", "--tag", "没有", "-o", str(tmp_path / "none")).err


def test_a_folder_that_is_not_there_is_named(saved, tmp_path):
    outcome = saved("export", "-o", str(tmp_path / "没有" / "x.json"))

    assert outcome.status == 3
    assert "no folder" in outcome.err


def test_an_export_of_all_memories_names_the_project_of_each_session(saved, tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    saved("save", "--topic", "商店的连接池", "--tag", "redis", "--project", str(tmp_path / "shop"))
    saved("save", "--topic", "global note", "--scope", "global")

    lines = saved("export", "--format", "jsonl", "--scope", "all").out.splitlines()
    found = {(one["topic"], one["project"]) for one in map(json.loads, lines)}

    assert found == {
        ("缓存方案", "app"),
        ("use pnpm", "app"),
        ("商店的连接池", "shop"),
        ("global note", "app"),
    }
    page = saved("export", "--format", "html", "--scope", "all").out
    assert page.count("<article ") == 4
    ids = [part.partition('"')[0] for part in page.split('<article id="')[1:]]
    assert len(set(ids)) == 4
    of_shop = saved("export", "--format", "md", "--scope", "all", "--project", "shop").out
    assert of_shop.startswith("<!-- shop -->")
    assert "商店的连接池" in of_shop
    assert "缓存方案" not in of_shop
    assert saved("export", "--scope", "all", "--project", "shoop").status == 3


def test_a_file_without_a_session_is_told(saved, tmp_path):
    path = tmp_path / "2026-01-02.md"
    path.write_text("# 2026-01-02\n")

    assert "no session was found" in saved("import", str(path)).err


def test_what_comes_into_the_archive_is_counted(saved, tmp_path):
    saved("save", "--topic", "旧的", "--point", "old", "--date", "2025-01-05")
    assert saved("cleanup", "--before", "2026-01-01", "--yes").status == 0
    path = str(tmp_path / "m.zip")
    assert saved("export", "--format", "zip", "-o", path).err.startswith(path)

    told = saved("import", path, "--scope", "global", "--dry-run")
    done = saved("import", path, "--scope", "global")

    assert "1 of them would go into the archive" in told.err
    assert "3 sessions imported" in done.err
    assert "1 of them went into the archive" in done.err
    again = saved("import", path, "--scope", "global", "--json").json()
    assert (again["present"], again["archived"]) == (3, [])


def test_an_export_of_an_encrypted_memory_says_that_it_is_plain(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "key_holders", {})
    keys.forget_opened()
    assert saved("encrypt", "--yes").status == 0

    for words in (("jsonl",), ("zip", "-o", str(tmp_path / "m.zip"))):
        outcome = saved("export", "--format", *words)
        assert outcome.status == 0
        assert "what is exported is not" in outcome.err
    assert not any(
        files.is_sealed(data)
        for data in zips.unpack((tmp_path / "m.zip").read_bytes(), "x").values()
    )


@pytest.mark.parametrize("form", ["json", "jsonl", "md", "html"])
@pytest.mark.parametrize("is_file", [False, True])
def test_a_day_that_can_not_be_read_is_named_and_the_rest_exported(saved, tmp_path, form, is_file):
    for day in ("2025-01-05", "2025-01-06"):
        saved("save", "--topic", f"旧的 {day}", "--date", day)
    assert saved("cleanup", "--before", "2026-01-01", "--yes").status == 0
    damaged = next(Path.cwd().rglob("2025-01-05.md.gz"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    path = tmp_path / "out"
    words = ("-o", str(path)) if is_file else ()

    outcome = saved("export", "--archived", "--format", form, *words)

    assert outcome.status == 5
    assert (
        f"warning: {str(damaged)!r} is not an archive, or is damaged; its sessions are not in the"
        " export" in outcome.err
    )
    text = path.read_text(encoding="utf-8") if is_file else outcome.out
    assert "旧的 2025-01-06" in text
    assert "缓存方案" in text
    assert "旧的 2025-01-05" not in text
    # Without the archive nothing is missing.
    assert saved("export", "--format", form).status == 0


def test_what_is_locked_is_not_exported_as_nothing(saved, monkeypatch):
    monkeypatch.setattr(files, "key_holders", {})
    keys.forget_opened()
    assert saved("encrypt", "--yes").status == 0
    key = next(Path.cwd().parent.rglob("key.txt"))
    key.rename(key.with_name("elsewhere"))
    keys.forget_opened()

    outcome = saved("export")

    assert outcome.status == 6
    assert "the memory is encrypted, and there is no key" in outcome.err
    assert outcome.out == ""


def test_the_ending_of_the_file_says_what_to_export(cli, tmp_path):
    cli("add", "TTL 300 s")

    for ending, first in (("md", b"# "), ("html", b"<!doctype html>"), ("zip", b"PK"), ("x", b"{")):
        path = tmp_path / f"memory.{ending}"
        assert cli("export", "-o", str(path)).status == 0
        assert path.read_bytes().startswith(first), ending


def test_who_restores_a_backup_file_is_sent_to_import(saved, tmp_path):
    path = tmp_path / "m.zip"
    saved("export", str(path))

    assert "`memory import FILE`" in saved("restore", str(path)).err
