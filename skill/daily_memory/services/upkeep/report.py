"""What there is, in numbers: by day, tag, project and host, what was recalled, how good it is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.format import markdown
from daily_memory.core.format.session_json import split_id
from daily_memory.core.hosts.names import host_name
from daily_memory.core.pages import report, report_page
from daily_memory.core.pages.report import Counts, Recall, Recalled, Signs, as_json
from daily_memory.core.progress import Progress
from daily_memory.core.redaction.finding import MARK
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.services.reading import browse
from daily_memory.storage import days, observations
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

__all__ = ["Counts", "as_json", "count"]

# What tells the language of the page.
_JUDGED_DAYS, _JUDGED = 14, 50


def count(
    roots: Sequence[Root], first: date, last: date, progress: Progress | None = None
) -> Counts:
    """Return the numbers of these days."""
    found = list(browse.sessions(roots, first=first, last=last, progress=progress))
    shown = [one.session for one in found if not one.session.is_private]
    lives = [
        (root, live) for root in roots for live in observations.each(root, first=first, last=last)
    ]
    return Counts(
        first,
        last,
        sessions=Counter(one.session.date for one in found),
        observations=Counter(dict(_observed(live for _, live in lives))),
        flags={
            "important": sum(session.is_important for session in shown),
            "outdated": sum(session.is_outdated for session in shown),
            "private": len(found) - len(shown),
            "foreign": sum(bool(one.origin) for one in found),
        },
        tags=Counter(tag for one in shown for tag in report.tags_of(one)),
        projects=Counter(
            one.session.project or one.root.project for one in found if not one.session.is_private
        ),
        hosts=Counter(host_name(session.source) for session in shown),
        topics=report.topics_over_time(shown, first, last),
        redactions=_redactions(roots, first, last, lives),
        recall=_recall(roots, lives, shown),
        quality=report.judged(shown),
        bytes=_sizes(roots),
    )


def page(roots: Sequence[Root], counts: Counts, settings: Settings, made: date) -> str:
    """Return the report as one HTML page that needs no script and no network.

    Its words are in the language of the settings, or of the last sessions.
    """
    last = [
        section.session
        for root in roots
        for file in days.list_days(root)[-_JUDGED_DAYS:]
        for section in days.load_listed(root, file).all_sections
        if not section.session.is_private
    ]
    language = markdown.heading_language(settings.recording.language, last[-_JUDGED:])
    title = next((root.project for root in roots if root.project), "") or "daily-memory"
    return report_page.page(counts, title=title, language=language, made=made)


def _observed(lives: Iterable[Live]) -> Iterable[tuple[date, int]]:
    """Return how many observations there are of each day on which live sessions began."""
    found: Counter[date] = Counter()
    for one in lives:
        day = days.day_of(f"{os.path.basename(os.path.dirname(one.path))}.md")
        if day:
            found[day] += len(one.observations)
    return found.items()


def _redactions(
    roots: Sequence[Root], first: date, last: date, lives: Sequence[tuple[Root, Live]]
) -> Counter[str]:
    """Return how many marks stand in the place of something hidden, by what that was."""
    found: Counter[str] = Counter()
    for root in roots:
        for file in days.list_days(root):
            if first <= file.day <= last:
                found.update(_marks("\n".join(days.load_lines(root, file.day))))
    for _, live in lives:
        for observation in live.observations:
            found.update(_marks(observation.text))
    return found


def _marks(text: str) -> Iterator[str]:
    for mark in MARK.findall(text):
        yield mark.removeprefix("[REDACTED:").removesuffix("]")


# ---------------------------------------------------------------------------- recall


class _Known(NamedTuple):
    session: Session
    signs: Signs


def _recall(
    roots: Sequence[Root], lives: Sequence[tuple[Root, Live]], sessions: Sequence[Session]
) -> Recall:
    counts = report.term_counts(sessions)
    known: dict[tuple[Root | None, str], _Known | None] = {}
    told: Counter[tuple[Root | None, str]] = Counter()
    used: Counter[tuple[Root | None, str]] = Counter()
    conversations = unknown = 0
    for root, live in lives:
        recalled = observations.load_told(live.path)
        names = 0
        for key, place in recalled.items():
            label, id_ = split_id(key)
            home = next((one for one in roots if one.is_called(label)), None) if label else root
            if "#" not in id_:
                continue  # the summary, which is no session
            names += 1
            name = home, id_
            if name not in known:
                session = _find(home, id_)
                signs = report.signs_of(session, counts, len(sessions)) if session else None
                known[name] = _Known(session, signs) if session and signs else None
            one = known[name]
            if one is None:
                unknown += 1
                continue
            told[name] += 1
            used[name] += report.is_used(one.signs, *_around(live, place))
        conversations += bool(names)
    most = [
        Recalled(home.scoped(id_), one.session.topic, told[home, id_], used[home, id_])
        for (home, id_), one in known.items()
        if home and one
    ]
    return Recall(
        len(lives),
        conversations,
        sum(told.values()) + unknown,
        sum(used.values()),
        unknown,
        report.most_recalled(most),
    )


def _find(root: Root | None, id_: str) -> Session | None:
    """Return a session that may be told of; None for one that is gone or private by now."""
    if root is None:
        return None
    try:
        session = browse.get([root], id_).session
    except DailyMemoryError:
        return None
    return None if session.is_private else session


def _around(live: Live, place: int) -> tuple[str, str]:
    """Return what a conversation said before it was told of something, and what came of it.

    The question that was answered with it stands before or behind it, and is no sign of use.
    """
    said = list(zip(live.places, live.observations, strict=True))
    before = [one for at, one in said if at < place]
    after = [one for at, one in said if at > place]
    while after and after[0].kind == "user":
        before.append(after.pop(0))
    return (
        "\n".join(one.text for one in before),
        "\n".join(text for one in after if one.kind != "user" for text in (one.text, *one.files)),
    )


# ---------------------------------------------------------------------------- sizes


def _sizes(roots: Sequence[Root]) -> dict[str, int]:
    return {
        "daily": sum(_size(root.daily_folder) for root in roots),
        "observations": sum(_size(root.observations_folder) for root in roots),
        "index": sum(_size(root.index_folder) for root in roots),
        "archive": sum(_size(root.archive_folder) for root in roots),
    }


def _size(folder: str) -> int:
    """Return how many bytes the files of a folder have; one that goes meanwhile has none."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # it was there a moment ago
    return total
