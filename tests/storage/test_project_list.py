"""The list of projects, and the id that a project keeps wherever it is moved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from daily_memory.core.projects import Project
from daily_memory.errors import BackendError
from daily_memory.storage import project_list, roots
from daily_memory.storage.roots import Root

ID = 2 * "0123456789abcdef"


@pytest.fixture
def home(tmp_path: Path) -> Root:
    """The root of a user, whose memory has the list."""
    root = roots.global_root(str(tmp_path / "home"))
    Path(root.path).mkdir(parents=True)
    return root


@pytest.fixture
def shop(tmp_path: Path, home: Root) -> str:
    """A project that is listed."""
    made = project(tmp_path / "shop")
    project_list.note(home, made)
    return made


def project(folder: Path) -> str:
    (folder / roots.MEMORIES / "daily").mkdir(parents=True)
    return str(folder)


def id_file(folder: str) -> Path:
    return Path(folder, roots.MEMORIES, "index", "project-id")


def test_a_project_is_listed_once_under_an_id_of_its_own(home, shop, tmp_path):
    other = project(tmp_path / "商城")
    assert not project_list.is_known(home, other)

    for folder in (other, shop, other):
        project_list.note(home, folder)

    ids = [project_list.load_id(folder) for folder in (shop, other)]
    assert project_list.load_projects(home) == (Project(shop, ids[0]), Project(other, ids[1]))
    assert len({*ids, ""}) == 3
    assert [project_list.is_known(home, folder) for folder in (shop, other)] == [True, True]
    id_file(other).write_text(ids[0])
    assert not project_list.is_known(home, other)
    assert id_file(shop).read_text() == f"{ids[0]}\n"
    id_file(shop).unlink()
    assert not project_list.is_known(home, shop)


def test_a_moved_project_keeps_its_entry_and_its_old_name(home, shop, tmp_path):
    id_ = project_list.load_id(shop)
    store = str(tmp_path / "store")
    shutil.move(shop, store)

    project_list.note(home, store)

    assert project_list.load_projects(home) == (Project(store, id_, "", ("shop",)),)


def test_of_a_project_and_its_copy_the_later_gets_a_new_id(home, shop, tmp_path):
    id_ = project_list.load_id(shop)
    copy = str(shutil.copytree(shop, tmp_path / "copy"))

    project_list.note(home, copy)

    assert project_list.load_id(shop) == id_ != project_list.load_id(copy)
    assert [one.path for one in project_list.load_projects(home)] == sorted([copy, shop])


def test_a_project_by_another_path_is_the_same(home, shop, tmp_path):
    (tmp_path / "link").symlink_to(shop)
    before = project_list.load_projects(home)

    project_list.note(home, str(tmp_path / "link"))

    assert project_list.load_projects(home) == before


@pytest.mark.parametrize(("name", "is_kept"), [("商城", True), ("", False)])
def test_what_comes_in_the_place_of_a_named_project_leaves_it_listed(
    home, shop, tmp_path, name, is_kept
):
    before = Project(shop, project_list.load_id(shop), name)
    project_list.store(home, (before,))
    shutil.move(shop, tmp_path / "away")
    id_file(project(tmp_path / "shop")).parent.mkdir()
    id_file(shop).write_text(ID)

    project_list.note(home, shop)

    new = Project(shop, ID)
    kept = (before._replace(path=""),) if is_kept else ()
    assert project_list.load_projects(home) == (*kept, new)


def test_a_project_that_lost_its_id_gets_the_listed_one_again(home, shop):
    before = project_list.load_projects(home)
    shutil.rmtree(id_file(shop).parent)

    project_list.note(home, shop)

    assert project_list.load_projects(home) == before
    assert project_list.load_id(shop) == before[0].id


def test_an_entry_without_an_id_gets_one_and_keeps_its_name(home, tmp_path):
    shop = project(tmp_path / "caf\udce9")
    project_list.store(home, (Project(shop, "", "商城", ("old",)),))

    project_list.note(home, shop)

    id_ = project_list.load_id(shop)
    assert project_list.load_projects(home) == (Project(shop, id_, "商城", ("old",)),)


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (f"{ID}\n", ID),
        (f" {ID}\r\n", ID),
        (ID[1:], ""),
        (f"{ID}0", ""),
        (ID.upper(), ""),
        (ID[:-1] + "é", ""),
        ("", ""),
    ],
)
def test_an_id_is_32_digits_of_base_16(tmp_path, text, id_):
    shop = project(tmp_path / "shop")
    assert project_list.load_id(shop) == ""
    id_file(shop).parent.mkdir()
    id_file(shop).write_text(text, newline="")

    assert project_list.load_id(shop) == id_


def test_where_a_list_or_an_id_cannot_be_read_there_is_none(home, shop):
    for path in (Path(home.path, "projects.json"), id_file(shop)):
        path.unlink()
        path.mkdir()

    assert project_list.find_projects(home) == ()
    assert project_list.load_id(shop) == ""
    with pytest.raises(BackendError):
        project_list.load_projects(home)


def test_a_project_is_there_if_it_has_a_memory_at_its_path(shop, tmp_path):
    paths = (shop, str(tmp_path), "")

    assert [project_list.is_there(Project(path)) for path in paths] == [True, False, False]
