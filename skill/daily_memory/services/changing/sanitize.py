"""Hide the secrets in all files of a memory: `memory cleanup --sanitize`.

Only the secrets change. There is no undo, which would be a copy of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import chain
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import exact, markdown
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.files import redact_lines, redact_text, redact_texts
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Span
from daily_memory.services.changing import conflicts
from daily_memory.services.setup.redaction_policy import policy, strict
from daily_memory.storage import (
    archive_files,
    days,
    hook_log,
    journal,
    mirror_db,
    observations,
    pending_saves,
    scan_cache,
    undo_files,
    workers,
)
from daily_memory.storage.fs import files, replace
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# Files refer to each other by these fields, whose values may look like secrets.
_NAMES = frozenset(
    ("id", "at", "conversation", "continues", "digest", "digested", "event", "turn", "recalled")
)

# See `scan_cache`.
_SECRETS = "secrets"

# Bytes in, the same without secrets out.
_Clean = Callable[[bytes, Policy], tuple[bytes, Counts]]


class Hidden(NamedTuple):
    """A file with secrets: its name below the root, and their number by kind."""

    name: str
    counts: Counts


class Sanitized(NamedTuple):
    """The files with secrets in a root, and warnings about unreadable ones."""

    files: tuple[Hidden, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> Counts:
        return privacy.sum_counts(file.counts for file in self.files)


class _Place(NamedTuple):
    """A file that may hold secrets, and the function that hides them."""

    path: str
    clean: _Clean


def sanitize(root: Root, settings: Settings, *, dry_run: bool = False) -> Sanitized:
    """Hide the secrets in a root, even if the settings record them; `dry_run` only counts them."""
    hide = strict(policy(settings))
    if dry_run:
        return _each(root, hide, dry_run=True)
    with locked(root):
        done = _each(root, hide, dry_run=False)
        # The index may have been made before the secrets were hidden.
        if os.path.isdir(root.daily_folder):
            indexer.rebuild(root)
    if os.path.isfile(mirror_db.mirror_path(root)):
        from daily_memory.services.reading import mirror  # only where there is one

        mirror.drop(root)
        if settings.mirror.enabled:
            mirror.sync(root, settings, rebuild=True)
    return done


def _each(root: Root, hide: Policy, *, dry_run: bool) -> Sanitized:
    found: list[Hidden] = []
    warnings: list[str] = []
    # The last field of a policy is a clock.
    rules = scan_cache.fingerprint(privacy, hide[:-1])
    known = scan_cache.load(root, _SECRETS, rules)
    clean: dict[str, Stamp] = {}
    places = [(place, root.name_of(place.path), files.stamp(place.path)) for place in _places(root)]
    new = [place for place, name, stamp in places if stamp != known.get(name)]
    sizes = [stamp[0] for _, name, stamp in places if stamp != known.get(name)]
    # The user's own patterns have one time limit together.
    most = 1 if hide.patterns else 0
    searched = workers.each(partial(_search, hide), new, sizes, modes=root.modes, most=most)
    for place, name, stamp in with_progress(places):
        counts, fault = ((), "") if stamp == known.get(name) else next(searched)
        if counts and not dry_run:
            counts, fault = _sanitize_file(root, place, hide)
        if fault:
            warnings.append(filled("{} stays as it is: {}", name, fault))
        elif counts:
            found.append(Hidden(name, counts))
        else:
            clean[name] = stamp
    scan_cache.save(root, _SECRETS, rules, clean)
    return Sanitized(tuple(found), tuple(warnings))


def _search(hide: Policy, place: _Place) -> tuple[Counts, str]:
    """Return the secrets in a file by kind, and why it can't be read, if so."""
    try:
        data = files.find_bytes(place.path)
        return (place.clean(data, hide)[1] if data else ()), ""
    except DailyMemoryError as error:
        return (), error.message


def _sanitize_file(root: Root, place: _Place, hide: Policy) -> tuple[Counts, str]:
    """Hide the secrets in a file; return what `_search` does."""
    counts: Counts = ()

    def cleaned(data: bytes) -> bytes:
        nonlocal counts
        after, counts = place.clean(data, hide) if data else (data, ())
        return after if counts else data

    try:
        replace.rewrite(place.path, cleaned, root.modes, folder=root.index_folder)
    except DailyMemoryError as error:
        return counts, error.message
    return counts, ""


def _places(root: Root) -> Iterator[_Place]:
    for file in days.list_days(root):
        yield _Place(file.path(root), partial(redact_day, day=file.day))
    for archived in archive_files.list_days(root):
        yield _Place(
            archived.path,
            partial(
                _redact_packed, path=archived.path, clean=partial(redact_day, day=archived.day)
            ),
        )
    for packed, _ in archive_files.list_observed(root):
        yield _Place(packed, partial(_redact_packed, path=packed, clean=_lines))
    for day in observations.list_days(root):
        for path in observations.list_paths(root, day):
            yield _Place(path, _lines)
    yield _Place(os.path.join(root.path, "summary.md"), redact_text)
    yield _Place(root.in_index(journal.NAME), _lines)
    yield _Place(hook_log.log_path(root), redact_text)
    for path in pending_saves.list_waiting(root):
        yield _Place(path, _lines)
    for path in conflicts.list_backups(root):
        copied = days.day_of(os.path.basename(path))
        yield _Place(path, partial(redact_day, day=copied) if copied else redact_text)
    for path in undo_files.paths(root):
        yield _Place(path, partial(_redact_packed, path=path, clean=_operation))


# Pickled for other processes, so it can't be a closure.
def _redact_packed(data: bytes, hide: Policy, path: str, clean: _Clean) -> tuple[bytes, Counts]:
    after, counts = clean(archive_files.unpack(data, path), hide)
    return archive_files.pack(after), counts


def redact_day(data: bytes, hide: Policy, day: date) -> tuple[bytes, Counts]:
    """Return a day with its secrets hidden, and how many of each kind there were.

    The text between our own comments is redacted as it is, so that no other byte changes. Then the
    parsed sections are searched: one with a secret that only shows after parsing, as across an
    escape, is formatted again.
    """
    texts: list[list[bytes]] = [[]]
    comments: list[bytes] = []
    for line in data.splitlines(keepends=True):
        if line.startswith(b"<!--") and markdown.parse_facts(days.decode(line).rstrip()):
            comments.append(line)
            texts.append([])
        else:
            texts[-1].append(line)
    redacted = list(redact_texts([b"".join(lines) for lines in texts], hide))
    pieces = zip([text for text, _ in redacted], [*comments, b""], strict=True)
    after, more = _sections(b"".join(chain.from_iterable(pieces)), day, hide)
    return after, privacy.sum_counts([*[counts for _, counts in redacted], more])


def _sections(data: bytes, day: date, hide: Policy) -> tuple[bytes, Counts]:
    parsed = days.parse_bytes(data, day, "")
    found: list[Counts] = []
    written: dict[Span, bytes] = {}
    cleaned = privacy.redact_sessions([section.session for section in parsed.sections], hide)
    for section, (session, counts) in zip(parsed.sections, cleaned, strict=True):
        if not counts:
            continue
        headings = parsed.language or markdown.heading_language("auto", [session])
        text = markdown.format_section(session, language=headings, open_fences=parsed.open_fences)
        written[section.span] = days.encode(text, days.cut(data, section.span))
        found.append(counts)
    return days.spliced(data, written), privacy.sum_counts(found)


def _lines(data: bytes, hide: Policy) -> tuple[bytes, Counts]:
    return redact_lines(data, hide, _NAMES)


def _operation(data: bytes, hide: Policy) -> tuple[bytes, Counts]:
    try:
        operation = undo_steps.parse_operation(data, "")
    except ValueError:
        return _lines(data, hide)
    found: list[Counts] = []

    def hidden(text: str, clean: _Clean) -> str:
        if not text:
            return text
        after, counts = clean(exact.to_bytes(text), hide)
        found.append(counts)
        return exact.to_text(after) if counts else text

    def observed(piece: undo_steps.Blanked) -> undo_steps.Blanked:
        return piece._replace(text=_fitting(hidden(piece.text, _lines), piece.text))

    changed = []
    for day in operation.days:
        clean = partial(redact_day, day=date.fromisoformat(day.date))
        topics = list(privacy.redact_each([change.topic for change in day.changes], hide))
        found += [topic.counts for topic in topics]
        changes = tuple(
            change._replace(
                topic=topic.text,
                before=hidden(change.before, clean),
                after=hidden(change.after, clean),
                observed=tuple(map(observed, change.observed)),
            )
            for change, topic in zip(day.changes, topics, strict=True)
        )
        changed.append(day._replace(changes=changes))
    cleaned = undo_steps.format_operation(operation._replace(days=tuple(changed)))
    return cleaned, privacy.sum_counts(found)


def _fitting(text: str, before: str) -> str:
    """Return a text that is no longer than `before`, which it replaces in place."""
    is_longer = len(exact.to_bytes(text)) > len(exact.to_bytes(before))
    return MARK.sub("***", text) if is_longer else text
