"""Projects: entered, named, found again where they were moved to, and told from their copies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.errors import ConflictError, InvalidInputError, NotFoundError
from daily_memory.storage import discovery, project_list
from tests.conftest import sign


@pytest.fixture
def project(memory, tmp_path):
    """Return a function that saves in a project of a name, and gives its memory."""

    def make(name, topic="Redis 缓存"):
        (tmp_path / name).mkdir(exist_ok=True)
        opened = memory.in_folder(tmp_path / name)
        opened.save({"topic": topic})
        return memory.in_folder(tmp_path / name)

    return make


def known(memory):
    """Return the projects by their names."""
    return {one.project.title: one for one in memory.projects.list()}


def test_a_project_is_entered_with_its_first_save(project, tmp_path):
    project("shop")
    project("商城")
    project("商城")

    found = known(project("shop"))

    assert {name: one.sessions for name, one in found.items()} == {"shop": 2, "商城": 2}
    assert found["shop"].last_use == "2026-01-29"
    assert found["shop"].project.id == project_list.load_id(str(tmp_path / "shop")) != ""


def test_the_folder_of_a_project_is_found_by_its_name(project, tmp_path):
    memory = project("商城")

    assert memory.projects.folder("商城") == str(tmp_path / "商城")
    assert memory.projects.folder(str(tmp_path / "商城")) == str(tmp_path / "商城")


def test_a_slip_gives_the_names_that_were_meant(project):
    memory = project("shop")

    for ask in (memory.projects.folder, memory.projects.check):
        with pytest.raises(NotFoundError) as caught:
            ask("shpo")
        assert caught.value.hint == "did you mean shop?"
    with pytest.raises(NotFoundError, match="no project '商商") as caught:
        memory.projects.check("商" * 99)
    assert caught.value.hint == "known: shop; a folder works too"


def test_a_name_that_only_sessions_of_the_global_memory_bear_is_known(memory, project):
    memory.save({"topic": "x", "project": "旧项目"}, scope="global")

    memory.projects.check("旧项目")
    assert memory.workspace.project_names("旧项目") == ("旧项目",)
    with pytest.raises(NotFoundError, match="no project '旧项目'"):
        memory.projects.folder("旧项目")


def test_a_renamed_project_is_found_by_both_names(project, tmp_path):
    memory = project("shop")
    memory.save({"topic": "Redis everywhere"}, scope="global")

    renamed = memory.projects.rename("shop", "商城")

    assert (renamed.title, renamed.path) == ("商城", str(tmp_path / "shop"))
    assert memory.workspace.project_root.project == "商城"
    for name in ("shop", "商城"):
        found = memory.search("redis", scope="all", project=name)
        assert {hit.session.topic for hit in found.hits} == {"Redis 缓存", "Redis everywhere"}
        assert len(list(memory.sessions(scope="all", project=name))) == 2
    assert memory.in_folder(tmp_path / "shop").workspace.project_root.project == "商城"
    assert memory.in_folder(tmp_path / "app").projects.rename("商城", "shop").name == ""


@pytest.mark.parametrize("name", ["", " a", "a/b", "a\\b", "-x", ".x", "~", "a\n", "x" * 101])
def test_what_could_not_be_told_from_a_folder_is_no_name(project, name):
    with pytest.raises(InvalidInputError, match="is not a valid name for a project"):
        project("shop").projects.rename("shop", name)


def test_a_name_belongs_to_one_project(project):
    project("shop")

    with pytest.raises(ConflictError, match="'SHOP' is taken"):
        project("商城").projects.rename("商城", "SHOP")


def test_two_projects_of_one_name_are_told_apart_by_their_folders(memory, project, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        project(f"{name}/api")

    with pytest.raises(ConflictError, match="2 projects are called 'api'") as caught:
        memory.projects.folder("api")
    assert str(tmp_path / "b/api") in caught.value.hint

    shutil.rmtree(tmp_path / "a/api")
    assert memory.projects.folder("api") == str(tmp_path / "b/api")


def test_a_forgotten_project_keeps_its_memory(project, tmp_path):
    memory = project("shop")

    assert memory.projects.forget("shop", dry_run=True).title == "shop"
    assert "shop" in known(memory.in_folder(tmp_path / "app"))
    memory.projects.forget("shop")
    assert known(memory) == {}
    assert known(memory.in_folder(tmp_path / "app")) == {}
    assert len(list(memory.sessions())) == 1
    assert memory.projects.add(tmp_path / "shop").title == "shop"


@pytest.mark.skipif(os.name == "nt", reason="names of folders are text there")
def test_a_folder_whose_name_is_no_text_is_entered(memory, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)

    memory.in_folder(folder).save({"topic": "x"})

    assert [one.project.path for one in memory.projects.list()] == [folder]


def test_only_a_memory_can_be_added(memory, tmp_path):
    memory.save({"topic": "x"}, scope="global")

    for folder in (tmp_path / "app", tmp_path / "home"):
        with pytest.raises(InvalidInputError, match="no project's memory in") as caught:
            memory.projects.add(folder)
        assert "memory init --project" in caught.value.hint


def test_a_moved_project_is_found_again(project, memory, tmp_path):
    id_ = known(project("shop"))["shop"].project.id
    os.rename(tmp_path / "shop", tmp_path / "商城")
    assert not known(memory)["shop"].is_there
    with pytest.raises(NotFoundError, match="is gone"):
        memory.projects.folder("shop")

    found = known(project("商城"))

    assert found["商城"].project.id == id_
    assert found["商城"].project.former == ("shop",)
    assert memory.projects.folder("shop") == str(tmp_path / "商城")
    assert len(found) == 1


def test_a_copy_is_a_project_of_its_own(project, tmp_path):
    id_ = known(project("shop"))["shop"].project.id
    shutil.copytree(tmp_path / "shop", tmp_path / "copy")

    found = known(project("copy"))

    assert found["shop"].project.id == id_ == project_list.load_id(str(tmp_path / "shop"))
    assert found["copy"].project.id == project_list.load_id(str(tmp_path / "copy")) != id_


def test_projects_that_changed_places_keep_their_names(project, memory, tmp_path):
    project("a", "one")
    project("b", "two").projects.rename("b", "乙")
    project("a").projects.rename("a", "甲")
    for old, new in (("a", "t"), ("b", "a"), ("t", "b")):
        os.rename(tmp_path / old, tmp_path / new)

    assert "甲" in known(project("a", "two again"))
    found = known(project("b", "one again"))

    assert found["乙"].project.path == str(tmp_path / "a")
    assert found["甲"].project.path == str(tmp_path / "b")
    assert len(found) == 2


def test_another_project_in_the_place_of_one_that_is_gone_is_a_new_one(project, tmp_path):
    project("shop")
    before = known(project("shop"))["shop"].project.id
    project("other")
    os.rename(tmp_path / "shop", tmp_path / "elsewhere")
    (tmp_path / "shop").mkdir()
    id_file = tmp_path / "shop/.cursor/skills/memories/index/project-id"
    sign(Memory(tmp_path / "shop", home=tmp_path / "home"))
    id_file.write_text("c" * 32)

    found = known(project("shop"))

    assert found["shop"].project.id == "c" * 32 != before


def test_one_folder_by_two_paths_is_one_project(project, memory, tmp_path):
    project("shop")
    (tmp_path / "link").symlink_to(tmp_path / "shop")

    assert list(known(project("link"))) == ["shop"]


def test_who_loses_the_index_is_still_the_same_project(project, tmp_path):
    id_ = known(project("shop"))["shop"].project.id
    shutil.rmtree(tmp_path / "shop/.cursor/skills/memories/index")

    assert known(project("shop"))["shop"].project.id == id_


@pytest.mark.parametrize("text", ["", "x" * 32, "a" * 31, "é"])
def test_what_is_no_id_is_none(project, tmp_path, text):
    project("shop")
    path = tmp_path / "shop/.cursor/skills/memories/index/project-id"
    path.write_text(text, encoding="utf-8")
    assert project_list.load_id(str(tmp_path / "shop")) == ""

    path.unlink()
    path.mkdir()
    assert project_list.load_id(str(tmp_path / "shop")) == ""


def test_the_old_form_of_the_list_is_read_and_brought_up_to_date(project, memory, tmp_path):
    project("shop")
    path = Path(memory.workspace.global_root.path, "projects.json")
    path.write_text(json.dumps({"projects": [str(tmp_path / "shop")]}))

    assert list(known(memory)) == ["shop"]
    assert known(project("shop"))["shop"].project.id


def test_a_list_that_can_not_be_read_is_none(memory, tmp_path):
    path = Path(memory.workspace.global_root.path, "projects.json")
    path.mkdir(parents=True)

    memory.in_folder(tmp_path / "app").save({"topic": "kept all the same"})

    assert len(list(memory.sessions())) == 1


def test_a_memory_that_can_not_be_read_is_listed(project, memory, monkeypatch):
    project("shop")

    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", refuse)

    assert known(memory)["shop"].is_there


def test_a_session_is_got_from_each_memory_that_has_its_id(project, memory):
    project("shop", "one")
    project("商城", "二")
    id_ = "2026-01-29#1"

    found = memory.get_all(id_, scope="all")
    assert {one.session.topic for one in found} == {"one", "二"}
    (one,) = memory.get_all(id_, scope="all", project="商城")
    assert one.session.topic == "二"
    with pytest.raises(NotFoundError, match="no session 2026-01-29#9"):
        memory.get_all("2026-01-29#9", scope="all", project="商城")
    with pytest.raises(NotFoundError, match="no project 'x'"):
        memory.get_all(id_, scope="all", project="x")


# ---------------------------------------------------------------------------- git worktrees


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def worktree(tmp_path):
    """The main checkout of a repository, and a worktree of it."""
    (tmp_path / "app").mkdir(exist_ok=True)
    git(tmp_path / "app", "init", "--quiet")
    git(tmp_path / "app", "commit", "--quiet", "--allow-empty", "-m", "start")
    git(tmp_path / "app", "worktree", "add", "--quiet", str(tmp_path / "wt"))
    return tmp_path / "wt"


def test_a_worktree_shares_the_memory_of_the_main_checkout(memory, worktree):
    memory.save({"topic": "in the main checkout"})

    shared = memory.in_folder(worktree)
    shared.save({"topic": "工作树"})

    assert len(list(memory.sessions())) == 2
    assert shared.project == str(worktree)
    assert set(known(shared)) == {"app"}
    assert not (worktree / ".cursor").exists()


@pytest.mark.parametrize("scope", ["project", "global"])
def test_a_worktree_has_a_memory_of_its_own_where_it_is_told_to(memory, worktree, tmp_path, scope):
    everywhere = Memory("", home=tmp_path / "home")
    (memory if scope == "project" else everywhere).config.set("storage.worktrees", "separate")
    memory.save({"topic": "in the main checkout"})

    own = memory.in_folder(worktree)
    own.save({"topic": "工作树"})

    assert [one.session.topic for one in own.sessions()] == ["工作树"]
    assert set(known(own)) == {"app", "wt"}


def test_the_worktree_s_own_settings_come_first(memory, worktree):
    memory.config.set("storage.worktrees", "shared")
    config = worktree / ".cursor/skills/memories/config.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"storage": {"worktrees": "separate"}}')

    assert memory.in_folder(worktree).workspace.project_root.project == "wt"


def test_a_worktree_keeps_the_day_files_that_it_has(memory, worktree):
    (worktree / ".cursor/skills/memories/daily").mkdir(parents=True)

    assert memory.in_folder(worktree).workspace.project_root.project == "wt"


def test_what_is_no_worktree_has_no_main_checkout(tmp_path, worktree):
    assert discovery.main_checkout(str(worktree)) == str(tmp_path / "app")
    assert discovery.main_checkout(str(tmp_path / "app")) == ""
    for place, text in enumerate(["", "gitdir: ../.git/modules/x", "gitdir: \0"]):
        (tmp_path / f"odd{place}").mkdir()
        (tmp_path / f"odd{place}/.git").write_text(text)
        assert discovery.main_checkout(str(tmp_path / f"odd{place}")) == ""
    (tmp_path / "link").mkdir()
    (tmp_path / "link/.git").symlink_to(worktree / ".git")
    assert discovery.main_checkout(str(tmp_path / "link")) == ""


def test_a_file_that_points_into_another_repository_makes_no_worktree_of_it(tmp_path, worktree):
    forged = tmp_path / "forged"
    (forged / "own").mkdir(parents=True)
    (forged / ".git").write_text("gitdir: own")
    (forged / "own" / "commondir").write_text(str(tmp_path / "app" / ".git"))

    assert discovery.main_checkout(str(forged)) == ""


def test_the_memory_of_another_user_is_not_shared_with_a_worktree(
    memory, worktree, tmp_path, monkeypatch
):
    Memory("", home=tmp_path / "home").config.set("storage.safe_folders", [str(worktree)])
    memory.save({"topic": "in the main checkout"})
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    own = memory.in_folder(worktree)

    assert list(own.sessions()) == []
    assert str(tmp_path / "app") in own.warnings[0]


def test_of_all_projects_those_of_another_user_are_left_out_and_named(
    memory, tmp_path, monkeypatch
):
    memory.save({"topic": "Redis TTL 300"})
    (tmp_path / "lib").mkdir()
    memory.in_folder(tmp_path / "lib").save({"topic": "Redis 缓存"})
    everywhere = Memory("", home=tmp_path / "home")
    everywhere.config.set("storage.safe_folders", [str(tmp_path / "lib")])
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    found = everywhere.search("redis", scope="all")

    assert [hit.session.topic for hit in found.hits] == ["Redis 缓存"]
    (warning,) = found.warnings
    assert str(tmp_path / "app") in warning
    assert "not to you" in warning
    monkeypatch.undo()
    assert len(Memory("", home=tmp_path / "home").search("redis", scope="all").hits) == 2


def test_a_bare_repository_has_no_files_to_share(tmp_path, worktree):
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "app"), str(tmp_path / "bare.git"))
    git(tmp_path / "bare.git", "worktree", "add", "--quiet", "--detach", str(tmp_path / "w2"))

    assert discovery.main_checkout(str(tmp_path / "w2")) == ""


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_what_is_kept_elsewhere_is_found_by_a_former_name(memory, is_mirrored):
    if is_mirrored:
        memory.config.set("mirror.enabled", value=True)
    memory.save({"topic": "own"})
    memory.save({"topic": "支付用 Stripe", "project": "app"}, scope="global")
    memory.in_folder("").config.set("storage.location", "global-only")
    memory = memory.in_folder(memory.project)
    memory.start("talk", project="app")
    memory.log("支付 the payment timed out", conversation="talk")
    memory.projects.rename("app", "商城")

    for name in ("app", "商城"):
        found = memory.observations.search("支付", project=name, scope="global").hits
        assert {hit.record.kind for hit in found} == {"session", "note"}
        listed = memory.sessions(project=name, scope="global")
        assert [stored.session.topic for stored in listed] == ["支付用 Stripe"]
    assert memory.observations.search("支付", project="other", scope="global").hits == ()
    assert list(memory.sessions(project="other")) == []
