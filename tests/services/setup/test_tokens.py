"""The token that opens the door to a memory over HTTP."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest


def path(memory):
    return Path(memory.workspace.global_root.in_index("http-token"))


def test_a_token_is_drawn_once(memory):
    token = memory.tokens.own()

    assert len(bytes.fromhex(token)) == 32
    assert memory.tokens.own() == token
    assert path(memory).read_text(encoding="ascii") == f"{token}\n"


def test_a_new_token_takes_the_place_of_the_old_one(memory):
    old = memory.tokens.own()

    assert memory.tokens.own(renew=True) != old
    assert memory.tokens.own() != old


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o610])
def test_a_token_that_others_could_read_is_replaced(memory, mode):
    old = memory.tokens.own()
    path(memory).chmod(mode)

    assert memory.tokens.own() != old
    assert stat.S_IMODE(path(memory).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "short", "zz" * 32, "é" * 32, "a" * 63, "a" * 65, "a" * 64 + "\n\n"]
)
def test_a_token_that_is_none_is_replaced(memory, text):
    memory.tokens.own()
    path(memory).write_text(text, encoding="utf-8")

    token = memory.tokens.own()

    assert re.fullmatch("[0-9a-f]{64}", token)
    assert token != text.strip()


def test_what_stands_in_its_place_is_moved_away(memory, tmp_path):
    memory.tokens.own()
    path(memory).unlink()
    (tmp_path / "theirs").write_text("7c" * 32, encoding="ascii")
    path(memory).symlink_to(tmp_path / "theirs")

    assert memory.tokens.own() != "7c" * 32
    assert not path(memory).is_symlink()


def test_the_token_of_a_project_is_not_looked_at(memory):
    folder = Path(memory.workspace.project_root.index_folder)
    folder.mkdir(parents=True)
    (folder / "http-token").write_text("7c" * 32, encoding="ascii")
    (folder / "http-token").chmod(0o600)

    assert memory.tokens.own() != "7c" * 32
