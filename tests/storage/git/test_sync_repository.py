"""The repository through which a memory is synced: one commit there and back, and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.storage.git import sync_repository
from daily_memory.storage.git.sync_repository import SyncRepository, SyncState, UnreachableError
from daily_memory.storage.roots import Root, project_root
from tests.repositories import use_clean_environment

REF = f"{sync_repository.NAMESPACE}m%C3%A9mo"
FILES = {"daily/2026-01-29.md": "# 缓存\n".encode(), "b.md": b"two\n\nlines", "空 格\t.md": b"x\n"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    """A memory whose user logs, signs and packs everything in git."""
    use_clean_environment(monkeypatch, tmp_path)
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
    nobody = "Daily Memory <daily-memory@localhost>"
    assert _git(theirs, "log", "--format=%an <%ae>, %cn <%ce>", commit) == f"{nobody}, {nobody}"
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
    assert _git(ours, "for-each-ref", "--format=%(objectname)") == base
    assert Path(ours.folder, "shallow").read_text() == f"{base}\n"
    with pytest.raises(BackendError, match=r"^git failed: fatal: "):
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


@pytest.fixture
def ssh(root: Root, tmp_path: Path) -> str:
    """A program in the place of ssh, which notes what it is given and says what it is told."""
    script = tmp_path / "ssh"
    script.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        f"given = open({str(tmp_path / 'given')!r}, 'w')\n"
        "given.write(json.dumps([sys.argv[1:], dict(os.environ)]))\n"
        "sys.exit(os.environ.get('SAID', ''))\n"
    )
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize("named_in", ["GIT_SSH_COMMAND", "core.sshCommand", "GIT_SSH"])
def test_nothing_asks_the_user(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ssh: str, named_in: str
) -> None:
    if named_in == "core.sshCommand":
        (tmp_path / "configuration").write_text(f"[core]\nsshCommand = {ssh}\n")
    else:
        monkeypatch.setenv(named_in, ssh)
    kept = {"GIT_SSL_NO_VERIFY": "1", "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(tmp_path)}
    kept |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(tmp_path / "configuration")}
    left_out = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nowhere", "GIT_QUARANTINE_PATH": "/nowhere"}
    for name, value in {**kept, **left_out}.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(UnreachableError):
        made_in(root).list_refs("ssh://git@acme.dev/x")

    words, environment = json.loads((tmp_path / "given").read_text())
    asks_nothing = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GCM_INTERACTIVE": "never",
    }
    assert {**environment, **kept, **asks_nothing} == environment
    assert not left_out.keys() & environment.keys()
    told = "-o BatchMode=yes -o ConnectTimeout=20" in " ".join(words)
    assert told == (named_in != "GIT_SSH")  # its own arguments nobody knows


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Welcome to acme", "fatal: Could not read from remote repository."),
        ("Welcome to acme\nerror: no such memory", "error: no such memory"),
    ],
)
def test_the_reason_is_the_first_error(
    root: Root, monkeypatch: pytest.MonkeyPatch, ssh: str, said: str, reason: str
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", ssh)
    monkeypatch.setenv("SAID", said)

    with pytest.raises(UnreachableError) as caught:
        made_in(root).list_refs("ssh://git@acme.dev/x")

    assert caught.value.message == f"can't reach 'ssh://acme.dev/x': {reason}"


def test_a_damaged_repository_is_told(root: Root) -> None:
    ours = made_in(root)
    commit = ours.commit(ours.write_tree("", FILES), "x")
    blob = _git(ours, "rev-parse", f"{commit}:b.md")
    Path(ours.folder, "objects", blob[:2], blob[2:]).unlink()

    with pytest.raises(DamagedDataError, match="is damaged"):
        ours.read(commit)


def _git(ours: SyncRepository, *words: str) -> str:
    words = ("git", f"--git-dir={ours.folder}", *words)
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


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
