"""Whole memories: packed into a zip, brought into an empty root as they are, or merged into one.

A memory on its way is a table of files by name. Only names of the form that a memory has are taken
from it, so that no zip can choose where something is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from daily_memory.core import layers
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError
from daily_memory.model import Section, Session, counted
from daily_memory.services.changing import replace
from daily_memory.services.importing import sessions as transfer
from daily_memory.services.importing.bundle_files import Files, SafeFiles, said_in
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup import config as configuring
from daily_memory.services.setup import init
from daily_memory.services.writing import save
from daily_memory.storage import archive_files, days, file_kinds, keys, roots
from daily_memory.storage import import_marks as imported
from daily_memory.storage.day_sections import Written
from daily_memory.storage.fs import encryption, files, transaction, zips
from daily_memory.storage.fs.files import PRIVATE
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.roots import Root

# Files of others, that a system puts beside ours.
_OF_SYSTEM = re.compile(r"(?:\A|/)(?:__MACOSX/|\.DS_Store\Z|Thumbs\.db\Z|\._)")
# Passed over without a word: a memory has them, and makes its own.
_OWN = re.compile(r"(?:index/|\.gitignore\Z|\.gitattributes\Z|projects\.json\Z|daily/\.gitkeep\Z)")


class Source(NamedTuple):
    """What is to be imported from one path: sessions, or the files of a whole memory."""

    path: str
    sessions: tuple[Session, ...] = ()
    files: Files | None = None


class Takes(NamedTuple):
    """How it is imported: with the settings of a whole memory, and whether only to see.

    `home` is that of the user whose key encrypts it, where it asks for that.
    """

    config: bool
    is_dry_run: bool
    home: str


# ---------------------------------------------------------------------------- out


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
            name = os.path.relpath(path, root.path).replace(os.sep, "/")
            is_wanted = with_observations or not file_kinds.is_of_observations(name)
            if file_kinds.is_of_memory(name) and is_wanted:
                yield name, files.read_bytes(path)


def _below(folder: str) -> Iterator[str]:
    if not os.path.islink(folder):
        for parent, _, names in os.walk(folder):
            paths = (os.path.join(parent, name) for name in names)
            yield from (path for path in paths if os.path.isfile(path) and not os.path.islink(path))


# ---------------------------------------------------------------------------- in


def load(path: str, now: datetime) -> Source:
    """Return what a file or a folder holds, all of it read before anything is written.

    Raises:
        InvalidInputError: it is not what it must be; the message says where.
        DamagedDataError: a file of a memory in it is damaged, or encrypted for another key.
        LockedError: one is encrypted, and the key is not at hand.
        NotFoundError: there is no such file.
    """
    if os.path.isdir(path):
        return _load_folder(path, now)
    data = files.read_bytes(path)
    if zips.is_zip(data):
        return Source(path, files=_looked_into(_of_memory(zips.unpack(data, path), path), path))
    return Source(path, tuple(transfer.marked(transfer.load_sessions(path, data, now))))


def _load_folder(path: str, now: datetime) -> Source:
    """Return the memory in a folder, that of a project, or the sessions of a folder of days."""
    for folder in (path, os.path.join(path, roots.MEMORIES)):
        root = Root(folder, "project")
        if os.path.isdir(root.daily_folder):
            found_files = dict(_files_of(root, with_observations=True))
            return Source(path, files=_looked_into(found_files, path))
    found = [
        session
        for day in sorted(name for name in os.listdir(path) if days.day_of(name))
        for session in _loaded(os.path.join(path, day), now)
    ]
    if not found:
        raise InvalidInputError(
            f"{path!r} is a folder without a memory or day files in it",
            hint="name the files in it, or use --from notes for a folder of notes",
        )
    return Source(path, tuple(transfer.marked(found)))


def _loaded(path: str, now: datetime) -> Sequence[Session]:
    return transfer.load_sessions(path, files.read_bytes(path), now)


def _of_memory(unpacked: Files, path: str) -> Files:
    """Return the files of the one memory in a zip, by the names that they have in a root."""
    named = {name: data for name, data in unpacked.items() if not _OF_SYSTEM.search(name)}
    tops = {name[: -len(f"daily/{name.rpartition('/')[2]}")] for name in named if _is_day(name)}
    if not tops and any(file_kinds.is_of_memory(name) for name in named):
        tops = {""}
    if len(tops) != 1:
        what = "several memories" if tops else "no memory: there is no daily/YYYY-MM-DD.md in it"
        raise InvalidInputError(f"{path!r} holds {what}", hint="unpack it, and import its files")
    (top,) = tops
    return {name[len(top) :]: data for name, data in named.items() if name.startswith(top)}


def _looked_into(given: Files, path: str) -> Files:
    """Return the files of a memory with what those say that are encrypted.

    Each one of the archive is unpacked once, before anything is written.

    Raises:
        DamagedDataError, LockedError: see `load`.
        InvalidInputError: together they would be too large.
    """
    found = {}
    size = 0
    for name, data in given.items():
        try:
            found[name] = files.opened(name, data) if file_kinds.is_of_memory(name) else data
            size += len(said_in(name, found[name]))
        except DailyMemoryError as error:
            hint = (
                f"{error.hint or 'run `memory doctor` where it comes from'}; nothing was imported"
            )
            raise type(error)(f"{path!r}: {error.message}", hint=hint) from error
        if size > zips.MOST_BYTES:
            raise InvalidInputError(
                f"{path!r} would be too large: its archive holds too much",
                hint="take files out of its archive/, and import them later",
            )
    return found


def _is_day(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 1 and file_kinds.day_of("/".join(parts[-2:])) is not None


def bring(
    root: Root,
    sources: Sequence[Source],
    settings: Settings,
    now: datetime,
    takes: Takes,
    progress: Progress | None = None,
) -> ImportResult:
    """Bring sources into a root: each whole memory for itself, all sessions together.

    Raises:
        InvalidInputError, ConflictError, BackendError: see `Memory.import_files`.
    """
    results = [
        _bring_memory(root, source.files, settings, now, takes, progress)
        for source in sources
        if source.files is not None
    ]
    sessions = [session for source in sources for session in source.sessions]
    if sessions or not results:
        results.append(
            transfer.import_sessions(
                root, sessions, settings, now, progress, dry_run=takes.is_dry_run
            )
        )
    return ImportResult(
        tuple(name for result in results for name in result.ids),
        sum(result.present for result in results),
        privacy.sum_counts(result.redactions for result in results),
        tuple(warning for result in results for warning in result.warnings),
        tuple(pair for result in results for pair in result.renumbered),
        tuple(name for result in results for name in result.restored),
        tuple(name for result in results for name in result.archived),
        sum(result.returned for result in results),
    )


def _bring_memory(
    root: Root,
    given: Files,
    settings: Settings,
    now: datetime,
    takes: Takes,
    progress: Progress | None,
) -> ImportResult:
    wanted, warnings = _of_root(given)
    if not takes.config and wanted.pop(file_kinds.CONFIG, None) is not None:
        warnings += (
            "config.json was left out: here it would be your own settings; --with-config takes it",
        )
    warnings += _not_foreign(root, wanted)
    warnings += _kept_encrypted(root, wanted)
    present = dict(_files_of(root, with_observations=False))
    for name in filter(file_kinds.is_of_observations, wanted):
        data = files.find_bytes(_path(root, name))
        present.update({} if data is None else {name: data})
    safe = SafeFiles(wanted, present, settings)
    is_part = _is_part(present, safe)
    if _asks_for_encryption(wanted) and not root.modes.is_sealed:
        if is_part:
            root, told = _encrypted(root, takes.home)
        else:  # what is here would stay as it is
            del wanted[file_kinds.CONFIG]
            told = ("config.json was left out: `memory encrypt` turns encryption on here",)
        warnings += told
    if is_part:
        result = _restore(root, safe.all(progress), now, takes, progress)
    else:
        result = _merge(root, safe, settings, now, takes, progress)
    return result._replace(
        redactions=privacy.sum_counts((safe.counts(with_days=is_part), result.redactions)),
        warnings=(*safe.warnings(), *warnings, *result.warnings),
    )


def _of_root(given: Files) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files that are part of a memory, and what to say about the others."""
    wanted = {name: data for name, data in sorted(given.items()) if file_kinds.is_of_memory(name)}
    passed = sum(not _OWN.match(name) for name in given if name not in wanted)
    told = f"{counted(passed, 'file')} passed over: no part of a memory"
    return wanted, (told,) if passed else ()


def _not_foreign(root: Root, wanted: dict[str, bytes]) -> tuple[str, ...]:
    """Take out of settings that become the user's own what nobody else may set; say so."""
    if file_kinds.CONFIG not in wanted or root.scope != "global":
        return ()
    try:
        text, names = configuring.as_own(wanted[file_kinds.CONFIG].decode("utf-8", "replace"), root)
    except InvalidInputError as error:
        del wanted[file_kinds.CONFIG]
        return (f"config.json was left out: {error.message}",)
    if not names:
        return ()
    wanted[file_kinds.CONFIG] = text.encode()
    return (
        f"left out of config.json, since only you may set it: {', '.join(names)};"
        " `memory config set --global` does",
    )


def _kept_encrypted(root: Root, wanted: dict[str, bytes]) -> tuple[str, ...]:
    """Take out settings that would switch encryption off, for nobody asked for that; say so."""
    if file_kinds.CONFIG not in wanted or not root.modes.is_sealed or _asks_for_encryption(wanted):
        return ()
    del wanted[file_kinds.CONFIG]
    return ("config.json was left out: it would switch encryption off here",)


def _asks_for_encryption(wanted: Files) -> bool:
    text = wanted.get(file_kinds.CONFIG, b"").decode("utf-8", "replace")
    return layers.parse_settings(text).settings.storage.encryption != "none"


def _encrypted(root: Root, home: str) -> tuple[Root, tuple[str, ...]]:
    """Return a root to which settings come that ask for encryption, and what to say."""
    if keys.load_recipients(encryption.ring_of(home)):
        is_shared = root.modes.file != PRIVATE.file
        return root._replace(modes=encryption.Sealed(home, shared=is_shared)), ()
    told = (
        "its settings ask for encryption, and you have no key: it is plain until `memory encrypt`"
    )
    return root, (told,)


def _path(root: Root, name: str) -> str:
    return os.path.join(root.path, *name.split("/"))


class _Kept(NamedTuple):
    """A session in the files of a memory: in which, what that says, and if it is archived."""

    name: str
    section: Section
    data: bytes
    is_stored: bool


def _sections(given: Files) -> Iterator[_Kept]:
    """Yield the sessions of the days and of the archive; one that a crash left in both once."""
    for name, data in given.items():
        day, stored = file_kinds.day_of(name), file_kinds.archived_day(name)
        if day:
            found = days.parse_bytes(data, day, name)
        elif stored:
            data = said_in(name, data)
            found = days.parse_bytes(data, stored, name)
            present = given.get(f"daily/{stored}.md")
            found = found if present is None else archive_files.without(found, data, present)
        else:
            continue
        # What people wrote outside of sections goes along with its archived day.
        sections = found.all_sections if day else found.sections
        yield from (_Kept(name, section, data, not day) for section in sections)


# ---------------------------------------------------------------------------- restoring


def _is_part(present: Files, safe: SafeFiles) -> bool:
    """Tell whether all that a root holds is in the files too: it is empty, or a kill left a part.

    What `memory init` makes counts as nothing.
    """
    return all(
        _is_template(name, data) or (name in safe and safe.get(name) == data)
        for name, data in present.items()
        if not (name == file_kinds.CONFIG and name not in safe)
    )


def _is_template(name: str, data: bytes) -> bool:
    path = os.path.join(init.template_folder(), name)
    return name in (file_kinds.SUMMARY, file_kinds.CONFIG) and files.find_bytes(path) == data


def _restore(
    root: Root, wanted: Files, now: datetime, takes: Takes, progress: Progress | None
) -> ImportResult:
    """Write the files as they are, all or none; what a kill left of them is made whole."""
    made = [change for change in _changes(root, wanted) if change.action != "keep"]
    new = {change.part for change in made}
    kept = [section for section in _sections(wanted) if section.section.session.number]
    added = [section for section in kept if section.name in new]
    result = ImportResult(
        tuple(_id(section) for section in added),
        len(kept) - len(added),
        restored=tuple(sorted(new)),
        archived=tuple(_id(section) for section in added if section.is_stored),
    )
    if takes.is_dry_run or not made:
        return result
    with locked(root):
        init.ignore_derived(root)
        files.make_folder(root.daily_folder, root.modes)  # by this a memory is known
        _note_observed(root, made)
        transaction.apply(made, root.path, root.modes, beside=root.index_folder)
        written = [_written(section) for section in added if not section.is_stored]
        stored = [section.section.session for section in added if section.is_stored]
        others = [change.part for change in made if not file_kinds.holds_sections(change.part)]
        done = replace.Imported([one for one, _ in written], stored, others=others)
        warnings = replace.note_import(root, done, now)
        return result._replace(warnings=warnings + save.record(root, written, now, progress))


def _note_observed(root: Root, made: Sequence[FileChange]) -> None:
    """Note which live sessions are not the user's own, before they stand here and are digested."""
    imported.note(root, (change.part for change in made if file_kinds.is_observed(change.part)))


def _id(kept: _Kept) -> str:
    return str(kept.section.session.id)


def _written(kept: _Kept) -> Written:
    text = days.decode(days.cut(kept.data, kept.section.span)).replace("\r\n", "\n")
    return Written(kept.section.session, text)


def _changes(root: Root, wanted: Files) -> list[FileChange]:
    """Return what has to be written so that a root has these files.

    Raises:
        BackendError: a folder on the way is a link; whoever made the root would choose where we
            write.
    """
    made = []
    for name, data in sorted(wanted.items()):
        path = _path(root, name)
        folder = os.path.dirname(path)
        while folder not in (root.path, root.daily_folder):
            if os.path.islink(folder):
                hint = "put a folder in its place"
                raise BackendError(f"{folder!r} is a link, and is not followed", hint=hint)
            folder = os.path.dirname(folder)
        made.append(FileChange(name, path, files.find_bytes(path), data, files.stamp(path)))
    return made


# ---------------------------------------------------------------------------- merging


def _merge(
    root: Root,
    safe: SafeFiles,
    settings: Settings,
    now: datetime,
    takes: Takes,
    progress: Progress | None,
) -> ImportResult:
    """Add the sessions that are new, and the other files that a root lacks."""
    # As they were given: those that are new are redacted, once, on their way in.
    kept = list(_sections(safe.given))
    sessions, stored = (
        transfer.marked(
            section.section.session for section in kept if section.is_stored == is_stored
        )
        for is_stored in (False, True)
    )
    others = {name: safe.get(name) for name in safe.given if not file_kinds.holds_sections(name)}
    made, warnings = [], _left_out(root, safe.given)
    for change in _changes(root, others):
        elsewhere = _elsewhere(root, change.part)
        if change.before is None and elsewhere is not None:
            if not elsewhere.startswith(said_in(change.part, others[change.part])):
                warnings.append(f"{change.part} is another one here, and was left out")
        elif change.before is None or _is_template(change.part, change.before):
            made.append(change)
        elif change.before != change.after:
            warnings.append(f"{change.part} is another one here, and stays as it is")
    made = [change for change in made if change.action != "keep"]

    def imported() -> ImportResult:
        return transfer.import_sessions(
            root,
            sessions,
            settings,
            now,
            progress,
            stored=stored,
            others=[change.part for change in made],
            dry_run=takes.is_dry_run,
        )

    if takes.is_dry_run:
        result = imported()
    else:
        with locked(root):
            _note_observed(root, made)
            transaction.apply(made, root.path, root.modes, beside=root.index_folder)
        result = _or_undone(imported, made, root)
    return result._replace(
        warnings=(*warnings, *result.warnings), restored=tuple(change.part for change in made)
    )


def _left_out(root: Root, given: Files) -> list[str]:
    """Return a warning for each archived day with text by hand that its archive here lacks.

    Such text has no number by which it could be put beside the sections of another archive.
    """
    warnings = []
    for name, data in given.items():
        day = file_kinds.archived_day(name)
        theirs = days.parse_bytes(said_in(name, data), day, name).loose if day else ()
        here = {one.session for one in archive_files.load_day(root, day).loose} if day else set()
        if any(their.session not in here for their in theirs):
            warnings.append(f"{name}: what was written by hand outside of sections was left out")
    return warnings


def _elsewhere(root: Root, name: str) -> bytes | None:
    """Return what a root has of a live session at its other place: archived, or not."""
    stored = file_kinds.archived_observed(name)
    if stored:
        return files.find_bytes(_path(root, stored))
    is_live = file_kinds.is_observed(name)
    path = archive_files.observed_path(root, _path(root, name)) if is_live else ""
    return archive_files.load_observed(path) if is_live and os.path.exists(path) else None


def _or_undone(
    work: Callable[[], ImportResult], made: Sequence[FileChange], root: Root
) -> ImportResult:
    """Do the work; where it fails, the changes made before it are undone."""
    try:
        return work()
    except BaseException:
        transaction.undo(made, root.path, root.modes, beside=root.index_folder)
        raise
