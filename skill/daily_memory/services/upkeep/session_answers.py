"""The days of a root, with what a review or a summary asks of each session alone.

The first time that is most of the work, and several processes do it: see `storage/workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import watched
from daily_memory.core.review.asking import Ask, Asked, Rows
from daily_memory.model import Session, SessionId
from daily_memory.storage import days, review_answers, workers
from daily_memory.storage.days import DayFile
from daily_memory.storage.index import refresh
from daily_memory.storage.review_answers import Answers
from daily_memory.storage.roots import Root

Question = Callable[[Session, Ask], None]
Answered = tuple[Session, str, dict[str, Rows]]


def each_day(root: Root, known: Answers, question: Question) -> Iterator[Day]:
    """Yield the days, oldest first; where nothing is known, note the answers of their sessions."""
    if not known.is_empty:
        yield from days.each_day(root)
        return
    listed = days.list_days(root)
    asking = partial(_asked, root, question, refresh.load_origins(root))
    sizes = [file.size for file in listed]
    several = workers.each(asking, listed, sizes, modes=root.modes)
    for _, (day, answered) in zip(watched(listed), several, strict=True):
        for session, key, answers in answered:
            known.note(session, key, answers)
        yield day


def _asked(
    root: Root, question: Question, origins: Mapping[SessionId, str], file: DayFile
) -> tuple[Day, list[Answered]]:
    day = days.load_listed(root, file)
    answered = []
    for session, _ in day.all_sections:
        known = session._replace(origin=origins.get(session.id) or session.origin)
        answered.append((known, review_answers.key_of(known), _answers(known, question)))
    return day, answered


def _answers(session: Session, question: Question) -> dict[str, Rows]:
    answers: dict[str, Rows] = {}

    def ask(what: str, of: Asked, find: Callable[[Asked], Rows], /) -> Rows:
        return answers.setdefault(what, find(of))

    question(session, ask)
    return answers
