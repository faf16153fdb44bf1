"""Whole memories: pack one into a zip, copy one into an empty root, or merge it into another.

A memory to import is a mapping of names to bytes. Only names that a memory can have are imported,
so a zip can't choose where something is written.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import reduce
from itertools import starmap
from typing import NamedTuple

from daily_memory.core import config_layers, undo_steps
from daily_memory.core.format.section_text import text_digest
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.files import redact_lines, redact_text
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError
from daily_memory.model import Section, Session
from daily_memory.services.changing import day_changes
from daily_memory.services.changing.sanitize import redact_day
from daily_memory.services.importing import sessions
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup import config, init
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.writing import save
from daily_memory.storage import archive_files, days, file_kinds, import_origins, keys, roots
from daily_memory.storage.day_sections import Written
from daily_memory.storage.fs import encryption, files, transaction, zips
from daily_memory.storage.fs.files import PRIVATE
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

# Files that operating systems add.
_OF_SYSTEM = re.compile(r"(?:\A|/)(?:__MACOSX/|\.DS_Store\Z|Thumbs\.db\Z|\._)")
# Skipped without a warning: each memory makes its own.
_OWN = re.compile(r"(?:index/|\.gitignore\Z|\.gitattributes\Z|projects\.json\Z|daily/\.gitkeep\Z)")
_LEFT_OUT = filled("config.json was left out")
# Smaller files may be compressed more than `zips.MOST_RATIO`.
_SMALL_BYTES = 10_000_000

Files = Mapping[str, bytes]


class ImportSource(NamedTuple):
    """What to import from one path: sessions, or the files of a whole memory."""

    sessions: Sequence[Session] = ()
    files: Files | None = None


class BundleOptions(NamedTuple):
    """Whether to import settings too, whether to write anything, and the user's home."""

    config: bool
    is_dry_run: bool
    home: str


def packed(root: Root, *, with_observations: bool) -> bytes:
    """Return a zip of a root; see `Memory.export_zip`."""
    return zips.pack(_files_of(root, with_observations=with_observations))


def _files_of(root: Root, *, with_observations: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the files that make a memory, by name; links are not followed."""
    for file in days.list_days(root):
        yield f"daily/{file.name}", files.read_bytes(file.path(root))
    for name in (file_kinds.SUMMARY, file_kinds.CONFIG):
        path = os.path.join(root.path, name)
        if os.path.isfile(path) and not os.path.islink(path):
            yield name, files.read_bytes(path)
    for folder in ("archive", *(["observations"] if with_observations else [])):
        for path in _below(os.path.join(root.path, folder)):
            name = root.name_of(path)
            is_wanted = with_observations or not file_kinds.is_of_observations(name)
            if file_kinds.is_of_memory(name) and is_wanted:
                yield name, files.read_bytes(path)


def _below(folder: str) -> Iterator[str]:
    if not os.path.islink(folder):
        for parent, _, names in os.walk(folder):
            paths = (os.path.join(parent, name) for name in names)
            yield from (path for path in paths if os.path.isfile(path) and not os.path.islink(path))


def load(path: str, now: datetime) -> ImportSource:
    """Read what to import from a file or a folder."""
    if os.path.isdir(path):
        return _load_folder(path, now)
    data = files.read_bytes(path)
    if zips.is_zip(data):
        return ImportSource(files=_decrypted(_memory_files(zips.unpack(data, path), path), path))
    return ImportSource(sessions.marked(sessions.load_sessions(path, data, now)))


def _load_folder(path: str, now: datetime) -> ImportSource:
    """Return the memory in a folder or in a project, or the sessions in a folder of day files."""
    for folder in (path, os.path.join(path, roots.MEMORIES)):
        root = Root(folder, "project")
        if os.path.isdir(root.daily_folder):
            return ImportSource(
                files=_decrypted(dict(_files_of(root, with_observations=True)), path)
            )
    names = sorted(name for name in os.listdir(path) if days.day_of(name))
    paths = [os.path.join(path, name) for name in names]
    loaded = [
        new for day in paths for new in sessions.load_sessions(day, files.read_bytes(day), now)
    ]
    if not loaded:
        message = filled("{!r} is a folder without a memory or day files in it", path)
        hint = "name the files in it, or use --from notes for a folder of notes"
        raise InvalidInputError(message, hint=hint)
    return ImportSource(sessions.marked(loaded))


def _memory_files(unpacked: Files, path: str) -> Files:
    """Return the files of the one memory in a zip, by their names in a root."""
    named = {name: data for name, data in unpacked.items() if not _OF_SYSTEM.search(name)}
    tops = {name[: -len(f"daily/{name.rpartition('/')[2]}")] for name in named if _is_day(name)}
    if not tops and any(file_kinds.is_of_memory(name) for name in named):
        tops = {""}
    if len(tops) != 1:
        what = "several memories" if tops else "no memory: there is no daily/YYYY-MM-DD.md in it"
        raise InvalidInputError("{!r} holds {}", path, what, hint="unpack it, and import its files")
    (top,) = tops
    return {name[len(top) :]: data for name, data in named.items() if name.startswith(top)}


def _decrypted(given: Files, path: str) -> Files:
    """Return the files of a memory decrypted, after checking the size of its archive."""
    result = {}
    size = 0
    for name, data in given.items():
        try:
            result[name] = files.decrypted(name, data) if file_kinds.is_of_memory(name) else data
            size += len(unpacked(name, result[name]))
        except DailyMemoryError as error:
            hint = filled(
                "{}; nothing was imported", error.hint or "run `memory doctor` in that memory"
            )
            raise type(error)("{!r}: {}", path, error.message, hint=hint) from error
        if size > zips.MOST_BYTES:
            raise InvalidInputError(
                "{!r} would be too large: its archive holds too much",
                path,
                hint="take files out of its archive/, and import them later",
            )
    return result


def _is_day(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 1 and file_kinds.day_of("/".join(parts[-2:])) is not None


def import_sources(
    root: Root,
    sources: Sequence[ImportSource],
    settings: Settings,
    now: datetime,
    options: BundleOptions,
) -> ImportResult:
    """Import sources into a root: each whole memory by itself, all sessions together."""
    results = [
        _import_memory(root, source.files, settings, now, options)
        for source in sources
        if source.files is not None
    ]
    given = [source.sessions for source in sources if source.sessions]
    new = given[0] if len(given) == 1 else [session for each in given for session in each]
    if new or not results:
        results.append(
            sessions.import_sessions(root, new, settings, now, dry_run=options.is_dry_run)
        )
    # Each field is a number or a tuple.
    total = ImportResult(*(reduce(operator.add, column) for column in zip(*results, strict=True)))
    return total._replace(redactions=privacy.sum_counts([total.redactions]))


def _import_memory(
    root: Root, given: Files, settings: Settings, now: datetime, options: BundleOptions
) -> ImportResult:
    memory = {name: data for name, data in sorted(given.items()) if file_kinds.is_of_memory(name)}
    skipped = sum(not _OWN.match(name) for name in given if name not in memory)
    unread = sum(is_opaque(name, unpacked(name, data)) for name, data in memory.items())
    warnings = (
        [filled("{} of archive/ taken unread: no text", counted(unread, "file"))] if unread else []
    )
    warnings += (
        [filled("{} skipped: not part of a memory", counted(skipped, "file"))] if skipped else []
    )
    if file_kinds.CONFIG in memory:
        settings_file, warning = _usable_config(root, memory.pop(file_kinds.CONFIG), options)
        warnings += [warning] if warning else []
        if settings_file is not None:
            memory[file_kinds.CONFIG] = settings_file
    present = dict(_files_of(root, with_observations=False))
    for name in filter(file_kinds.is_of_observations, memory):
        data = files.find_bytes(root.at(name))
        present.update({} if data is None else {name: data})
    hide = policy(settings)
    others = {name: data for name, data in present.items() if not _is_template(name, data)}
    is_part = others.keys() <= {*memory, file_kinds.CONFIG}
    if is_part:
        safe, hidden = redacted(memory, present, hide)
        is_part = all(safe.get(name, data) == data for name, data in others.items())
    if not root.modes.is_sealed and _is_encrypting(memory.get(file_kinds.CONFIG, b"")):
        if not is_part:  # what is here would stay as it is
            del memory[file_kinds.CONFIG]
            warnings.append(filled("{}: `memory encrypt` turns encryption on here", _LEFT_OUT))
        elif keys.load_recipients(encryption.ring_of(options.home)):
            is_shared = root.modes.file != PRIVATE.file
            root = root._replace(modes=encryption.Sealed(options.home, shared=is_shared))
        else:
            warnings.append(
                "its settings ask for encryption, and you have no key: it is plain until"
                " `memory encrypt`"
            )
    if is_part:
        result = _restore(root, safe, now, options)
    else:
        rest = {name: memory[name] for name in memory if not file_kinds.holds_sections(name)}
        safe, hidden = redacted(rest, present, hide)
        new = sessions.marked([row.section.session for row in _sections(memory)])
        result = _merge(root, safe, new, settings, now, options)
    return result._replace(
        redactions=privacy.sum_counts((hidden, result.redactions)),
        warnings=(*warnings, *result.warnings),
    )


def _usable_config(root: Root, data: bytes, options: BundleOptions) -> tuple[bytes | None, str]:
    """Return the settings to import, or None to leave them out, and a warning or ""."""
    if not options.config:
        return None, filled(
            "{}: here it would be your own settings; --with-config takes it", _LEFT_OUT
        )
    warning = ""
    if root.scope == "global":
        try:
            text, names = config.without_own_keys(data.decode("utf-8", "replace"), root)
        except InvalidInputError as error:
            return None, filled("{}: {}", _LEFT_OUT, error.message)
        if names:
            data = text.encode()
            warning = filled(
                "left out of config.json, since only you may set it: {}; `memory config set "
                "--global` does",
                ", ".join(names),
            )
    if root.modes.is_sealed and not _is_encrypting(data):
        return None, filled("{}: it would switch encryption off here", _LEFT_OUT)
    return data, warning


def _is_encrypting(data: bytes) -> bool:
    parsed = config_layers.parse_settings(data.decode("utf-8", "replace"))
    return parsed.settings.storage.encryption != "none"


class _FileSection(NamedTuple):
    """A section in the files of a memory: its file, its lines, and whether it is archived."""

    name: str
    section: Section
    lines: bytes
    is_archived: bool

    @property
    def id(self) -> str:
        return str(self.section.session.id)


def _sections(given: Files) -> Iterator[_FileSection]:
    """Yield the sections of the days and the archive; one that is in both, once."""
    for name, data in given.items():
        day, archived = file_kinds.day_of(name), file_kinds.archived_day(name)
        if day:
            sections = days.parse_bytes(data, day, name).all_sections
        elif archived:
            data = unpacked(name, data)
            parsed = days.parse_bytes(data, archived, name)
            in_day = given.get(f"daily/{archived}.md")
            parsed = parsed if in_day is None else archive_files.without(parsed, data, in_day)
            sections = parsed.all_sections
        else:
            continue
        for section, lines in days.cuts(data, sections):
            yield _FileSection(name, section, lines, not day)


def _is_template(name: str, data: bytes) -> bool:
    path = os.path.join(init.template_folder(), name)
    return name in (file_kinds.SUMMARY, file_kinds.CONFIG) and files.find_bytes(path) == data


def _restore(root: Root, given: Files, now: datetime, options: BundleOptions) -> ImportResult:
    """Write the files as they are, all or none; an interrupted import may have written some."""
    made = [change for change in _changes(root, given) if change.action != "keep"]
    new = {change.part for change in made}
    sections = [row for row in _sections(given) if row.section.session.number]
    added = [row for row in sections if row.name in new]
    result = ImportResult(
        tuple(row.id for row in added),
        len(sections) - len(added),
        restored=tuple(sorted(new)),
        archived=tuple(row.id for row in added if row.is_archived),
    )
    if options.is_dry_run or not made:
        return result
    with locked(root):
        init.ignore_derived(root)
        files.make_folder(root.daily_folder, root.modes)  # it marks a folder as a memory
        _note_observed(root, made)
        transaction.apply(made, root.path, root.modes, beside=root.index_folder)
        written = [_written(row) for row in added if not row.is_archived]
        archived = [undo_steps.added(*_written(row)) for row in added if row.is_archived]
        others = [change.part for change in made if not file_kinds.holds_sections(change.part)]
        in_days = list(starmap(undo_steps.added, written))
        done = day_changes.Imported(in_days, archived, others)
        warnings = day_changes.note_import(root, done, now)
        return result._replace(warnings=warnings + save.note_sections(root, written, now))


def _note_observed(root: Root, made: Sequence[FileChange]) -> None:
    """Note the origin of live sessions, before they can be digested."""
    names = (change.part for change in made)
    import_origins.note(root, filter(file_kinds.is_observed, names))


def _written(row: _FileSection) -> Written:
    return Written(row.section.session, days.decode(row.lines).replace("\r\n", "\n"))


def _changes(root: Root, given: Files) -> list[FileChange]:
    """Return the changes that write these files; refuse to follow links."""
    made = []
    for name, data in sorted(given.items()):
        path = root.at(name)
        folder = os.path.dirname(path)
        while folder not in (root.path, root.daily_folder):
            if os.path.islink(folder):
                hint = "put a folder in its place"
                raise BackendError("{!r} is a link, and is not followed", folder, hint=hint)
            folder = os.path.dirname(folder)
        made.append(FileChange(name, path, files.find_bytes(path), data, files.stamp(path)))
    return made


def _merge(
    root: Root,
    others: Files,
    new: Sequence[Session],
    settings: Settings,
    now: datetime,
    options: BundleOptions,
) -> ImportResult:
    """Add the new sessions, archived ones too, and the other files that a root lacks."""
    made, warnings = [], []
    for change in _changes(root, others):
        if change.before is None or _is_template(change.part, change.before):
            made.append(change)
        elif change.before != change.after:
            warnings.append(filled("{} is another one here, and stays as it is", change.part))
    if not options.is_dry_run:
        with locked(root):
            _note_observed(root, made)
    dry_run = options.is_dry_run
    result = sessions.import_sessions(root, new, settings, now, beside=made, dry_run=dry_run)
    names = tuple(change.part for change in made)
    return result._replace(warnings=(*warnings, *result.warnings), restored=names)


def unpacked(name: str, data: bytes) -> bytes:
    """Return the bytes of a file, unpacked if it is in the archive."""
    if not file_kinds.is_packed(name):
        return data
    grown = max(_SMALL_BYTES, zips.MOST_RATIO * len(data))
    return archive_files.unpack(data, name, min(zips.MOST_FILE_BYTES, grown))


def redacted(given: Files, present: Files, hide: Policy) -> tuple[Files, Counts]:
    """Return the files redacted, and the counts; files without secrets stay byte for byte."""
    safe: dict[str, bytes] = {}
    counts: list[Counts] = []
    for name in with_progress(list(given)):
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
        cleaned, hidden = redact_day(content, hide, day)
        return _with_new_digests(content, cleaned, day), hidden
    if file_kinds.is_observed(name) or file_kinds.archived_observed(name):
        return redact_lines(content, hide)
    if name == file_kinds.CONFIG or is_opaque(name, content):
        return content, ()
    return redact_text(content, hide)


def is_opaque(name: str, content: bytes) -> bool:
    """Tell whether a file in the archive is binary, so that secrets can't be found in it."""
    is_ours = file_kinds.archived_day(name) or file_kinds.archived_observed(name)
    return b"\0" in content and file_kinds.is_archived(name) and not is_ours


def _with_new_digests(before: bytes, after: bytes, day: date) -> bytes:
    """Return a redacted day with new digests in the sections that had valid ones."""
    sections = [days.parse_bytes(data, day, "").sections for data in (before, after)]
    for was, now in reversed(list(zip(*sections, strict=False))):
        digest, text = was.session.digest, days.cut(after, now.span)
        if digest and digest == text_digest(days.decode(days.cut(before, was.span))):
            signed = text.replace(digest.encode(), text_digest(days.decode(text)).encode(), 1)
            after = days.splice(after, now.span, signed)
    return after
