"""The token of the HTTP server: 64 letters that only the user can read."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from daily_memory.services.setup import http_access


def test_a_token_is_read_back_and_a_new_one_replaces_it(root):
    assert http_access.load_token(root) == ""

    first = http_access.make_token(root)
    second = http_access.make_token(root)

    path = Path(root.index_folder, "http-token")
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert first != second
    assert path.read_text() == f"{second}\n"
    assert http_access.load_token(root) == second
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610])
def test_a_token_that_others_could_read_is_none(root, mode):
    http_access.make_token(root)

    os.chmod(http_access.token_path(root), mode)

    assert http_access.load_token(root) == ""


@pytest.mark.parametrize("text", ["", "a" * 63, "a" * 65, "g" * 64, "a" * 64 + "\n\n"])
def test_other_text_is_no_token(root, text):
    http_access.make_token(root)

    Path(http_access.token_path(root)).write_text(text)

    assert http_access.load_token(root) == ""
