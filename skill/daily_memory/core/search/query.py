"""Turns a question into weighted terms, with what a memory knows of each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from itertools import chain, pairwise
from math import log

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import text
from daily_memory.core.search.earlier import without_reference
from daily_memory.core.search.stopwords import CHINESE, ENGLISH, GENERAL
from daily_memory.core.search.synonyms import LONGEST, NAMES, SYNONYMS
from daily_memory.named_tuples import NamedTuple

# Longer questions are pasted logs: their beginning says what they are about.
MAX_CHARS = 4000
MAX_TERMS = 128
# Where a memory is small, a word that is in one session of three is still a rare word.
_LEAST_SESSIONS = 100
_SYNONYM_WEIGHT = 0.3
# Where the memory has a word nowhere, another for it in the same language is what can be meant.
_ONLY_SYNONYM_WEIGHT = 0.6
_CHARACTER_WEIGHT = 0.5
# What a word weighs that the memory can't have, as far as we know.
UNKNOWN_SHARE = 0.5
_GRAMMAR_WEIGHT = 0.3
_GENERAL_WEIGHT = 0.5
_DATE_SHARE = 0.3
# What another date has as well.
_IN_ANY_DATE = lazy_pattern("[0-9]{4}|[年月日号]")
_NAMED = frozenset(chain(NAMES, *NAMES.values()))
_GENERAL_STEMS = frozenset(map(text.stem, GENERAL))
GRAM = 4
_MOST_FUZZY_WORDS = 8

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
    from daily_memory.core.search.fuzzy import Meant
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

    @property
    def is_guess(self) -> bool:
        """Whether it only may be what was meant: that a text has it is no evidence by itself."""
        return self.kind in ("fuzzy", "near")


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
    whole = text.fold(question[:MAX_CHARS])
    words = _words(folded)
    exact = known = lexicon.frequencies(words)
    mistyped = _mistyped(folded, known, lexicon) if corrects else {}
    for typed, meant in mistyped.items():
        word = re.compile(rf"(?<![a-z]){typed}(?![a-z])", re.IGNORECASE)
        folded, whole = (word.sub(meant[0].word, each) for each in (folded, whole))
    if mistyped:
        words = _words(folded)
        known = lexicon.frequencies(words)
    dates, dated = _dates(whole, today)
    rarity = Rarity(lexicon.count)
    shares = _chinese_shares(folded, known)
    asked = [
        Term(
            term,
            word,
            shares.get(term, 1)
            * form_share(term)
            * rarity(known.get(term, 0))
            * (_DATE_SHARE if term in dated and _IN_ANY_DATE.fullmatch(term) else 1),
            "date" if term in dated else "exact",
            known.get(term, 0),
        )
        for term, word in words.items()
    ]
    guesses = {
        term: Term(term, typed, likelihood * form_share(term) * rarity(uses), "fuzzy", uses)
        for typed, meant in mistyped.items()
        for _, term, uses, likelihood in meant
        if uses and term not in exact
    }
    found = _distinct(
        [
            *(
                term
                if term.term in exact or term.kind != "exact"
                else guesses.get(term.term, term._replace(kind="fuzzy"))
                for term in asked
                if term.term in known
            ),
            *guesses.values(),
            *_near(folded, asked, known),
            *_synonyms(folded, words, known, lexicon),
        ]
    )
    return ParsedQuery(
        found,
        tuple(_pairs(folded, found)),
        tuple(_grams(asked).items()),
        sum(map(_expected, asked)),
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


def _expected(term: Term) -> float:
    """Return how much of a term an answer should have: a date is told by its day as well."""
    is_full = term.kind != "date" or _IN_ANY_DATE.fullmatch(term.term)
    return term.weight if is_full else _DATE_SHARE * term.weight


def _may_name_a_day(folded: str) -> bool:
    lowered = folded.lower()
    words = text.folded_tokens(lowered)
    return not _DATE_WORDS.isdisjoint(words) or any(hint in lowered for hint in _DATE_HINTS)


def _words(folded: str) -> dict[str, str]:
    """Return each term of the question with its spelling."""
    words: dict[str, str] = {}
    tokens = text.folded_tokens(folded)
    content = {
        part
        for token in tokens
        for part in (token if text.is_cjk(token) else (token,))
        if not text.is_grammar(part)
    }
    # A single character beside words of grammar is too little to be all of a question: 怎么看.
    has_grammar = len(content) == 1
    for token in tokens:
        if text.is_cjk(token):
            terms = text.run_terms(token)
            words.update((each, each) for each in terms if has_grammar or not text.is_grammar(each))
        else:
            for term in text.asked_terms(token):
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
                grams[term.term] = _expected(term)
            continue
        padded = f" {term.term}"
        size = min(GRAM, len(padded))
        parts = [padded[at : at + size] for at in range(len(padded) - size + 1)]
        for part in parts:
            grams[part] = max(_expected(term) / len(parts), grams.get(part, 0.0))
    return grams


def _mistyped(folded: str, known: Collection[str], lexicon: Lexicon) -> dict[str, Sequence[Meant]]:
    """Return what each word that nobody knows may mean, the likeliest first."""
    unknown = dict.fromkeys(
        word
        for token in text.folded_tokens(folded)
        if not text.is_cjk(token)
        for word, term in zip(text.PARTS[token], text.MEMO[token], strict=True)
        if len(word) >= text.LEAST_LETTERS and word.isalpha() and term not in known
        # What we know is not mistyped: "coming" is no "code", "cache" no "came", "redis" no "red".
        if term not in _GENERAL_STEMS and word not in SYNONYMS and word not in _DATE_WORDS
        if word not in _NAMED
    )
    if not unknown:
        return {}
    from daily_memory.core.search.fuzzy import words_meant  # few have typing errors

    uses = dict.fromkeys(_DATE_WORDS, 1) | dict.fromkeys(
        ENGLISH, max(lexicon.count, _LEAST_SESSIONS)
    )
    familiar = {word: n for word, n in uses.items() if len(word) >= text.LEAST_LETTERS}
    words = list(unknown)[:_MOST_FUZZY_WORDS]
    return {word: meant for word in words if (meant := words_meant(word, lexicon, familiar))}


def _near(folded: str, asked: Iterable[Term], known: Collection[str]) -> list[Term]:
    """Return the pairs of Chinese characters to look for near each other: nothing has them so.

    A character may be missing between them, or they are swapped. Where two such pairs follow each
    other, the character that they share may be the wrong one.
    """
    pairs = {
        term.term: term
        for term in asked
        if term.weight and term.term not in known and term.term[1:] and text.is_cjk(term.term)
    }
    near = dict(pairs)
    runs = (text.run_pairs(token) for token in text.folded_tokens(folded) if text.is_cjk(token))
    for first, second in chain.from_iterable(map(pairwise, runs)):
        if first in pairs and second in pairs:
            around = first[0] + second[1]
            weight = min(pairs[first].weight, pairs[second].weight)
            near.setdefault(around, Term(around, around, weight))
    return [
        term._replace(kind="near")
        for term in near.values()
        if all(character in known for character in term.term)
    ]


def _synonyms(
    folded: str, words: Collection[str], known: Collection[str], lexicon: Lexicon
) -> list[Term]:
    """Return what the words of the question are called otherwise, at a low weight."""
    wanted: dict[str, tuple[str, float]] = {}
    synonyms = [(word, SYNONYMS[word], 0.0) for word in _technical_words(folded)]
    for word, others, size in [*synonyms, *_kinds_asked_for(folded)]:
        said = text.terms(word)
        # A word that the memory can't have weighs less itself.
        share = 1 if not text.is_cjk(word) or any(map(text.is_cjk, known)) else UNKNOWN_SHARE
        is_nowhere = not all(term in known for term in said if len(term) > 1)
        for other in others:
            if other == word:
                continue
            # A name is the same in both languages, and stands for all words of its kind.
            is_only = is_nowhere and (size or text.is_cjk(other) == text.is_cjk(word))
            weight = share * (_ONLY_SYNONYM_WEIGHT if is_only else _SYNONYM_WEIGHT) * (size or 1)
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


def _kinds_asked_for(folded: str) -> list[tuple[str, tuple[str, ...], float]]:
    """Return the kinds of things asked for, what such things are called, and of how many words."""
    said = f" {' '.join(text.folded_tokens(folded.lower()))} "
    return [
        (kind, names, kind.count(" ") + 1 if kind.isascii() else len(kind) / 2)
        for kind, names in NAMES.items()
        if (f" {kind} " in said or f" {kind}s " in said if kind.isascii() else kind in said)
    ]
