"""The recall log: which memories a conversation received, when, and after which question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core import recall
from daily_memory.core.format.session_json import split_id
from daily_memory.core.recall import shown_places
from daily_memory.core.record import find_observation_id
from daily_memory.core.search import stopwords, text
from daily_memory.core.session_text import session_lines
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.services.reading import browse, records
from daily_memory.storage import observations
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root


class ReceivedItem(NamedTuple):
    """A memory that was shown: a session, an observation, a summary or a team's, by its id.

    `topic` is "" if it is gone. `lines` are the lines that were shown, in their present state; none
    if all were. `shared` are the words that it shares with the question.
    """

    id: str
    topic: str
    lines: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


class Received(NamedTuple):
    """What was shown at one moment: at the start, or after a question on line `place`."""

    place: int
    is_start: bool
    question: str
    items: tuple[ReceivedItem, ...]


def received(roots: Sequence[Root], root: Root, live: LiveSession) -> Iterator[Received]:
    """Yield what a live session of a root received, in order, from any of the roots."""
    steps = [*zip(live.places, live.observations, strict=True)]
    for place, marks in observations.load_recalls(live.path):
        before = [observation for line, observation in steps if line < place]
        questions = [observation.text for observation in before if observation.kind == "user"]
        question = questions[-1] if questions else ""
        items = (
            _item(roots, root, id_, sorted(places), question)
            for id_, places in shown_places(marks).items()
        )
        yield Received(place, not before, question, tuple(items))


def _item(
    roots: Sequence[Root], root: Root, name: str, places: Sequence[int], question: str
) -> ReceivedItem:
    if name.startswith("team:"):  # not looked up: the database may be slow
        return ReceivedItem(name, "team")
    label, id_ = split_id(name)
    home = next((home for home in roots if home.is_called(label)), None) if label else root
    if "#" in id_ and home:
        session = find_session(home, id_)
        if session is None:
            return ReceivedItem(name, "")
        lines = recall.pieces_at(session_lines(session), places)
        subject = "\n".join((session.topic, *session.tags, *(lines or session_lines(session))))
        shared = _shared(question, subject)
        return ReceivedItem(home.scoped(session.id), session.topic, lines, shared)
    if home and find_observation_id(id_):
        for record in records.get([home], [id_]):
            parts = recall.split_passages(record.text)
            lines = tuple(parts[place] for place in places if place < len(parts))
            return ReceivedItem(name, record.kind, lines, _shared(question, record.text))
    return ReceivedItem(name, "summary" if id_ == "summary" else "")


def find_session(root: Root, id_: str) -> Session | None:
    """Return a session; None if it is deleted or private."""
    try:
        session = browse.get([root], id_).session
    except DailyMemoryError:
        return None
    return None if session.is_private else session


def _shared(question: str, subject: str) -> tuple[str, ...]:
    """Return the words that a question shares with a text, without stop words."""
    common = set(text.terms(question)) & set(text.terms(subject))
    words: list[str] = []
    for token in text.tokens(question):
        if text.is_cjk(token):
            pairs = (pair for pair in text.run_pairs(token) if pair in common)
            words += [pair for pair in pairs if not stopwords.CHINESE.intersection(pair)]
        elif common.intersection(text.terms(token)) and not text.is_stop_word(token.lower()):
            words.append(token)
    return tuple(dict.fromkeys(words))
