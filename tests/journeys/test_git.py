"""Days in real git repositories: what branches, rebases and clones make of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from scripts.bench import merges

from tests.repositories import DAILY, PROGRAM, Repository, make_repository

TITLE = "# 2026-01-29 对话记忆\n"


def section(number: int, time: str, topic: str, *points: str, code: str = "") -> str:
    listed = "".join(f"- {point}\n" for point in points or ("共同的一点",))
    fence = f"\n### 代码/配置\n```json\n{{\n{code}\n}}\n```\n" if code else ""
    return (
        f"## Session {number} - {time}\n\n### 主题\n{topic}\n\n### 关键信息\n{listed}{fence}\n"
        f"### 标签\n#共同\n\n---\n"
    )


def day(*sections: str) -> str:
    return "\n".join([TITLE, *sections])


ONE = section(1, "10:00:00", "一")
OURS = section(2, "10:10:00", "缓存 TTL", "300 秒", code='"a": 1')
THEIRS = section(2, "10:20:00", "FastAPI", "Flask is gone", code='"b": 2')
THEIRS_3 = THEIRS.replace("Session 2", "Session 3")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with the driver and a first day, in a folder that a shell would cut."""
    made = make_repository(tmp_path / "项目 with 'quotes' 100%", tmp_path / "home")
    assert made.memory("init", "--git").returncode == 0
    made.day(day(ONE))
    made.commit("base")
    return made


def diverge(repository: Repository, ours: str, theirs: str) -> None:
    """Write and commit two versions of the day on `ours` and `theirs`; `ours` is checked out."""
    for branch, text in (("theirs", theirs), ("ours", ours)):
        repository.branch(branch)
        repository.day(text)
        repository.commit(branch)


# ---------------------------------------------------------------------------- with the driver


def test_two_branches_that_added_to_a_day_merge_both_ways_alike(repository):
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))

    outcomes = []
    for here, there in (("ours", "theirs"), ("theirs", "ours")):
        repository.branch("outcome", here)
        repository.git("merge", "--quiet", "--no-edit", there)
        outcomes.append(repository.day().read_text())

    assert outcomes == [day(ONE, OURS, THEIRS_3)] * 2


def test_a_day_that_both_branches_began_is_merged(repository):
    for branch, text in (("theirs", day(THEIRS)), ("ours", day(OURS))):
        repository.branch(branch)
        repository.day(text, "2026-01-30.md")
        repository.commit(branch)

    repository.git("merge", "--quiet", "theirs")

    assert repository.day(name="2026-01-30.md").read_text() == day(OURS, THEIRS_3)


def test_a_third_branch_joins_in_whatever_order(repository):
    third = section(2, "10:15:00", "third")
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))
    repository.branch("third")
    repository.day(day(ONE.replace("共同的一点", "改过的一点"), third))
    repository.commit("third")
    outcomes = []

    for first, second, last in (("ours", "theirs", "third"), ("third", "ours", "theirs")):
        repository.branch("outcome", first)
        repository.git("merge", "--quiet", "--no-edit", second)
        repository.git("merge", "--quiet", "--no-edit", last)
        outcomes.append(repository.day().read_text())

    for outcome in outcomes:
        assert outcome.count("改过的一点") == 1
        assert all(outcome.count(text.partition("\n")[2]) == 1 for text in (OURS, THEIRS, third))
        assert sorted(line[:12] for line in outcome.split("\n") if line.startswith("## ")) == [
            f"## Session {number}" for number in (1, 2, 3, 4)
        ]


@pytest.mark.parametrize(("here", "there"), [("deleted", "theirs"), ("theirs", "deleted")])
def test_what_was_deleted_stays_so_where_the_other_branch_left_it_alone(repository, here, there):
    repository.day(day(ONE, OURS))
    repository.commit("more")
    repository.branch("theirs")
    repository.day(day(ONE, OURS, THEIRS_3))
    repository.commit("theirs")
    repository.branch("deleted")
    assert repository.memory("delete", "2026-01-29#2").returncode == 0
    repository.commit("deleted")

    repository.branch("outcome", here)
    repository.git("merge", "--quiet", "--no-edit", there)

    assert repository.day().read_text() == day(ONE, THEIRS_3)
    assert repository.memory("doctor", "--restore").returncode == 0
    assert repository.day().read_text() == day(ONE, THEIRS_3)
    # After the merge it comes back all the same, once.
    assert repository.memory("undo").returncode == 0
    assert repository.day().read_text() == day(ONE, OURS, THEIRS_3)


def test_editing_and_taking_out_on_two_branches(repository):
    repository.day(day(ONE, OURS, THEIRS_3))
    repository.commit("more")
    edited = OURS.replace("300 秒", "600 秒")
    diverge(repository, day(ONE, THEIRS_3), day(edited, THEIRS_3))

    repository.git("merge", "--quiet", "theirs")

    assert repository.day().read_text() == day(edited, THEIRS_3)


def test_a_rebase_keeps_every_section(repository):
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))
    more = section(3, "10:30:00", "more")
    repository.day(day(ONE, OURS, more))
    repository.commit("more")

    repository.git("rebase", "--quiet", "theirs")

    outcome = repository.day().read_text()
    assert all(outcome.count(text.partition("\n")[2]) == 1 for text in (ONE, OURS, THEIRS, more))
    assert outcome.count("## Session") == 4


def test_a_commit_that_was_picked_and_is_merged_later_is_there_once(repository):
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))

    repository.git("cherry-pick", "theirs")
    picked = repository.day().read_text()
    repository.git("checkout", "--quiet", "theirs")
    repository.day(day(ONE, THEIRS, section(3, "10:40:00", "later")))
    repository.commit("later")
    repository.git("checkout", "--quiet", "ours")
    repository.git("merge", "--quiet", "theirs")

    assert picked == day(ONE, OURS, THEIRS_3)
    assert repository.day().read_text() == day(ONE, OURS, THEIRS_3, section(4, "10:40:00", "later"))


def test_a_stash_is_put_back_onto_what_came_meanwhile(repository):
    repository.day(day(ONE, OURS))
    repository.git("stash", "--quiet")
    repository.day(day(ONE, THEIRS))
    repository.commit("meanwhile")

    repository.git("stash", "pop", "--quiet")

    assert repository.day().read_text() == day(ONE, OURS, THEIRS_3)


def test_windows_line_ends_in_the_work_tree_stay(repository):
    repository.git("config", "core.autocrlf", "true")
    repository.git("rm", "--quiet", "--cached", "-r", ".")
    repository.git("reset", "--quiet", "--hard")
    assert b"\r\n" in repository.day().read_bytes()
    windows = [text.replace("\n", "\r\n") for text in (day(ONE, OURS), day(ONE, THEIRS))]
    diverge(repository, *windows)

    repository.git("merge", "--quiet", "theirs")

    assert repository.day().read_bytes().decode() == day(ONE, OURS, THEIRS_3).replace("\n", "\r\n")


def test_a_worktree_and_a_submodule_merge_too(repository, tmp_path):
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))
    repository.git("worktree", "add", "--quiet", str(tmp_path / "树"), "-b", "tree", "ours")
    tree = Repository(tmp_path / "树", repository.home)
    tree.git("merge", "--quiet", "theirs")
    assert tree.day().read_text() == day(ONE, OURS, THEIRS_3)

    outer = make_repository(tmp_path / "outer", repository.home)
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
              str(repository.folder), "inner")  # fmt: skip
    inner = Repository(outer.folder / "inner", repository.home)
    assert inner.memory("init", "--git").returncode == 0
    inner.git("checkout", "--quiet", "-b", "here", "origin/ours")
    inner.git("merge", "--quiet", "origin/theirs")
    assert inner.day().read_text() == day(ONE, OURS, THEIRS_3)


def test_where_the_program_is_gone_both_sides_are_still_there(repository):
    driver = repository.git("config", "merge.daily-memory.driver").rstrip("\n")
    gone = driver.replace(PROGRAM[1].replace("%", "%%"), "/gone/memory.py")
    repository.git("config", "merge.daily-memory.driver", gone)
    diverge(repository, day(ONE, OURS), day(ONE, THEIRS))

    repository.git("merge", "--quiet", "theirs", fails=True)

    outcome = repository.day().read_text()
    assert "<<<<<<< ours" in outcome
    assert "缓存 TTL" in outcome
    assert "Flask is gone" in outcome


def test_random_merges_lose_tear_and_double_nothing(tmp_path):
    outcome = merges.trial(tmp_path, days=15)

    assert outcome.faults == ()
    assert outcome.merges == 60
    assert outcome.sections > 100


def test_the_random_merges_would_show_a_fault(tmp_path):
    outcome = merges.trial(tmp_path, days=3, program="false")

    assert outcome.faults


# ---------------------------------------------------------------------------- without the driver


@pytest.fixture
def clone(repository: Repository, tmp_path: Path) -> Repository:
    """A clone in which nobody ran `memory init --git`."""
    repository.git("clone", "--quiet", str(repository.folder), str(tmp_path / "clone"))
    return Repository(tmp_path / "clone", repository.home)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_clone_without_the_driver_gets_conflicts_that_the_doctor_resolves(clone, style):
    clone.git("config", "merge.conflictStyle", style)
    diverge(clone, day(ONE, OURS), day(ONE, THEIRS))
    clone.git("merge", "--quiet", "theirs", fails=True)
    conflicted = clone.day().read_bytes()
    assert b"<<<<<<<" in conflicted

    for word, point in (("缓存", "300 秒"), ("Flask", "Flask is gone")):
        assert point in clone.memory("search", word).stdout
    found = clone.memory("doctor")
    assert found.returncode == 5
    assert "a merge conflict was left here" in found.stdout
    assert "`memory init --git`" in found.stdout

    fixed = clone.memory("doctor", "--fix")

    assert fixed.returncode == 0, fixed.stdout
    assert clone.day().read_text() == day(ONE, OURS, THEIRS_3)
    (backup,) = (clone.folder / DAILY).parent.glob("index/backup/*")
    assert backup.read_bytes() == conflicted
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert str(backup) in fixed.stdout
    clone.commit("merged")
    assert clone.git("status", "--short") == ""
    assert "no faults" in clone.memory("doctor").stdout


def test_a_save_into_a_conflict_appends_and_stays(clone):
    diverge(clone, day(ONE, OURS), day(ONE, THEIRS))
    clone.git("merge", "--quiet", "theirs", fails=True)
    before = clone.day().read_bytes()

    saved = clone.memory("save", "--topic", "meanwhile 期间", "--date", "2026-01-29")

    assert saved.returncode == 0, saved.stderr
    assert clone.day().read_bytes().startswith(before)
    assert clone.memory("doctor", "--fix").returncode == 0
    outcome = clone.day().read_text()
    assert outcome.startswith(day(ONE, OURS))
    assert THEIRS.partition("\n")[2] in outcome
    assert outcome.count("meanwhile 期间") == 1
    assert len({line for line in outcome.split("\n") if line.startswith("## Session")}) == 4


def test_a_conflict_within_one_code_block_is_known_by_what_git_says(clone):
    both = section(2, "10:10:00", "配置", code='"a": 1')
    clone.day(day(ONE, both))
    clone.commit("code")
    diverge(clone, day(ONE, both.replace("1\n}", "2\n}")), day(ONE, both.replace("1\n}", "3\n}")))
    clone.git("merge", "--quiet", "theirs", fails=True)

    assert clone.memory("doctor", "--fix").returncode == 0

    outcome = clone.day().read_text()
    assert "<<<<<<<" not in outcome
    assert '"a": 2' in outcome
    assert '"a": 3' in outcome


def test_conflicts_in_settings_are_told_and_in_the_index_are_mended(clone):
    root = (clone.folder / DAILY).parent
    (root / "config.json").write_text("<<<<<<< HEAD\n{}\n=======\n{ }\n>>>>>>> x\n")
    index = root / "index" / "keywords.json"
    index.parent.mkdir()
    index.write_text("<<<<<<< HEAD\n{}\n=======\n{ }\n>>>>>>> x\n")

    found = clone.memory("search", "共同的一点")
    assert "2026-01-29#1" in found.stdout
    fixed = clone.memory("doctor", "--fix")

    assert "config.json:1" in fixed.stdout
    assert "<<<<<<<" not in index.read_text()


def test_git_alone_can_use_what_was_committed(clone):
    """The attributes name a driver that this clone does not have: git merges as ever."""
    diverge(clone, day(ONE.replace("一", "二")), day(ONE) + "\nend\n")

    clone.git("merge", "--quiet", "theirs")

    assert clone.day().read_text() == day(ONE.replace("一", "二")) + "\nend\n"
