"""What the user was told: once, and noted where no repository can say so."""

from __future__ import annotations

import os

import pytest

from daily_memory.storage import notices


def test_news_are_told_once_for_each_thing(tmp_path):
    home = str(tmp_path)

    assert notices.note(home, "app", "a fault")
    assert not notices.note(home, "app", "a fault")
    assert notices.note(home, "其他", "a fault")
    assert notices.note(home, "app", "another fault")


def test_what_is_over_is_told_again_when_it_comes_back(tmp_path):
    home = str(tmp_path)
    notices.note(home, "app", "a fault")

    assert not notices.note(home, "app", "")
    assert not notices.note(home, "app", "")
    assert notices.note(home, "app", "a fault")


def test_nothing_of_what_was_told_can_be_read_and_only_the_user_sees_that_it_was(tmp_path):
    notices.note(str(tmp_path), "/work/secret-project", "秘密")

    folder = tmp_path / ".config" / "daily-memory" / "told"
    (path,) = folder.iterdir()
    assert "secret" not in path.name
    assert "秘密".encode() not in path.read_bytes()
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize("news", ["a fault", ""])
def test_where_nothing_can_be_noted_it_is_told_each_time(tmp_path, news):
    (tmp_path / ".config").write_text("no folder")

    for _ in range(2):
        assert notices.note(str(tmp_path), "app", news) is bool(news)
    os.remove(tmp_path / ".config")
