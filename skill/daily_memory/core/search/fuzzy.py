"""Finds what a mistyped word may mean, as a noisy channel.

Of the words that one slip turns into what was typed, the one that is used most was probably meant:
M. Kernighan, K. Church, W. Gale, "A Spelling Correction Program Based on a Noisy Channel Model",
COLING 1990. A memory has stems, so each of these words is stemmed before it is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from daily_memory.core.search import text
from daily_memory.named_tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.postings import Lexicon

MOST_VOCABULARY = 60_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Longer ones are hashes and keys: all that is one slip from them would take too long.
_LONGEST_WORD = 24
_LETTERS_A_SLIP = 4
_MOST_WORDS = 3


class Meant(NamedTuple):
    """A word that may be meant, its term, in how many texts it is, and how likely it is, 0..1."""

    word: str
    term: str
    frequency: int
    likelihood: float


def words_meant(typed: str, lexicon: Lexicon, familiar: Mapping[str, int] = {}) -> list[Meant]:
    """Return up to three words that a lower-cased word may mean, the likeliest first.

    `familiar` are words of any question, and in how many texts each is taken to be.
    """
    near = one_slip(typed) if typed.isascii() and len(typed) <= _LONGEST_WORD else []
    words = {text.stem(word): word for word in near if len(word) >= text.LEAST_LETTERS}
    usual = {word: familiar[word] for word in familiar.keys() & set(near)}
    slips, known = 1, lexicon.frequencies(words)
    if not known and not usual:
        slips, known = _several_slips(typed, lexicon)
    words |= {word: word for word in usual}
    uses = known | usual
    share = (1 - slips / len(typed)) / max(sum(uses.values()), 1)
    return [
        Meant(words.get(term, term), term, known.get(term, 0), share * uses[term])
        for term in sorted(uses, key=lambda term: (-uses[term], term))[:_MOST_WORDS]
    ]


def one_slip(word: str) -> list[str]:
    """Return the words that are this one but for a letter: two swapped, one less, more, or other.

    >>> one_slip("ab")[:5]
    ['ba', 'b', 'a', 'aab', 'bab']
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1]
    less = [head + tail[1:] for head, tail in cuts if tail]
    more = [head + letter + tail for head, tail in cuts for letter in _LETTERS]
    other = [head + letter + tail[1:] for head, tail in cuts if tail for letter in _LETTERS]
    return [*swapped, *less, *more, *other]


def _several_slips(typed: str, lexicon: Lexicon) -> tuple[int, dict[str, int]]:
    """Return the terms that the fewest slips make of a word, one in four letters at the most.

    Those that one slip makes of a word with other letters than ours are found here as well.
    """
    stem = text.stem(typed)
    most = len(stem) // _LETTERS_A_SLIP
    if most < 2 and typed.isascii():
        return 1, {}
    # Loaded here since it takes 18 ms, and most words are mistyped once.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    # Of a large memory, the words with the likely first letters.
    is_large = lexicon.vocabulary_size() > MOST_VOCABULARY
    lengths = max(text.LEAST_LETTERS, len(stem) - most), len(stem) + most
    firsts = sorted(set(stem[:2])) if is_large else [""]
    vocabulary = chain(*(lexicon.vocabulary(first, *lengths) for first in firsts))
    known = list(filter(str.isalpha, vocabulary))
    near = process.extract(stem, known, scorer=OSA.distance, score_cutoff=most, limit=None)
    slips = min((distance for _, distance, _ in near), default=most)
    return slips, lexicon.frequencies(term for term, distance, _ in near if distance == slips)
