"""The files of a memory to import, by name, redacted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from daily_memory.core.format import markdown, section_text
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.files import redact_lines, redact_text
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.model import Section, Span, counted
from daily_memory.services.writing.redaction_policy import policy
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


class SafeFiles:
    """Files by name, each redacted when it is first read, with counts of what was hidden.

    One that is `present` byte for byte is returned as it is: it won't be written.
    """

    def __init__(self, given: Files, present: Files, settings: Settings) -> None:
        self.given = given
        self._present = present
        self._hide = policy(settings)
        self._language = settings.recording.language
        self._done: dict[str, tuple[bytes, Counts]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def get(self, name: str) -> bytes:
        """Return a file redacted; without a secret in it, it stays byte for byte."""
        if name not in self._done:
            self._done[name] = self._redacted(name, self.given[name])
        return self._done[name][0]

    def all(self, progress: Progress | None) -> Files:
        return {name: self.get(name) for name in watched(list(self.given), progress)}

    def counts(self, *, with_days: bool) -> Counts:
        """Return what was hidden so far, in all files or in those without sections."""
        return privacy.sum_counts(
            counts
            for name, (_, counts) in self._done.items()
            if with_days or not file_kinds.holds_sections(name)
        )

    def warnings(self) -> tuple[str, ...]:
        unread = sum(_is_opaque(name, unpacked(name, data)) for name, data in self.given.items())
        return (f"{counted(unread, 'file')} of archive/ taken unread: no text",) if unread else ()

    def _redacted(self, name: str, data: bytes) -> tuple[bytes, Counts]:
        if self._present.get(name) == data:
            return data, ()
        content = unpacked(name, data)
        cleaned, counts = self._cleaned(name, content)
        if not file_kinds.is_packed(name) or (cleaned == content and archive_files.is_bare(data)):
            return (cleaned if cleaned != content else data), counts
        return archive_files.pack(cleaned), counts

    def _cleaned(self, name: str, content: bytes) -> tuple[bytes, Counts]:
        day = file_kinds.day_of(name) or file_kinds.archived_day(name)
        if day:
            return _redacted_day(content, day, self._hide, self._language)
        if file_kinds.is_observed(name) or file_kinds.archived_observed(name):
            return redact_lines(content, self._hide)
        if name == file_kinds.CONFIG or _is_opaque(name, content):
            return content, ()
        return redact_text(content, self._hide)


def _is_opaque(name: str, content: bytes) -> bool:
    """Return whether a file of the archive is no text: no secret would be found in it."""
    is_ours = file_kinds.archived_day(name) or file_kinds.archived_observed(name)
    return b"\0" in content and file_kinds.is_archived(name) and not is_ours


def _redacted_day(data: bytes, day: date, hide: Policy, language: str) -> tuple[bytes, Counts]:
    """Return a day redacted; without a secret in it, it stays byte for byte."""
    parsed = days.parse_bytes(data, day, "")
    pieces: list[bytes] = []
    counts: list[Counts] = []
    first = 1
    for section in parsed.sections:
        for piece, hidden in (
            redact_text(days.cut(data, Span(first, section.span.first - 1)), hide),
            _redacted_section(data, parsed, section, hide, language),
        ):
            pieces.append(piece)
            counts.append(hidden)
        first = section.span.last + 1
    rest, hidden = redact_text(days.cut(data, Span(first, data.count(b"\n") + 1)), hide)
    return b"".join((*pieces, rest)), privacy.sum_counts((*counts, hidden))


def _redacted_section(
    data: bytes, day: Day, section: Section, hide: Policy, language: str
) -> tuple[bytes, Counts]:
    session, counts = privacy.redact_session(section.session, hide)
    lines = days.cut(data, section.span)
    if session == section.session:
        return lines, counts
    is_ours = session.digest == section_text.text_digest(days.decode(lines))
    formatted = section_text.format_signed if is_ours else markdown.format_section
    headings = day.language or markdown.heading_language(language, [session])
    text = formatted(session, language=headings, open_fences=day.open_fences)
    newline = "\r\n" if b"\r\n" in lines else "\n"
    return text.replace("\n", newline).encode("utf-8", "replace"), counts
