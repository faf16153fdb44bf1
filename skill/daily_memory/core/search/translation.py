"""A second reading of a question: in the other language, through a dictionary.

Each word of the question is one concept. Of its translations, the best that a text has counts,
weighted by how rare that translation is in the memory: the structured queries of A. Pirkola, "The
effects of query structure and dictionary setups in dictionary-based cross-language information
retrieval", SIGIR 1998. Poured into the question as words of their own, a word's many translations
would outweigh the other words. The reading is for texts that are mainly in the other language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log

from daily_memory.core.search import text
from daily_memory.core.search.glossary import (
    CHARACTER_SHARE,
    LONGEST_PHRASE,
    RANK_SHARE,
    gloss_stems,
)
from daily_memory.core.search.matching import (
    GRAM_WEIGHT,
    PAIR_WEIGHT,
    UNIT_WEIGHT,
    Match,
    Scorer,
    SessionWords,
    breadth,
)
from daily_memory.core.search.query import (
    MAX_CHARS,
    MAX_TERMS,
    UNKNOWN_SHARE,
    Choice,
    ParsedQuery,
    Rarity,
    Term,
    form_share,
)
from daily_memory.core.search.ranking import MORE_TEXTS, accumulated, best_of, heaviest
from daily_memory.named_tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from daily_memory.core.search.postings import Frequencies, Postings

    class Dictionary(Protocol):
        """Words of both languages."""

        def glosses(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
            """Return what Chinese words are called in English, best first."""
            ...

        def frequencies(self, words: Iterable[str]) -> dict[str, int]:
            """Return how often Chinese words occur among 60 million."""
            ...

        def headwords(self, phrases: Iterable[str]) -> dict[str, dict[str, float]]:
            """Return the Chinese words for English stems and phrases, with weights up to 1."""
            ...


KIND = "translation"
# What a session that says the whole question in the other language is worth against others: what
# is Chinese says little by a stem that it shares, and the other way round; measured in
# docs/benchmarks.md.
_RANK = {True: 0.90, False: 0.55}
# Names alone count less than they do in a text in the language of the question.
_NAMES_SHARE = 0.85
# Of a translated question the side-by-side and letters count nothing.
_WHOLE = (1 + UNIT_WEIGHT + PAIR_WEIGHT + GRAM_WEIGHT) / (1 + UNIT_WEIGHT)
# A word tells less by all of its translations than by itself. With so much more, at most 15 % of
# foreign questions find something by the glossary (docs/benchmarks.md).
_FLOOR_SCALE = 1.2
# What a session with the whole question is worth to one of which all is known but the pairs.
_WITHOUT_PAIRS = 1 + PAIR_WEIGHT / (1 + UNIT_WEIGHT + GRAM_WEIGHT)
# So many are looked at for those in the other language.
_MOST_LOOKED_AT = 200
_LONGEST_WORD = 8
_MOST_GLOSSES = 6
_MOST_HEADWORDS = 16
# A large dictionary errs on the words of the trade, or lacks them.
_LATER_SHARE = 0.7
# Of how many words the frequencies are, and the one of a character that is no word.
_COUNTED_WORDS = 60_000_000
_NO_WORD_FREQUENCY = 1

# One way to say a word: its terms, all of which it takes, and how good a way it is, up to 1.
_Way = tuple[tuple[str, ...], float]


class Reading(NamedTuple):
    """A question in the other language. `is_chinese` tells which texts it is for.

    `query` ranks: a translation weighs what it tells by itself. `telling` is for the floors: the
    same words, each as if all of its translations were one, since any of them would have done.
    `weight` is the setting `retrieval.translation_weight`.
    """

    query: ParsedQuery
    telling: ParsedQuery
    is_chinese: bool
    weight: float = 1.0

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the question could be translated."""
        return not any(term.kind == KIND for term in self.query.terms)

    def worth(self, share: float, places: Iterable[int]) -> float:
        """Return what a text counts among others that has a share of the question.

        It has the terms at these places; names alone are no translation.
        """
        is_translated = any(self.query.terms[place].kind == KIND for place in places)
        named = 1.0 if is_translated else _NAMES_SHARE
        return share * self.weight * _RANK[self.is_chinese] * named


class Better(NamedTuple):
    """How a session answers the translated question.

    `share` of it, 0..1; `value` ranks it among other sessions, `relevance` is for the floors.
    """

    match: Match
    share: float
    value: float
    relevance: float


class TranslatedScorer:
    """Scores sessions in the other language."""

    def __init__(self, reading: Reading) -> None:
        self.query = reading.query
        self._reading = reading
        self._scorer = Scorer(reading.query)
        self._telling = Scorer(reading.telling)

    def promised(
        self, postings: Postings, most: float, allowed: Collection[int] | None = None
    ) -> dict[int, float]:
        """Return what sessions in the other language promise by their impacts.

        One that has the whole question as it was asked, but for words side by side, promises
        `most`: impacts tell nothing of those.
        """
        scores = accumulated(self.query, postings, allowed, _MOST_LOOKED_AT)
        # Of those that are alike the newer ones, which come later.
        first = best_of(scores, _MOST_LOOKED_AT)
        is_chinese, weight = self._reading.is_chinese, self._reading.weight
        foreign = postings.in_language(first, is_chinese=is_chinese)
        share = _WITHOUT_PAIRS * _RANK[is_chinese] * weight * most / self.query.mass
        return {key: share * scores[key] for key in foreign}

    def better(self, words: SessionWords, value: float) -> Better | None:
        """Return what the translation finds in a session, if it is worth more than a value."""
        if words.is_chinese != self._reading.is_chinese:
            return None
        match = self._scorer.match(words)
        share = match.score * _WHOLE
        worth = self._reading.worth(share, match.terms)
        if worth <= value:
            return None
        return Better(match, share, worth, self._relevance(words) * self._reading.weight)

    def _relevance(self, words: SessionWords) -> float:
        """Return how well a session answers, by what its words tell whichever translation it has.

        One that most sessions have in some translation tells nothing, and is no word in common;
        nor is a single character, which is in too many words.
        """
        match, telling = self._telling.match(words), self._reading.telling
        found = {place for place in match.terms if telling.terms[place].term[1:]}
        common = sum(
            heaviest(choices)
            for choices in telling.concepts
            if any(place in found for choice in choices for place, _ in choice)
        )
        parts = (match.bm25 + UNIT_WEIGHT * match.unit) / (1 + UNIT_WEIGHT)
        return min(1.0, _FLOOR_SCALE * parts * breadth(common, telling.texts))


class _Concept(NamedTuple):
    """A word of the question, what it weighs by its form, and the ways to say it."""

    word: str
    share: float
    ways: Sequence[_Way] = ()


def read(
    question: str, lexicon: Frequencies, dictionaries: Sequence[Dictionary], *, weight: float = 1.0
) -> Reading:
    """Return the question in the other language, weighed against a memory.

    Of two dictionaries that have a word, the first knows better.
    """
    tokens = text.folded_tokens(text.fold(question[:MAX_CHARS]))[:MAX_TERMS]
    known = _KnownTerms(lexicon)
    if text.is_mainly_chinese(question):
        concepts = [c for token in tokens for c in _in_english(token, known, dictionaries)]
        return Reading(*_queries(concepts, known, lexicon), False, weight)
    words = [(stem, token) for token in tokens for stem in _stems(token)]
    concepts = list(_in_chinese(words[:MAX_TERMS], known, dictionaries))
    return Reading(*_queries(concepts, known, lexicon), True, weight)


class _KnownTerms:
    """How many texts of the memory have each term; asked for in as few calls as possible."""

    def __init__(self, lexicon: Frequencies) -> None:
        self._lexicon = lexicon
        self.frequencies: dict[str, int] = {}

    def learn(self, ways: Iterable[_Way]) -> None:
        self.frequencies.update(
            self._lexicon.frequencies(term for terms, _ in ways for term in terms)
        )

    def of(self, ways: Iterable[_Way]) -> list[_Way]:
        """Return the ways that the memory has all terms of."""
        return [way for way in ways if all(term in self.frequencies for term in way[0])]


def _queries(
    concepts: Sequence[_Concept], known: _KnownTerms, lexicon: Frequencies
) -> tuple[ParsedQuery, ParsedQuery]:
    """Return the question to rank by, and the one for the floors."""
    rarity = Rarity(lexicon.count)
    terms: dict[str, Term] = {}
    mass = words = 0.0
    ranking_choices: list[list[Choice]] = []
    telling_choices: list[list[Choice]] = []
    places: dict[str, int] = {}
    for concept in concepts:
        if not concept.ways:
            mass += UNKNOWN_SHARE * concept.share * rarity(0)
            words += UNKNOWN_SHARE * concept.share
            continue
        choices: list[Choice] = []
        shares: list[Choice] = []
        tells = _tells(concept.ways, known, lexicon.count)
        for way, quality in concept.ways:
            weight = concept.share * quality / len(way)
            at = [places.setdefault(term, len(places)) for term in way]
            rare = [rarity(known.frequencies[term]) for term in way]
            choices.append(tuple((n, weight * r) for n, r in zip(at, rare, strict=True)))
            shares.append(tuple((n, weight * tells) for n in at))
            for term, (_, worth) in zip(way, choices[-1], strict=True):
                if term not in terms or terms[term].weight < worth:
                    is_same = text.is_cjk(term) == text.is_cjk(concept.word)
                    kind = "exact" if is_same else KIND
                    terms[term] = Term(term, concept.word, worth, kind, known.frequencies[term])
        mass += heaviest(choices)
        words += concept.share
        ranking_choices.append(choices)
        telling_choices.append(shares)
    query = ParsedQuery(
        tuple(terms.values()),
        (),
        (),
        mass,
        (),
        tuple(lexicon.average_lengths),
        lexicon.count,
        tuple(map(tuple, ranking_choices)),
    )
    return query, query._replace(mass=words, concepts=tuple(map(tuple, telling_choices)))


def _tells(ways: Iterable[_Way], known: _KnownTerms, texts: int) -> float:
    """Return what it tells that a text has a word in some translation: 1 if no other can have it.

    The translations of a word are taken to have nothing to do with each other.
    """
    lack = 1.0
    for way, _ in ways:
        lack *= 1 - min(known.frequencies[term] for term in way) / max(texts, 1)
    return 1 - log(1 + (1 - lack) * texts) / log(1 + texts + MORE_TEXTS)


# ---------------------------------------------------------------------------- Chinese to English


def _in_english(
    token: str, known: _KnownTerms, dictionaries: Sequence[Dictionary]
) -> Iterator[_Concept]:
    """Yield the words of a token; what is not Chinese stays as it is."""
    if not text.is_cjk(token):
        literal: list[_Way] = [((term,), 1.0) for term in text.asked_terms(token)]
        known.learn(literal)
        for way in literal:
            yield _Concept(token, form_share(way[0][0]), known.of([way]))
        return
    if len(token) == 1:
        return  # a unit ("600 秒") or a particle: it means too much to be looked for
    ways = _english_ways(token, dictionaries)
    known.learn(way for each in ways.values() for way in each)
    for word in _segments(token, ways, dictionaries):
        yield from _meanings(word, ways, known)


def _english_ways(run: str, dictionaries: Sequence[Dictionary]) -> dict[str, list[_Way]]:
    """Return the words that a run may consist of, and how each is said; words of grammar aren't."""
    parts = {
        run[at : at + size]
        for size in range(1, _LONGEST_WORD + 1)
        for at in range(len(run) - size + 1)
    }
    glosses: dict[str, dict[tuple[str, ...], None]] = {}
    for dictionary in dictionaries:
        for word, listed in dictionary.glosses(parts).items():
            if glosses.get(word) == {}:
                continue  # a word of grammar, whatever else it means in a large dictionary
            stems = (tuple(gloss_stems(gloss)) for gloss in listed)
            glosses.setdefault(word, {}).update(dict.fromkeys(filter(None, stems)))
    return {
        word: [(terms, RANK_SHARE**rank) for rank, terms in enumerate(list(all_)[:_MOST_GLOSSES])]
        for word, all_ in glosses.items()
    }


def _meanings(
    word: str, ways: Mapping[str, Sequence[_Way]], known: _KnownTerms
) -> Iterator[_Concept]:
    """Yield a word, or its parts where the memory has no translation of it."""
    of_word = ways.get(word)
    if of_word is None:
        yield _Concept(word, form_share(word))
        return
    if not of_word:
        return  # it has no content
    share = CHARACTER_SHARE if len(word) == 1 else 1.0
    usable = known.of(of_word)
    if usable or len(word) == 1:
        yield _Concept(word, share, usable)
        return
    for part in max(_cuts(word), key=lambda cut: sum(_known_length(p, ways, known) for p in cut)):
        yield from _meanings(part, ways, known)


def _cuts(word: str) -> list[tuple[str, str]]:
    """Return all ways to cut a word in two, those near its middle first."""
    places = sorted(range(1, len(word)), key=lambda at: abs(2 * at - len(word)))
    return [(word[:at], word[at:]) for at in places]


def _known_length(part: str, ways: Mapping[str, Sequence[_Way]], known: _KnownTerms) -> int:
    return len(part) if known.of(ways.get(part, ())) else 0


def _segments(
    run: str, words: Mapping[str, object], dictionaries: Sequence[Dictionary]
) -> list[str]:
    """Return the likeliest words of a run: those whose frequencies have the largest product."""
    frequencies: dict[str, int] = {}
    for dictionary in dictionaries:
        frequencies.update(dictionary.frequencies(words))
    # For each place: what the words up to there cost at the least, and where the last one begins.
    best = [(0.0, 0)]
    for end in range(1, len(run) + 1):
        starts = range(max(0, end - _LONGEST_WORD), end)
        best.append(
            min(
                (best[start][0] + log(_COUNTED_WORDS / (1 + frequency)), start)
                for start in starts
                if (frequency := frequencies.get(run[start:end], _NO_WORD_FREQUENCY))
                if start == end - 1 or run[start:end] in frequencies
            )
        )
    segments: list[str] = []
    end = len(run)
    while end:
        segments.append(run[best[end][1] : end])
        end = best[end][1]
    return segments[::-1]


# ---------------------------------------------------------------------------- English to Chinese


def _stems(token: str) -> Sequence[str]:
    """Return the stems of a token; what is Chinese in an English question stays as it is."""
    return [*text.run_pairs(token)] if text.is_cjk(token) else text.asked_terms(token)


def _in_chinese(
    words: Sequence[tuple[str, str]], known: _KnownTerms, dictionaries: Sequence[Dictionary]
) -> Iterator[_Concept]:
    """Yield the longest phrases that the memory has a word for, and each other word.

    `words` are stems, each with its spelling.
    """
    stems = [stem for stem, _ in words]
    sizes = range(LONGEST_PHRASE, 0, -1)
    phrases = [
        " ".join(stems[at : at + size]) for size in sizes for at in range(len(stems) - size + 1)
    ]
    ways = _chinese_ways(phrases, dictionaries)
    known.learn([*(((stem,), 1.0) for stem in stems), *(w for all_ in ways.values() for w in all_)])
    at = 0
    while at < len(stems):
        size, usable = next(
            (size, usable)
            for size in sizes
            if (usable := known.of(ways.get(" ".join(stems[at : at + size]), ()))) or size == 1
        )
        part = stems[at : at + size]
        relative = [(terms, quality / usable[0][1]) for terms, quality in usable[:_MOST_HEADWORDS]]
        # Names and commands are English in Chinese notes as well.
        literal = known.of([((stem,), 1.0) for stem in part]) if size == 1 else []
        spelled = " ".join(dict.fromkeys(word for _, word in words[at : at + size]))
        yield _Concept(spelled, sum(map(form_share, part)), [*literal, *relative])
        at += size


def _chinese_ways(
    phrases: Iterable[str], dictionaries: Sequence[Dictionary]
) -> dict[str, list[_Way]]:
    """Return the ways to say phrases, the best first; a text has a word if it has its pairs."""
    phrases = frozenset(phrases)
    weights: dict[str, dict[str, float]] = {}
    share = 1.0
    for dictionary in dictionaries:
        for phrase, words in dictionary.headwords(phrases).items():
            of_phrase = weights.setdefault(phrase, {})
            for word, weight in words.items():
                of_phrase[word] = max(of_phrase.get(word, 0.0), share * weight)
        share *= _LATER_SHARE
    return {
        phrase: [
            (tuple(text.run_pairs(word)) or (word,), weight)
            for word, weight in sorted(words.items(), key=lambda item: (-item[1], item[0]))
        ]
        for phrase, words in weights.items()
    }
