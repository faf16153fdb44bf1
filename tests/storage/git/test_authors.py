"""Whether a folder is in a git working tree."""

from __future__ import annotations

from daily_memory.storage.git import authors


def test_a_folder_is_in_a_repository_if_one_above_has_a_git_folder_or_file(tmp_path):
    for name in ("app/.git", "app/src/deep", "tree/src", "none/src"):
        (tmp_path / name).mkdir(parents=True)
    assert not authors.has_repository(str(tmp_path / "app/src/deep"))

    (tmp_path / "app/.git/HEAD").touch()
    (tmp_path / "tree/.git").touch()

    assert authors.has_repository(str(tmp_path / "app"))
    assert authors.has_repository(str(tmp_path / "app/src/deep"))
    assert authors.has_repository(str(tmp_path / "tree/src"))
    assert not authors.has_repository(str(tmp_path / "none/src"))
