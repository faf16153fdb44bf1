"""`memory.team`: the database that a team shares, and the push of a project to it.

There is no queue. The database has a fingerprint of each pushed day, and a push sends the days
whose fingerprints differ. A fingerprint is made of the sizes and times of the files, and of their
bytes if they were written just now. Without those times it can't confirm a guess of the text.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from hashlib import blake2b
from typing import NamedTuple

from daily_memory.backends.team import database
from daily_memory.backends.team.database import SharedRecord
from daily_memory.core.record import SESSION, Record, day_of, of_observation
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import BackendError, InvalidInputError, NotFoundError
from daily_memory.model import SessionId
from daily_memory.services import MemoryPart
from daily_memory.services.reading import mirror, records, team_search
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.reading.records import RecordResult
from daily_memory.services.reading.team_search import check_on
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.storage import days, observations, project_list, roots
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import TEAM, locked
from daily_memory.storage.git import authors
from daily_memory.storage.index import embeddings, indexer, refresh
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# To be raised when the same files give different records.
_VERSION = 1
_STATEMENT_S = 120.0


class TeamStatus(NamedTuple):
    """What the team has of a project from here; `behind` counts the days that differ."""

    project: str
    sessions: int
    observations: int
    behind: int
    days: int = 0
    added: int = 0
    removed: int = 0


class Team(MemoryPart):
    """What this project shares with a team, and what the team knows."""

    def search(
        self,
        question: str,
        *,
        limit: int = 0,
        kinds: Sequence[str] = (),
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
        since: date | None = None,
        until: date | None = None,
        project: str = "",
    ) -> RecordResult:
        """Return what matches best of all projects granted: sessions, or these `kinds`."""
        settings = self._settings()
        query = records.RecordQuery(
            limit or settings.retrieval.max_results,
            tuple(kinds) or (SESSION,),
            tuple(tools),
            tuple(tags),
            since,
            until,
            project,
        )
        meaning = self._workspace.meaning()
        near = meaning.vector(self._root, question) if meaning and question.strip() else ("", [])
        found = team_search.search(question, query, settings, self._workspace.today(), near=near)
        return found._replace(warnings=(*found.warnings, *(meaning.warnings if meaning else ())))

    def get(self, record_id: str) -> tuple[Record, ...]:
        """Return the records with an id that a search gave, such as `team:shop:alice:…`."""
        return team_search.get(record_id, self._settings())

    def _settings(self) -> Settings:
        if self._workspace.person:
            hint = "connect to the database from your own machine: docs/team.md"
            raise InvalidInputError("the team can only be searched with your own role", hint=hint)
        return self._workspace.settings

    def setup(self) -> int:
        """Create or upgrade the tables, as their owner; return how many steps that took."""
        url = check_on(self._workspace.settings)
        with database.opened(url, timeout_s=3600) as opened:
            return opened.setup()

    def is_shared(self) -> bool:
        """Tell whether this project is pushed to the team."""
        return self._workspace.is_shared_root(self._workspace.project_root)

    def status(self) -> TeamStatus:
        """Return what the team has of this project from here, and what it lacks."""
        root, settings = self._root, self._workspace.settings
        url, source = _check(root, settings)
        with database.opened(url, timeout_s=_STATEMENT_S) as opened:
            opened.check()
            stored = opened.fingerprints(root.project, source)
            counts = opened.counts(root.project, source)
        current = fingerprints(root, settings)
        behind = sum(stored.get(day) != current.get(day) for day in {*stored, *current})
        return TeamStatus(root.project, counts["sessions"], counts["observations"], behind)

    def push(self, *, from_scratch: bool = False) -> TeamStatus:
        """Push what changed, or everything `from_scratch`."""
        settings = self._workspace.settings
        return push(self._root, settings, from_scratch=from_scratch)

    def withdraw(self) -> TeamStatus:
        """Remove from the database what was pushed from here."""
        root = self._root
        url, source = _check(root, self._workspace.settings)
        with locked(root, name=TEAM), database.opened(url, timeout_s=_STATEMENT_S) as opened:
            opened.check()
            done = opened.push(root.project, source, {}, lambda _: ())
        return TeamStatus(root.project, 0, 0, 0, *done)

    @property
    def _root(self) -> Root:
        return self._workspace.save_root("project")


def push(
    root: Root, settings: Settings, *, from_scratch: bool = False, wait_s: float = 10.0
) -> TeamStatus:
    """Push what changed in this clone of a project to the database."""
    url, source = _check(root, settings)
    # Otherwise an older state might be written last.
    with locked(root, wait_s=wait_s, name=TEAM):
        origins, vectors = refresh.load_origins(root), _vectors(root, settings)

        def load(day: str) -> Iterator[SharedRecord]:
            hide = policy(settings)
            return _redacted(_shared(root, day, origins, vectors, hide), hide)

        with database.opened(url, timeout_s=_STATEMENT_S) as opened:
            opened.check()
            if from_scratch:
                opened.push(root.project, source, {}, lambda _: ())
            done = opened.push(root.project, source, fingerprints(root, settings), load)
            counts = opened.counts(root.project, source)
    return TeamStatus(root.project, counts["sessions"], counts["observations"], 0, *done)


def _check(root: Root, settings: Settings) -> tuple[str, str]:
    """Return the address of the database, and the id of this clone."""
    mirror.check_allowed(root, settings)
    url = check_on(settings)
    if not settings.mirror.shares(root.project):
        hint = filled("add {!r} to mirror.projects in your own config.json", root.project)
        raise InvalidInputError("project {!r} is not shared", root.project, hint=hint)
    if ":" in root.project:
        hint = "`memory projects rename` gives it another name"
        raise InvalidInputError("project {!r}: no colon can be shared", root.project, hint=hint)
    source = project_list.load_id(roots.project_folder(root))
    if not source:
        raise NotFoundError("this project has no id yet", hint="save something first")
    return url, source


def fingerprints(root: Root, settings: Settings) -> dict[str, str]:
    """Return the fingerprint of each day of a root that has files."""
    now = time.time_ns()
    hide = policy(settings)[:-1]  # without the clock
    by_day: dict[str, list[object]] = {}
    for name, stamp in sorted(mirror.listed(root).items()):
        day = day_of(name.partition("/")[2])
        if day:
            # A later change may have the same stamp.
            is_recent = files.is_recent(stamp, now)
            read = files.find_raw(os.path.join(root.path, name)) if is_recent else b""
            by_day.setdefault(day, [_VERSION, hide]).append((name, stamp, _digest(read or b"")))
    known = embeddings.load(root) if settings.semantic.enabled else None
    for entry in known.entries if known else ():
        if entry.date in by_day:
            by_day[entry.date].append((known and known.model, *entry[:5]))
    return {day: _digest(repr(parts).encode()) for day, parts in by_day.items()}


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


class _Vectors(NamedTuple):
    """The vectors of the sessions of a root, by day, number and digest of the section."""

    model: str = ""
    of_sections: Mapping[tuple[str, int, str], tuple[Sequence[float], ...]] = {}


def _vectors(root: Root, settings: Settings) -> _Vectors:
    loaded = embeddings.load_vectors(root) if settings.semantic.enabled else None
    if loaded is None:
        return _Vectors()
    (known, data), size = loaded, loaded[0].dimensions
    found: dict[tuple[str, int, str], tuple[Sequence[float], ...]] = {}
    for row, entry in enumerate(known.entries):
        vector = array("b", data[row * size : (row + 1) * size])
        found[entry[:3]] = (*found.get(entry[:3], ()), vector)
    return _Vectors(f"{known.provider}/{known.model}", found)


def _shared(
    root: Root, day: str, origins: Mapping[SessionId, str], vectors: _Vectors, hide: Policy
) -> Iterator[SharedRecord]:
    """Yield the records of a day, without private ones and those that others push themselves."""
    when = date.fromisoformat(day)
    data = days.load_data(root, when)
    path = days.day_path(root, when)
    for section in days.parse_bytes(data, when, path).all_sections:
        session = section.session
        origin = origins.get(session.id) or session.origin
        if session.is_private or origin.startswith(authors.ORIGIN):
            continue
        stored = StoredSession(session, root, path, section.span, origin)
        record = records.session_record(stored)._replace(id=str(session.id))
        digest = indexer.section_digest(section).hex()
        pieces = vectors.of_sections.get((day, session.number, digest), ())
        if pieces and privacy.redact_session(session, hide)[1]:
            pieces = ()  # the vector may reveal a secret
        yield SharedRecord(record, record.id, 0, vectors.model, pieces)
    for path in observations.list_paths(root, day):
        yield from _observed(root, day, path)


def _observed(root: Root, day: str, path: str) -> Iterator[SharedRecord]:
    try:
        live, lines = observations.read_lines(path, files.read_bytes(path))
    except (BackendError, NotFoundError):
        return  # as in the mirror
    if live.private:
        return
    name = os.path.basename(path).removesuffix(".jsonl")
    conversation, project = live.conversation or name, live.project or root.project
    for place, line in enumerate(observations.distinct(lines)):
        if line.observation.private:
            continue
        one = line.observation._replace(at=line.observation.at or live.began)
        record = of_observation(f"{day}/{name}:{line.place}", one, conversation, project)
        yield SharedRecord(record, f"{day}/{name}", place)


def _redacted(shared: Iterator[SharedRecord], hide: Policy) -> Iterator[SharedRecord]:
    """Yield records redacted again: files may be edited, and rules get better."""
    for each in shared:
        record = each.record
        text, tool, *names = privacy.redact_all([record.text, record.tool, *record.files], hide)
        yield each._replace(
            record=record._replace(
                text=text.text,
                tool=tool.text,
                files=tuple(name.text for name in names),
                tags=privacy.redact_tags(record.tags, hide),
            ),
        )
