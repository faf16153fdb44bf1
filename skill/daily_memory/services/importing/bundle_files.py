"""The files of a memory to import, by name, redacted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from daily_memory.core.format.section_text import text_digest
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.files import redact_lines, redact_text
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.services.changing.sanitize import redact_day
from daily_memory.storage import archive_files, days, file_kinds
from daily_memory.storage.fs import zips

# As for a zip: what grows more than that is meant to exhaust memory.
_SMALL_BYTES = 10_000_000

Files = Mapping[str, bytes]


def unpacked(name: str, data: bytes) -> bytes:
    """Return the bytes of a file, unpacked if it is one of the archive."""
    if not file_kinds.is_packed(name):
        return data
    grown = max(_SMALL_BYTES, zips.MOST_RATIO * len(data))
    return archive_files.unpack(data, name, min(zips.MOST_FILE_BYTES, grown))


def redacted(
    given: Files, present: Files, hide: Policy, progress: Progress | None = None
) -> tuple[Files, Counts]:
    """Return the files redacted, and the counts; one without a secret stays byte for byte."""
    safe: dict[str, bytes] = {}
    counts: list[Counts] = []
    for name in watched(list(given), progress):
        data = safe[name] = given[name]
        if present.get(name) != data:
            content = unpacked(name, data)
            cleaned, hidden = _cleaned(name, content, hide)
            counts.append(hidden)
            is_packed = file_kinds.is_packed(name)
            if cleaned != content or (is_packed and not archive_files.is_bare(data)):
                safe[name] = archive_files.pack(cleaned) if is_packed else cleaned
    return safe, privacy.sum_counts(counts)


def _cleaned(name: str, content: bytes, hide: Policy) -> tuple[bytes, Counts]:
    day = file_kinds.day_of(name) or file_kinds.archived_day(name)
    if day:
        cleaned, hidden = redact_day(content, day, hide)
        return _resigned(content, cleaned, day), hidden
    if file_kinds.is_observed(name) or file_kinds.archived_observed(name):
        return redact_lines(content, hide)
    if name == file_kinds.CONFIG or is_opaque(name, content):
        return content, ()
    return redact_text(content, hide)


def is_opaque(name: str, content: bytes) -> bool:
    """Return whether a file of the archive is no text: no secret would be found in it."""
    is_ours = file_kinds.archived_day(name) or file_kinds.archived_observed(name)
    return b"\0" in content and file_kinds.is_archived(name) and not is_ours


def _resigned(before: bytes, after: bytes, day: date) -> bytes:
    """Return a redacted day in which the sections that were ours still are."""
    sections = [days.parse_bytes(data, day, "").sections for data in (before, after)]
    for was, now in reversed(list(zip(*sections, strict=False))):
        digest, text = was.session.digest, days.cut(after, now.span)
        if digest and digest == text_digest(days.decode(days.cut(before, was.span))):
            signed = text.replace(digest.encode(), text_digest(days.decode(text)).encode(), 1)
            after = days.splice(after, now.span, signed)
    return after
