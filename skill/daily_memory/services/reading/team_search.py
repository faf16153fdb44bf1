"""Search the team's database: the records of every project that was granted."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date
from itertools import islice

from daily_memory.backends.team import database
from daily_memory.backends.team.database import TeamCorpus
from daily_memory.core.context import ContextItem
from daily_memory.core.record import SESSION, Record, RecordHit
from daily_memory.core.search import fusion, ranking
from daily_memory.core.search.fusion import Cosines
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.services.reading import records
from daily_memory.services.reading.records import RecordQuery, RecordResult
from daily_memory.text import filled

# For recall: the most sessions, their length, and how long to wait for them.
_MOST_RECALLED, _MOST_RECALLED_CHARS, _RECALL_S = 2, 600, 0.3
# How long a person waits for an answer.
ANSWER_S = 10.0
# A session may come from several machines of its author: ask for more than needed.
_COPIES = 3


def check_on(settings: Settings) -> str:
    """Return the address of the team's database."""
    if not settings.mirror.has_team:
        hint = "in your own config.json: mirror.enabled, mirror.engine postgresql, mirror.url"
        raise InvalidInputError("no team's database is set", hint=hint)
    return settings.mirror.url


def search(
    question: str,
    query: RecordQuery,
    settings: Settings,
    today: date,
    *,
    timeout_s: float = ANSWER_S,
    near: tuple[str, Sequence[float]] = ("", ()),
) -> RecordResult:
    """Return the matching records of all granted projects, or of one, best first.

    `near` is a model and its vector of the question, to search sessions by meaning too.
    """
    records.check(query)
    with database.opened(check_on(settings), timeout_s=timeout_s, reads=True) as opened:
        corpus = opened.corpus(query.filters)
        weight = settings.retrieval.translation_weight
        hits = records.best_hits(corpus, corpus.record, question, today, weight)
        if near[0] and SESSION in (query.kinds or (SESSION,)):
            limit = query.limit * _COPIES
            closest = corpus.closest(*near, limit)
            hits = iter(_blended(list(islice(hits, limit)), corpus, closest, settings))
        # The same session comes from each machine of its author.
        distinct: dict[tuple[str, str], RecordHit] = {}
        for hit in hits:
            distinct.setdefault((hit.record.kind, hit.record.text), hit)
            if len(distinct) == query.limit:
                break
    return RecordResult(tuple(distinct.values()))


def _blended(
    hits: Sequence[RecordHit],
    corpus: TeamCorpus,
    near: Sequence[tuple[str, float, Cosines]],
    settings: Settings,
) -> list[RecordHit]:
    """Return hits blended with the closest sessions; a hit by meaning alone must stand out."""
    weights = fusion.Weights(settings.retrieval.keyword_weight, settings.retrieval.semantic_weight)
    share = fusion.share(weights, float(bool(hits)), 1.0)
    scores: dict[str, float] = {}
    merged = {hit.record.id: hit._replace(score=(1 - share) * hit.score) for hit in hits}
    for document_id, cosine, cosines in near:
        record, score = corpus.record(document_id), fusion.semantic_score(cosine, cosines)
        if record.id not in merged and score >= fusion.SEMANTIC_FLOOR:
            topic = record.text.partition("\n")[0]
            merged[record.id] = RecordHit(record, 0.0, topic, (), (f"semantic {score:.3f}",))
        scores[record.id] = max(score, scores.get(record.id, 0.0))
    blended = [
        hit._replace(score=hit.score + share * scores.get(id_, 0.0)) for id_, hit in merged.items()
    ]
    return sorted(blended, key=lambda hit: (-hit.score, hit.record.id))


def asker(
    question: str,
    settings: Settings,
    today: date,
    redact: Callable[[str], str],
    *,
    within_s: float = _RECALL_S,
) -> Callable[[], list[ContextItem]]:
    """Start asking for sessions in a thread; return a function for the answer.

    `within_s` after the question it returns an empty answer. The thread ends with the process.
    """
    answers: list[list[ContextItem]] = []

    def work() -> None:
        # `memory search --team` reports faults; a conversation is not disturbed.
        with contextlib.suppress(DailyMemoryError):
            query = RecordQuery(_MOST_RECALLED, (SESSION,))
            found = search(redact(question), query, settings, today, timeout_s=within_s)
            hits = [hit for hit in found.hits if hit.score >= ranking.INJECT_FLOOR]
            answers.append([_item(hit.record) for hit in hits])

    thread = threading.Thread(target=work, daemon=True)
    end = time.monotonic() + within_s
    thread.start()

    def answer() -> list[ContextItem]:
        thread.join(max(0.0, end - time.monotonic()))
        return answers[0] if answers else []

    return answer


def _item(record: Record) -> ContextItem:
    topic, *lines = record.text.split("\n")
    return ContextItem(
        record.id,
        record.at[:10],
        record.project,
        origin=record.origin,
        title=topic,
        lines=tuple(lines),
        max_chars=_MOST_RECALLED_CHARS,
    )


def get(record_id: str, settings: Settings) -> tuple[Record, ...]:
    """Return the records with a team id; each machine of the author may have one."""
    parts = record_id.split(":", 3)
    if len(parts) != 4:
        hint = "as in team:shop:alice:2026-01-29#1"
        message = filled("{!r} is not an id of the team's database", record_id[:80])
        raise InvalidInputError(message, hint=hint)
    with database.opened(check_on(settings), timeout_s=ANSWER_S, reads=True) as opened:
        opened.check()
        shared = opened.get(*parts[1:])
    if not shared:
        raise NotFoundError("no record {!r}", record_id[:80], hint="ids come from a search")
    return tuple(dict.fromkeys(shared))
