"""The repository through which a memory is synced: one commit there and back, and no more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory.errors import BackendError
from daily_memory.storage.git import sync_repository
from daily_memory.storage.git.sync_repository import SyncRepository, SyncState, UnreachableError
from daily_memory.storage.roots import Root, project_root
from tests.repositories import clean_environment

REF = f"{sync_repository.NAMESPACE}m%C3%A9mo"
FILES = {"daily/2026-01-29.md": "# 缓存\n".encode(), "b.md": b"two\n\nlines", "空 格.md": b"x\n"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    """A memory whose user logs, signs and packs everything in git."""
    for name, value in clean_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "configuration"))
    (tmp_path / "configuration").write_text(
        f'[url "file://{tmp_path}/"]\ninsteadOf = near:\n'
        "[core]\nlogAllRefUpdates = always\n[push]\ngpgSign = true\n[commit]\ngpgSign = true\n"
        "[transfer]\nunpackLimit = 1\n[fastimport]\nunpackLimit = 1\n"
    )
    made = project_root(str(tmp_path / "app"))
    Path(made.index_folder).mkdir(parents=True)
    return made


@pytest.fixture
def there(tmp_path: Path, root: Root) -> str:
    path = str(tmp_path / "there.git")
    subprocess.run(["git", "init", "--quiet", "--bare", path], check=True)
    return path


def made_in(root: Root) -> SyncRepository:
    made = SyncRepository(root)
    made.make()
    made.make()
    return made


def names_below(folder: str) -> set[str]:
    return {name for _, _, names in os.walk(folder) for name in names}


def test_what_is_pushed_is_fetched_with_its_message(root: Root, there: str, tmp_path: Path) -> None:
    ours = made_in(root)
    assert ours.find_base() == ""
    assert ours.list_refs(there) == {}
    commit = ours.commit(ours.write_tree("", FILES), "told\n\nby 李雷\n")

    assert ours.push(there, REF, commit, "")

    theirs = SyncRepository(project_root(str(tmp_path / "second")))
    assert theirs.find_base() == ""
    theirs.make()
    assert theirs.list_refs(there) == {REF: commit}
    assert theirs.fetch(there, REF) == commit
    assert theirs.message_of(commit) == "told\n\nby 李雷\n"
    assert theirs.read(commit) == FILES
    assert theirs.read("") == {}
    assert not names_below(theirs.folder) & {"FETCH_HEAD", "packed-refs"}


def test_only_what_is_expected_there_is_replaced(root: Root, there: str) -> None:
    ours = made_in(root)
    first = ours.commit(ours.write_tree("", FILES), "first")
    second = ours.commit(ours.write_tree(first, {"b.md": b"", "c.md": b"three"}), "second")
    assert ours.push(there, REF, first, "")

    assert not ours.push(there, REF, second, "")
    assert not ours.push(there, REF, second, second)
    assert ours.push(there, REF, second, first)

    assert ours.list_refs(there) == {REF: second}
    assert ours.read(second) == {
        **{path: data for path, data in FILES.items() if path != "b.md"},
        "c.md": b"three",
    }


def test_nothing_but_the_base_stays(root: Root, there: str) -> None:
    ours = made_in(root)
    old = ours.commit(ours.write_tree("", {"a.md": b"purged"}), "old")
    base = ours.commit(ours.write_tree("", FILES), "base")
    ours.push("near:there.git", REF, old, "")
    ours.fetch("near:there.git", REF)
    ours.set_base(base)

    ours.forget_others()

    assert ours.find_base() == base
    assert ours.read(base) == FILES
    with pytest.raises(BackendError, match="git failed"):
        ours.read(old)
    assert not os.path.isdir(os.path.join(ours.folder, "logs"))
    assert not [name for name in names_below(ours.folder) if name.endswith(".pack")]
    ours.set_base("")
    assert ours.find_base() == ""


def test_what_cannot_be_reached_is_told_without_a_password(root: Root, tmp_path: Path) -> None:
    ours = made_in(root)
    url = f"file://bob:tiger29@{tmp_path}/absent"

    for ask in (ours.list_refs, lambda url: ours.fetch(url, REF), lambda url: _push(ours, url)):
        with pytest.raises(UnreachableError, match="can't reach 'file:///") as caught:
            ask(url)
        assert caught.value.code == "unreachable"
        assert "tiger29" not in f"{caught.value.message} {caught.value.hint}"
        assert "fatal: " in caught.value.message


def _push(ours: SyncRepository, url: str) -> bool:
    return ours.push(url, REF, ours.commit(ours.write_tree("", FILES), "x"), "")


def test_ssh_never_asks(root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    script = tmp_path / "ssh.py"
    script.write_text(f"import sys; open({str(told)!r}, 'w').write(' '.join(sys.argv[1:]))")
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{sys.executable} {script}")

    with pytest.raises(UnreachableError):
        made_in(root).list_refs("ssh://git@acme.dev/x")

    assert "-o BatchMode=yes -o ConnectTimeout=20" in told.read_text()


def test_the_state_is_read_back_and_a_damaged_one_is_empty(root: Root) -> None:
    state = SyncState("https://acme.dev/x", REF, "laptop")
    assert sync_repository.load_state(root) == SyncState()

    sync_repository.save_state(root, state)

    assert sync_repository.load_state(root) == state
    assert state.name == "mémo"
    assert SyncState(ref="refs/daily-memory/%FF").name == "\udcff"
    path = Path(root.index_folder, "sync.json")
    assert path.read_text().startswith('{\n "url": "https://acme.dev/x",\n "ref": ')
    for text in ("{", "[]", "{}", "[" * 100_000):
        path.write_text(text)
        assert sync_repository.load_state(root) == SyncState()


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://acme.dev/x", "https://acme.dev/x"),
        ("git@acme.dev:x.git", "git@acme.dev:x.git"),
        ("/srv/x/../y", "/srv/y"),
        ("~/sync.git", "{home}/sync.git"),
        ("upstream", "git@acme.dev:up.git"),
        ("nearby", "/srv/near.git"),
        ("absent", ""),
    ],
)
def test_a_remote_is_an_address_or_a_name_that_git_knows(
    root: Root, tmp_path: Path, remote: str, url: str
) -> None:
    (tmp_path / "configuration").write_text(
        '[remote "upstream"]\nurl = git@acme.dev:up.git\n[remote "nearby"]\nurl = /srv/near.git\n'
    )

    assert sync_repository.resolve(str(tmp_path), remote) == url.format(home=tmp_path)


def test_a_login_is_no_part_of_what_is_shown() -> None:
    text = "https://bob:x@acme.dev/a, ssh://git@b.dev/c and me@d.dev"

    assert sync_repository.without_login(text) == "https://acme.dev/a, ssh://b.dev/c and me@d.dev"
