"""Sync: the same memory on several machines of one user, over a git repository.

Each machine fetches what the others made, merges it with its files, and pushes what came of it, as
one commit under a name of its own beside the branches. See docs/decisions/0031.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote

from daily_memory.core.progress import Progress
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError
from daily_memory.services.changing import purge, sanitize
from daily_memory.services.upkeep import sync_plan
from daily_memory.services.upkeep.sync_plan import Changes, Merging, Plan, Snapshot
from daily_memory.storage import deleted, file_kinds, sync_key, sync_state
from daily_memory.storage.fs import lock
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.git import history, sync_repository
from daily_memory.storage.git.authors import has_repository
from daily_memory.storage.git.sync_repository import NAMESPACE, SyncRepository, without_login
from daily_memory.storage.roots import Root
from daily_memory.storage.sync_state import SyncState

_VERSION = 2
# How often a push is tried again if another machine was faster.
_ATTEMPTS = 8
# A sync takes no longer, with the time that the network may take.
_LONGEST_S = 180.0
# A file that changed so shortly before it was read may change again with the same times.
_STEP_NS = 2_000_000_000


class SyncRequest(NamedTuple):
    """What to sync with: "" for what was named before. `is_new`: begin a memory with a new key."""

    remote: str = ""
    name: str = ""
    is_new: bool = False
    dry_run: bool = False
    progress: Progress | None = None


class Synced(NamedTuple):
    """What a sync did, or would do: `private` is how many sections stayed here."""

    root: Root
    remote: str
    name: str
    received: Changes = Changes()
    sent: Changes = Changes()
    private: int = 0
    dry_run: bool = False
    warnings: tuple[str, ...] = ()


# ---------------------------------------------------------------------------- one sync


def is_set_up(root: Root) -> bool:
    """Tell whether a root was given something to sync with."""
    return bool(sync_state.load(root).url)


def sync(root: Root, settings: Settings, home: str, now: datetime, request: SyncRequest) -> Synced:
    """Sync a root with a repository elsewhere.

    Raises:
        UnreachableError: it can't be reached; nothing is lost.
        InvalidInputError: no repository is named, or the memory there has another key.
    """
    _check(root)
    policy = sanitize.strict_policy(settings)
    with locked(root, name=lock.SYNC):
        state = _named(root, request, sync_state.load(root))
        repository = SyncRepository(root)
        repository.make()
        for _ in range(_ATTEMPTS):
            refs = repository.list_refs(state.url)
            key = _key(home, refs, request)
            ref = f"{NAMESPACE}{sync_key.name_of(key)}/{_quoted(state.name)}"
            if ref != state.ref:  # another memory, or another key: nothing was agreed on yet
                repository.set_base("")
                state = state._replace(ref=ref, clean="", files={})
            theirs = _fetched(repository, state, key, refs.get(ref, ""))
            if theirs.is_sealed and not root.modes.is_sealed:
                hint = "`memory encrypt` with the same age key, as on the other machine"
                raise InvalidInputError(
                    "the memory there is encrypted, and this one not", hint=hint
                )
            base = _base(repository, theirs)
            merging = Merging(root, policy, key, repository, base, theirs, request.progress)
            if request.dry_run:
                plan = merging.plan({})
                return _result(root, state, plan, _notes(state, refs), is_dry=True)
            _purge(root, merging.purged_here(), settings, now)
            known = state if state.clean == base.commit else state._replace(files={})
            plan, warnings = _written(root, merging, known, now)
            repository.set_base(theirs.commit or base.commit)
            sync_state.save(root, state._replace(clean="", files={}))
            commit = _committed(repository, state, key, base, theirs, plan)
            if commit == theirs.commit or repository.push(state.url, ref, commit, theirs.commit):
                repository.set_base(commit)
                repository.forget_others()
                sync_state.save(root, _agreed(state, commit, plan))
                return _result(root, state, plan, [*_notes(state, refs), *warnings])
    message = f"other machines kept pushing to {without_login(state.url)!r}"
    raise ConflictError(message, hint="sync again; nothing is lost")


def forget(root: Root, ids: Collection[str]) -> None:
    """Remove purged sections from what this machine and the others had last."""
    repository = SyncRepository(root)
    # A sync that runs meanwhile would keep, and send, what it read before the purge.
    with locked(root, wait_s=_LONGEST_S, name=lock.SYNC):
        base = _snapshot(repository, repository.find(sync_repository.BASE))
        if not base.commit:
            return
        changed = sync_plan.without_texts(repository, base, ids)
        rest = {name: blob for name, blob in base.blobs.items() if name not in changed}
        tree = repository.write_tree(rest, changed)
        repository.set_base(repository.commit(tree, repository.message_of(base.commit)))
        repository.forget_others()


def _check(root: Root) -> None:
    is_tracked = (
        os.path.isdir(root.path)
        and has_repository(root.path)
        and any(map(file_kinds.holds_sections, history.tracked(root.path)))
    )
    if is_tracked:
        raise InvalidInputError(
            f"{root.path!r} is in the project's git, and travels with its commits",
            hint="commit, pull and push it; `memory sync` is for a memory that git ignores",
        )


def _named(root: Root, request: SyncRequest, state: SyncState) -> SyncState:
    """Return the state with the repository that the user named, now or before."""
    url = state.url
    if request.remote:
        url = sync_repository.resolve(root.path, request.remote)
        if not url or url.startswith("-"):
            message = f"{request.remote!r} is neither an address nor a remote of this project"
            raise InvalidInputError(message, hint="`git remote -v` lists the remotes")
    if not url:
        raise InvalidInputError(
            f"{root.path!r} has nothing to sync with",
            hint="name a repository that only you can read: `memory sync --remote URL`",
        )
    name = request.name or (state.name if url == state.url else "") or root.project or root.scope
    return state._replace(url=url, name=name, machine=state.machine or os.urandom(4).hex())


def _quoted(name: str) -> str:
    """Return a name as a part of a ref; `unquote` reads it."""
    encoded = name.encode("utf-8", "surrogateescape")
    return re.sub(rb"[^A-Za-z0-9_-]", lambda match: b"%%%02X" % match[0][0], encoded).decode()


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


# ---------------------------------------------------------------------------- commits


def _fetched(repository: SyncRepository, state: SyncState, key: bytes, there: str) -> Snapshot:
    """Return what is there now; it must have been written with the user's key."""
    if not there or there == repository.find(sync_repository.BASE):
        return _snapshot(repository, there)
    commit = repository.fetch(state.url, state.ref)
    facts = _facts(repository, commit)
    signature = str(facts.pop("signature", ""))
    if facts and facts.get("version") != _VERSION:
        hint = "update it on all machines, or begin anew with another --name"
        raise DamagedDataError("another version of the program synced this memory", hint=hint)
    signed = _signed(state, repository.tree_of(commit), facts)
    if not sync_key.is_signed(key, signed, signature):
        message = f"the memory in {without_login(state.url)!r} was not written with your key"
        raise DamagedDataError(message, hint="look who can write there; nothing was taken over")
    return _snapshot(repository, commit)


def _base(repository: SyncRepository, theirs: Snapshot) -> Snapshot:
    """Return what both sides had last; nothing if what is there does not come from it.

    A repository that was made again, or set back, must not look as if the other machines had
    deleted what it lacks.
    """
    base = _snapshot(repository, repository.find(sync_repository.BASE))
    comes_from = all(theirs.machines.get(name, 0) >= n for name, n in base.machines.items())
    return base if comes_from else Snapshot(machines=base.machines)


def _snapshot(repository: SyncRepository, commit: str) -> Snapshot:
    if not commit:
        return Snapshot()
    blobs, facts = repository.list_files(commit), _facts(repository, commit)
    synced = {name: blobs[name] for name in blobs if sync_plan.is_synced(name)}
    return Snapshot(commit, synced, facts.get("machines", {}), bool(facts.get("sealed")))


def _facts(repository: SyncRepository, commit: str) -> dict[str, Any]:
    """Return what the message of a commit says; nothing if it is not ours."""
    try:
        facts = json.loads(repository.message_of(commit).partition("\n\n")[2])
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _signed(state: SyncState, tree: str, facts: Mapping[str, object]) -> bytes:
    return json.dumps([state.ref, tree, facts], sort_keys=True).encode()


def _committed(
    repository: SyncRepository,
    state: SyncState,
    key: bytes,
    base: Snapshot,
    theirs: Snapshot,
    plan: Plan,
) -> str:
    """Return the commit with what came of a plan; that which is there if it is the same.

    History only grows: what goes from a file goes from the history too.
    """
    is_sealed, unchanged, added = repository.is_sealed, plan.unchanged, plan.added
    if is_sealed and not theirs.is_sealed:
        plain = repository.read(unchanged.values()) if unchanged else {}
        added = {**{name: plain[blob] for name, blob in unchanged.items()}, **added}
        unchanged = {}
    tree = repository.write_tree(unchanged, added)
    if theirs.commit and tree == repository.tree_of(theirs.commit):
        return theirs.commit
    machines = {
        name: max(base.machines.get(name, 0), theirs.machines.get(name, 0))
        for name in {*base.machines, *theirs.machines, state.machine}
    }
    machines[state.machine] += 1
    facts = {"version": _VERSION, "machines": machines, "sealed": is_sealed}
    signature = sync_key.sign(key, _signed(state, tree, facts))
    signed = json.dumps({**facts, "signature": signature}, sort_keys=True)
    is_growing = plan.is_growing and is_sealed == theirs.is_sealed
    message = f"Memory of {len(machines)} machines\n\n{signed}\n"
    return repository.commit(tree, message, theirs.commit if is_growing else "")


# ---------------------------------------------------------------------------- this machine


def _purge(root: Root, ids: list[str], settings: Settings, now: datetime) -> None:
    """Remove every trace of what another machine purged."""
    if ids:
        noted = deleted.load(root)
        purge.purge(purge.targets([root], [], [root.scoped(id_) for id_ in ids]), settings, now)
        # The other machine's note comes with the merge: one of our own would be a new purge.
        with locked(root):
            own = deleted.load(root)
            deleted.replace(root, [entry for entry in own if entry in noted or not entry.purged])


def _written(
    root: Root, merging: Merging, state: SyncState, now: datetime
) -> tuple[Plan, list[str]]:
    """Merge and write the files here; a save waits only for what is left to do then."""
    merging.plan(state.files)  # outside the lock: a first sync takes long
    for _ in range(_ATTEMPTS):
        with locked(root):
            plan = merging.plan(state.files)
            try:
                return plan, sync_plan.write(root, plan, now)
            except ConflictError:
                continue  # an editor saved a file at this moment
    raise ConflictError("the files of the memory keep changing", hint="sync again")


def _agreed(state: SyncState, commit: str, plan: Plan) -> SyncState:
    """Return the state after this machine and the others have the same."""
    before = time.time_ns() - _STEP_NS
    written = {name for name, _ in plan.writes}
    settled = {
        name: stamp
        for name, stamp in plan.stamps.items()
        if name not in written and max(stamp[1:]) < before
    }
    return state._replace(clean=commit, files=settled)


def _notes(state: SyncState, refs: Mapping[str, str]) -> list[str]:
    """Return which other memories are there, if this one is new: it may have another name here."""
    own = state.ref.rpartition("/")[0]
    others = sorted(unquote(ref.rpartition("/")[2]) for ref in refs if ref.startswith(f"{own}/"))
    if state.ref in refs or not others:
        return []
    listed = ", ".join(map(repr, others))
    return [f"{state.name!r} is new there, beside {listed}; --name joins one of these"]


def _result(
    root: Root, state: SyncState, plan: Plan, warnings: list[str], *, is_dry: bool = False
) -> Synced:
    return Synced(
        root,
        without_login(state.url),
        state.name,
        plan.received,
        plan.sent,
        plan.private,
        is_dry,
        tuple(warnings),
    )
