"""Deleted sections: keep them from coming back, and find those that did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from daily_memory.core.format.section_text import digests, text_digest
from daily_memory.core.format.session_json import parse_id
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem, Session
from daily_memory.storage import days, deleted
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from daily_memory.text import filled


def deletions(root: Root, conversation: str) -> tuple[Deleted, ...]:
    """Return the deleted sections of a conversation, without those that were restored."""
    try:
        return tuple(
            entry for entry in deleted.find(root, conversation) if not _is_back(root, entry)
        )
    except DailyMemoryError:
        return ()  # an unreadable file must not block saves


def is_deleted(root: Root, session: Session) -> bool:
    """Tell whether a session has the text of a deleted section of its conversation."""
    gone = {digest for entry in deletions(root, session.conversation) for digest in entry.digests}
    return bool(gone) and not gone.isdisjoint(digests(session))


def deleted_among(root: Root, sessions: Sequence[Session]) -> list[Session]:
    """Return the sessions that were deleted here, by their texts or conversations."""
    noted = _load(root)
    keys = {entry.conversation for entry in noted} - {""}
    texts = {digest for entry in noted for digest in entry.digests}
    return [
        session
        for session in sessions
        if deleted.key(session.conversation) in keys
        or (texts and not texts.isdisjoint(digests(session)))
    ]


def deleted_ids(root: Root) -> frozenset[str]:
    return frozenset(entry.id for entry in _load(root))


def _load(root: Root) -> Sequence[Deleted]:
    try:
        return deleted.load(root)
    except DailyMemoryError:
        return ()  # as above


def lift_deletions(root: Root, back: Sequence[Session]) -> tuple[str, ...]:
    """Forget that sessions were deleted, since they were imported on purpose; return warnings.

    Call it with the lock held, once they are in their days.
    """
    keys = {deleted.key(session.conversation) for session in back} - {""}
    texts = {digest for session in back for digest in digests(session)}
    try:
        deleted.lift(
            root, lambda entry: entry.conversation in keys or not texts.isdisjoint(entry.digests)
        )
    except DailyMemoryError as error:
        return (filled("brought back, but still known as deleted: {}", error.message),)
    return ()


def _is_back(root: Root, entry: Deleted) -> bool:
    day = parse_id(entry.id).date
    return _is_in(_present(root, day), entry) or _is_in(_archived(root, day), entry)


def archived_problems(root: Root) -> Iterator[Problem]:
    """Yield a problem for each deleted section that is in the archive.

    If one branch deletes a section and another archives its day, git merges without a conflict.
    """
    from daily_memory.storage import archive_files  # a save does without

    try:
        noted = [entry for entry in deleted.load(root) if entry.digests]
    except DailyMemoryError as error:
        yield Problem(deleted.deleted_path(root), 0, error.message)
        return
    for stored in archive_files.list_days(root):
        of_day = [entry for entry in noted if entry.id.startswith(f"{stored.day.isoformat()}#")]
        try:
            packed = _archived(root, stored.day) if of_day else {}
            present = _present(root, stored.day) if of_day else {}
        except DailyMemoryError:
            continue  # reported as a damaged file
        for entry in of_day:
            if _is_in(packed, entry) and not _is_in(present, entry):
                message = filled(
                    "{} was deleted here, and came back in the archive; to delete it there too, "
                    "bring it into its day first: `memory restore {}`",
                    entry.id,
                    entry.id,
                )
                yield Problem(stored.path, 0, message)


def _present(root: Root, day: date) -> Mapping[str, str]:
    return _digests(files.find_bytes(days.day_path(root, day)) or b"", day)


def _archived(root: Root, day: date) -> Mapping[str, str]:
    from daily_memory.storage import archive_files  # as above

    return _digests(archive_files.find_data(root, day) or b"", day)


def _digests(data: bytes, day: date) -> Mapping[str, str]:
    return {
        str(section.session.id): text_digest(days.decode(text))
        for section, text in days.cuts(data, days.parse_bytes(data, day, "").sections)
    }


def _is_in(digests_: Mapping[str, str], entry: Deleted) -> bool:
    return digests_.get(entry.id) in entry.digests
