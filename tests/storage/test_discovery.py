"""Roots: the project around you, the global one, and the projects seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.errors import InvalidInputError
from daily_memory.storage import discovery, roots
from tests.repositories import make_repository

MEMORIES = ".cursor/skills/memories"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), discovery.CEILINGS: os.environ[discovery.CEILINGS]}


def find_project(start: str, environment: dict[str, str]) -> str:
    """Return the project around a folder, "" outside any."""
    return discovery.discover(start, environment, roots.home_folder(environment)).folder


def made(folder: Path, *names: str) -> Path:
    """Return a folder, made with these folders and empty files in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / name
        if "." in path.name[1:]:
            path.write_text("")
        else:
            path.mkdir(parents=True)
    return folder


def somebody_elses(folder: Path) -> Path:
    """Return a folder that is not the user's, made below `folder` where the user is root."""
    if os.geteuid():
        return Path("/usr")
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    return folder


# ---------------------------------------------------------------------------- which folder


def test_a_package_uses_the_memory_of_its_repository(tmp_path, environment):
    top = made(tmp_path / "shop", ".git")
    package = made(top / "packages" / "api", "package.json", ".cursor", "src")

    assert find_project(str(package / "src"), environment) == str(top)


@pytest.mark.parametrize("sign", [f"{MEMORIES}/daily", f"{MEMORIES}/observations", ".git", ".hg"])
def test_a_memory_or_a_repository_above_comes_before_a_package(tmp_path, environment, sign):
    top = made(tmp_path / "shop", sign)
    package = made(top / "包" / "api", "package.json")

    assert find_project(str(package), environment) == str(top)


def test_the_nearest_memory_wins_also_in_a_package(tmp_path, environment):
    top = made(tmp_path / "shop", ".git", f"{MEMORIES}/daily")
    package = made(top / "packages" / "api", f"{MEMORIES}/daily", "src")

    assert find_project(str(package / "src"), environment) == str(package)
    assert discovery.memories_above(str(package), environment, environment["HOME"]) == [str(top)]


def test_a_repository_inside_a_folder_with_a_memory_is_a_project_of_its_own(tmp_path, environment):
    made(tmp_path / "work", f"{MEMORIES}/daily")
    clone = made(tmp_path / "work" / "clone", ".git", "src")

    assert find_project(str(clone / "src"), environment) == str(clone)


def test_a_submodule_is_a_project_of_its_own(tmp_path, environment):
    top = made(tmp_path / "shop", ".git", f"{MEMORIES}/daily")
    module = made(top / "vendor" / "lib", "src")
    (module / ".git").write_text("gitdir: ../../.git/modules/lib\n")

    assert find_project(str(module / "src"), environment) == str(module)


def test_a_git_file_that_is_no_text_hides_no_project(tmp_path, environment):
    top = made(tmp_path / "shop")
    (top / ".git").write_bytes(b"gitdir: \0\xff")

    assert find_project(str(top), environment) == str(top)


def test_outside_a_repository_the_nearest_package_is_the_project(tmp_path, environment):
    made(tmp_path / "shop", "package.json")
    package = made(tmp_path / "shop" / "api", "pyproject.toml", "src")

    assert find_project(str(package / "src"), environment) == str(package)


@pytest.mark.parametrize(
    "marker",
    [
        *(".cursor", ".trae", ".claude", "pyproject.toml", "package.json", "Cargo.toml", "go.mod"),
        *("pom.xml", "build.gradle", "Makefile"),
    ],
)
def test_what_marks_a_package_is_the_reason_for_it(tmp_path, environment, marker):
    package = tmp_path / "api"
    made(package / "src")
    (package / marker).mkdir()

    found = discovery.discover(str(package / "src"), environment, environment["HOME"])

    assert (found.folder, found.why) == (str(package), f"it has {marker}")


@pytest.mark.parametrize("marker", [".git", ".hg"])
def test_the_top_of_a_repository_is_a_reason(tmp_path, environment, marker):
    top = made(tmp_path / "shop", marker)

    found = discovery.discover(str(top), environment, environment["HOME"])

    assert (found.folder, found.why) == (str(top), f"the top of a repository, {marker}")


def test_a_name_a_memory_and_nothing_are_reasons_too(tmp_path, environment):
    memory = str(made(tmp_path / "shop", f"{MEMORIES}/daily"))
    home = environment["HOME"]
    named = {**environment, "MEMORY_PROJECT": str(made(tmp_path / "other"))}

    found = discovery.discover(memory, environment, home)
    assert found.why == "the nearest folder with a memory"
    assert discovery.discover(memory, named, home).why == "it was named"
    assert discovery.ProjectPlace("").why == "none here"


def test_ceilings_are_named_in_the_environment(tmp_path, environment):
    below = made(tmp_path / "shop", "package.json", "src") / "src"
    ceiling = {**environment, "MEMORY_CEILING_DIRECTORIES": str(tmp_path / "shop")}

    assert find_project(str(below), environment) == str(tmp_path / "shop")
    assert find_project(str(below), ceiling) == ""


def test_a_link_into_a_repository_leads_to_it(tmp_path, environment):
    top = made(tmp_path / "shop", ".git")
    package = made(top / "packages" / "api", "package.json")
    (tmp_path / "link").symlink_to(package)

    assert find_project(str(tmp_path / "link"), environment) == str(top)


def test_the_home_folder_is_no_project_though_it_holds_the_global_memory(tmp_path, environment):
    home = made(Path(environment["HOME"]), f"{MEMORIES}/daily", ".git", "notes")
    (tmp_path / "link").symlink_to(home)

    assert find_project(str(home / "notes"), environment) == ""
    assert find_project(str(tmp_path / "link" / "notes"), environment) == ""
    assert find_project(str(home), {**environment, "HOME": str(tmp_path / "link")}) == ""


def test_outside_any_project_there_is_none(environment):
    assert find_project("/", environment) == ""


def test_a_ceiling_is_not_looked_at_on_the_way_up(tmp_path, environment):
    below = made(tmp_path / "shop", "package.json", "src") / "src"
    made(tmp_path / "shop", ".git")

    ceiling = {**environment, discovery.CEILINGS: f"{tmp_path / 'shop'}/"}

    assert find_project(str(below), ceiling) == ""
    assert find_project(str(tmp_path / "shop"), ceiling) == str(tmp_path / "shop")


def test_the_environment_comes_before_the_folders(tmp_path, environment):
    made(tmp_path / "a", ".git")
    named = {**environment, "MEMORY_PROJECT": str(made(tmp_path / "b"))}

    assert find_project(str(tmp_path / "a"), named) == str(tmp_path / "b")


def test_a_folder_named_inside_a_repository_means_the_repository(tmp_path, environment):
    top = made(tmp_path / "shop", ".git")
    package = made(top / "packages" / "api", "package.json")
    named = {**environment, "MEMORY_PROJECT": str(package)}

    assert find_project("/", named) == str(top)
    assert discovery.around(str(package), named, environment["HOME"]).folder == str(top)
    assert Memory(around=str(package), environment=named).project == str(top)
    assert Memory(str(package), environment=environment).project == str(package)


def test_a_folder_named_outside_any_project_is_one(tmp_path, environment):
    notes = made(tmp_path / "笔记")

    found = discovery.around(str(notes), environment, environment["HOME"])

    assert found == discovery.ProjectPlace(str(notes), discovery.NAMED)


@pytest.mark.parametrize(
    ("git_file", "common", "is_found"),
    [
        ("gitdir: {top}/.git/worktrees/tree\n", "../..\n", True),
        ("gitdir: ../caf\udce9/.git/worktrees/tree\r\n", "../..", True),
        ("gitdir: {top}/.git/worktrees/tree\n", "{top}/.git\n", True),
        ("gitdir: {top}/.git/worktrees/tree\n", "", False),  # as in a submodule
        ("gitdir: {top}/.git/worktrees/tree\n", "../../../.hg\n", False),
        ("gitdir: {top}/.git/worktrees/tree\n", "..\0/..\n", False),
        ("gitdir: {top}/.git/worktrees\0\n", "../..\n", False),
        ("gitdir: {top}/.git/other/tree\n", "../..\n", False),
        ("gitdir: {top}/bare/worktrees/tree\n", "../..\n", False),
        ("", "../..\n", False),
    ],
)
def test_a_worktree_knows_the_main_checkout_of_its_repository(tmp_path, git_file, common, is_found):
    top, tree = tmp_path / "caf\udce9", made(tmp_path / "tree")
    for folder in (".git/worktrees/tree", ".git/other/tree", "bare/worktrees/tree"):
        path = made(top / folder) / "commondir"
        path.write_text(common.format(top=top), errors="surrogateescape", newline="")
    (tree / ".git").write_text(git_file.format(top=top), errors="surrogateescape", newline="")

    assert discovery.main_checkout(str(tree)) == (str(top) if is_found else "")


def test_what_is_no_worktree_has_no_main_checkout(tmp_path):
    assert discovery.main_checkout(str(made(tmp_path / "shop", ".git"))) == ""
    assert discovery.main_checkout(str(made(tmp_path / "plain"))) == ""


# ---------------------------------------------------------------------------- whose folder


def test_a_folder_of_another_user_is_no_project(tmp_path, environment, monkeypatch):
    app = made(tmp_path / "app", ".git", f"{MEMORIES}/daily")
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    found = discovery.discover(str(app), environment, environment["HOME"])

    assert found.folder == ""
    assert [(one.folder, one.is_told) for one in found.passed_over] == [(str(app), True)]
    assert "not to you" in str(found.passed_over[0])
    assert discovery.around(str(app), environment, environment["HOME"]).folder == ""
    with pytest.raises(InvalidInputError, match="not to you") as caught:
        Memory(str(app), environment=environment)
    assert "storage.safe_folders" in str(caught.value.hint)
    with pytest.raises(InvalidInputError, match="not to you"):
        Memory(around=str(app), environment=environment)
    with pytest.raises(InvalidInputError, match="not to you"):
        Memory(environment={**environment, "MEMORY_PROJECT": str(app)})


def test_a_folder_of_another_user_that_a_host_names_is_no_project(
    tmp_path, environment, monkeypatch
):
    plain = made(tmp_path / "plain")
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    found = discovery.around(str(plain), environment, environment["HOME"])

    assert (found.folder, [one.is_told for one in found.passed_over]) == ("", [True])


@pytest.mark.parametrize("part", [".cursor", MEMORIES])
def test_a_memory_of_another_user_in_the_user_s_own_folder_is_passed_over(
    tmp_path, environment, part
):
    outer = made(tmp_path / "outer", "package.json")
    app = made(outer / "app", ".git")
    (app / part).parent.mkdir(parents=True, exist_ok=True)
    (app / part).symlink_to(somebody_elses(tmp_path / "other"))

    found = discovery.discover(str(app), environment, environment["HOME"])

    assert found.folder == str(outer)
    assert [one.folder for one in found.passed_over] == [str(app)]


@pytest.mark.parametrize("entry", ["{app}", "{app}/", "{top}/*", "~/../app", "/*"])
def test_a_folder_that_the_user_trusts_is_a_project(tmp_path, environment, monkeypatch, entry):
    app = made(tmp_path / "app", ".git")
    named = entry.format(app=app, top=tmp_path)
    Memory("", environment=environment).config.set("storage.safe_folders", [named])
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    assert find_project(str(app), environment) == str(app)


@pytest.mark.parametrize("entry", ["{app}/*", "{top}", "{app}2"])
def test_trust_in_another_folder_is_none_in_this_one(tmp_path, environment, monkeypatch, entry):
    app = made(tmp_path / "app", ".git")
    named = entry.format(app=app, top=tmp_path)
    Memory("", environment=environment).config.set("storage.safe_folders", [named])
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    assert find_project(str(app), environment) == ""


def test_a_project_does_not_make_itself_safe(tmp_path, environment, monkeypatch):
    app = made(tmp_path / "app", ".git", f"{MEMORIES}/daily")
    config = '{"storage": {"safe_folders": ["/*"]}}'
    (app / MEMORIES / "config.json").write_text(config)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    assert find_project(str(app), environment) == ""


def test_a_place_open_to_all_is_no_project(tmp_path, environment):
    top = made(tmp_path / "tmp", ".git", f"{MEMORIES}/daily", "mine")
    top.chmod(0o1777)

    assert find_project(str(top / "mine"), environment) == ""
    assert discovery.around(str(top), environment, environment["HOME"]).folder == ""
    assert discovery.around(str(top / "mine"), environment, environment["HOME"]).folder
    with pytest.raises(InvalidInputError, match="everybody can write") as caught:
        Memory(str(top), environment=environment)
    assert caught.value.hint == "use a folder of your own in it"


def test_a_folder_that_all_may_write_to_needs_more_than_a_package(tmp_path, environment):
    top = made(tmp_path / "mounted", "package.json", "src")
    top.chmod(0o777)

    assert find_project(str(top / "src"), environment) == ""
    assert discovery.around(str(top), environment, environment["HOME"]).folder == str(top)
    made(top, ".git")
    assert find_project(str(top / "src"), environment) == str(top)


def test_above_the_home_folder_only_a_memory_or_a_repository_counts(tmp_path, environment):
    top = made(tmp_path / "top", ".cursor/skills/memories", "package.json", "home", "srv")
    environment["HOME"] = str(top / "home")

    assert find_project(str(top / "srv"), environment) == ""
    assert discovery.around(str(top), environment, environment["HOME"]).folder == ""
    made(top, f"{MEMORIES}/daily")
    assert find_project(str(top / "srv"), environment) == str(top)


def test_the_top_folder_of_the_disk_is_no_project_by_what_lies_there(tmp_path, environment):
    assert discovery.around("/", environment, environment["HOME"]).folder == ""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder on another disk")
def test_a_package_above_on_another_disk_does_not_count(tmp_path, environment):
    app = made(tmp_path / "app", "package.json")
    (app / "mounted").symlink_to("/proc")

    assert find_project(str(app / "mounted"), environment) == ""
    made(app, ".git")
    assert find_project(str(app / "mounted"), environment) == str(app)


def test_where_nothing_has_an_owner_all_folders_are_the_user_s(tmp_path, environment, monkeypatch):
    app = made(tmp_path / "app", ".git")
    monkeypatch.delattr(os, "geteuid")

    assert find_project(str(app), environment) == str(app)
    assert not discovery.is_open(str(app))


def test_a_folder_that_is_gone_belongs_to_nobody(tmp_path, environment):
    assert discovery.project_fault(str(tmp_path / "gone"), environment["HOME"]) == ""
    assert not discovery.is_open(str(tmp_path / "gone"))


@pytest.mark.parametrize("folder", ["missing", "a\0b"])
def test_a_project_that_is_no_folder_is_refused(tmp_path, folder):
    with pytest.raises(InvalidInputError):
        discovery.get_project(str(tmp_path / folder), str(tmp_path))


def test_a_root_knows_its_paths_and_its_project(tmp_path):
    root = roots.project_root(str(tmp_path / "app"))

    assert root.path == str(tmp_path / "app" / ".cursor" / "skills" / "memories")
    assert (root.scope, root.project) == ("project", "app")
    assert root.daily_folder == os.path.join(root.path, "daily")
    assert not root.exists


def test_without_a_home_in_the_environment_the_system_is_asked():
    assert roots.home_folder({}) == os.path.expanduser("~")


@pytest.mark.parametrize("home", ["", "relative"])
def test_without_a_home_nothing_is_written_anywhere(home, monkeypatch):
    monkeypatch.setenv("HOME", home)

    with pytest.raises(InvalidInputError, match="HOME"):
        roots.home_folder({"HOME": home})


def test_a_home_that_is_not_there_hides_no_project(tmp_path, environment):
    app = made(tmp_path / "app", ".git", "src")

    found = find_project(str(app / "src"), {**environment, "HOME": str(tmp_path / "gone")})

    assert found == str(app)


@pytest.mark.parametrize("form", ["2", "4"])
@pytest.mark.parametrize("name", [".cursor", ".cursor/skills", ".cursor/skills/memories"])
def test_a_repository_does_not_choose_by_a_link_where_its_memory_is(
    tmp_path, environment, name, form
):
    repository = make_repository(tmp_path / "app", tmp_path / "home")
    app, link = repository.folder, tmp_path / "app" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    made(tmp_path / "elsewhere" / "skills", "memories/daily", "skills/memories/daily", "daily")
    link.symlink_to(tmp_path / "elsewhere" / "skills")
    own = find_project(str(app), environment)
    (app / "a").touch()
    repository.git("add", "a")
    before = find_project(str(app), environment)

    repository.git("add", "-f", name)
    repository.git("update-index", "--index-version", form)

    assert own == before == str(app)
    assert find_project(str(app), environment) == ""
    with pytest.raises(InvalidInputError, match="link out of the project") as caught:
        Memory(str(app), environment=environment)
    assert "storage.safe_folders" in str(caught.value.hint)
    trusting = f'{{"storage": {{"safe_folders": ["{app}"]}}}}'
    (made(Path(environment["HOME"]), MEMORIES) / MEMORIES / "config.json").write_text(trusting)
    assert find_project(str(app), environment) == str(app)


def test_a_link_that_stays_in_the_project_is_followed_wherever_it_comes_from(tmp_path, environment):
    repository = make_repository(tmp_path / "app", tmp_path / "home")
    made(repository.folder, "kept/skills/memories/daily")
    (repository.folder / ".cursor").symlink_to("kept")
    repository.git("add", "-f", ".cursor")

    assert find_project(str(repository.folder), environment) == str(repository.folder)


def test_where_an_index_of_git_can_not_be_read_a_link_may_be_in_it(tmp_path, environment):
    repository = make_repository(tmp_path / "app", tmp_path / "home")
    made(tmp_path / "elsewhere", "skills/memories/daily")
    (repository.folder / ".cursor").symlink_to(tmp_path / "elsewhere")
    index = repository.folder / ".git" / "index"
    index.unlink(missing_ok=True)

    assert find_project(str(repository.folder), environment)
    index.mkdir()
    assert not find_project(str(repository.folder), environment)


def test_outside_of_git_a_link_is_the_users_own(tmp_path, environment):
    app = made(tmp_path / "app", ".hg")
    made(tmp_path / "elsewhere", "skills/memories/daily")
    (app / ".cursor").symlink_to(tmp_path / "elsewhere")

    assert find_project(str(app), environment) == str(app)
