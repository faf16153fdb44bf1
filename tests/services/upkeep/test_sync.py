"""Syncs between machines of one user, over real git."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError
from daily_memory.storage.git.sync_repository import UnreachableError
from tests import components
from tests.repositories import clean_environment

NOW = datetime(2026, 1, 29, 10, 30, 45, tzinfo=timezone.utc)
DAY = ".cursor/skills/memories/daily/2026-01-29.md"
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


class Machines:
    """The machines `a`, `b` … of one user, and the repository that they share."""

    def __init__(self, folder: Path) -> None:
        components.require("git")
        self.folder = folder
        self.remote = str(folder / "remote.git")
        self.git("init", "--quiet", "--bare", self.remote)
        self.a, self.b = self.new("a"), self.new("b")

    def new(self, name: str) -> Memory:
        (self.folder / name / "shop").mkdir(parents=True)
        return Memory(
            self.folder / name / "shop", home=self.folder / name / "home", clock=lambda: NOW
        )

    def git(self, *words: str) -> bytes:
        environment = clean_environment(self.folder)
        return subprocess.run(
            ["git", *words], check=True, capture_output=True, env=environment
        ).stdout

    def day(self, name: str) -> Path:
        return self.folder / name / "shop" / DAY

    def everything_there(self) -> bytes:
        """Return all objects of the repository, those too that no ref leads to."""
        return self._objects(self.remote)

    def kept_by(self, name: str) -> bytes:
        """Return all objects that a machine keeps of what it synced."""
        return self._objects(f"{self.folder / name}/shop/.cursor/skills/memories/index/sync.git")

    def _objects(self, folder: str) -> bytes:
        every = ("cat-file", "--batch-all-objects", "--batch", "--unordered")
        return self.git("-C", folder, *every)

    def ref(self) -> str:
        return self.git("-C", self.remote, "for-each-ref", "--format=%(refname)").decode().strip()


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """Two machines with one key, of which the first has synced a session."""
    both = Machines(tmp_path)
    both.a.save({"topic": "缓存", "key_points": ["TTL 定为 300 秒"]})
    both.a.sync.run(both.remote)
    both.b.sync.set_key(both.a.sync.key())
    return both


def test_each_machine_gets_what_the_other_saved_and_both_have_the_same_bytes(machines):
    a, b = machines.a, machines.b
    b.save({"topic": "Retry policy", "key_points": ["retry 3 times"]})

    (first,) = b.sync.run(machines.remote)
    (second,) = a.sync.run()

    assert (first.received.added, first.sent.added) == (("2026-01-29#1",), ("2026-01-29#2",))
    assert (second.received.added, second.sent.added) == (("2026-01-29#2",), ())
    assert machines.day("a").read_bytes() == machines.day("b").read_bytes()
    assert [hit.session.topic for hit in a.search("retry").hits] == ["Retry policy"]
    assert a.get("2026-01-29#2").origin == ""
    (again,) = a.sync.run()
    assert not any(again.received + again.sent)


def test_a_deleted_session_stays_deleted_and_a_purged_one_leaves_no_object(machines):
    a, b = machines.a, machines.b
    a.save({"topic": "支付密钥轮换", "key_points": ["每 90 天"], "conversation": "c1"})
    a.sync.run()
    b.sync.run(machines.remote)

    b.delete(["2026-01-29#1"])
    a.deletion.purge(a.deletion.traces(a.deletion.choose(["2026-01-29#2"])))
    assert "支付密钥轮换".encode() not in machines.kept_by("a")
    b.sync.run()
    (deleted,) = a.sync.run()
    (purged,) = b.sync.run()

    assert purged.received.removed == ("2026-01-29#2",)
    assert deleted.received.removed == ("2026-01-29#1",)
    for name in "ab":
        assert not machines.day(name).exists()
        assert "支付密钥轮换".encode() not in machines.kept_by(name)
    assert b.save({"topic": "x", "key_points": ["y"]}).id == "2026-01-29#3"
    machines.git("-C", machines.remote, "gc", "--quiet", "--prune=now")
    assert "支付密钥轮换".encode() not in machines.everything_there()


def test_a_sync_sends_only_what_changed_and_leaves_no_history(machines):
    folder = machines.day("a").parent
    for number in range(1, 29):
        text = machines.day("a").read_text().replace("2026-01-29", f"2026-02-{number:02}")
        (folder / f"2026-02-{number:02}.md").write_text(text)
    machines.a.sync.run()
    machines.git("-C", machines.remote, "gc", "--quiet", "--prune=now")
    machines.b.sync.run(machines.remote)

    def loose() -> int:
        return int(machines.git("-C", machines.remote, "count-objects").split()[0])

    assert loose() == 0
    machines.b.save({"topic": "one more", "key_points": ["x"]})
    machines.b.sync.run()

    # A commit, its tree, that of `daily/`, and the day.
    assert loose() == 4
    assert machines.git("-C", machines.remote, "rev-list", "--count", machines.ref()) == b"1\n"


def test_a_purge_leaves_the_section_with_that_number_on_another_day(machines):
    a, b = machines.a, machines.b
    sections = (f"## Session {number} - 09:00:00\n\n### Topic\nT{number}\n" for number in (1, 2))
    machines.day("a").with_name("2026-01-28.md").write_text("\n".join(sections), encoding="utf-8")
    a.sync.run()
    b.sync.run(machines.remote)

    a.deletion.purge(a.deletion.traces(a.deletion.choose(["2026-01-28#2", "2026-01-29#1"])))
    a.sync.run()
    b.sync.run()

    assert [stored.id for stored in b.sessions(scope="project")] == ["2026-01-28#1"]


def test_private_sections_and_secrets_never_reach_the_repository(machines):
    a, b = machines.a, machines.b
    a.save({"topic": "私下的计划", "key_points": ["别人不知道"], "tags": ["private"]})
    day = machines.day("a")
    day.write_text(
        day.read_text()
        + f"\n## Session 7 - 11:00:00\n\n- token {TOKEN}\n- <private>tulip</private>\n"
    )

    (done,) = a.sync.run()
    b.sync.run(machines.remote)

    assert (done.private, done.sent.added) == (1, ("2026-01-29#7",))
    there = machines.everything_there()
    assert b"Session 7" in there
    assert not any(text.encode() in there for text in ("私下的计划", "别人不知道", TOKEN, "tulip"))
    # Here nothing changed, and the other machine doesn't give the number to another session.
    assert TOKEN in day.read_text()
    assert "私下的计划" in day.read_text()
    assert b.save({"topic": "x", "key_points": ["y"]}).id == "2026-01-29#8"


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\n## Session 2\n=======\n## Session 3\n>>>>>>> theirs\n", "<private>\n"]
)
def test_a_day_in_which_it_is_unclear_what_is_private_is_not_synced(machines, text):
    day = machines.day("a")
    day.write_text(f"{text}\n{day.read_text()}")

    with pytest.raises(DamagedDataError, match="nothing was synced"):
        machines.a.sync.run()


def test_a_machine_without_the_key_takes_over_nothing_and_writes_nothing(machines):
    stranger = machines.new("stranger")

    with pytest.raises(InvalidInputError, match="no key"):
        stranger.sync.run(machines.remote)
    # What somebody else writes there is not taken for the user's.
    blob = machines.git("-C", machines.remote, "hash-object", "-w", "--stdin")
    tree = subprocess.run(
        ["git", "-C", machines.remote, "mktree"],
        input=b"100644 blob " + blob.strip() + b"\tsummary.md\n",
        check=True,
        capture_output=True,
    ).stdout.decode()
    message = ("-c", "user.name=x", "-c", "user.email=x@example.com", "commit-tree", "-m", "x")
    forged = machines.git("-C", machines.remote, *message, tree.strip()).decode().strip()
    machines.git("-C", machines.remote, "update-ref", machines.ref(), forged)
    with pytest.raises(DamagedDataError, match="not written with your key"):
        machines.b.sync.run(machines.remote)
    stranger.save({"topic": "mine", "key_points": ["own"]})
    stranger.sync.run(machines.remote, is_new=True)
    assert len(machines.ref().split()) == 2
    with pytest.raises(ConflictError, match="another sync key"):
        stranger.sync.set_key(machines.a.sync.key())


def test_a_repository_that_was_emptied_or_set_back_deletes_nothing(machines):
    a, b = machines.a, machines.b
    old = machines.git("-C", machines.remote, "rev-parse", machines.ref()).decode().strip()
    a.save({"topic": "later", "key_points": ["kept"]})
    a.sync.run()
    machines.git("-C", machines.remote, "update-ref", machines.ref(), old)

    b.sync.run(machines.remote)
    a.sync.run()
    assert machines.day("a").read_text().count("## Session") == 2
    machines.git("-C", machines.remote, "update-ref", "-d", machines.ref())
    b.sync.run()
    a.sync.run()
    b.sync.run()

    assert machines.day("a").read_bytes() == machines.day("b").read_bytes()
    assert machines.day("a").read_text().count("## Session") == 2


def test_offline_nothing_is_lost_and_the_next_sync_makes_up_for_it(machines):
    away = f"{machines.remote}-away"
    os.rename(machines.remote, away)
    machines.a.save({"topic": "offline", "key_points": ["on a train"]})

    with pytest.raises(UnreachableError, match="can't reach"):
        machines.a.sync.run()

    os.rename(away, machines.remote)
    (done,) = machines.a.sync.run()
    assert done.sent.added == ("2026-01-29#2",)


def test_a_server_that_refuses_rewritten_branches_takes_it(machines):
    machines.git("-C", machines.remote, "config", "receive.denyNonFastForwards", "true")
    machines.a.save({"topic": "later", "key_points": ["x"]})

    assert machines.a.sync.run()[0].sent.added == ("2026-01-29#2",)


def test_a_dry_run_shows_both_ways_and_changes_nothing(machines):
    machines.b.save({"topic": "new", "key_points": ["here"]})
    before = machines.day("b").read_bytes(), machines.everything_there()

    (done,) = machines.b.sync.run(machines.remote, dry_run=True)

    assert (done.received.added, done.sent.added) == (("2026-01-29#1",), ("2026-01-29#2",))
    assert (machines.day("b").read_bytes(), machines.everything_there()) == before


def test_the_projects_own_repository_is_left_alone(machines):
    folder = machines.folder / "a" / "shop"
    machines.git("init", "--quiet", str(folder))
    machines.git("-C", str(folder), "remote", "add", "origin", machines.remote)
    (folder / ".git/hooks").mkdir(exist_ok=True)
    for hook in ("pre-push", "pre-commit", "reference-transaction"):
        (folder / ".git/hooks" / hook).write_text("#!/bin/sh\nexit 1\n")
        (folder / ".git/hooks" / hook).chmod(0o755)
    (folder / "code.py").write_text("x = 1\n")
    before = sorted(path for path in (folder / ".git").rglob("*"))

    machines.a.save({"topic": "x", "key_points": ["y"]})
    (done,) = machines.a.sync.run("origin")

    assert done.sent.added == ("2026-01-29#2",)
    assert sorted(path for path in (folder / ".git").rglob("*")) == before
    refs = machines.git("-C", machines.remote, "for-each-ref", "--format=%(refname)").decode()
    assert all(ref.startswith("refs/daily-memory/") for ref in refs.split())


def test_a_memory_that_is_in_the_projects_git_is_not_synced_as_well(machines):
    folder = machines.folder / "a" / "shop"
    machines.git("init", "--quiet", str(folder))
    machines.git("-C", str(folder), "add", "--force", DAY)

    with pytest.raises(InvalidInputError, match="travels with its commits"):
        machines.a.sync.run()


def test_an_encrypted_memory_leaves_and_stays_encrypted(machines):
    a, b = machines.a, machines.b
    b.sync.run(machines.remote)
    for memory, name in ((a, "a"), (b, "b")):
        if name == "b":  # the user's key is the same on both machines
            own, other = (Path(each.workspace.key_ring().key_file) for each in (a, b))
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_bytes(own.read_bytes())
            other.chmod(0o600)
        memory.encryption.encrypt()
    a.save({"topic": "斑马鱼计划", "key_points": ["zebrafish"]})

    a.sync.run()
    (done,) = b.sync.run()

    assert done.received.added == ("2026-01-29#2",)
    assert b.get("2026-01-29#2").session.topic == "斑马鱼计划"
    (again,) = a.sync.run()
    assert not any(again.received + again.sent)
    machines.git("-C", machines.remote, "gc", "--quiet", "--prune=now")
    for kept in (machines.everything_there(), machines.kept_by("a"), machines.kept_by("b")):
        assert not any(text.encode() in kept for text in ("斑马鱼", "zebrafish", "缓存", "300 秒"))
    plain = machines.new("c")
    plain.sync.set_key(a.sync.key())
    with pytest.raises(InvalidInputError, match="is encrypted"):
        plain.sync.run(machines.remote)


def test_conversations_sync_by_themselves_only_if_that_is_on(machines):
    machines.a.save({"topic": "x", "key_points": ["y"]})
    before = machines.git("-C", machines.remote, "rev-parse", machines.ref())

    assert machines.a.background.run("all") == []
    assert machines.git("-C", machines.remote, "rev-parse", machines.ref()) == before
    Memory("", home=machines.a.home).config.set("sync.automatic", True)
    assert machines.a.in_folder(machines.a.project).background.run("all") == []

    assert machines.git("-C", machines.remote, "rev-parse", machines.ref()) != before
