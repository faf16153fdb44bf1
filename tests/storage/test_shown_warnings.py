"""What the user was told: once, and noted where no repository can say so."""

from __future__ import annotations

import os

import pytest

from daily_memory.core.config_layers import EffectiveSettings
from daily_memory.core.settings import DEFAULTS
from daily_memory.model import Problem
from daily_memory.storage import shown_warnings
from daily_memory.storage.roots import project_root


def test_news_are_told_once_for_each_thing(tmp_path):
    home = str(tmp_path)

    assert shown_warnings.is_new(home, "app", "a fault")
    assert not shown_warnings.is_new(home, "app", "a fault")
    assert shown_warnings.is_new(home, "其他", "half of a pair: \ud83d")
    assert shown_warnings.is_new(home, "app", "another fault")


def test_what_is_over_is_told_again_when_it_comes_back(tmp_path):
    home = str(tmp_path)
    shown_warnings.is_new(home, "app", "a fault")

    assert not shown_warnings.is_new(home, "app", "")
    assert not shown_warnings.is_new(home, "app", "")
    assert shown_warnings.is_new(home, "app", "a fault")


def test_nothing_of_what_was_told_can_be_read_and_only_the_user_sees_that_it_was(tmp_path):
    shown_warnings.is_new(str(tmp_path), "/work/secret-project", "秘密")

    folder = tmp_path / ".config" / "daily-memory" / "told"
    (path,) = folder.iterdir()
    assert "secret" not in path.name
    assert "秘密".encode() not in path.read_bytes()
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


FAULTS = (Problem("a.json", 3, "is no number"), Problem("b.json", 0, "is no text"))
REFUSED = (Problem("c.json", 1, "a.b: not here"), Problem("c.json", 2, "a.c: not here"))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (EffectiveSettings(), []),
        (
            EffectiveSettings(faults=FAULTS),
            [
                "记忆设置有错误（a.json:3, b.json）：改好之前按最严格的值处理",
                ": the strictest values are used until",
            ],
        ),
        (
            EffectiveSettings(DEFAULTS._replace(closed="a fault"), faults=FAULTS[:1] * 2),
            ["记忆设置有错误（a.json:3）：改好之前不会记录任何对话", ": nothing is recorded until"],
        ),
        (
            EffectiveSettings(refused=REFUSED),
            ["中的设置：a.b, a.c（项目只能收紧", "Ignored a.b, a.c in"],
        ),
        (EffectiveSettings(faults=FAULTS, refused=REFUSED), ["记忆设置有错误", "Ignored"]),
    ],
)
def test_what_is_wrong_with_the_settings_is_told_once_in_both_languages(tmp_path, found, said):
    root = project_root(str(tmp_path / "app"))

    first, second = (shown_warnings.settings_warning(str(tmp_path), root, found) for _ in range(2))

    assert [part for part in said if part not in first] == []
    assert bool(first) == bool(said)
    assert second == ""


@pytest.mark.parametrize("news", ["a fault", ""])
def test_where_nothing_can_be_noted_it_is_told_each_time(tmp_path, news):
    (tmp_path / ".config").write_text("no folder")

    for _ in range(2):
        assert shown_warnings.is_new(str(tmp_path), "app", news) is bool(news)
    os.remove(tmp_path / ".config")
