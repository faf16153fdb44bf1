"""A memory looked at page by page, and the token that opens the door to it."""

from __future__ import annotations

import os
import stat
from datetime import date
from pathlib import Path

import pytest

from daily_memory.errors import BackendError
from daily_memory.services.setup import http_access
from daily_memory.storage.fs import files


@pytest.fixture
def days(memory):
    """Four days with sessions; the global memory has one of them."""
    for day in ("2026-01-01", "2026-01-05", "2026-01-09"):
        memory.save({"date": day, "topic": f"于 {day}", "tags": ["Redis"]})
    memory.save({"date": "2026-01-07", "topic": "global", "project": "shop"}, scope="global")
    memory.import_sessions([{"date": "2026-01-05", "topic": "theirs", "origin": "import"}])
    return memory


def shown(page):
    return [(day.day, [one.session.topic for one in found]) for day, found in page.days]


def test_pages_go_back_in_time(days):
    first = days.browse(days=2)
    second = days.browse(days=2, before=first.next)

    assert shown(first) == [(9, ["于 2026-01-09"]), (7, ["global"])]
    assert shown(second) == [(5, ["于 2026-01-05", "theirs"]), (1, ["于 2026-01-01"])]
    assert (first.next, second.next) == (date(2026, 1, 7), None)


def test_pages_are_narrowed(days):
    assert shown(days.browse(tags=["redis"], days=1)) == [(9, ["于 2026-01-09"])]
    assert shown(days.browse(project="shop")) == [(7, ["global"])]
    assert shown(days.browse(foreign=True)) == [(5, ["theirs"])]
    assert shown(days.browse(scope="global")) == [(7, ["global"])]
    assert shown(days.browse(tags=["none"])) == []


def test_a_day_that_can_not_be_read_hides_no_other(days, monkeypatch):
    read = files.read_bytes

    def refuse(path):
        if path.endswith("2026-01-09.md"):
            raise BackendError("can't read it")
        return read(path)

    monkeypatch.setattr(files, "read_bytes", refuse)

    assert shown(days.browse(days=1)) == [(7, ["global"])]


def path(memory):
    return Path(http_access.token_path(memory.workspace.global_root))


def test_a_token_is_drawn_once(memory):
    token = memory.setup.token()

    assert len(bytes.fromhex(token)) == 32
    assert memory.setup.token() == token
    assert path(memory).read_text(encoding="ascii") == f"{token}\n"


def test_a_new_token_takes_the_place_of_the_old_one(memory):
    old = memory.setup.token()

    assert memory.setup.token(renew=True) != old
    assert memory.setup.token() != old


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_a_token_that_others_could_read_is_replaced(memory):
    old = memory.setup.token()
    path(memory).chmod(0o644)

    assert memory.setup.token() != old
    assert stat.S_IMODE(path(memory).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "short", "zz" * 32, "é" * 32])
def test_a_token_that_is_none_is_replaced(memory, text):
    memory.setup.token()
    path(memory).write_text(text, encoding="utf-8")

    assert len(memory.setup.token()) == 64


def test_what_stands_in_its_place_is_moved_away(memory, tmp_path):
    memory.setup.token()
    path(memory).unlink()
    (tmp_path / "theirs").write_text("7c" * 32, encoding="ascii")
    path(memory).symlink_to(tmp_path / "theirs")

    assert memory.setup.token() != "7c" * 32
    assert not path(memory).is_symlink()


def test_the_token_of_a_project_is_not_looked_at(memory):
    folder = Path(memory.workspace.project_root.index_folder)
    folder.mkdir(parents=True)
    (folder / "http-token").write_text("7c" * 32, encoding="ascii")
    (folder / "http-token").chmod(0o600)

    assert memory.setup.token() != "7c" * 32
