"""`index/embeddings.json`, which says of what there are vectors, and the file with the vectors.

The JSON has an entry for each piece of text, in the order of the vectors: a signed byte for each
dimension, in a file beside it, whose name it has. A set is of one model. While a set of another
model is made, it is in `embeddings.next.json`; it takes the place of the first when it is complete.
Both are derived, and can be deleted at any time.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import repeat

from daily_memory.core.format.markdown import Day
from daily_memory.core.search import chunks
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.index import indexer, refresh
from daily_memory.storage.roots import Root

VERSION = "1.0"
CURRENT, NEXT = "embeddings.json", "embeddings.next.json"
_MOST = 127
# A section: its day, its number, and the digest of all that it says.
Key = tuple[str, int, str]


class VectorEntry(NamedTuple):
    """A piece of the text of a session.

    `section` is the digest of the whole section, by which it is known whether it changed; `text`
    is the digest of the piece. Both are "" for an entry that another program wrote. `norm` is the
    length of its vector as it is stored.
    """

    date: str
    session: int
    section: str = ""
    text: str = ""
    script: str = ""
    norm: float = 1.0


class VectorSet(NamedTuple):
    """The vectors of one model. `known` says how well it tells texts of a script apart, 0..1.

    `archived` has the archived sections of each day, behind the stamp of the file when they were
    read: only what changed is read again.
    """

    provider: str
    model: str
    dimensions: int = 0
    entries: tuple[VectorEntry, ...] = ()
    known: Mapping[str, float] = {}
    file: str = ""
    archived: Mapping[str, tuple[str, list[Key]]] = {}

    def is_of(self, provider: str, model: str) -> bool:
        return (self.provider, self.model) == (provider, model)


def path_of(root: Root, name: str = CURRENT) -> str:
    return os.path.join(root.index_folder, name)


def load(root: Root, name: str = CURRENT) -> VectorSet | None:
    """Return a set without its vectors; None if there is none that can be used."""
    found = _read(root, name)
    return found[0] if found else None


def load_vectors(
    root: Root, name: str = CURRENT, providers: Container[str] | None = None
) -> tuple[VectorSet, bytes] | None:
    """Return a set with its vectors, one after the other; None if there is none of `providers`."""
    found = _read(root, name)
    if found is None or (providers is not None and found[0].provider not in providers):
        return None
    if found[1] or not found[0].file:
        return found
    known = found[0]
    try:
        data = files.find_bytes(path_of(root, known.file)) or b""
    except DailyMemoryError:
        return None
    # A killed process may have added vectors without their entries, never the reverse.
    size = known.dimensions * len(known.entries)
    return (known, data[:size]) if len(data) >= size else None


def pack(vector: Sequence[float]) -> bytes:
    """Return a vector in its form on disk: its direction is kept, to half a percent.

    >>> array("b", pack([0.5, -1.0, 0.0])).tolist()
    [64, -127, 0]
    """
    most = max(map(abs, vector), default=0.0) or 1.0
    return array("b", [round(_MOST * x / most) for x in vector]).tobytes()


def length(packed: bytes) -> float:
    """Return the length of a vector in its form on disk, to a thousandth; 1 for one of nothing."""
    squares = sum(value * value for value in array("b", packed))
    return round(squares**0.5, 3) or 1.0


def add(
    root: Root,
    known: VectorSet,
    entries: Sequence[VectorEntry],
    vectors: Sequence[bytes],
    name: str,
) -> VectorSet:
    """Add vectors to a set on disk, and return it. Call it with the lock held."""
    path = path_of(root, known.file)
    size = known.dimensions * len(known.entries)
    if known.file and not root.modes.is_sealed and files.stamp(path)[0] == size:
        files.append(path, b"".join(vectors), root.modes)
        return _put(root, known._replace(entries=(*known.entries, *entries)), name)
    # The first vectors, or more than there are entries, or encrypted ones.
    found = load_vectors(root, name) if known.entries else None
    data = found[1] if found else b""
    return write(root, known, (*known.entries, *entries), b"".join((data, *vectors)), name)


def write(
    root: Root,
    known: VectorSet,
    entries: Iterable[VectorEntry],
    vectors: bytes,
    name: str = CURRENT,
) -> VectorSet:
    """Write a set with these vectors, and return it. Call it with the lock held."""
    taken = [number for entry in _vector_files(root) if (number := _number_of(entry))]
    file = f"embeddings-{max(taken, default=0) + 1}.i8"
    files.make_folder(root.index_folder, root.modes)
    files.replace(path_of(root, file), vectors, root.modes)
    written = _put(root, known._replace(entries=tuple(entries), file=file), name)
    _remove_unused(root)
    return written


def note(root: Root, known: VectorSet, name: str = CURRENT) -> VectorSet:
    """Write what is known of a set, without its vectors. Call it with the lock held."""
    return _put(root, known, name)


def promote(root: Root) -> None:
    """Let the set that was made take the place of the first. Call it with the lock held."""
    known = load(root, NEXT)
    if known:
        _put(root, known, CURRENT)
        files.remove(path_of(root, NEXT))
        _remove_unused(root)


def drop(root: Root, name: str) -> None:
    """Remove a set. Call it with the lock held."""
    files.remove(path_of(root, name))
    _remove_unused(root)


class Embeddable(NamedTuple):
    """The public sections of a root, and those of its archive among them."""

    keys: set[Key]
    archived: Mapping[str, tuple[str, list[Key]]]


def places(root: Root) -> Embeddable:
    """Return what there could be vectors of."""
    from daily_memory.storage import archive_files  # a search does without

    with refresh.opened(root) as current:
        keys = {
            (date.fromordinal(day).isoformat(), number, digest.hex())
            for day, number, digest in current.sections()
        }
    known, archived = load(root), dict[str, tuple[str, list[Key]]]()
    for day, path in archive_files.list_days(root):
        name, stamp = day.isoformat(), "-".join(map(str, files.stamp(path)))
        old = known.archived.get(name) if known else None
        if old is None or old[0] != stamp:
            old = stamp, [key for _, key in _public(archive_files.load_day(root, day))]
        archived[name] = old
        keys.update(old[1])
    return Embeddable(keys, archived)


def sections(root: Root, name: str) -> Iterator[tuple[Section, Key]]:
    """Yield the public sections of a day, those of its archive too."""
    from daily_memory.storage import archive_files  # a search does without

    day = date.fromisoformat(name)
    yield from _public(days.load_day(root, day))
    yield from _public(archive_files.load_day(root, day))


def _public(day: Day) -> Iterator[tuple[Section, Key]]:
    for section in day.all_sections:
        if not section.session.is_private:
            digest = indexer.section_digest(section).hex()
            yield section, (day.date.isoformat(), section.session.number, digest)


def forget(root: Root, *, knows_all: bool = False) -> None:
    """Remove the vectors of sessions that were changed, removed or made private.

    Those that another program made stay until we have our own, `knows_all`.
    """
    if not exists(root):
        return
    from daily_memory.storage.fs.lock import locked  # as in `refresh`

    current, archived = places(root)
    numbers = set() if knows_all else {key[:2] for key in current}
    with locked(root):
        texts: dict[tuple[str, int], dict[str, str]] = {}
        for name in (CURRENT, NEXT):
            found = load_vectors(root, name)
            if found is None:
                # Damaged: nobody can tell whose vectors it has.
                drop(root, name)
                continue
            known, data = found[0]._replace(archived=archived), found[1]
            rows: dict[int, VectorEntry] = {}
            for row, entry in enumerate(known.entries):
                if entry[:3] in current or (not entry.section and entry[:2] in numbers):
                    rows[row] = entry
                    continue
                if entry.date not in {key[0] for key in texts}:
                    texts |= _texts(root, entry.date, current)
                # Marked, tagged or edited elsewhere: this piece of it is as it was.
                section = texts.get(entry[:2], {}).get(entry.text, "")
                if section:
                    rows[row] = entry._replace(section=section)
            if tuple(rows.values()) != known.entries:
                size = known.dimensions
                vectors = b"".join(data[row * size : (row + 1) * size] for row in rows)
                write(root, known, rows.values(), vectors, name)
            elif known.file and archived != found[0].archived:
                _put(root, known, name)


def text_digest(text: str) -> str:
    """Return the digest of a piece of text."""
    import hashlib  # only where something changes

    return hashlib.blake2b(files.to_bytes(text), digest_size=12).hexdigest()


def _texts(root: Root, name: str, current: set[Key]) -> dict[tuple[str, int], dict[str, str]]:
    """Return the digests of the pieces of a day's sections, with those of the sections."""
    found: dict[tuple[str, int], dict[str, str]] = {(name, 0): {}}
    if not any(key[0] == name for key in current):
        return found
    for section, key in sections(root, name):
        if key in current:
            pieces = map(text_digest, chunks.chunks(section.session))
            found.setdefault(key[:2], {}).update(dict.fromkeys(pieces, key[2]))
    return found


def exists(root: Root) -> bool:
    """Tell whether a root has any vectors."""
    return any(os.path.lexists(path_of(root, name)) for name in (CURRENT, NEXT))


# ---------------------------------------------------------------------------- below


def _put(root: Root, known: VectorSet, name: str) -> VectorSet:
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in known.entries)
    head = {
        "version": VERSION,
        "provider": known.provider,
        "model": known.model,
        "dimensions": known.dimensions,
        "known": dict(known.known),
        "file": known.file,
        "archived": known.archived,
    }
    text = json.dumps(head, indent=2)[:-2]
    data = f'{text},\n  "entries": [\n{lines}\n  ]\n}}\n'.encode()
    files.replace(path_of(root, name), data, root.modes)
    return known


def _read(root: Root, name: str) -> tuple[VectorSet, bytes] | None:
    """Return a set, and the vectors that it lists itself; None if it can't be used."""
    try:
        data = files.find_bytes(path_of(root, name))
        found = json.loads(data) if data else None
        if not isinstance(found, dict) or str(found.get("version", "")).split(".")[0] != "1":
            return None
        if "file" not in found:
            return _listed(found)
        # `VectorEntry._make` for each of ten thousand would take longer than to parse them.
        entries = tuple(map(tuple.__new__, repeat(VectorEntry), found["entries"]))
        if not all(len(entry) == len(VectorEntry._fields) and entry.norm > 0 for entry in entries):
            return None
        return VectorSet(
            str(found["provider"]),
            str(found["model"]),
            int(found["dimensions"]),
            entries,
            {str(key): float(value) for key, value in found["known"].items()},
            os.path.basename(str(found["file"])),
            {
                day: (stamp, [(name, number, digest) for name, number, digest in keys])
                for day, (stamp, keys) in found["archived"].items()
            },
        ), b""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, DailyMemoryError):
        return None  # cut off or edited: it is made again


def _listed(found: Mapping[str, Any]) -> tuple[VectorSet, bytes]:
    """Return a set whose entries have their vectors as lists, which is the plain form."""
    entries, vectors = [], []
    for each in found["entries"]:
        vectors.append(pack([float(x) for x in each["embedding"]]))
        day, number = str(each["date"]), int(each["session"])
        entries.append(VectorEntry(day, number, norm=length(vectors[-1])))
    dimensions = len(vectors[0]) if vectors else 0
    if any(len(vector) != dimensions for vector in vectors):
        raise ValueError
    known = VectorSet("", str(found["model"]), dimensions, tuple(entries))
    return known, b"".join(vectors)


def _vector_files(root: Root) -> list[str]:
    try:
        return [name for name in os.listdir(root.index_folder) if _number_of(name)]
    except OSError:
        return []


def _number_of(name: str) -> int:
    number = name.removeprefix("embeddings-").removesuffix(".i8")
    return int(number) if number.isdigit() and name == f"embeddings-{number}.i8" else 0


def _remove_unused(root: Root) -> None:
    used = {known.file for known in (load(root, name) for name in (CURRENT, NEXT)) if known}
    for name in _vector_files(root):
        if name not in used:
            files.remove(path_of(root, name))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
