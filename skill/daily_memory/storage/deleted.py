"""`index/deleted.jsonl`: deleted sections, so that no import brings them back.

Each line has the id, whose number is never used again, and hashes of conversation and text. Of a
section that was brought back on purpose, only the id stays.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# A UUID can't be guessed, and reveals nothing about the conversation.
_RANDOM = lazy_pattern(
    r"[0-9a-f]{8}(-?)[0-9a-f]{4}(?:\1[0-9a-f]{4}){3}[0-9a-f]{8}\Z", re.IGNORECASE
)


class Deleted(NamedTuple):
    """A deleted section; `at` is UTC.

    `conversation` is the `key` of its conversation, `digests` are those of its text, as written and
    as deleted. `purged`: nothing is kept that could be guessed.
    """

    at: str
    id: str
    conversation: str = ""
    digests: tuple[str, ...] = ()
    purged: bool = False


def deleted_path(root: Root) -> str:
    return root.in_index("deleted.jsonl")


def key(conversation: str) -> str:
    """Return the hash of a conversation id, "" for none.

    >>> key("3f2a"), key("")
    ('10c78973b5c61b1e9c4e7d9ee1d1ac15', '')
    """
    if not conversation:
        return ""
    return hashlib.sha256(files.to_bytes(conversation)).hexdigest()[:32]


def load(root: Root) -> list[Deleted]:
    """Return the deleted sections, oldest first; unreadable lines are skipped."""
    return parse_lines(files.find_bytes(deleted_path(root)) or b"")


def parse_lines(data: bytes) -> list[Deleted]:
    """Return the deleted sections in a file; unreadable lines are skipped."""
    return [entry for entry in map(_parse, data.split(b"\n")) if entry.id]


def find(root: Root, conversation: str) -> list[Deleted]:
    """Return the deleted sections of a conversation, oldest first."""
    wanted = key(conversation)
    return [one for one in load(root) if one.conversation == wanted] if wanted else []


def add(root: Root, deleted: Iterable[Deleted]) -> None:
    """Record sections that are about to be deleted, durably. Needs the lock."""
    files.append_lines(deleted_path(root), format_lines(deleted), root.modes)


def lift(root: Root, is_back: Callable[[Deleted], bool]) -> None:
    """Keep only the numbers of sections that came back. Needs the lock."""
    replace(root, [Deleted(one.at, one.id) if is_back(one) else one for one in load(root)])


def purge(root: Root, conversations: Mapping[str, Collection[str]], at: str) -> None:
    """Keep only the numbers of purged sections, and hashes that can't be guessed.

    `conversations` has the known conversation ids of each section. A random id stays as its hash;
    without it, the next import would bring the section back. Call it with the lock held.
    """
    # An id may be purged twice: where machines sync, it was another section's on another machine.
    kept = [one for one in load(root) if one.purged or one.id not in conversations]
    for id_ in sorted(conversations):
        random = sorted(
            key(conversation) for conversation in conversations[id_] if _RANDOM.match(conversation)
        )
        kept += [Deleted(at, id_, one, (), purged=True) for one in random or [""]]
    replace(root, kept)


def replace(root: Root, deleted: Iterable[Deleted]) -> None:
    """Write the list. Needs the lock."""
    path = deleted_path(root)
    data = format_lines(deleted)
    if data != (files.find_bytes(path) or b""):
        files.replace(path, data, root.modes)


def _parse(line: bytes) -> Deleted:
    try:
        fields = json.loads(line)
        at, id_ = str(fields["at"]), str(fields["id"])
        conversation = str(fields.get("conversation", ""))
        digests = tuple(map(str, fields.get("digests", ())))
        return Deleted(at, id_, conversation, digests, fields.get("purged") is True)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Deleted("", "")


def format_lines(deleted: Iterable[Deleted]) -> bytes:
    every = ({name: value for name, value in one._asdict().items() if value} for one in deleted)
    return b"".join(json.dumps(fields).encode() + b"\n" for fields in every)
