"""The fields of a session as the search sees them, and what an index keeps of each session.

BM25F: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond".
"""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.search import text
from daily_memory.model import Session
from daily_memory.named_tuples import NamedTuple


class Field(NamedTuple):
    """How much a word in a field says, and how much a long field takes from that.

    `usual_length` stands in for the mean length where an impact must not depend on the other
    sessions, so that adding one does not change what is stored of all.
    """

    name: str
    weight: float
    length_share: float
    usual_length: int


FIELDS = (
    Field("topic", 3.0, 0.75, 8),
    Field("tags", 2.5, 0.3, 4),
    Field("points", 1.0, 0.75, 120),
    Field("code", 0.4, 0.75, 80),
)
# How soon a repeated word stops to say more; k1 of BM25.
SATURATION = 1.2
_MAX_IMPACT = 255


# One thing that a session says: the number of its field, and the text.
Unit = tuple[int, str]


def units(session: Session) -> list[Unit]:
    """Return the topic, the tags, each statement and each piece of code of a session."""
    points = (
        session.summary,
        *session.key_points,
        *session.decisions,
        *session.open_questions,
        *session.next_steps,
        *(f"{note.heading}\n{note.text}" for note in session.notes),
        " ".join(session.files),
    )
    sources = tuple(f"{code.language}\n{code.text}" for code in session.code)
    found = [(0, session.topic), (1, " ".join(session.tags))]
    found += [(2, point) for point in points]
    found += [(3, source) for source in sources]
    return [unit for unit in found if unit[1]]


def is_chinese(session: Session) -> bool:
    """Tell whether a session is mainly in Chinese, whatever its code, files and tags are in."""
    said = (
        session.topic,
        session.summary,
        *session.key_points,
        *session.decisions,
        *session.open_questions,
        *session.next_steps,
        *(note.text for note in session.notes),
    )
    return text.is_mainly_chinese("\n".join(said))


class FieldReading(NamedTuple):
    """All that an index keeps of what a session says: tokens and terms of each of `FIELDS`.

    `impacts` tell what each term says of it, 1..255, whatever the other sessions say.
    """

    tokens: list[list[str]]
    terms: list[list[str]]
    impacts: dict[str, int]

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many terms each field has."""
        return tuple(map(len, self.terms))


def read(session: Session) -> FieldReading:
    """Return what a session says, cut into words once."""
    texts: list[list[str]] = [[] for _ in FIELDS]
    for field, statement in units(session):
        texts[field].append(statement)
    tokens = [text.tokens("\n".join(part)) for part in texts]
    terms = list(map(text.terms_of, tokens))
    return FieldReading(tokens, terms, _impacts(terms))


def _impacts(found: Sequence[Sequence[str]]) -> dict[str, int]:
    weights: dict[str, float] = {}
    for field, terms in zip(FIELDS, found, strict=True):
        share = field.weight / length_norm(field, len(terms), field.usual_length)
        for term in terms:
            weights[term] = weights.get(term, 0.0) + share
    # Many terms weigh the same.
    impact_of = {
        weight: max(1, round(_MAX_IMPACT * weight / (weight + SATURATION)))
        for weight in set(weights.values())
    }
    return {term: impact_of[weight] for term, weight in weights.items()}


def length_norm(field: Field, length: float, mean_length: float) -> float:
    """Return the factor by which a field of this length makes each of its words count less."""
    return 1 - field.length_share + field.length_share * length / max(mean_length, 1.0)
