"""`memory.embedding`: the vectors of a memory, for search by meaning.

They are made by a background process after saves, one at a time. Finished vectors are kept if the
rest fails. Unchanged and moved texts are not embedded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from daily_memory.backends.embedders import hub
from daily_memory.backends.embedders.table import PROVIDERS, open_embedder
from daily_memory.core import embedding_models
from daily_memory.core.ports import AGAIN, LATER, Embedder, ModelError
from daily_memory.core.progress import report_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.search import chunks, probes
from daily_memory.core.settings import Semantic, Settings
from daily_memory.errors import InvalidInputError
from daily_memory.model import Section, Session
from daily_memory.services import MemoryPart
from daily_memory.services.setup.redaction_policy import known_policy, strict
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import EMBEDDING, locked
from daily_memory.storage.index import embeddings
from daily_memory.storage.index.embeddings import Key, VectorEntry, VectorSet
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# How many texts the model gets at once, and after how many sessions vectors are written.
BATCH = 64
LOT = 256
_BATCH_S = 120.0
CHECK_S = 30.0
_ATTEMPTS = 5
_MOST_WAIT_S = 60.0
# How long to wait for another embedding process.
WAIT_S = 20.0


class EmbeddingStatus(NamedTuple):
    """How many sessions of a root are embedded, and by which model."""

    path: str
    provider: str
    model: str
    sessions: int
    embedded: int
    vectors: int
    bytes: int
    known: Mapping[str, float] = {}

    @property
    def pending(self) -> int:
        return self.sessions - self.embedded


class Embedding(MemoryPart):
    """The vectors of the memories in use; `scope` chooses among them as in a search."""

    def status(self, *, scope: str = "") -> list[EmbeddingStatus]:
        """Return what is embedded of each memory."""
        workspace = self._workspace
        return [status(root, workspace.settings) for root in workspace.search_roots(scope)]

    def run(self, *, scope: str = "", from_scratch: bool = False) -> list[EmbeddingStatus]:
        """Embed what is not embedded yet, or everything `from_scratch`; return the new status."""
        workspace = self._workspace
        return [
            embed(root, workspace.settings, workspace.environment, from_scratch=from_scratch)
            for root in workspace.search_roots(scope)
        ]

    def drop(self, *, scope: str = "") -> None:
        """Remove all vectors."""
        for root in self._workspace.search_roots(scope):
            with locked(root):
                for name in (embeddings.CURRENT, embeddings.NEXT):
                    embeddings.drop(root, name)

    def plan(self, wanted: Semantic) -> str:
        """Return in a sentence what these settings load or send."""
        return plan(wanted, is_new=self._is_new(wanted))

    def prepare(self, wanted: Semantic) -> None:
        """Download the model of these settings if it is not here, and try it."""
        if self._is_new(wanted):
            hub.download(wanted.model)
        embedder = open_embedder(wanted, self._workspace.environment)
        embedder.embed(["memory"], CHECK_S)

    def _is_new(self, wanted: Semantic) -> bool:
        is_here = hub.is_path(wanted.model) or bool(
            hub.find_folder(wanted.model, self._workspace.environment)
        )
        return not PROVIDERS[wanted.provider].is_server and not is_here


def plan(wanted: Semantic, *, is_new: bool) -> str:
    """Return in a sentence what these settings load or send.

    >>> plan(Semantic(True, "ollama", "bge-m3"), is_new=False)
    'bge-m3: your memories and questions are sent to http://127.0.0.1:11434, secrets hidden'
    """
    provider = PROVIDERS[wanted.provider]
    if provider.is_server:
        url = wanted.url or provider.url
        return filled(
            "{}: your memories and questions are sent to {}, secrets hidden", wanted.model, url
        )
    if not is_new:
        return filled("{}: loaded from this machine; nothing leaves it", wanted.model)
    size = embedding_models.find(wanted.model).size_mb
    shown = filled("about {:,} MB", size) if size else "size unknown"
    return filled(
        "{}: downloaded once from huggingface.co ({}), then runs here", wanted.model, shown
    )


def status(root: Root, settings: Settings) -> EmbeddingStatus:
    """Return what is embedded of a root with the model of the settings."""
    wanted = settings.semantic
    current = embeddings.places(root).keys
    name = _target(root, settings)
    known = embeddings.load(root, name) or VectorSet(wanted.provider, wanted.model)
    done = {entry[:3] for entry in known.entries}
    size = sum(
        max(files.stamp(embeddings.path_of(root, each))[0], 0)
        for each in (name, known.file or name)
    )
    return EmbeddingStatus(
        embeddings.path_of(root, name),
        wanted.provider,
        wanted.model,
        len(current),
        len(current & done),
        len(known.entries),
        size,
        known.known,
    )


def embed(
    root: Root,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    from_scratch: bool = False,
    wait_s: float = WAIT_S,
    lot: int = LOT,
    sleep: Callable[[float], object] = time.sleep,
) -> EmbeddingStatus:
    """Embed what is not embedded yet, newest first; return the new status.

    Vectors are written after each `lot` of sessions.

    Raises:
        LockBusyError: another process is embedding, and took longer than `wait_s`.
        ModelError: the model failed; earlier vectors are kept.
    """
    if not settings.semantic.enabled:
        hint = "memory config set --global semantic.enabled true"
        raise InvalidInputError("search by meaning is off", hint=hint)
    with locked(root, wait_s=wait_s, name=EMBEDDING):
        work = _Run(root, settings, environment, sleep)
        if from_scratch:
            with locked(root):
                embeddings.drop(root, work.name)
            work = _Run(root, settings, environment, sleep)
        try:
            work.run(lot)
            embeddings.forget(root, knows_all=True)
        except BaseException:
            embeddings.forget(root)
            raise
    return status(root, settings)


def _target(root: Root, settings: Settings) -> str:
    """Return the name of the set for vectors of the chosen model."""
    wanted = settings.semantic
    current = embeddings.load(root)
    is_free = current is None or current.is_of(wanted.provider, wanted.model)
    return embeddings.CURRENT if is_free else embeddings.NEXT


class _Run:
    """One run of embedding, and the set of vectors that it adds to."""

    def __init__(
        self,
        root: Root,
        settings: Settings,
        environment: Mapping[str, str],
        sleep: Callable[[float], object],
    ) -> None:
        self._root = root
        self._settings = settings
        self._environment = environment
        self._sleep = sleep
        self.name = _target(root, settings)
        wanted = settings.semantic
        found = embeddings.load_vectors(root, self.name)
        if found is None or not found[0].is_of(wanted.provider, wanted.model):
            found = VectorSet(wanted.provider, wanted.model), b""
        self._known = found[0]._replace(provider=wanted.provider, model=wanted.model)
        self._data = found[1]
        self._rows = {
            entry.text: row for row, entry in enumerate(self._known.entries) if entry.text
        }
        self._model: Embedder | None = None

    def run(self, most: int) -> None:
        current = embeddings.places(self._root).keys
        pending = current - {entry[:3] for entry in self._known.entries}
        done = 0
        lot: list[tuple[Section, Key]] = []
        for each in self._sections(pending):
            lot.append(each)
            if len(lot) == most:
                self._add(lot)
                done += len(lot)
                lot = []
                report_progress(done, len(pending))
        self._add(lot)
        if pending:
            report_progress(len(pending), len(pending))
        self._measure(current)
        if self.name == embeddings.NEXT:
            with locked(self._root):
                embeddings.promote(self._root)

    def _sections(self, pending: set[Key]) -> Iterator[tuple[Section, Key]]:
        ordered = sorted(pending, reverse=True)
        for name, group in groupby(ordered, key=lambda place: place[0]):
            wanted = set(group)
            for section, place in embeddings.sections(self._root, name):
                if place in wanted:
                    yield section, place

    def _add(self, lot: Sequence[tuple[Section, Key]]) -> None:
        entries: list[VectorEntry] = []
        texts: list[str] = []
        for section, place in lot:
            for text in chunks.chunks(section.session):
                entries.append(
                    VectorEntry(*place, embeddings.text_digest(text), chunks.script(text))
                )
                texts.append(text)
        new = [place for place, entry in enumerate(entries) if entry.text not in self._rows]
        vectors = dict(zip(new, self._vectors([texts[place] for place in new]), strict=True))
        if not entries:
            return
        rows = [
            vectors[place] if place in vectors else self._row(self._rows[entry.text])
            for place, entry in enumerate(entries)
        ]
        entries = [
            entry._replace(norm=embeddings.length(row))
            for entry, row in zip(entries, rows, strict=True)
        ]
        dimensions = len(rows[0])
        with locked(self._root):
            # Another process may have removed some meanwhile.
            known = embeddings.load(self._root, self.name)
            if known is None or not known.is_of(self._known.provider, self._known.model):
                known = self._known._replace(entries=(), file="", dimensions=dimensions)
            if known.dimensions != dimensions:
                message = filled("{!r} gives vectors of another length than before", known.model)
                raise ModelError(message, hint="`memory embed --all`")
            known = known._replace(provider=self._known.provider, model=self._known.model)
            self._known = embeddings.add(self._root, known, entries, rows, self.name)

    def _row(self, row: int) -> bytes:
        size = self._known.dimensions
        return self._data[row * size : (row + 1) * size]

    def _vectors(self, texts: Sequence[str]) -> list[bytes]:
        model = self._settings.semantic.model
        return [
            embeddings.pack(vector)
            for start in range(0, len(texts), BATCH)
            for vector in self._asked(
                [embedding_models.passage(model, text) for text in texts[start : start + BATCH]]
            )
        ]

    def _asked(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts; a busy server is asked again."""
        if self._model is None:
            self._model = open_embedder(self._settings.semantic, self._environment)
        if PROVIDERS[self._settings.semantic.provider].is_server:
            hide = strict(known_policy(self._settings))
            texts = [privacy.redact(text, hide).text for text in texts]
        for attempt in range(_ATTEMPTS):
            try:
                return self._model.embed(texts, _BATCH_S)
            except ModelError as error:
                if error.remedy not in (AGAIN, LATER) or attempt == _ATTEMPTS - 1:
                    raise
                self._sleep(min(error.wait_s or 2.0**attempt, _MOST_WAIT_S))
        raise AssertionError  # the last attempt returns or raises

    def _measure(self, current: set[Key]) -> None:
        """Measure how well the model knows the languages of the memory, unless done lately."""
        measured = int(self._known.known.get("measured", 0))
        if not self._known.entries or 2 * measured >= len(current):
            return
        known = {"measured": float(len(current))}
        for probe in probes.probes(self._sample(current)):
            vectors = [
                vector
                for texts in (probe.firsts, probe.seconds)
                for start in range(0, len(texts), BATCH)
                for vector in self._asked(texts[start : start + BATCH])
            ]
            known[probe.script] = round(probes.known(probe, vectors, _cosine), 3)
        with locked(self._root):
            found = embeddings.load(self._root, self.name)
            if found:
                self._known = embeddings.note(self._root, found._replace(known=known), self.name)

    def _sample(self, current: set[Key]) -> Iterable[Session]:
        """Return up to a few hundred sessions, spread over the memory."""
        ordered = sorted(current)
        step = max(len(ordered) // (6 * probes.PAIRS), 1)
        return (section.session for section, _ in self._sections(set(ordered[::step])))


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(first, second, strict=True))
    norms = sum(a * a for a in first) * sum(b * b for b in second)
    return dot / norms**0.5 if norms else 0.0
