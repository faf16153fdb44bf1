"""Search by meaning: the vectors of a memory that are closest to that of a question.

Loaded only if `semantic.enabled` is on. Failures are warnings: the search by words goes on.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from heapq import nlargest

from daily_memory.backends.embedders.table import PROVIDERS, open_embedder
from daily_memory.core import embedding_models
from daily_memory.core.ports import Embedder, ModelError
from daily_memory.core.search import chunks, fusion, ranking, vectors
from daily_memory.core.search.fusion import Blended
from daily_memory.core.search.query import ParsedQuery
from daily_memory.core.search.ranking import RankedSession
from daily_memory.core.search.vectors import LaneVectors, NumpyVectors
from daily_memory.core.settings import Retrieval, Semantic
from daily_memory.errors import DailyMemoryError
from daily_memory.model import SessionId
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.index import embeddings
from daily_memory.storage.index.embeddings import VectorSet
from daily_memory.storage.roots import Root
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.vectors import Vectors
    from daily_memory.services.reading.root_search import Index

# How long a search waits for a server.
_QUESTION_S = 5.0
_MOST_QUESTION_CHARS = 2000
# How many of the closest texts are tried, if few sessions pass the filters.
_MOST_LOOKED_AT = 5000
# How much of the mean vector of a script is subtracted from a question in it, if there are texts
# in another script: measured in docs/benchmarks.md.
_LANGUAGE_SHARE = 0.5
# With more bytes of vectors, importing numpy pays off.
_MANY_BYTES = 12_000_000


class _Loaded(NamedTuple):
    """The vectors of a root, and the rows of each session and script.

    `covered` counts the sessions that have vectors: in day files, and in the archive.
    """

    known: VectorSet
    data: bytes
    vectors: Vectors
    rows: Mapping[tuple[str, int], Sequence[int]]
    scripts: Mapping[str, Sequence[int]]
    covered: tuple[int, int]
    means: dict[str, list[float]]  # of the vectors of a script, once it was asked for


# Kept for servers: vectors by folder, with the stamps of their files; models by settings.
_loaded: dict[str, tuple[object, _Loaded]] = {}
_embedders: dict[tuple[str, ...], Embedder] = {}


class Near:
    """How close each text of a root is to a question."""

    def __init__(self, loaded: _Loaded, vector: Sequence[float], question: str) -> None:
        self._loaded = loaded
        self._script = chunks.script(question)
        own = loaded.scripts.get(self._script)
        if own and len(loaded.scripts) > 1:
            # Half of a vector may only express its language.
            if self._script not in loaded.means:
                norms = [entry.norm for entry in loaded.known.entries]
                loaded.means[self._script] = vectors.mean(loaded.data, norms, own)
            vector = vectors.without(vector, loaded.means[self._script], _LANGUAGE_SHARE)
        self._cosines = cosines = loaded.vectors.cosines(vector)
        self._among = {
            script: fusion.Cosines(*loaded.vectors.moments(cosines, rows), len(rows))
            for script, rows in loaded.scripts.items()
        }
        self._near: dict[SessionId, tuple[float, str]] = {}

    def covered(self, *, is_archived: bool) -> int:
        """Return how many sessions of the memory, or of its archive, have vectors."""
        return self._loaded.covered[is_archived]

    def with_closest(
        self, keys: Sequence[int], lookup: Index, allowed: Collection[int] | None
    ) -> list[int]:
        """Return these keys and those of the closest sessions; remember how close each is."""
        joined = list(dict.fromkeys((*keys, *self._closest(lookup, allowed))))
        digests = lookup.digests_of(joined)
        entries = self._loaded.known.entries
        for place in lookup.places(joined):
            id_ = SessionId(date.fromordinal(place.day), place.number, place.copy)
            close = [
                (float(self._cosines[row]), entries[row].script)
                for row in self._loaded.rows.get((id_.date.isoformat(), id_.number), ())
                if entries[row].section in ("", digests[place.key].hex())
            ]
            if close:
                self._near[id_] = max(close)
        return joined

    def blended(
        self, query: ParsedQuery, ranked: Sequence[RankedSession], settings: Retrieval, method: str
    ) -> list[Blended]:
        """Return the sessions that answer the question, by words and by meaning, best first."""
        weights = fusion.Weights(settings.keyword_weight, settings.semantic_weight)
        if method == "semantic":
            weights = fusion.Weights(0.0, 1.0)
        covered = fusion.coverage(query)
        semantic: dict[int, float] = {}
        shares: dict[int, float] = {}
        for place, each in enumerate(ranked):
            if each.session.id not in self._near:
                continue
            cosine, script = self._near[each.session.id]
            trusted = fusion.trust(self._known(script))
            semantic[place] = fusion.semantic_score(cosine, self._among[script])
            shares[place] = fusion.share(weights, covered, trusted)
        return fusion.relevant(fusion.blended(ranked, semantic, shares))

    def _closest(self, lookup: Index, allowed: Collection[int] | None) -> list[int]:
        """Return the keys of the closest sessions that pass the filters.

        Scripts are searched separately: texts in the language of the question are always closer
        than those in another one.
        """
        entries, found = self._loaded.known.entries, dict[int, float]()
        for script, cosines in self._among.items():
            if not fusion.trust(self._known(script)):
                continue
            rows, count = self._loaded.scripts[script], 0
            for row in self._loaded.vectors.closest(self._cosines, rows, _MOST_LOOKED_AT):
                entry = entries[row]
                day = date.fromisoformat(entry.date).toordinal()
                for key, digest in lookup.keys_at(day, entry.session):
                    is_same = entry.section in ("", digest.hex())
                    if is_same and key not in found and (allowed is None or key in allowed):
                        found[key] = fusion.semantic_score(float(self._cosines[row]), cosines)
                        count += 1
                if count >= ranking.CANDIDATES:
                    break
        return nlargest(ranking.CANDIDATES, found, key=found.__getitem__)

    def _known(self, script: str) -> float:
        known = self._loaded.known.known
        # Sets made by other programs have no measurements.
        both = script if script == self._script else chunks.ACROSS
        return known.get(both, 0.0) if known else 1.0


class Meaning:
    """Search by meaning with the model of the settings, for the questions of one call.

    `redact` hides secrets in text for a server. A hurried search uses no slow model. `warnings` say
    why the last question was not searched by meaning.
    """

    def __init__(
        self,
        settings: Semantic,
        environment: Mapping[str, str],
        redact: Callable[[str], str],
        *,
        is_hurried: bool = False,
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._redact = redact
        self._is_off = is_hurried and not PROVIDERS[settings.provider].is_quick
        self._vectors: dict[tuple[str, str], list[float]] = {}
        self.warnings: tuple[str, ...] = ()

    def near(self, root: Root, question: str) -> Near | None:
        """Return how close the texts of a root are; None, with a warning, if that fails."""
        if self._is_off or not question.strip():
            return None
        self.warnings = ()
        try:
            loaded = _load(root, self._settings)
            if loaded is None:
                self.warnings = (
                    filled(
                        "nothing of {!r} is embedded yet: `memory embed`; keywords were used",
                        root.path,
                    ),
                )
                return None
            vector = self._vector(loaded.known.model, question)
            if len(vector) != loaded.known.dimensions:
                raise ModelError(
                    filled("{!r} gives vectors of another length than before", loaded.known.model),
                    hint="`memory embed --all`",
                )
        except DailyMemoryError as error:
            hint = filled(" ({})", error.hint) if error.hint else ""
            self.warnings = (filled("keywords alone were used: {}{}", error.message, hint),)
            self._is_off = True  # each further question would wait as long
            return None
        return Near(loaded, vector, question)

    def vector(self, root: Root, question: str) -> tuple[str, list[float]]:
        """Return a root's model and its vector of a question; "" and [] if there is none."""
        known = embeddings.load(root)
        if self._is_off or known is None or known.provider != self._settings.provider:
            return "", []
        try:
            return f"{known.provider}/{known.model}", self._vector(known.model, question)
        except DailyMemoryError as error:
            self.warnings = (filled("keywords alone were used: {}", error.message),)
            return "", []

    def _vector(self, model: str, question: str) -> list[float]:
        vector = self._vectors.get((model, question))
        if vector is None:
            settings = self._settings._replace(model=model)
            text = question[:_MOST_QUESTION_CHARS]
            if PROVIDERS[settings.provider].is_server:
                text = self._redact(text)
            text = embedding_models.query(model, text)
            found = _embedder(settings, self._environment).embed([text], _QUESTION_S)[0]
            length = max(sum(each * each for each in found) ** 0.5, 1e-9)
            vector = self._vectors[model, question] = [float(each) / length for each in found]
        return vector


def _embedder(settings: Semantic, environment: Mapping[str, str]) -> Embedder:
    key = settings.provider, settings.model, settings.url
    if PROVIDERS[settings.provider].is_server:
        return open_embedder(settings, environment)  # cheap to open, and its key may change
    if key not in _embedders:
        _embedders[key] = open_embedder(settings, environment)
    return _embedders[key]


def _load(root: Root, settings: Semantic) -> _Loaded | None:
    names = (embeddings.CURRENT, embeddings.NEXT)
    stamps = (settings, *(files.stamp(embeddings.path_of(root, name)) for name in names))
    cached = _loaded.get(root.path)
    if cached and cached[0] == stamps:
        loaded = cached[1]
        if not isinstance(loaded.vectors, NumpyVectors):
            # Only a server asks twice, and it will ask many times.
            fast = _vectors(loaded.known, loaded.data, is_quick=False)
            loaded = loaded._replace(vectors=fast)
            _loaded[root.path] = stamps, loaded
        return loaded
    _loaded.pop(root.path, None)
    # Vectors of the chosen model, even if incomplete, or else of another model of its provider: a
    # provider that is no longer chosen must be sent nothing.
    mine = (settings.provider,)
    found = embeddings.load_vectors(
        root, embeddings.CURRENT, ("", *mine)
    ) or embeddings.load_vectors(root, embeddings.NEXT, mine)
    if found is None or not found[0].entries:
        return None
    known, data = found
    rows: dict[tuple[str, int], list[int]] = {}
    scripts: dict[str, array[int]] = {}
    for row, (day, session, _, _, script, _) in enumerate(known.entries):
        rows.setdefault((day, session), []).append(row)
        scripts.setdefault(script, array("i")).append(row)
    quick = _vectors(known, data, is_quick=len(data) < _MANY_BYTES)
    archived = {key for _, keys in known.archived.values() for key in keys}
    covered = len(archived.intersection(entry[:3] for entry in known.entries)) if archived else 0
    loaded = _Loaded(known, data, quick, rows, scripts, (len(rows) - covered, covered), {})
    _loaded[root.path] = stamps, loaded
    return loaded


def _vectors(known: VectorSet, data: bytes, *, is_quick: bool) -> Vectors:
    """Return vectors to search: quick to load and slower to search, or the reverse."""
    norms = [entry.norm for entry in known.entries]
    if not is_quick:
        try:
            return NumpyVectors(data, known.dimensions, norms)
        except ImportError:
            pass  # slower, with the same result
    return LaneVectors(data, known.dimensions, norms)
