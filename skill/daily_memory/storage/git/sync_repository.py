"""The bare repository `index/sync.git`, through which a memory is synced.

The project's own repository, its index, branches and hooks have no part in it. It holds the files
as they were when this machine last agreed with the others (the base), and nothing older.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.storage.fs import files
from daily_memory.storage.git import repository
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# No branch: no clone fetches it by itself, no site lists it, and nothing is built from it.
NAMESPACE = "refs/daily-memory/"
_BASE, _THEIRS, _NEXT = "refs/sync/base", "refs/sync/theirs", "refs/sync/next"
# So long the network may take.
_NETWORK_S = 120.0
# The variables that give access to other machines.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSL_")
_QUIET = {
    # Git must never prompt.
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GCM_INTERACTIVE": "never",
    "GIT_AUTHOR_NAME": "Daily Memory",
    "GIT_AUTHOR_EMAIL": "daily-memory@localhost",
    "GIT_COMMITTER_NAME": "Daily Memory",
    "GIT_COMMITTER_EMAIL": "daily-memory@localhost",
}
_CONFIG = (
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    # Loose objects only, so that each can be removed.
    *("-c", "transfer.unpackLimit=1000000", "-c", "fastimport.unpackLimit=1000000"),
    *("-c", "push.gpgSign=false", "-c", "core.logAllRefUpdates=false"),
)
_LOGIN = re.compile(r"(://)[^/@\s]*@")


class SyncState(NamedTuple):
    """What a memory was synced with last: the repository, and the memory in it by its full name.

    `machine` is this one. It is kept in `index/sync.json`.
    """

    url: str = ""
    ref: str = ""
    machine: str = ""

    @property
    def name(self) -> str:
        """The name that the user gave to the memory."""
        return unquote(self.ref.rpartition("/")[2], errors="surrogateescape")


def load_state(root: Root) -> SyncState:
    """Return the state, empty if there is none or it can't be read."""
    try:
        noted = json.loads(files.find_bytes(_state_path(root)) or b"")
        return SyncState(*(str(noted[field]) for field in SyncState._fields))
    except (ValueError, TypeError, KeyError, RecursionError):
        return SyncState()


def save_state(root: Root, state: SyncState) -> None:
    if state != load_state(root):
        data = json.dumps(state._asdict(), indent=1).encode()
        files.replace(_state_path(root), data + b"\n", root.modes)


def _state_path(root: Root) -> str:
    return root.in_index("sync.json")


class SyncRepository:
    """The git repository of a root, created when it is first used."""

    def __init__(self, root: Root) -> None:
        self.folder = root.in_index("sync.git")
        self.is_sealed = root.modes.is_sealed
        self._modes = root.modes

    def make(self) -> None:
        if not os.path.isfile(os.path.join(self.folder, "HEAD")):
            files.make_folder(self.folder, self._modes)
            self._local("init", "--quiet", "--bare", "--template=")

    def list_refs(self, url: str) -> dict[str, str]:
        """Return the commits of the memories in a remote repository by their full names."""
        done = self._network(url, "ls-remote", "--", url, f"{NAMESPACE}*")
        rows = (line.split("\t") for line in files.to_text(done).splitlines())
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def fetch(self, url: str, ref: str) -> str:
        """Fetch one memory without its history; return its commit."""
        options = ("--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head")
        self._network(url, "fetch", *options, "--", url, f"+{ref}:{_THEIRS}")
        return self._find(_THEIRS)

    def push(self, url: str, ref: str, commit: str, expected: str) -> bool:
        """Push a commit; return False if the memory there is not the expected one ("" for none)."""
        lease = f"--force-with-lease={ref}:{expected}"
        words = ("push", "--quiet", "--no-verify", lease, "--", url, f"{commit}:{ref}")
        done = self._run(words, timeout_s=_NETWORK_S)
        if done.returncode and b"rejected]" not in done.stderr:
            raise _unreachable(url, done.stderr)
        return not done.returncode

    def find_base(self) -> str:
        """Return the last commit that this machine merged, "" for none."""
        return self._find(_BASE) if os.path.isdir(self.folder) else ""

    def _find(self, ref: str) -> str:
        return self._run(("rev-parse", "--verify", "--quiet", ref)).stdout.decode().strip()

    def tree_of(self, commit: str) -> str:
        return self._local("rev-parse", f"{commit}^{{tree}}").decode().strip()

    def message_of(self, commit: str) -> str:
        raw = self._local("cat-file", "commit", commit)
        return files.to_text(raw.partition(b"\n\n")[2])

    def read(self, commit: str) -> dict[str, bytes]:
        """Return the files of a commit by path, decrypted; none without a commit."""
        if not commit:
            return {}
        entries = files.to_text(self._local("ls-tree", "-r", "-z", commit)).split("\0")
        rows = [entry.split("\t", 1) for entry in entries if entry.startswith("100644 blob ")]
        asked_for = "".join(f"{about.split()[2]}\n" for about, _ in rows)
        data = self._local("cat-file", "--batch", data=asked_for.encode())
        contents, at = {}, 0
        for _, path in rows:
            header, _, _ = data[at : at + 200].partition(b"\n")
            words = header.split()
            if b"blob" not in words:
                raise DamagedDataError("{!r} is damaged", self.folder, hint="remove it")
            begins = at + len(header) + 1
            at = begins + int(words[2]) + 1
            contents[path] = files.decrypted(self.folder, data[begins : at - 1])
        return contents

    def write_tree(self, commit: str, changed: Mapping[str, bytes]) -> str:
        """Write the tree of a commit ("" for none) with changed files, b"" for none left.

        They are encrypted where the memory is.
        """
        who = f"{_QUIET['GIT_COMMITTER_NAME']} <{_QUIET['GIT_COMMITTER_EMAIL']}>"
        lines = [f"commit {_NEXT}\ncommitter {who} {int(time.time())} +0000\ndata 0\n".encode()]
        lines += [f"from {commit}\n".encode()] if commit else []
        for path, plain in sorted(changed.items()):
            data = self._modes.sealed(path, plain)
            entry = f"M 100644 inline {path}\ndata {len(data)}\n" if plain else f"D {path}\n"
            lines += [entry.encode(), *((data, b"\n") if plain else ())]
        self._local("fast-import", "--quiet", "--force", data=b"".join(lines))
        tree = self.tree_of(_NEXT)
        self._local("update-ref", "-d", _NEXT)
        return tree

    def commit(self, tree: str, message: str) -> str:
        """Make a commit without a parent, so that what was deleted is in no history.

        As the base is marked as shallow, git sends only what the last commit lacks all the same.
        """
        words = ("commit-tree", "--no-gpg-sign", tree, "-F", "-")
        return self._local(*words, data=message.encode()).decode().strip()

    def set_base(self, commit: str) -> None:
        """Store what `find_base` returns."""
        self._local("update-ref", *((_BASE, commit) if commit else ("-d", _BASE)))

    def forget_others(self) -> None:
        """Remove everything but the base, so that deleted text does not stay."""
        self._run(("update-ref", "-d", _THEIRS))
        shallow = os.path.join(self.folder, "shallow")
        files.replace(shallow, f"{self._find(_BASE)}\n".encode())  # git reads it
        self._local("prune", "--expire=now")

    def _local(self, *words: str, data: bytes = b"") -> bytes:
        done = self._run(words, data=data)
        if done.returncode:
            reason = files.to_text(done.stderr).strip().split("\n")[-1]
            hint = filled("if this goes on, remove {!r} and sync again", self.folder)
            raise BackendError("git failed: {}", reason, hint=hint)
        return done.stdout

    def _network(self, url: str, *words: str) -> bytes:
        done = self._run(words, timeout_s=_NETWORK_S)
        if done.returncode:
            raise _unreachable(url, done.stderr)
        return done.stdout

    def _run(
        self, words: Iterable[str], *, data: bytes = b"", timeout_s: float = repository.TIMEOUT_S
    ) -> repository.Done:
        access = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT)
        }
        return repository.run_bytes(
            self.folder,
            "--git-dir=.",
            *_CONFIG,
            *words,
            timeout_s=timeout_s,
            environment={**access, **_QUIET, **_ssh(access)},
            data=data,
        )


def _ssh(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the ssh command; it must never prompt."""
    if "GIT_SSH" in environment:
        return {}
    command = environment.get("GIT_SSH_COMMAND") or repository.get_config("", "core.sshCommand")
    return {"GIT_SSH_COMMAND": f"{command or 'ssh'} -o BatchMode=yes -o ConnectTimeout=20"}


class UnreachableError(BackendError):
    """The remote repository can't be reached; nothing is lost."""

    code = "unreachable"


def _unreachable(url: str, errors: bytes) -> UnreachableError:
    lines = without_login(files.to_text(errors)).strip().split("\n")
    reason = next((line for line in lines if "fatal:" in line or "error:" in line), lines[0])
    hint = filled(
        "nothing is lost: sync again later; `git ls-remote {}` shows more", without_login(url)
    )
    message = filled("can't reach {!r}: {}", without_login(url), reason.strip())
    return UnreachableError(message, hint=hint)


def without_login(text: str) -> str:
    """Return a text with user names and passwords removed from addresses."""
    return _LOGIN.sub(r"\1", text)


def resolve(folder: str, remote: str) -> str:
    """Return the address of a remote, given it or a remote's name in the repository of a folder."""
    is_name = "/" not in remote and ":" not in remote and os.sep not in remote
    url = repository.get_config(folder, f"remote.{remote}.url") if is_name else remote
    if re.match(r"[^/\\]{2,}:", url):
        return url
    return os.path.abspath(os.path.expanduser(url)) if url else ""
