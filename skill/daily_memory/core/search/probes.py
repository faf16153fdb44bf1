"""How well an embedding model knows the languages of a memory, measured on its own texts.

A model for English gives all Chinese texts nearly the same vector. So the halves of a session are
compared: that a first half lies closest to its own second half, among those of other sessions, is
what a model must be able to do to find anything. Across languages the terms of the glossary and
their translations are compared in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from daily_memory.core.search import chunks, fields
from daily_memory.core.search.synonyms import SYNONYMS
from daily_memory.model import Session
from daily_memory.named_tuples import NamedTuple

# So many pairs of a script are compared, and so many characters of a half.
PAIRS = 48
_HALF_CHARS = 300


class Probe(NamedTuple):
    """Pairs of texts that belong together, and texts that belong to none of them."""

    script: str
    firsts: tuple[str, ...]
    seconds: tuple[str, ...]


def probes(sessions: Iterable[Session]) -> list[Probe]:
    """Return a probe for each script of these sessions, and one for both."""
    pairs: dict[str, list[tuple[str, str]]] = {chunks.LATIN: [], chunks.HAN: []}
    for session in sessions:
        said = [unit.text for unit in fields.units(session) if unit.field != 1]
        # One statement is cut in the middle: its halves belong together as well.
        if len(said) == 1:
            middle = len(said[0]) // 2
            said = [said[0][:middle], said[0][middle:]]
        halves = ["\n".join(said[start::2])[:_HALF_CHARS] for start in (0, 1)]
        of_script = pairs[chunks.script("\n".join(halves))]
        if all(map(str.strip, halves)) and len(of_script) < PAIRS:
            of_script.append((halves[0], halves[1]))
    terms = _translations()
    found = []
    for script, listed in pairs.items():
        if listed:
            # In a small memory the terms are what a half could be confused with.
            others = [pair[script == chunks.HAN] for pair in terms]
            firsts, seconds = zip(*listed, strict=True)
            found.append(Probe(script, firsts, (*seconds, *others)))
    firsts, seconds = zip(*terms, strict=True)
    return [*found, Probe(chunks.ACROSS, firsts, seconds)]


def _translations() -> list[tuple[str, str]]:
    """Return terms of the glossary in English and in Chinese, the same ones each time."""
    pairs: dict[str, str] = {}
    for word in sorted(SYNONYMS):
        other = next((each for each in SYNONYMS[word] if not each.isascii()), "")
        if word.isascii() and len(word) > 4 and len(other) > 1 and other not in pairs.values():
            pairs[word] = other
    step = max(len(pairs) // PAIRS, 1)
    return list(pairs.items())[::step][:PAIRS]


def result(probe: Probe, vectors: Sequence[Sequence[float]], cosine: Callable[..., float]) -> float:
    """Return the share of first halves whose own second half is the closest, without chance.

    `vectors` are those of the first halves and then of the second ones.
    """
    count = len(probe.firsts)
    firsts, seconds = vectors[:count], vectors[count:]
    right = 0.0
    for place, first in enumerate(firsts):
        near = [cosine(first, second) for second in seconds]
        best = max(near)
        # Where all are equally near, it would be right by chance.
        right += (near[place] >= best - 1e-6) / near.count(best)
    chance = 1 / len(seconds)
    return max(0.0, (right / count - chance) / (1 - chance))
