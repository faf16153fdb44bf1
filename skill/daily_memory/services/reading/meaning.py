"""Search by meaning: the vectors of a memory that lie close to that of a question.

Loaded only where `semantic.enabled` is on. What fails here is a warning: words are always there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from daily_memory.backends.embedders.table import PROVIDERS, open_embedder
from daily_memory.core import embedding_models
from daily_memory.core.ports import Embedder, ModelError
from daily_memory.core.search import chunks, fusion, ranking
from daily_memory.core.search.fusion import Blended
from daily_memory.core.search.query import ParsedQuery
from daily_memory.core.search.ranking import RankedSession
from daily_memory.core.settings import Retrieval, Semantic
from daily_memory.errors import DailyMemoryError
from daily_memory.model import SessionId
from daily_memory.storage.fs import files
from daily_memory.storage.index import embeddings
from daily_memory.storage.index.embeddings import VectorSet
from daily_memory.storage.index.lookup import Lookup
from daily_memory.storage.roots import Root

# A search does not wait longer for a server.
_QUESTION_S = 5.0
_MOST_QUESTION_CHARS = 2000
# With filters that few sessions pass, so many of the closest texts are looked through.
_MOST_LOOKED_AT = 5000


class _Loaded(NamedTuple):
    """The vectors of a root as an array, and the rows of each session and script."""

    known: VectorSet
    matrix: Any
    rows: Mapping[tuple[str, int], Sequence[int]]
    scripts: Mapping[str, Sequence[int]]


# What servers ask again and again: by folder with the stamps of its files, and by the settings.
_loaded: dict[str, tuple[object, _Loaded]] = {}
_embedders: dict[tuple[str, ...], Embedder] = {}


class Near:
    """How close each text of a root lies to a question."""

    def __init__(self, loaded: _Loaded, cosines: Any, question: str) -> None:
        self._loaded = loaded
        self._cosines = cosines
        self._script = chunks.script(question)
        self._among = {
            script: fusion.Cosines(float(part.mean()), float(part.std()), len(part))
            for script, rows in loaded.scripts.items()
            for part in (cosines[rows],)
        }
        self._near: dict[SessionId, tuple[float, str]] = {}

    @property
    def sessions(self) -> int:
        """How many sessions have vectors."""
        return len(self._loaded.rows)

    def with_closest(
        self, keys: Sequence[int], lookup: Lookup, allowed: Collection[int] | None
    ) -> list[int]:
        """Return keys of sessions and those of the closest ones; how close each is, is noted."""
        joined = dict.fromkeys((*keys, *self._closest(lookup, allowed)))
        digests = lookup.digests_of(list(joined))
        for place in lookup.places(list(joined)):
            id_ = SessionId(date.fromordinal(place.day), place.number, place.copy)
            self._near |= self._closeness(id_, digests[place.key].hex())
        return list(joined)

    def blended(
        self,
        query: ParsedQuery,
        ranked: Sequence[RankedSession],
        settings: Retrieval,
        method: str,
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

    def _closest(self, lookup: Lookup, allowed: Collection[int] | None) -> list[int]:
        """Return the keys of the sessions with the closest texts that pass the filters."""
        entries, found = self._loaded.known.entries, dict[int, None]()
        rows = (-self._cosines).argsort()[:_MOST_LOOKED_AT]
        for entry in map(entries.__getitem__, rows):
            if not fusion.trust(self._known(entry.script)):
                continue
            day = date.fromisoformat(entry.date).toordinal()
            for key, digest in lookup.keys_at(day, entry.session):
                is_same = entry.section in ("", digest.hex())
                if is_same and (allowed is None or key in allowed):
                    found[key] = None
            if len(found) >= ranking.CANDIDATES:
                break
        return list(found)

    def _closeness(self, id_: SessionId, digest: str) -> dict[SessionId, tuple[float, str]]:
        """Return the cosine and the script of the closest text of a session, if it has vectors."""
        entries = self._loaded.known.entries
        rows = self._loaded.rows.get((id_.date.isoformat(), id_.number), ())
        current = [row for row in rows if entries[row].section in ("", digest)]
        if not current:
            return {}
        row = max(current, key=self._cosines.__getitem__)
        return {id_: (float(self._cosines[row]), entries[row].script)}

    def _known(self, script: str) -> float:
        known = self._loaded.known.known
        # A set that another program made was measured by nobody.
        both = script if script == self._script else chunks.ACROSS
        return known.get(both, 0.0) if known else 1.0


class Meaning:
    """Search by meaning with the model of the settings, for the questions of one call.

    `redact` hides secrets in what a server is sent. A hurried search uses no model that may keep
    it waiting. `warnings` say why the last question was not searched by meaning.
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
        self._vectors: dict[tuple[str, str], Any] = {}
        self.warnings: tuple[str, ...] = ()

    def near(self, root: Root, question: str) -> Near | None:
        """Return how close the texts of a root lie; None, with a warning, where nobody can tell."""
        if self._is_off or not question.strip():
            return None
        self.warnings = ()
        try:
            loaded = _load(root, self._settings)
            if loaded is None:
                self.warnings = (
                    f"nothing of {root.path!r} is embedded yet: `memory embed`; keywords were used",
                )
                return None
            vector = self._vector(loaded.known.model, question)
            if vector.shape != loaded.matrix.shape[1:]:
                raise ModelError(
                    f"{loaded.known.model!r} gives vectors of another length than before",
                    hint="`memory embed --all`",
                )
        except DailyMemoryError as error:
            hint = f" ({error.hint})" if error.hint else ""
            self.warnings = (f"keywords alone were used: {error.message}{hint}",)
            self._is_off = True  # each further question would wait as long
            return None
        return Near(loaded, loaded.matrix @ vector, question)

    def _vector(self, model: str, question: str) -> Any:
        import numpy  # loaded with the vectors

        vector = self._vectors.get((model, question))
        if vector is None:
            settings = self._settings._replace(model=model)
            text = question[:_MOST_QUESTION_CHARS]
            if PROVIDERS[settings.provider].is_server:
                text = self._redact(text)
            text = embedding_models.query(model, text)
            found = _embedder(settings, self._environment).embed([text], _QUESTION_S)[0]
            vector = numpy.asarray(found, dtype="float32")
            vector /= max(float(numpy.linalg.norm(vector)), 1e-9)
            self._vectors[model, question] = vector
        return vector


def _embedder(settings: Semantic, environment: Mapping[str, str]) -> Embedder:
    key = settings.provider, settings.model, settings.url
    if PROVIDERS[settings.provider].is_server:
        return open_embedder(settings, environment)  # its key may change, and it holds nothing
    if key not in _embedders:
        _embedders[key] = open_embedder(settings, environment)
    return _embedders[key]


def usable(root: Root, settings: Semantic) -> str:
    """Return the name of the set to search, "" for none.

    That of the chosen model, even if incomplete; or else what its provider made with another
    model: a provider that is no longer chosen is vector nothing.
    """
    sets = {name: embeddings.load(root, name) for name in (embeddings.CURRENT, embeddings.NEXT)}
    current = sets[embeddings.CURRENT]
    if current and current.provider in ("", settings.provider):
        return embeddings.CURRENT
    return next(
        (name for name, known in sets.items() if known and known.provider == settings.provider), ""
    )


def _load(root: Root, settings: Semantic) -> _Loaded | None:
    names = (embeddings.CURRENT, embeddings.NEXT)
    stamps = (settings, *(files.stamp(embeddings.path_of(root, name)) for name in names))
    cached = _loaded.get(root.path)
    if cached and cached[0] == stamps:
        return cached[1]
    _loaded.pop(root.path, None)
    name = usable(root, settings)
    found = embeddings.load_vectors(root, name) if name else None
    if found is None or not found[0].entries:
        return None
    known, data = found
    try:
        import numpy  # an extra, and slow to import
    except ImportError as error:
        from daily_memory.installation import install_command  # only to say what to run

        raise ModelError("numpy is not installed", hint=install_command("semantic")) from error
    matrix = numpy.frombuffer(data, dtype="int8").reshape(-1, known.dimensions).astype("float32")
    norms = numpy.sqrt(numpy.einsum("ij,ij->i", matrix, matrix))
    matrix /= numpy.maximum(norms, 1.0)[:, None]
    rows: dict[tuple[str, int], list[int]] = {}
    scripts: dict[str, list[int]] = {}
    for row, (day, session, _, _, script) in enumerate(known.entries):
        rows.setdefault((day, session), []).append(row)
        scripts.setdefault(script, []).append(row)
    loaded = _Loaded(known, matrix, rows, scripts)
    _loaded[root.path] = stamps, loaded
    return loaded
