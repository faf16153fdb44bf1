"""`memory.sync`: the same memory on several machines of one user, over a git repository.

Each machine fetches the others' changes, merges them with its files, and pushes the result, as one
commit under a ref of its own beside the branches. See docs/decisions/0031.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote, unquote

from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError, NotFoundError
from daily_memory.services import MemoryPart
from daily_memory.services.changing import purge
from daily_memory.services.setup.redaction_policy import policy, strict
from daily_memory.services.upkeep import sync_plan
from daily_memory.services.upkeep.sync_plan import Changes, Merging, Plan, Snapshot
from daily_memory.storage import deleted, file_kinds, sync_key
from daily_memory.storage.fs import lock
from daily_memory.storage.fs.lock import LockBusyError, locked
from daily_memory.storage.git import history, sync_repository
from daily_memory.storage.git.authors import has_repository
from daily_memory.storage.git.sync_repository import (
    NAMESPACE,
    SyncRepository,
    SyncState,
    without_login,
)
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_VERSION = 2
# How often a push is tried again if another machine was faster.
_ATTEMPTS = 8
# A sync takes no longer than this, including network timeouts.
_LONGEST_S = 180.0


class SyncRequest(NamedTuple):
    """What to sync with; "" means as last time. `is_new`: start a memory with a new key."""

    remote: str = ""
    name: str = ""
    is_new: bool = False
    dry_run: bool = False


class Synced(NamedTuple):
    """What a sync did, or would do; `private` counts the sections that stayed here."""

    root: Root
    remote: str
    name: str
    received: Changes = Changes()
    sent: Changes = Changes()
    private: int = 0
    dry_run: bool = False
    warnings: tuple[str, ...] = ()


class Sync(MemoryPart):
    """Sync the memories in use over git."""

    def run(
        self,
        remote: str = "",
        *,
        name: str = "",
        scope: str = "",
        is_new: bool = False,
        dry_run: bool = False,
    ) -> list[Synced]:
        """Sync the memories that were given a repository, or the one that `scope` names.

        `remote` is a repository for the memory that a save goes to: its address, or a remote of
        the project. `name` is the memory in it, by default that of the project. `is_new` starts a
        memory there with a new key, although somebody else's is there.
        """
        request = SyncRequest(remote, name, is_new, dry_run)
        set_up = [] if scope or remote else self._set_up_roots()
        roots = set_up or [self._workspace.save_root(scope)]
        return [self._synced(root, request) for root in roots]

    def run_set_up(self) -> list[Synced]:
        """Sync the memories that were given a repository, if there are any."""
        return [self._synced(root, SyncRequest()) for root in self._set_up_roots()]

    def key(self) -> str:
        """Return the user's key, for another machine."""
        key = sync_key.find(self._workspace.home)
        if not key:
            hint = "the first `memory sync --remote URL` makes one"
            raise NotFoundError("this machine has no sync key", hint=hint)
        return sync_key.format_key(key)

    def set_key(self, text: str) -> None:
        """Take the user's key from another machine."""
        sync_key.store(self._workspace.home, sync_key.parse_key(text))

    def _set_up_roots(self) -> list[Root]:
        workspace = self._workspace
        return [
            workspace.ready(root)
            for root in workspace.own_roots
            if sync_repository.load_state(root).url
        ]

    def _synced(self, root: Root, request: SyncRequest) -> Synced:
        done = sync(
            root, self._workspace.settings, self._workspace.home, self._workspace.now(), request
        )
        if any(done.received) and not request.dry_run:
            removed = bool(done.received.removed or done.received.changed)
            self._workspace.after_write(root, is_moved=True, is_removed=removed)
        return done


def sync(root: Root, settings: Settings, home: str, now: datetime, request: SyncRequest) -> Synced:
    """Sync a root with a repository elsewhere.

    Raises:
        UnreachableError: the repository can't be reached; nothing is lost.
        InvalidInputError: no repository is named, or the memory there has another key.
    """
    _check(root)
    hide = strict(policy(settings))
    with locked(root, name=lock.SYNC):
        repository, known = SyncRepository(root), sync_repository.load_state(root)
        url, name = _named(root, request, known)
        repository.make()
        for _ in range(_ATTEMPTS):
            refs = repository.list_refs(url)
            key = _key(home, refs, request)
            ref = f"{NAMESPACE}{sync_key.name_of(key)}/{_quoted(name)}"
            state = SyncState(url, ref, known.machine or os.urandom(4).hex())
            # With another memory or key there is no common base yet.
            base = Snapshot(repository, repository.find_base() if ref == known.ref else "", key)
            there = refs.get(ref, "")
            theirs = base if there == base.commit else _fetched(repository, state, key, there)
            if theirs.is_sealed and not root.modes.is_sealed:
                hint = "run `memory encrypt` here, with the same age key as on the other machine"
                message = "the memory there is encrypted, and this one not"
                raise InvalidInputError(message, hint=hint)
            machines = _pushed(base, theirs)
            if machines != theirs.machines:
                # The repository was made again or reset: what it lacks was not deleted by others.
                base = Snapshot(repository, "", key)
            merging = Merging(root, hide, key, base, theirs)
            try:
                plan, warnings = _carried_out(root, merging, settings, now, request)
            except LockBusyError:
                raise
            except ConflictError:
                continue  # an editor saved a file meanwhile
            warnings += _notes(state, refs)
            there = without_login(url)
            outcome = plan.received, plan.sent, plan.private, request.dry_run, tuple(warnings)
            done = Synced(root, there, name, *outcome)
            if request.dry_run:
                return done
            if ref != known.ref:
                repository.set_base("")
            known = state
            sync_repository.save_state(root, state)
            repository.set_base(theirs.commit or base.commit)
            commit = _committed(repository, state, key, machines, theirs, plan)
            if commit == theirs.commit or repository.push(url, ref, commit, theirs.commit):
                repository.set_base(commit)
                repository.forget_others()
                return done
    raise ConflictError("the memory kept changing", hint="sync again; nothing is lost")


def forget(root: Root, ids: Collection[str]) -> None:
    """Remove purged sections from the last synced state."""
    repository = SyncRepository(root)
    # A running sync would send what it read before the purge.
    with locked(root, wait_s=_LONGEST_S, name=lock.SYNC):
        base = Snapshot(repository, repository.find_base())
        if not base.commit:
            return
        changed = sync_plan.without_texts(base, ids)
        tree = repository.write_tree(base.commit, changed)
        repository.set_base(repository.commit(tree, repository.message_of(base.commit)))
        repository.forget_others()


def _check(root: Root) -> None:
    is_tracked = (
        os.path.isdir(root.path)
        and has_repository(root.path)
        and any(map(file_kinds.holds_sections, history.tracked(root.path)))
    )
    if is_tracked:
        message = filled("{!r} is in the project's git, and travels with its commits", root.path)
        hint = "commit, pull and push it; `memory sync` is for a memory that git ignores"
        raise InvalidInputError(message, hint=hint)


def _named(root: Root, request: SyncRequest, known: SyncState) -> tuple[str, str]:
    """Return the address of the repository, and the name of the memory in it."""
    url = known.url
    if request.remote:
        url = sync_repository.resolve(root.path, request.remote)
        if not url or url.startswith("-"):
            message = filled(
                "{!r} is neither an address nor a remote of this project", request.remote
            )
            raise InvalidInputError(message, hint="`git remote -v` lists the remotes")
    if not url:
        hint = "name a repository that only you can read: `memory sync --remote URL`"
        raise InvalidInputError("{!r} has nothing to sync with", root.path, hint=hint)
    before = known.name if url == known.url else ""
    return url, request.name or before or root.project or root.scope


def _quoted(name: str) -> str:
    """Return a name as a part of a ref; `unquote` reads it."""
    quoted = quote(name, safe="", errors="surrogateescape")
    return quoted.replace(".", "%2E").replace("~", "%7E")


def _key(home: str, refs: Mapping[str, str], request: SyncRequest) -> bytes:
    key = sync_key.find(home)
    if key:
        return key
    if refs and not request.is_new:
        raise InvalidInputError(
            "there is a memory already, and this machine has no key for it",
            hint="run `memory sync --show-key` where it was made, and `memory sync --key KEY` here;"
            " if it is somebody else's, `memory sync --new-key`",
        )
    key = sync_key.new()
    if not request.dry_run:
        sync_key.store(home, key)
    return key


def _fetched(repository: SyncRepository, state: SyncState, key: bytes, there: str) -> Snapshot:
    """Return the remote state, after checking that it was written with the user's key."""
    if not there:
        return Snapshot(repository, "", key)
    theirs = Snapshot(repository, repository.fetch(state.url, state.ref), key)
    facts = {name: fact for name, fact in theirs.facts.items() if name != "signature"}
    if facts and facts.get("version") != _VERSION:
        hint = "update it on all machines, or start over with another --name"
        raise DamagedDataError("another version of the program synced this memory", hint=hint)
    signed = _signed(state, repository.tree_of(theirs.commit), facts)
    if not sync_key.is_signed(key, signed, str(theirs.facts.get("signature", ""))):
        message = filled(
            "the memory in {!r} was not written with your key", without_login(state.url)
        )
        raise DamagedDataError(message, hint="check who can write there; nothing was merged")
    return theirs


def _pushed(base: Snapshot, theirs: Snapshot) -> dict[str, int]:
    """Return how often each machine has pushed, as far as known."""
    return {
        name: max(base.machines.get(name, 0), theirs.machines.get(name, 0))
        for name in {*base.machines, *theirs.machines}
    }


def _signed(state: SyncState, tree: str, facts: Mapping[str, object]) -> bytes:
    return json.dumps([state.ref, tree, facts], sort_keys=True).encode()


def _committed(
    repository: SyncRepository,
    state: SyncState,
    key: bytes,
    machines: Mapping[str, int],
    theirs: Snapshot,
    plan: Plan,
) -> str:
    """Return a commit with the result of a plan, or the present one if nothing changed."""
    is_sealed = repository.is_sealed
    if is_sealed and not theirs.is_sealed:
        tree = repository.write_tree("", {**theirs.files, **plan.sending})
    else:
        tree = repository.write_tree(theirs.commit, plan.sending)
    if theirs.commit and tree == repository.tree_of(theirs.commit):
        return theirs.commit
    machines = {**machines, state.machine: machines.get(state.machine, 0) + 1}
    facts = {"version": _VERSION, "machines": machines, "sealed": is_sealed}
    signature = sync_key.sign(key, _signed(state, tree, facts))
    signed = json.dumps({**facts, "signature": signature}, sort_keys=True)
    return repository.commit(tree, f"Memory of {len(machines)} machines\n\n{signed}\n")


def _purge(root: Root, ids: list[str], settings: Settings, now: datetime) -> None:
    """Purge what another machine purged."""
    if ids:
        noted = deleted.load(root)
        purge.purge(purge.targets([root], [], [root.scoped(id_) for id_ in ids]), settings, now)
        # The other machine's entry comes with the merge: one of our own would be a new purge.
        with locked(root):
            own = deleted.load(root)
            deleted.replace(root, [entry for entry in own if entry in noted or not entry.purged])


def _carried_out(
    root: Root, merging: Merging, settings: Settings, now: datetime, request: SyncRequest
) -> tuple[Plan, list[str]]:
    """Merge and write the files here."""
    plan = merging.plan()  # without the lock, since a first sync takes long
    if request.dry_run:
        return plan, []
    purged = merging.purged_here()
    _purge(root, purged, settings, now)
    with locked(root):
        if sync_plan.stamps_of(root) != plan.stamps:
            plan = merging.plan()
        warnings = sync_plan.write(root, plan, now)
    removed = tuple(sorted({*plan.received.removed, *purged}))
    return plan._replace(received=plan.received._replace(removed=removed)), warnings


def _notes(state: SyncState, refs: Mapping[str, str]) -> list[str]:
    """Return a warning if this memory is new beside others: it may have another name there."""
    own = state.ref.rpartition("/")[0]
    others = sorted(unquote(ref.rpartition("/")[2]) for ref in refs if ref.startswith(f"{own}/"))
    if state.ref in refs or not others:
        return []
    listed = ", ".join(map(repr, others))
    return [filled("{!r} is new there, beside {}; --name joins one of these", state.name, listed)]
