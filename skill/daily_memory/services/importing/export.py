"""Export sessions as JSON, JSON Lines, Markdown or an HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from heapq import merge
from typing import NamedTuple

from daily_memory.core.format import markdown, session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.pages import html, sessions_page
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Problem, Session
from daily_memory.services.reading.browse import ANY, SessionFilter
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.storage import archive_files, days
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# Called with the number of exported sessions.
Counter = Callable[[int], None]
# Called with each unreadable day.
Warner = Callable[[Problem], None]
EXPORT_FORMATS = ("json", "jsonl", "md", "html")


class Chosen(NamedTuple):
    """Which sessions to export: a period and a filter."""

    first: date = date.min
    last: date = date.max
    sessions: SessionFilter = ANY
    archived: bool = False


def check_format(form: str) -> None:
    if form not in EXPORT_FORMATS:
        raise InvalidInputError("format {!r} is not one of {}", form, ", ".join(EXPORT_FORMATS))


def export(
    roots: Sequence[Root],
    form: str,
    chosen: Chosen,
    now: datetime,
    settings: Settings,
    count: Counter | None = None,
    warn: Warner | None = None,
) -> Iterator[str]:
    """Yield the chosen sessions of the roots as pieces of text, in one of EXPORT_FORMATS."""
    count, warn = count or _ignore, warn or _ignore
    if form == "md":
        yield from _markdown(roots, chosen, count, warn)
        return
    sessions = _counted(_chosen(roots, chosen, warn), count)
    if form == "jsonl":
        yield from (_json(session) + "\n" for session in sessions)
    elif form == "html":
        name = roots[0].project if len(roots) == 1 else ""
        yield from _html(list(sessions), name, now, settings)
    else:
        yield '{"sessions": ['
        for place, session in enumerate(sessions):
            yield (",\n" if place else "\n") + _json(session)
        yield "\n]}\n"


def _ignore(_: object) -> None:
    return


def _counted(sessions: Iterable[Session], count: Counter) -> Iterator[Session]:
    for session in sessions:
        count(1)
        yield session


def _chosen(roots: Sequence[Root], chosen: Chosen, warn: Warner) -> Iterator[Session]:
    for root in roots:
        every = days.each_day(root, first=chosen.first, last=chosen.last)
        if chosen.archived:
            archived = archive_files.each_day(root, first=chosen.first, last=chosen.last)
            every = merge(archived, every, key=lambda day: day.date)
        for day in every:
            for problem in day.problems:
                if not problem.line:  # of the whole file
                    warn(problem)
            for section in day.all_sections:
                session = section.session
                if chosen.sessions.has(session, root):
                    is_named = len(roots) == 1 or session.project
                    yield session if is_named else session._replace(project=root.project)


def _html(
    sessions: Sequence[Session], name: str, now: datetime, settings: Settings
) -> Iterator[str]:
    """Yield the page. It is made to be shared, so private sessions are left out.

    It is redacted again, since day files may be edited by hand.
    """
    shown = [session for session in sessions if not session.is_private]
    cleaned = privacy.redact_sessions(shown, policy(settings))
    public = [next(cleaned)[0] for _ in with_progress(shown)]
    # Several memories may have the same day.
    public.sort(key=lambda session: session.date)
    head = sessions_page.Head(
        name or "daily-memory",
        markdown.heading_language(settings.recording.language, public),
        now.date().isoformat(),
        len(sessions) - len(public),
    )
    yield from sessions_page.page(public, head, html.load_assets())


def _json(session: Session) -> str:
    return json.dumps(session_json.format_session(session), ensure_ascii=False)


def _markdown(roots: Sequence[Root], chosen: Chosen, count: Counter, warn: Warner) -> Iterator[str]:
    """Yield the day files one after the other, reduced to the chosen sections."""
    for root in roots:
        name = f"<!-- {root.project or root.scope} -->\n\n" if len(roots) > 1 else ""
        for day, path, data in _day_files(root, chosen, warn):
            text = _day_text(root, days.parse_bytes(data, day, path), data, chosen, count)
            if text:
                yield f"{name}{text}\n" if text.endswith("\n") else f"{name}{text}\n\n"
                name = ""


def _day_files(root: Root, chosen: Chosen, warn: Warner) -> Iterator[tuple[date, str, bytes]]:
    paths = [(file.day, file.path(root)) for file in days.list_days(root)]
    if chosen.archived:
        paths = sorted([*paths, *archive_files.list_days(root)])
    for day, path in with_progress(paths):
        if chosen.first <= day <= chosen.last:
            try:
                data = files.read_bytes(path)
                yield day, path, archive_files.unpack(data, path) if path.endswith(".gz") else data
            except DailyMemoryError as error:
                warn(Problem(path, 0, error.message))


def _day_text(root: Root, day: Day, data: bytes, chosen: Chosen, count: Counter) -> str:
    sections = [row for row in day.all_sections if chosen.sessions.has(row.session, root)]
    count(len(sections))
    if chosen.sessions == ANY:
        return days.decode(data)
    texts = [days.decode(text).rstrip("\r\n") for _, text in days.cuts(data, sections)]
    return "\n\n".join((f"# {day.date}", *texts)) if texts else ""
