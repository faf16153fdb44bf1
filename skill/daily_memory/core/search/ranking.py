"""Finds the sessions worth reading in an inverted index, and puts what was read in order."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from heapq import nlargest

from daily_memory.core.search import text
from daily_memory.core.search.matching import Match, Scorer, SessionWords
from daily_memory.core.search.query import Choice, ParsedQuery, Term
from daily_memory.core.search.stopwords import USUAL
from daily_memory.core.search.synonyms import SYNONYMS
from daily_memory.model import Session
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled, joined

# How many sessions are read and scored exactly, and by how much of the best one's impacts: of 938
# right answers among the first five, in four sets, none had less (docs/benchmarks.md).
CANDIDATES = 16
LEAST_SHARE = 0.3
# Below these a session answers something else; measured in docs/benchmarks.md.
SEARCH_FLOOR = 0.0815
INJECT_FLOOR = 0.155
# Enough of a question for recall where one session stands out.
LONE_FLOOR = 0.1
# What a session gains at the most by a date that the question names.
DATE_WEIGHT = 0.15

_OUTDATED_WEIGHT = 0.5
_IMPORTANT_WEIGHT = 1.1
# What others wrote: enough to decide between sessions that fit alike, too little to hide one.
_FOREIGN_WEIGHT = 0.9
MOST_POSTINGS = 10_000
_MOST_REFINED = 400
# Few texts don't tell how common a word is. Counted as read are so many more, which have all the
# usual words and no other. With 16, two words of one text meet in at most 1/64 of a text.
MORE_TEXTS = 16


class Decay(NamedTuple):
    """How memories fade: by `rate` a day, down to `floor`. Floor 0 is score × rate^days."""

    rate: float = 0.9923
    floor: float = 0.85

    def weight(self, age_days: int) -> float:
        """Return what is left of a memory's weight; a day to come does not fade.

        >>> Decay(0.5, 0.0).weight(2)
        0.25
        """
        return self.floor + (1 - self.floor) * self.rate ** max(age_days, 0)


DEFAULT_DECAY = Decay()


class RankedSession(NamedTuple):
    """A session in its place. `score` is `keyword`, raised by `date`, times `decay`: 0..1.

    `relevance` is how well it answers the question, whatever its age: what floors are for.
    `translated` is the share of the question that a session in the other language answers; its
    `match` is of the translated question. It is 0 for what the question finds as it was asked.
    """

    session: Session
    score: float
    keyword: float
    date: float
    decay: float
    match: Match
    relevance: float
    translated: float = 0.0


def candidates(
    query: ParsedQuery,
    postings: Postings,
    today: date,
    *,
    decay: Decay = DEFAULT_DECAY,
    important: Collection[int] = frozenset(),
    allowed: Collection[int] | None = None,
    translated: TranslatedScorer | None = None,
) -> list[int]:
    """Return the keys of the sessions to read, the most promising first.

    They have something of the question as it was asked, or as it was translated.
    """
    now, days = today.toordinal(), postings.days

    def weight(key: int) -> float:
        return _IMPORTANT_WEIGHT if key in important else decay.weight(now - days[key])

    every = [accumulated(query, postings, allowed, CANDIDATES)]
    if translated:
        held = set(query.terms).difference(without_held(query.terms))
        most = query.mass - sum(term.weight for term in held)
        every.append(translated.promised(postings, most, allowed))
    best: dict[int, tuple[float, int, int]] = {}
    for scores in every:
        faded = [(scores[key] * weight(key), days[key], key) for key in _promising(scores, decay)]
        first = nlargest(CANDIDATES, faded)
        least = LEAST_SHARE * max((scores[key] for _, _, key in first), default=0.0)
        likely = {each[2]: each for each in first if scores[each[2]] >= least}
        best |= {key: max(each, best.get(key, each)) for key, each in likely.items()}
    return [key for _, _, key in nlargest(CANDIDATES, best.values())]


def rank(
    query: ParsedQuery,
    sessions: Iterable[tuple[Session, SessionWords]],
    today: date,
    *,
    decay: Decay = DEFAULT_DECAY,
    needs_words: bool = True,
    translated: TranslatedScorer | None = None,
) -> list[RankedSession]:
    """Return the sessions that have something of the question, best first; ties: newer first.

    Each counts by the question as it was asked or as it was translated, whichever says more of it.
    Without `needs_words` it returns all of them: they may have been found by their meaning.
    """
    scorer = Scorer(query)
    found = [_ranked(*each, scorer, query, today, decay, translated) for each in sessions]
    return sorted(
        (each for each in found if each.match.terms or not needs_words),
        key=lambda each: order(each.score, each.session),
    )


def order(score: float, session: Session) -> tuple[float, int, int, int]:
    """Return what sessions are sorted by: the better first, then the newer."""
    return -score, -session.date.toordinal(), -session.number, session.copy


def relevant(ranked: Sequence[_Scored], *, floor: float = SEARCH_FLOOR) -> list[_Scored]:
    """Return what answers the question: nothing where even the best is below the floor.

    Where something answers it, what has half as much of it is worth showing too: of a question
    that several sessions answer together each has only a part.
    """
    best = max((each.relevance for each in ranked), default=0.0)
    return [each for each in ranked if best >= floor and each.relevance >= floor / 2]


def _ranked(
    session: Session,
    words: SessionWords,
    scorer: Scorer,
    query: ParsedQuery,
    today: date,
    decay: Decay,
    translated: TranslatedScorer | None,
) -> RankedSession:
    match = scorer.match(words)
    keyword, relevance, share = match.score, match.relevance, 0.0
    if translated and (other := translated.better(words, keyword)):
        match, share, keyword, relevance = other
    near = DATE_WEIGHT * nearness(query, session.date)
    weight = (
        _IMPORTANT_WEIGHT if session.is_important else decay.weight((today - session.date).days)
    )
    if session.is_outdated:
        weight *= _OUTDATED_WEIGHT
    if session.origin:
        weight *= _FOREIGN_WEIGHT
    score = min(1.0, (keyword + near) * weight)
    return RankedSession(session, score, keyword, near, weight, match, relevance, share)


def nearness(query: ParsedQuery, day: date) -> float:
    """Return how near a day is to those that the question names, 0..1."""
    if not query.dates:
        return 0.0
    from daily_memory.core.search import dates  # loaded where a question names a day

    return dates.nearness(query.dates, day)


def _promising(scores: dict[int, float], decay: Decay) -> list[int]:
    """Return the keys that decay can still bring among the best: most are out of reach."""
    best = nlargest(CANDIDATES, scores.values())
    least = min(best, default=0.0) * decay.floor / _IMPORTANT_WEIGHT
    return [key for key, score in scores.items() if score >= least]


def _listed(term: Term, postings: Postings, allowed: Collection[int] | None) -> array[int]:
    listed = postings.postings(term.term)
    if allowed is not None:
        listed = array("I", [posting for posting in listed if posting >> 8 in allowed])
    return array("I", [posting | 255 for posting in listed]) if term.is_figure else listed


def accumulated(
    query: ParsedQuery, postings: Postings, allowed: Collection[int] | None, enough: int
) -> dict[int, float]:
    """Return what each allowed session is worth by its impacts; of a concept its best choice.

    The rarest concepts come first. Once enough is read, a common one only refines what was found:
    reading all of its postings would take longer than everything else.
    """
    scores: dict[int, float] = {}
    refined: list[int] = []
    left = MOST_POSTINGS
    places = {term: place for place, term in enumerate(query.terms)}
    own = [(((places[term], term.weight),),) for term in without_held(query.terms)]
    for choices in sorted(query.concepts or own, key=heaviest, reverse=True):
        concept = [
            [(_listed(query.terms[place], postings, allowed), weight) for place, weight in choice]
            for choice in choices
        ]
        size = sum(len(listed) for choice in concept for listed, _ in choice)
        if size > left and len(scores) >= enough:
            refined = refined or sorted(best_of(scores, _MOST_REFINED))
            found = [[(_of_keys(refined, listed), weight) for listed, weight in c] for c in concept]
        else:
            # Of too many, the newest: a higher key is a later one.
            found = [[(listed[-MOST_POSTINGS:], weight) for listed, weight in c] for c in concept]
            left -= min(left, size)
        if len(found) == 1:
            _add_impacts(scores, found[0])
            continue
        best: dict[int, float] = {}
        for choice in found:
            of_choice: dict[int, float] = {}
            _add_impacts(of_choice, choice)
            for key in best.keys() & of_choice.keys():
                of_choice[key] = max(best[key], of_choice[key])
            best.update(of_choice)
        for key in scores.keys() & best.keys():
            best[key] += scores[key]
        scores.update(best)
    return scores


def heaviest(choices: Iterable[Choice]) -> float:
    """Return what a word weighs: as much as the heaviest way to say it."""
    return max(sum(weight for _, weight in choice) for choice in choices)


def best_of(scores: dict[int, float], most: int) -> list[int]:
    """Return the keys with the best scores, the best first; of equals those that came later."""
    least = min(nlargest(most, scores.values()), default=0.0)
    likely = [key for key, score in reversed(scores.items()) if score >= least]
    return sorted(likely, key=scores.__getitem__, reverse=True)[:most]


def _add_impacts(scores: dict[int, float], choice: Iterable[tuple[Sequence[int], float]]) -> None:
    """Add what each posting of some terms tells to the score of its session."""
    for listed, weight in choice:
        if not scores:  # most often, and then in half of the time
            scores.update({posting >> 8: weight * (posting & 255) for posting in listed})
            continue
        for posting in listed:
            key = posting >> 8
            # A tenth of a search of 100,000 sessions faster than a `defaultdict`.
            scores[key] = scores.get(key, 0.0) + weight * (posting & 255)


def _of_keys(keys: Sequence[int], listed: array[int]) -> array[int]:
    """Return the postings of some sessions; both are in order."""
    found = array("I")
    at = 0
    for key in keys:
        at = bisect_left(listed, key << 8, at)
        if at < len(listed) and listed[at] >> 8 == key:
            found.append(listed[at])
    return found


def without_held(terms: Sequence[Term]) -> list[Term]:
    """Return the terms without the Chinese characters that are in a pair: they add only time."""
    pairs = (each for each in terms if len(each.term) > 1 and text.is_cjk(each.term))
    held = frozenset().union(*(each.term for each in pairs if each.kind != "near"))
    return [each for each in terms if each.term not in held]


def matched(places: Sequence[int], query: ParsedQuery) -> tuple[str, ...]:
    """Return the words of the question at these places, as the question spells them."""
    return tuple(dict.fromkeys(query.terms[place].word for place in places))


def found_words(places: Sequence[int], query: ParsedQuery) -> list[str]:
    """Return what a snippet is cut around: what was asked, and what was found instead."""
    terms = [query.terms[place] for place in places]
    return [word for term in terms for word in (term.word, term.term)]


def by_accident(terms: Sequence[Term], texts: int) -> float:
    """Return in how many of so many texts the words of these terms meet by accident.

    That is, where they have nothing to do with each other: of 1,000 texts, two words that ten texts
    have each meet in a tenth of a text. Of Chinese, pairs of characters that don't overlap count,
    and a character that translates a word; of what a word is called otherwise, the most common. An
    identifier is as rare as the rarest of its parts.
    """
    frequencies: dict[str, int] = {}
    for term in terms:  # what was found as it was asked comes first
        if term.kind != "near" and (term.term[1:] or not text.is_cjk(term.word)):
            chosen = min if term.kind == "exact" else max
            known = frequencies.get(term.word, term.frequency)
            frequencies[term.word] = chosen(known, term.frequency)
    meeting = float(texts)
    counted: set[str] = set()
    usual = {
        word
        for word in frequencies
        if not USUAL.isdisjoint((word.lower(), *SYNONYMS.get(word, ())))
    }
    # The words that are known first: Chinese pairs that lie between two words overlap with them.
    for word in sorted(frequencies, key=lambda word: (word not in usual, frequencies[word])):
        parts = word if text.is_cjk(word) else [word]
        if counted.isdisjoint(parts):
            counted.update(parts)
            more = MORE_TEXTS if word in usual else 0
            meeting *= min(1.0, (frequencies[word] + more) / (texts + MORE_TEXTS))
    return meeting


def explain(ranked: RankedSession, query: ParsedQuery) -> tuple[str, ...]:
    """Return why a session is where it is, a line for each reason."""
    match = ranked.match
    lines = [term_line(query.terms[place]) for place in match.terms]
    lines.append(filled("in {}", joined(", ", match.fields)))
    if ranked.translated:
        lines.append(filled("translated: {:.3f} of the question", ranked.translated))
    lines.append(
        filled(
            "keyword {:.3f} (bm25 {:.3f}, statement {:.3f}, side by side {:.3f}, letters {:.3f})",
            ranked.keyword,
            match.bm25,
            match.unit,
            match.pairs,
            match.grams,
        )
    )
    if match.breadth < 1:
        lines.append(filled("for the floor, few words × {:.3f}", match.breadth))
    if ranked.date:
        lines.append(filled("date named + {:.3f}", ranked.date))
    lines.append(filled("decay × {:.3f}", ranked.decay))
    if ranked.session.origin:
        lines.append(
            filled("of which origin × {:.3f} ({})", _FOREIGN_WEIGHT, ranked.session.origin)
        )
    return tuple(lines)


def term_line(term: Term) -> str:
    """Return how a term that was found relates to the question."""
    if term.kind == "exact":
        return filled("{} (exact)", term.word)
    if term.kind == "near":
        return filled("{} (near)", term.word)
    return filled("{} → {} ({})", term.word, term.term, term.kind)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    from daily_memory.core.search.postings import Postings
    from daily_memory.core.search.translation import TranslatedScorer

    class _HasRelevance(Protocol):
        @property
        def relevance(self) -> float: ...

    _Scored = TypeVar("_Scored", bound=_HasRelevance)
