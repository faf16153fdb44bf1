"""The token that opens the door to a memory over HTTP."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from daily_memory.services.setup import http_access


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
