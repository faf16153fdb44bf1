"""`memory report`: counts by day, tag, project and host, recall, and quality."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date

from daily_memory.core.format import markdown
from daily_memory.core.format.session_json import split_id
from daily_memory.core.hosts.names import host_name
from daily_memory.core.observation import is_save
from daily_memory.core.pages import html, report, report_page
from daily_memory.core.pages.report import Counts, Recall, Recalled
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction.view import MARK
from daily_memory.core.settings import Settings
from daily_memory.model import Session, days_before
from daily_memory.services.reading import browse
from daily_memory.services.reading.recall_log import find_session
from daily_memory.services.writing import agent_saves
from daily_memory.storage import days, observations
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root

__all__ = ["Counts", "count"]

# How many of the last sessions decide the language of the page.
_LANGUAGE_SESSIONS = 50


def count(roots: Sequence[Root], settings: Settings, last: date, span: int) -> Counts:
    """Return the numbers of a period of `span` days that ends with `last`."""
    first = days_before(last, span - 1)
    found = list(browse.sessions(roots, first=first, last=last))
    public = [hit for hit in found if not hit.session.is_private]
    shown = [hit.session for hit in public]
    lives = [
        (root, live) for root in roots for live in observations.each(root, first=first, last=last)
    ]
    observed: Counter[date] = Counter()
    for _, live in lives:
        day = days.day_of(f"{os.path.basename(os.path.dirname(live.path))}.md")
        if day:
            observed[day] += len(live.observations)
    return Counts(
        first,
        last,
        sessions=Counter(hit.session.date for hit in found),
        observations=observed,
        flags={
            "important": sum(session.is_important for session in shown),
            "outdated": sum(session.is_outdated for session in shown),
            "private": len(found) - len(shown),
            "foreign": sum(bool(hit.origin) for hit in found),
        },
        tags=Counter(tag for session in shown for tag in report.tags_of(session)),
        projects=Counter(hit.session.project or hit.root.project for hit in public),
        hosts=Counter(host_name(session.source) for session in shown),
        topics=report.topics_over_time(shown, first, last),
        redactions=_redactions(roots, first, last, [live for _, live in lives]),
        recall=_recall(roots, lives, shown),
        quality=report.judged(with_progress(shown)),
        bytes={
            "daily": sum(_size(root.daily_folder) for root in roots),
            "observations": sum(_size(root.observations_folder) for root in roots),
            "index": sum(_size(root.index_folder) for root in roots),
            "archive": sum(_size(root.archive_folder) for root in roots),
        },
        title=next((root.project for root in roots if root.project), "daily-memory"),
        language=markdown.heading_language(
            settings.recording.language, shown[-_LANGUAGE_SESSIONS:]
        ),
    )


def page(counts: Counts) -> str:
    """Return the report as an HTML page in the language of the memory."""
    return report_page.page(counts, html.load_assets().style)


def _redactions(
    roots: Sequence[Root], first: date, last: date, lives: Sequence[LiveSession]
) -> Counter[str]:
    """Return how many marks of hidden secrets there are of each kind."""
    texts = [
        "\n".join(days.load_lines(root, file.day))
        for root in roots
        for file in days.list_days(root)
        if first <= file.day <= last
    ]
    texts += [observation.text for live in lives for observation in live.observations]
    return Counter(
        mark.removeprefix("[REDACTED:").removesuffix("]")
        for text in texts
        for mark in MARK.findall(text)
    )


def _recall(
    roots: Sequence[Root], lives: Sequence[tuple[Root, LiveSession]], sessions: Sequence[Session]
) -> Recall:
    received = [list(_recalled(roots, root, live)) for root, live in lives]
    terms = report.term_counts(with_progress(sessions) if any(received) else ())
    hits: dict[tuple[Root | None, str], Recalled | None] = {}
    signs: dict[tuple[Root | None, str], report.Signs] = {}
    conversations = total = unknown = 0
    for (_, live), recalled in zip(lives, received, strict=True):
        conversations += bool(recalled)
        total += len(recalled)
        for home, id_, place in recalled:
            key = home, id_
            if key not in hits:
                session = find_session(home, id_) if home else None
                hits[key] = (
                    Recalled(home.scoped(id_), session.topic, 0, 0) if home and session else None
                )
                if session:
                    signs[key] = report.signs_of(session, terms, len(sessions))
            hit = hits[key]
            if hit is None:
                unknown += 1
                continue
            is_used = report.is_used(signs[key], *_around(live, place))
            hits[key] = hit._replace(told=hit.told + 1, used=hit.used + is_used)
    known = [hit for hit in hits.values() if hit]
    used = sum(hit.used for hit in known)
    requests = sum(live.asked for _, live in lives)
    saves = [
        observation.text
        for _, live in lives
        for observation in live.observations
        if is_save(observation.tool)
    ]
    tokens = sum(map(report.estimated_tokens, [*saves, *([agent_saves.REQUEST] * requests)]))
    most = report.most_recalled(known)
    counts = (len(lives), conversations, total, used, unknown)
    return Recall(*counts, most, requests, len(saves), tokens)


def _recalled(
    roots: Sequence[Root], root: Root, live: LiveSession
) -> Iterator[tuple[Root | None, str, int]]:
    """Yield the root, id and line of each session that a conversation received."""
    told: dict[str, int] = {}
    for place, marks in observations.load_recalls(live.path):
        for mark in marks:
            told.setdefault(mark.partition("@")[0], place)
    for key, place in told.items():
        label, id_ = split_id(key)
        # The summary and observations are listed too.
        if "#" in id_:
            home = next((home for home in roots if home.is_called(label)), None) if label else root
            yield home, id_, place


def _around(live: LiveSession, place: int) -> tuple[str, str]:
    """Return the text of a conversation before it received a session, and the answers after.

    The user's next message counts as before, since the memory was injected with it.
    """
    placed = list(zip(live.places, live.observations, strict=True))
    before = [observation for line, observation in placed if line < place]
    after = [observation for line, observation in placed if line > place]
    while after and after[0].kind == "user":
        before.append(after.pop(0))
    answers = [observation for observation in after if observation.kind != "user"]
    return (
        "\n".join(observation.text for observation in before),
        "\n".join(text for answer in answers for text in (answer.text, *answer.files)),
    )


def _size(folder: str) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # deleted in the meantime
    return total
