"""Turns a question into weighted terms, with what a memory knows of each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, pairwise
from math import log

from daily_memory.core.search import text
from daily_memory.core.search.earlier import without_reference
from daily_memory.core.search.stopwords import CHINESE, ENGLISH, GENERAL
from daily_memory.core.search.synonyms import LONGEST, SYNONYMS
from daily_memory.named_tuples import NamedTuple

# Longer questions are pasted logs: their beginning says what they are about.
MAX_CHARS = 4000
MAX_TERMS = 128
# Where a memory is small, a word that is in one session of three is still a rare word.
_LEAST_SESSIONS = 100
_SYNONYM_WEIGHT = 0.3
_CHARACTER_WEIGHT = 0.5
# What a word weighs that the memory can't have, as far as we know.
UNKNOWN_SHARE = 0.5
_GRAMMAR_WEIGHT = 0.3
_GENERAL_WEIGHT = 0.5
_DATE_SHARE = 0.3
_GENERAL_STEMS = frozenset(map(text.stem, GENERAL))
GRAM = 4
MOST_VOCABULARY = 60_000
_MOST_FUZZY_WORDS = 8
# Shorter words are like too many others.
_FEWEST_LETTERS = 4

# One of these is in every question for days. Compiling what reads them takes 10 ms.
_DATE_WORDS = frozenset(
    """
    day days today yesterday night tonight morning noon afternoon evening week weeks weekend month
    months quarter year years ago last late lately latest newest recent recently
    monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    todo todos done finished open unfinished pending outstanding
    """.split()
)
_DATE_HINTS = (
    *"0123456789月年季昨前上今本这周星礼近过刚待未没留下",
    *("just now", "leave off", "left off", "where were we", "to do", "to-do", "next step"),
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.fuzzy import Similar
    from daily_memory.core.search.postings import Lexicon


class Term(NamedTuple):
    """A term to look for; `word` is how the question spells it, `weight` what it is worth.

    So many texts of the memory have it: its `frequency`.
    """

    term: str
    word: str
    weight: float
    kind: str = "exact"
    frequency: int = 0

    @property
    def is_figure(self) -> bool:
        """Whether it is a number, version or code: a text has it or not, wherever it is."""
        return self.kind == "exact" and text.is_figure(self.term)


class TermPair(NamedTuple):
    """Two terms that stand side by side in the question, by their places in `ParsedQuery.terms`."""

    first: int
    second: int
    weight: float


# A way to say a word of the question: terms by their places in `ParsedQuery.terms`, each with its
# weight.
Choice = tuple[tuple[int, float], ...]


class ParsedQuery(NamedTuple):
    """A question as the scorers need it; `mass` is what a session would have that says it all.

    A translated question has `concepts`, the choices for each of its words, of which the best
    counts; of any other question each term counts by itself.
    """

    terms: tuple[Term, ...]
    pairs: tuple[TermPair, ...]
    grams: tuple[tuple[str, float], ...]
    mass: float
    dates: tuple[Period, ...]
    average_lengths: tuple[float, ...]
    texts: int  # that the memory has
    concepts: tuple[tuple[Choice, ...], ...] = ()


def prepare(question: str, lexicon: Lexicon, today: date, *, corrects: bool = True) -> ParsedQuery:
    """Return the question weighed against a memory. Any text is a question.

    `corrects`: words that the memory has nowhere are taken for mistyped ones.
    """
    folded = text.fold(without_reference(question[:MAX_CHARS]))
    words = _words(folded)
    dates, dated = _dates(text.fold(question[:MAX_CHARS]), today)
    known = lexicon.frequencies(words)
    rarity = Rarity(lexicon.count)
    shares = _chinese_shares(folded, known)
    asked = [
        _as_date(term) if term.term in dated else term
        for term in (
            Term(term, word, share * form_share(term) * rarity(frequency), frequency=frequency)
            for term, word in words.items()
            for share, frequency in [(shares.get(term, 1), known.get(term, 0))]
        )
    ]
    unknown = [term for term in asked if corrects and term.term not in known]
    similar = _fuzzy(unknown, lexicon)
    # A mistyped stop word asks for nothing.
    asked = [term for term in asked if not _is_stop_word(similar.get(term, []))]
    similar = {term: similar[term] for term in asked if term in similar}
    meant = _fuzzy_terms(similar, lexicon, rarity)
    found = _distinct(
        [
            *(term for term in asked if term.term in known),
            *(term for terms in meant.values() for term, _ in terms),
            *_synonyms(folded, words, known, lexicon),
        ]
    )
    # A mistyped word weighs what the likeliest word does that it was meant for.
    asked = [term._replace(weight=meant[term][0][1]) if meant.get(term) else term for term in asked]
    return ParsedQuery(
        found,
        tuple(_pairs(folded, found)),
        tuple(_grams(asked).items()),
        sum(term.weight for term in asked),
        dates,
        tuple(lexicon.average_lengths),
        lexicon.count,
    )


def asked_period(question: str, today: date) -> Period | None:
    """Return the days of a question that asks for what was done on them, and for nothing else."""
    if not _may_name_a_day(text.fold(question)):
        return None
    from daily_memory.core.search import dates  # see below

    return dates.asked_period(question, today)


def _dates(folded: str, today: date) -> tuple[tuple[Period, ...], frozenset[str]]:
    """Return the days that a question names, and the terms that only name them."""
    if not _may_name_a_day(folded):
        return (), frozenset()
    # Loaded here: what reads dates takes 1 ms, and most questions name none.
    from daily_memory.core.search import dates

    found, left = dates.periods_and_rest(folded, today)
    return tuple(found), frozenset(_words(folded)) - frozenset(
        _words(left)
    ) if found else frozenset()


def _as_date(term: Term) -> Term:
    """Return a term of a date: the day of a session tells it, and its text seldom does."""
    return term._replace(weight=_DATE_SHARE * term.weight, kind="date")


def _may_name_a_day(folded: str) -> bool:
    lowered = folded.lower()
    words = text.folded_tokens(lowered)
    return not _DATE_WORDS.isdisjoint(words) or any(hint in lowered for hint in _DATE_HINTS)


def _words(folded: str) -> dict[str, str]:
    """Return each term of the question with its spelling."""
    words: dict[str, str] = {}
    for token in text.folded_tokens(folded):
        if text.is_cjk(token):
            words.update((term, term) for term in text.run_terms(token))
        else:
            for term in text.word_terms(token):
                words.setdefault(term, text.SPELLINGS.get(token.lower(), token))
    return dict(list(words.items())[:MAX_TERMS])


def _chinese_shares(folded: str, known: Collection[str]) -> dict[str, float]:
    """Return what of a word a Chinese term counts that the memory doesn't have.

    A memory without any of the characters is in another language: it has none of the words,
    whatever it knows, and they count half, as `translation` counts what it has no word for.
    """
    shares = _seam_shares(folded, known)
    characters = {
        each for token in text.folded_tokens(folded) if text.is_cjk(token) for each in token
    }
    if characters.isdisjoint(known):
        shares = {pair: UNKNOWN_SHARE * share for pair, share in shares.items()}
        shares |= dict.fromkeys(characters, 0.0)
    return shares


def _seam_shares(folded: str, known: Collection[str]) -> dict[str, float]:
    """Return what of a word each pair of Chinese characters is that the memory has nowhere.

    Half of the pairs of a question are no words: they lie where two words meet, and what a text is
    divided by would grow with every word that the question has. So each character that is in no
    known pair counts as half a word, and one that is in a known pair counts there.
    """
    shares: dict[str, float] = {}
    for token in text.folded_tokens(folded):
        if not text.is_cjk(token):
            continue
        pairs = text.run_pairs(token)
        covered = {at + side for at, pair in enumerate(pairs) if pair in known for side in (0, 1)}
        last = len(token) - 1
        for at, pair in enumerate(pairs):
            if pair not in known:
                open_ends = (place for place in (at, at + 1) if place not in covered)
                shares[pair] = sum(0.5 if place in (0, last) else 0.25 for place in open_ends)
    return shares


def form_share(term: str) -> float:
    """Return a term's weight by its form: a single Chinese character is half a word."""
    if not text.is_cjk(term):
        return _GENERAL_WEIGHT if term in _GENERAL_STEMS else 1.0
    grammar = _GRAMMAR_WEIGHT if any(character in CHINESE for character in term) else 1.0
    return grammar * (_CHARACTER_WEIGHT if len(term) == 1 else 1.0)


class Rarity:
    """The inverse document frequency of BM25, in the form that is never negative."""

    def __init__(self, count: int) -> None:
        self._count = max(count, _LEAST_SESSIONS)

    def __call__(self, frequency: int) -> float:
        return log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))


def _distinct(found: list[Term]) -> tuple[Term, ...]:
    return tuple({term.term: term for term in reversed(found)}.values())[::-1]


def _pairs(folded: str, found: Sequence[Term]) -> Iterator[TermPair]:
    """Yield neighbouring terms, across stop words; those of Chinese overlap anyway."""
    places = {term.term: place for place, term in enumerate(found)}
    mistyped = [(term.word, place) for place, term in enumerate(found) if term.kind == "fuzzy"]
    places |= {stem: place for word, place in mistyped for stem in text.word_terms(word)}
    sequence = [
        term
        for token in text.folded_tokens(folded)
        for term in ([""] if text.is_cjk(token) else text.word_terms(token))
    ]
    for first, second in dict.fromkeys(pairwise(sequence)):
        if first in places and second in places:
            weight = (found[places[first]].weight + found[places[second]].weight) / 2
            yield TermPair(places[first], places[second], weight)


def _grams(asked: Sequence[Term]) -> dict[str, float]:
    """Return the short runs of letters of the words, so that a word counts by its length once."""
    grams: dict[str, float] = {}
    for term in asked:
        if text.is_cjk(term.term):
            if len(term.term) == 2:
                grams[term.term] = term.weight
            continue
        padded = f" {term.term}"
        size = min(GRAM, len(padded))
        parts = [padded[at : at + size] for at in range(len(padded) - size + 1)]
        for part in parts:
            grams[part] = max(term.weight / len(parts), grams.get(part, 0.0))
    return grams


def _fuzzy(unknown: Iterable[Term], lexicon: Lexicon) -> dict[Term, list[Similar]]:
    """Return for each word that the memory has nowhere the words of it that may be meant."""
    wanted = [
        term
        for term in unknown
        if len(term.term) >= _FEWEST_LETTERS
        and not text.is_cjk(term.term)
        and term.term.isalpha()
        # What we know is not mistyped: "coming" is no "code", "cache" no "came".
        and term.term not in _GENERAL_STEMS
        and term.word.lower() not in SYNONYMS
    ]
    if not wanted:
        return {}
    from daily_memory.core.search.fuzzy import lengths, similar_words  # few have typing errors

    is_large = lexicon.vocabulary_size() > MOST_VOCABULARY
    found: dict[Term, list[Similar]] = {}
    for term in wanted[:_MOST_FUZZY_WORDS]:
        # Of a large memory, the words with the likely first letters.
        letters = sorted(set(term.term[:2])) if is_large else [""]
        known = (lexicon.vocabulary(first, *lengths(term.term)) for first in letters)
        found[term] = similar_words(term.term, chain(*known, ENGLISH))
    return found


def _is_stop_word(similar: Sequence[Similar]) -> bool:
    return bool(similar) and text.is_stop_word(similar[0].word)


def _fuzzy_terms(
    similar: Mapping[Term, list[Similar]], lexicon: Lexicon, rarity: Rarity
) -> dict[Term, list[tuple[Term, float]]]:
    """Return the words of the memory that may be meant by each word, with their rarity."""
    known = lexicon.frequencies(like.word for likes in similar.values() for like in likes)
    rarities = {word: rarity(frequency) for word, frequency in known.items()}
    return {
        term: [
            (
                Term(word, term.word, likeness**3 * rarities[word], "fuzzy", known[word]),
                rarities[word],
            )
            for word, likeness in likes
            if word in rarities
        ]
        for term, likes in similar.items()
    }


def _synonyms(
    folded: str, words: Collection[str], known: Collection[str], lexicon: Lexicon
) -> list[Term]:
    """Return what the words of the question are called in the other language, at a low weight."""
    wanted: dict[str, tuple[str, float]] = {}
    for word in _technical_words(folded):
        # A word that the memory can't have weighs less itself.
        is_foreign = text.is_cjk(word) and not any(map(known.__contains__, text.terms(word)))
        weight = _SYNONYM_WEIGHT * (UNKNOWN_SHARE if is_foreign else 1)
        for other in SYNONYMS[word]:
            if other == word:
                continue
            found = [term for term in text.terms(other) if len(term) > 1]
            for term in found:
                if term not in words:
                    wanted.setdefault(term, (word, weight / len(found)))
    frequencies = lexicon.frequencies(wanted)
    rarity = Rarity(lexicon.count)
    return [
        Term(term, word, weight * rarity(frequencies[term]), "synonym", frequencies[term])
        for term, (word, weight) in wanted.items()
        if term in frequencies
    ]


def _technical_words(folded: str) -> list[str]:
    """Return the words of the question that have synonyms, in order."""
    found: dict[str, None] = {}
    for token in text.folded_tokens(folded):
        if not text.is_cjk(token):
            found[token.lower()] = None
            continue
        for size in range(2, LONGEST + 1):
            found.update((token[at : at + size], None) for at in range(len(token) - size + 1))
    return [word for word in found if word in SYNONYMS]
