"""Picks the statements and recorded steps that answer a question, for the context block.

The statements and steps of all sessions, long ones split into pieces, are ranked together, as
`core.search.observation_ranking` ranks observations. The best pieces fill the room: a long section
is not simply cut at its end, and a short one leaves room for the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from heapq import nlargest

from daily_memory.core import context
from daily_memory.core.context import ContextItem
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.review import opposition
from daily_memory.core.search import observation_ranking, text
from daily_memory.core.search.observation_ranking import Document
from daily_memory.core.search.plain_corpus import PlainCorpus
from daily_memory.named_tuples import NamedTuple

# A piece of a step: a paragraph or a few lines.
_PIECE_CHARS = 300
# How many pieces are ranked, not counting their neighbours.
_MOST_PIECES = 40
# Next to a known statement, a step is shown if it answers at least half as well.
_LEAST_OF_KNOWN = 0.5
# Two pieces say the same if one has so many of the terms of the other.
_MOST_SHARED = 0.8

_SENTENCE_END = lazy_pattern(r"(?<=[。！？!?；;，,])|(?<=[.])(?= )")


class Step(NamedTuple):
    """A step of a conversation: its header in the block, its day, its text, and what it is worth.

    `worth` is 1 for what was said, less for what only led there.
    """

    item: ContextItem
    day: str
    text: str
    worth: float = 1.0


class RecalledSession(NamedTuple):
    """A session with its statements and recorded steps, and its score, 0..1.

    With `is_known`, its header is only shown above something new.
    """

    item: ContextItem
    statements: tuple[str, ...]
    steps: tuple[Step, ...]
    score: float
    is_known: bool = False
    number: int = 0  # of the session, on its day
    former: tuple[str, ...] = ()  # its statements that the conversation knows: no step repeats them


class ShownItem(NamedTuple):
    """An item of the block, and which of its pieces are shown, from 0; None for no choice."""

    item: ContextItem
    places: tuple[int, ...] | None = None

    @property
    def mark(self) -> str:
        """What is recorded of it, so that no piece is shown twice."""
        if self.places is None:
            return self.item.id
        return f"{self.item.id}@{'.'.join(map(str, self.places))}"


class _Piece(NamedTuple):
    source: int
    step: int  # -1 for a statement
    place: int  # among the pieces of its step, or of the statements
    document: Document

    @property
    def text(self) -> str:
        return self.document.text


def shown_places(marks: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return which pieces of which items a conversation was shown.

    >>> shown_places(["2026-01-29#1@0.3", "2026-01-29#1@7", "summary"])["2026-01-29#1"]
    frozenset({0, 3, 7})
    """
    known: dict[str, frozenset[int]] = {}
    for mark in marks:
        name, sign, places = mark.rpartition("@")
        numbers = [int(place) for place in places.split(".") if place.isdecimal()] if sign else []
        key = name or mark
        known[key] = known.get(key, frozenset()) | frozenset(numbers)
    return known


def pick_pieces(
    sources: Sequence[RecalledSession],
    question: str,
    terms: Sequence[str],
    today: date,
    max_chars: int,
    known: Mapping[str, frozenset[int]],
) -> list[ShownItem]:
    """Return the sessions with the lines that answer the question, as many as the room holds.

    `terms` are what the search looked for besides the words of the question, `known` the pieces
    that were told before. A step that answers less than half as well as a statement that was told
    before is left out. The order is that of `sources`; the steps of a session follow it, in their
    order. A session without room for a line of it is at the end.
    """
    sources = with_replacements(sources)
    pieces = [piece for number, source in enumerate(sources) for piece in _pieces(number, source)]
    likely = _likely(pieces, question, terms)
    known_terms = set(text.terms(question))
    further = " ".join(term for term in terms if term not in known_terms)
    former = [piece for number, source in enumerate(sources) for piece in _former(number, source)]
    scores = _scores([*likely, *former], f"{question}\n{further}", today)

    def score(piece: _Piece) -> float:
        source = sources[piece.source]
        worth = source.steps[piece.step].worth if piece.step >= 0 else 1.0
        return scores.get(piece.document.id, 0.0) * source.score * worth

    least = _LEAST_OF_KNOWN * max(map(score, former), default=0.0)
    # Statements that don't answer come last.
    answers = [
        piece
        for piece in sorted(
            pieces, key=lambda each: (-score(each), each.source, each.document.place)
        )
        if piece.step < 0 or (piece.document.id in scores and score(piece) >= least)
        if piece.place not in known.get(_item(sources, piece).id, ())
    ]
    return _filled(sources, answers, max_chars)


def with_replacements(sources: Sequence[RecalledSession]) -> list[RecalledSession]:
    """Return the sessions with notes on statements that a newer one replaced, and on the newer
    ones.

    What somebody else wrote replaces nothing that the user wrote.
    """
    order = sorted(range(len(sources)), key=lambda at: (sources[at].item.date, sources[at].number))
    places = [(at, place) for at in order for place in range(len(sources[at].statements))]
    lines = [sources[at].statements[place] for at, place in places]
    statements = [list(source.statements) for source in sources]
    for before, after in opposition.opposed_pairs(lines):
        (older, place), (newer, there) = places[before], places[after]
        item = sources[newer].item
        if older != newer and (sources[older].item.origin or not item.origin):
            statements[older][place] = f"{lines[before]} (until {item.date}, now: {item.id})"
            statements[newer][there] = f"{lines[after]} (since {item.date})"
    return [
        source._replace(statements=tuple(each))
        for source, each in zip(sources, statements, strict=True)
    ]


def _item(sources: Sequence[RecalledSession], piece: _Piece) -> ContextItem:
    source = sources[piece.source]
    return source.item if piece.step < 0 else source.steps[piece.step].item


def split_passages(source: str) -> list[str]:
    r"""Split a text into pieces of a few lines; a heading begins one.

    >>> split_passages("# Cause\nthe pool was full\n\n# Fix\n" + "raise it. " * 50)[0]
    '# Cause\nthe pool was full'
    """
    found: list[str] = []
    piece = ""
    for line in _lines(source):
        if piece and (len(piece) + len(line) > _PIECE_CHARS or line.startswith("#")):
            found.append(piece)
            piece = ""
        piece = f"{piece}\n{line}" if piece else line
    return [*found, piece] if piece else found


def pieces_at(statements: Iterable[str], places: Iterable[int]) -> tuple[str, ...]:
    """Return the pieces of a session's statements at these places."""
    lines = [line for statement in statements for line in _lines(statement)]
    return tuple(lines[place] for place in places if place < len(lines))


def places_in(statements: Iterable[str], shown: frozenset[str]) -> tuple[int, ...]:
    """Return which pieces of a session's statements are in a block."""
    pieces = [line for statement in statements for line in _lines(statement)]
    return tuple(
        place for place, piece in enumerate(pieces) if shown.issuperset(context.quoted_lines(piece))
    )


def _lines(source: str) -> Iterator[str]:
    """Yield the lines of a text; too long ones are split into sentences."""
    for line in source.split("\n"):
        if len(line) <= context.MAX_LINE_CHARS:
            if line.strip():
                yield line.rstrip()
            continue
        part = ""
        for sentence in _SENTENCE_END.split(line):
            for start in range(0, len(sentence), context.MAX_LINE_CHARS):
                bit = sentence[start : start + context.MAX_LINE_CHARS]
                if part and len(part) + len(bit) > _PIECE_CHARS:
                    yield part.strip()
                    part = ""
                part += bit
        if part.strip():
            yield part.strip()


def _pieces(number: int, source: RecalledSession) -> Iterator[_Piece]:
    lines = [line for statement in source.statements for line in _lines(statement)]
    parts = [(-1, place, source.item.date, line) for place, line in enumerate(lines)]
    parts += [(-1, 0, "", "")]  # the first step is no neighbour of the last statement
    known = [_words("\n".join((source.item.title, *source.former)))] if source.former else []
    parts += [
        (step, place, told.day, _without_repeated(part, known))
        for step, told in enumerate(source.steps)
        for place, part in enumerate(split_passages(told.text))
    ]
    for count, (step, place, day, part) in enumerate(parts):
        if part:
            document = Document(f"{number}:{count}", str(number), count, day, part)
            yield _Piece(number, step, place, document)


def _former(number: int, source: RecalledSession) -> Iterator[_Piece]:
    """Yield the statements of a session that the conversation was shown."""
    for place, line in enumerate(_lines("\n".join(source.former))):
        # These lines have no neighbours, and are not in the session of the steps.
        document = Document(f"{number}:known {place}", f"known {number}", 2 * place, "", line)
        yield _Piece(number, -1, place, document)


def _likely(pieces: Sequence[_Piece], question: str, terms: Sequence[str]) -> list[_Piece]:
    """Return the pieces that may answer, with their neighbours, in order."""
    # With their neighbours, the likely ones are up to three times as many.
    if len(pieces) <= 3 * _MOST_PIECES:
        return list(pieces)
    from daily_memory.core.search import prefilter  # for long records alone

    needles = (*prefilter.needles(question), *terms)
    shares = prefilter.shares(needles, [piece.text for piece in pieces])
    best = nlargest(_MOST_PIECES, zip(shares, range(len(pieces)), strict=True))
    near = {place + side for share, place in best if share for side in (-1, 0, 1)}
    return [piece for place, piece in enumerate(pieces) if place in near]


def _scores(pieces: Sequence[_Piece], question: str, today: date) -> dict[str, float]:
    corpus = PlainCorpus(piece.document for piece in pieces)
    # The search has corrected what was mistyped.
    ranked = observation_ranking.rank(question, corpus, today, corrects=False).ranked
    return {each.document.id: each.score for each in ranked}


def _filled(
    sources: Sequence[RecalledSession], pieces: Sequence[_Piece], max_chars: int
) -> list[ShownItem]:
    """Return the items with the pieces that fit, the first ones first, without repetition.

    Each session gets its header and its first piece before any gets a second one.
    """
    taken: dict[tuple[int, int], list[_Piece]] = {}
    # The words of the pieces taken from a session's section, and from its record.
    words: dict[int, tuple[list[frozenset[str]], list[frozenset[str]]]] = {}
    firsts = {piece.source: piece for piece in reversed(pieces)}
    wanted = [n for n, source in enumerate(sources) if n in firsts or not source.is_known]
    free = max_chars
    for number in wanted:
        item = sources[number].item
        chars = context.item_chars(item)
        if chars + (context.line_chars(firsts[number].text) if number in firsts else 0) > free:
            break
        free -= chars
        words[number] = [_words(item.title)], []
    leading = (firsts[number] for number in words if number in firsts)
    for piece in dict.fromkeys((*leading, *pieces)):
        place, shown = (piece.source, piece.step), words.get(piece.source)
        # A look at the length saves most of the work where the room is full.
        if shown is None or len(context.PREFIX) + len(piece.text) >= free:
            continue
        is_new_step = piece.step >= 0 and place not in taken
        chars = context.line_chars(piece.text)
        chars += context.item_chars(_item(sources, piece)) if is_new_step else 0
        own, of_section = _words(piece.text), piece.step < 0
        # A section does not repeat itself, the record does.
        others = shown[1] if of_section else [*shown[0], *shown[1]]
        if chars <= free and not _is_repeated(own, others):
            shown[not of_section].append(own)
            taken.setdefault(place, []).append(piece)
            free -= chars
    items = [
        _told(item, taken.get((number, step), []), max_chars)
        for number in words
        if not sources[number].is_known or any(place[0] == number for place in taken)
        for step, item in _items(sources[number])
        if step < 0 or (number, step) in taken
    ]
    return [*items, *(ShownItem(sources[number].item) for number in wanted if number not in words)]


def _items(source: RecalledSession) -> Iterator[tuple[int, ContextItem]]:
    return enumerate((source.item, *(step.item for step in source.steps)), -1)


def _told(item: ContextItem, pieces: Sequence[_Piece], max_chars: int) -> ShownItem:
    ordered = sorted(pieces, key=lambda piece: piece.place)
    lines = tuple(piece.text for piece in ordered)
    return ShownItem(
        item._replace(lines=lines, max_chars=max_chars), tuple(piece.place for piece in ordered)
    )


def _without_repeated(part: str, known: Sequence[frozenset[str]]) -> str:
    """Return the lines of a piece that say something new."""
    if not known:
        return part
    return "\n".join(line for line in part.split("\n") if not _is_repeated(_words(line), known))


def _is_repeated(words: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the others has nearly all of these words, and each of the numbers."""
    most = (1 - _MOST_SHARED) * len(words)
    new = (words - other for other in others)
    return any(len(rest) <= most and not any(map(str.isdecimal, rest)) for rest in new)


def _words(line: str) -> frozenset[str]:
    """Return the terms of a text, Chinese ones as pairs."""
    terms = (term for term in text.terms(line) if len(term) > 1 or not text.is_cjk(term))
    return frozenset(terms) or frozenset([line])
