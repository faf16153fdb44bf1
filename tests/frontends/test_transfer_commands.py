"""`memory export` and `memory import`, as they are typed."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from daily_memory.storage import zips


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
    assert "1 file written as they are" in outcome.err
    again = saved("import", str(path), "--scope", "global", "--json").json()
    assert (again["imported"], again["present"], again["restored"]) == (0, 2, [])


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


def test_days_and_tags_narrow_an_export(saved):
    sessions = json.loads(saved("export", "--tag", "redis").out)["sessions"]
    assert [one["topic"] for one in sessions] == ["缓存方案"]
    assert json.loads(saved("export", "--until", "2020-01-01").out)["sessions"] == []
    assert saved("export", "--format", "md", "--since", "2999-01-01").out == ""


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--format", "zip"),
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
