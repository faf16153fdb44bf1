"""What is noted of encrypted memories follows a project that is moved, and no copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from daily_memory.storage import encrypted_roots, roots
from daily_memory.storage.roots import Root

ID = 2 * "0123456789abcdef"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return str(tmp_path / "home")


@pytest.fixture
def shop(tmp_path) -> Root:
    """The root of a project that has an id."""
    root = roots.project_root(str(tmp_path / "shop"))
    index = tmp_path / "shop" / ".cursor" / "skills" / "memories" / "index"
    index.mkdir(parents=True)
    (index / "project-id").write_text(ID)
    return root


def moved(tmp_path, before: str, after: str) -> Root:
    (tmp_path / before).rename(tmp_path / after)
    return roots.project_root(str(tmp_path / after))


def test_a_moved_memory_stays_encrypted_and_what_comes_in_its_place_is_not(tmp_path, home, shop):
    encrypted_roots.note(home, shop)
    here = moved(tmp_path, "shop", "store")
    encrypted_roots.note(home, here)
    (tmp_path / "shop").mkdir()

    assert encrypted_roots.is_noted(home, here)
    assert not encrypted_roots.is_noted(home, shop)


def test_a_memory_that_was_moved_and_decrypted_stays_plain_where_it_is_moved_next(
    tmp_path, home, shop
):
    encrypted_roots.note(home, shop)
    encrypted_roots.forget(home, moved(tmp_path, "shop", "store"))

    assert not encrypted_roots.is_noted(home, moved(tmp_path, "store", "mall"))


def test_a_copy_that_is_decrypted_leaves_the_memory_encrypted(tmp_path, home, shop):
    encrypted_roots.note(home, shop)
    shutil.copytree(tmp_path / "shop", tmp_path / "copy")
    copy = roots.project_root(str(tmp_path / "copy"))
    encrypted_roots.forget(home, copy)

    assert not encrypted_roots.is_noted(home, copy)
    assert encrypted_roots.is_noted(home, moved(tmp_path, "shop", "store"))


def test_a_memory_without_an_id_is_known_by_its_path(tmp_path, home):
    root = roots.project_root(str(tmp_path / "caf\udce9"))
    (tmp_path / "caf\udce9").mkdir()

    encrypted_roots.note(home, root)

    assert encrypted_roots.is_noted(home, root)
    assert not encrypted_roots.is_noted(home, moved(tmp_path, "caf\udce9", "store"))


def test_a_memory_whose_note_cannot_be_read_counts_as_encrypted(home, shop):
    encrypted_roots.note(home, shop)
    encrypted_roots.forget(home, shop)
    assert not encrypted_roots.is_noted(home, shop)

    for path in Path(roots.notes_folder(home)).iterdir():
        path.unlink()
        path.mkdir()

    assert encrypted_roots.is_noted(home, shop)


def test_what_was_decrypted_here_is_encrypted_again_only_by_the_user(home, shop):
    encrypted_roots.note(home, shop)
    encrypted_roots.forget(home, shop)
    encrypted_roots.note(home, shop)
    assert not encrypted_roots.is_noted(home, shop)

    encrypted_roots.note(home, shop, by_user=True)
    assert encrypted_roots.is_noted(home, shop)
