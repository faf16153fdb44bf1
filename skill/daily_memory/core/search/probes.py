"""How well an embedding model knows the languages of a memory, measured on its own texts.

A model for English gives all Chinese texts nearly the same vector. So the halves of a session are
compared: a first half should lie closest to its own second half, among those of other sessions.
How often it does, and how often the words of the halves tell it, says what the model is worth here.
Across languages the terms of the glossary are compared with their translations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from daily_memory.core.search import chunks, fields, query
from daily_memory.core.search.matching import Scorer, session_words
from daily_memory.core.search.plain_postings import PlainPostings
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
        said = [statement for field, statement in fields.units(session) if field != 1]
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


def known(probe: Probe, vectors: Sequence[Sequence[float]], cosine: Callable[..., float]) -> float:
    """Return how well a model knows a script, 0..1: 1 is as well as words tell its texts apart.

    `vectors` are those of the first halves and then of the second ones. Across scripts there are
    no common words: there it is how many translations are the closest.
    """
    count = len(probe.firsts)
    firsts, seconds = vectors[:count], vectors[count:]
    model = _share([[cosine(first, second) for second in seconds] for first in firsts])
    words = 1.0 if probe.script == chunks.ACROSS else _share(list(_by_words(probe)))
    return min(1.0, model / words) if words else float(model > 0)


def _by_words(probe: Probe) -> Iterator[list[float]]:
    """Yield the keyword scores of all second halves for each first one."""
    sessions = [Session(date.min, key_points=(text,)) for text in probe.seconds]
    lexicon = PlainPostings(sessions)
    words = [session_words(session) for session in sessions]
    for first in probe.firsts:
        question = query.prepare(first, lexicon, date.min)
        scorer = Scorer(question)
        yield [scorer.match(each).score for each in words]


def _share(scores: Sequence[Sequence[float]]) -> float:
    """Return in what share of the rows the pair of the row has the best score, beyond chance."""
    right = 0.0
    for place, row in enumerate(scores):
        best = max(row)
        # Where several are equally good, it would be right by chance.
        right += (row[place] >= best - 1e-9) / sum(score >= best - 1e-9 for score in row)
    chance = 1 / len(scores[0])
    return max(0.0, (right / len(scores) - chance) / (1 - chance))
