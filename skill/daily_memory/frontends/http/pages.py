"""The pages of the web page: a function for each address returns what its template shows.

They show what `Memory` returns, private sessions too, which are marked: they are their owner's.
"""

from __future__ import annotations

import calendar as calendars
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby, islice
from typing import Annotated, Any, Literal, NamedTuple, get_args
from urllib.parse import urlencode

from markupsafe import Markup
from pydantic import Field

from daily_memory import results
from daily_memory.core.observation import Observation
from daily_memory.core.pages import report_page, sessions_page
from daily_memory.core.pages.html import marker, shown
from daily_memory.core.pages.report import tags_of
from daily_memory.core.pages.report_sections import WORDS as REPORT_WORDS
from daily_memory.core.pages.report_sections import level
from daily_memory.core.record import RecordHit
from daily_memory.core.review.review import KINDS as FINDINGS
from daily_memory.core.search import text
from daily_memory.core.setting_keys import KEYS, Key
from daily_memory.core.words import load_words
from daily_memory.errors import NotFoundError
from daily_memory.frontends.http.api import Project, SessionId, is_changeable
from daily_memory.frontends.http.render import (
    WORDS,
    api_url,
    in_language,
    memory_url,
    safe,
    session_url,
    tag_url,
)
from daily_memory.frontends.operations import Archived, Day, Tags
from daily_memory.memory import Memory
from daily_memory.model import (
    FLAG_TAGS,
    IMPORTANT_TAGS,
    OUTDATED_TAGS,
    PRIVATE_TAGS,
    day_after,
    days_before,
)

# How many sessions and hits a list shows, and how many days of conversations.
_MOST_LISTED = 40
_MOST_HITS = 50
_MOST_DAYS = 7
_LINE_CHARS = 200
_TITLE_CHARS = 100
_SECTIONS, _TITLES, _CHOICES = map(load_words, ("section", "setting", "choice"))
_FLAGS = {"important": IMPORTANT_TAGS, "outdated": OUTDATED_TAGS, "private": PRIVATE_TAGS}

Language = Annotated[str, Field(description="en or zh, from Accept-Language")]
Kind = Literal["session", "all", "user", "assistant", "tool", "note", "decision", "error"]
_KINDS = get_args(Kind)
FlagName = Literal["", "important", "outdated", "private", "foreign"]
# The values that a template shows, by the names in it.
Shown = dict[str, Any]
Before = Annotated[Day | None, Field(description="only what is from before this day")]


class ListedItem(NamedTuple):
    """A line of a list: a session or an observation, and where it leads to."""

    href: str
    label: str
    topic: str
    line: str = ""
    day: str = ""
    time: str = ""
    kind: str = "session"
    tags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    project: str = ""
    source: str = ""
    origin: str = ""
    translated: bool = False


def sessions(
    memory: Memory,
    language: Language,
    query: str = "",
    kind: Kind = "session",
    flag: FlagName = "",
    since: Day | None = None,
    until: Day | None = None,
    tags: Tags = [],  # noqa: B006 - pydantic copies it
    project: Project = "",
    archived: Archived = False,
    method: Literal["", "keyword", "semantic", "hybrid"] = "",
    before: Before = None,
) -> Shown:
    """List the sessions, newest first, or what a search finds, best first."""
    words = WORDS[language]
    tags = [tag.lstrip("#") for part in tags for tag in part.split()]
    usual = memory.settings.retrieval.method if memory.settings.semantic.enabled else ""
    filters = {"since": since, "until": until, "tags": tags, "project": project}
    warnings = list(map(str, memory.settings_problems))
    items: list[ListedItem] = []
    days: list[tuple[str, list[ListedItem]]] = []
    older = note = ""
    if query.strip() and flag != "private":
        items, troubles = _search(memory, query, kind, archived, method, filters)
        warnings += troubles
        items = [item for item in items if not flag or flag in item.flags][:_MOST_HITS]
        note = words["count_hits"].format(len(items)) if items else words["none_found"]
        days = [("", items)] if items else []
    elif kind != "session":
        note = words["ask_words"]
    else:
        listed, last = _listed(memory, flag, query, archived, before, filters)
        items = [_item(stored, query) for stored in listed]
        days = [(day, list(group)) for day, group in groupby(items, key=lambda item: item.day)]
        if last:
            chosen = {"flag": flag, "since": since, "tag": " ".join(tags), "project": project}
            chosen = {**chosen, "archived": "true" * archived, "before": last}
            older = "/?" + urlencode({name: value for name, value in chosen.items() if value})
        is_narrow = any((flag, tags, project, since, until, before))
        note = "" if items else words["none_here" if is_narrow else "empty"]
    return {
        "query": query,
        "kind": kind,
        "kinds": _KINDS,
        "flag": flag,
        "since": since,
        "until": until,
        "tags": tags,
        "project": project,
        # Without their numbers of sessions, which would take long at each key.
        "projects": sorted({known.title for known in memory.workspace.known_projects}),
        "archived": archived,
        "method": method or usual,
        "methods": ("keyword", "semantic", "hybrid") if usual else (),
        "is_filtered": kind != "session"
        or bool(flag or since or until or tags or project or archived),
        "known_tags": sorted({tag.casefold() for item in items for tag in item.tags}),
        "warnings": warnings,
        "note": note,
        "days": days,
        "older": older,
    }


def _listed(
    memory: Memory,
    flag: str,
    query: str,
    archived: bool,
    before: date | None,
    filters: dict[str, Any],
) -> tuple[list[results.StoredSession], date | None]:
    """Return the newest sessions, whole days of them, and the day before which there are more."""
    last = min(filters["until"] or date.max, days_before(before, 1) if before else date.max)
    if filters["project"]:
        memory.projects.check(filters["project"])
    every = memory.sessions(
        first=filters["since"] or date.min,
        last=last,
        tags=filters["tags"],
        project=filters["project"],
        foreign=flag == "foreign",
        archived=archived,
        newest_first=True,
    )
    # No search finds what is private: its owner looks for words in it.
    needles = query.casefold().split()
    listed: list[results.StoredSession] = []
    for stored in every:
        if len(listed) >= _MOST_LISTED and listed[-1].session.date != stored.session.date:
            return listed, listed[-1].session.date
        if (flag not in _FLAGS or flag in _flags_of(stored.session.tags)) and all(
            word in str(stored.session).casefold() for word in needles
        ):
            listed.append(stored)
    return listed, None


def _search(
    memory: Memory, query: str, kind: str, archived: bool, method: str, filters: dict[str, Any]
) -> tuple[list[ListedItem], Sequence[str]]:
    if filters["project"]:
        memory.projects.check(filters["project"])
    if kind == "session":
        result = memory.search(query, k=100, archived=archived, method=method, **filters)
        return [_hit(hit, query) for hit in result.hits], result.warnings
    records = memory.observations.search(
        query,
        limit=100,
        kinds=() if kind == "all" else (kind,),
        archived=archived,
        method=method,
        **filters,
    )
    return [_record(hit, query) for hit in records.hits], records.warnings


def _flags_of(tags: Iterable[str], origin: str = "") -> tuple[str, ...]:
    folded = {tag.casefold() for tag in tags}
    flags = [name for name, names in _FLAGS.items() if folded & names]
    return (*flags, *(["foreign"] if origin else []))


def _own_tags(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag.casefold() not in FLAG_TAGS)


def _cut(line: str, most: int = _LINE_CHARS) -> str:
    line = " ".join(line.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _item(stored: results.StoredSession, query: str = "") -> ListedItem:
    session = stored.session
    lines = (session.summary, *session.decisions, *session.key_points)
    return ListedItem(
        session_url(stored.id, query),
        stored.id,
        _cut(session.topic),
        _cut(next((line for line in lines if line and line != session.topic), "")),
        day=str(session.date),
        time=session.time[:5],
        tags=_own_tags(session.tags),
        flags=_flags_of(session.tags, stored.origin),
        project=session.project or ("" if stored.root.is_own else stored.root.project),
        source=session.source,
        origin=stored.origin,
    )


def _hit(hit: results.Hit, query: str) -> ListedItem:
    session = hit.session
    show = marker((*text.terms(query), *hit.terms))
    return ListedItem(
        memory_url(hit.id, query),
        hit.id,
        safe(show(_cut(session.topic))),
        safe(show(hit.snippet)),
        time=session.time[:5],
        tags=_own_tags(session.tags),
        flags=_flags_of(session.tags, session.origin),
        project=session.project,
        source=session.source,
        origin=session.origin,
        translated=hit.translated,
    )


def _record(hit: RecordHit, query: str) -> ListedItem:
    record = hit.record
    show = marker((*text.terms(query), *hit.matched))
    is_session = record.kind == "session"
    topic = record.text.partition("\n")[0] if is_session else hit.snippet
    return ListedItem(
        memory_url(record.id, query),
        record.id if is_session else record.at[:16].replace("T", " "),
        safe(show(_cut(topic))),
        safe(show(hit.snippet)) if is_session else "",
        kind=record.kind,
        tags=_own_tags(record.tags),
        flags=_flags_of(record.tags, record.origin),
        project=record.project,
        source=record.tool,
        origin=record.origin,
        translated=hit.translated,
    )


def day(memory: Memory, language: Language, day: Day) -> Shown:
    """Show all sessions of a day."""
    listed = list(memory.sessions(first=day, last=day, archived=True))
    earlier = next(memory.sessions(last=days_before(day, 1), newest_first=True), None)
    after = (memory.sessions(first=day_after(day), scope=root.scope) for root in memory.roots)
    later = min((stored.session.date for first in after for stored in islice(first, 1)), default="")
    return {
        "title": str(day),
        "day": day,
        "articles": [_article(stored, language) for stored in listed],
        "earlier": earlier and earlier.session.date,
        "later": later,
    }


def _article(
    stored: results.StoredSession, language: str, query: str = "", *, is_alone: bool = False
) -> Markup:
    session = stored.session._replace(origin=stored.origin)
    label = shown(stored.id)
    id_link = label if is_alone else f'<a href="{session_url(stored.id)}">{label}</a>'
    links = sessions_page.Links(lambda id_: session_url(stored.root.scoped(id_)), tag_url)
    show = marker(text.terms(query)) if query else shown
    return safe(sessions_page.article(session, language, id_link, links, show=show))


def session(
    memory: Memory,
    language: Language,
    session_id: SessionId,
    query: Annotated[str, Field(description="words to highlight")] = "",
    edit: Annotated[bool, Field(description="as text, to be changed")] = False,
) -> Shown:
    """Show a session, with what can be done to it."""
    stored = memory.get(session_id, archived=True)
    opened = None if stored.archived or not edit else memory.open(session_id)
    saved = stored.session
    return {
        "title": _cut(saved.topic, _TITLE_CHARS) or stored.id,
        "id": stored.id,
        "api": api_url(stored.id),
        "day": saved.date,
        "article": _article(stored, language, query, is_alone=True),
        "flags": {name: name in _flags_of(saved.tags) for name in _FLAGS},
        "is_archived": stored.archived,
        "conversation": memory.observations.address(saved.conversation)
        if saved.conversation
        else "",
        "draft": opened and opened.text,
        "digest": opened and opened.digest,
    }


def calendar(memory: Memory, language: Language) -> Shown:
    """Show how many sessions each day has, all tags and all projects."""
    words = WORDS[language]
    by_day: Counter[date] = Counter()
    tags: Counter[str] = Counter()
    projects: Counter[str] = Counter()
    for stored in memory.sessions(archived=True):
        by_day[stored.session.date] += 1
        tags.update(tags_of(stored.session))
        projects[stored.session.project or stored.root.project] += 1
    del projects[""]
    return {
        "note": words["calendar_note"].format(sessions=by_day.total(), days=len(by_day)),
        "months": list(_months(by_day, words["month"])),
        "weekdays": words["weekdays"].split(","),
        "tags": sorted(tags.items(), key=lambda pair: (-pair[1], pair[0])),
        "projects": sorted(projects.items()),
    }


def _months(
    by_day: Counter[date], form: str
) -> Iterator[tuple[str, int, list[tuple[date, int, int]]]]:
    """Yield the months with sessions, newest first: name, empty cells, and days with a level."""
    most = max(by_day.values(), default=0)
    for year, month in sorted({(day.year, day.month) for day in by_day}, reverse=True):
        blanks, count = calendars.monthrange(year, month)
        days = [date(year, month, number) for number in range(1, count + 1)]
        cells = [(day, by_day[day], level(by_day[day], most)) for day in days]
        yield days[0].strftime(form), blanks, cells


class Talk(NamedTuple):
    """A recorded conversation, and the memories that it received."""

    live: results.LiveSession
    moments: Sequence[results.Received]

    @property
    def day(self) -> str:
        return os.path.basename(os.path.dirname(self.live.path))

    @property
    def name(self) -> str:
        return os.path.basename(self.live.path).removesuffix(".jsonl")

    @property
    def memories(self) -> int:
        """How many memories it received."""
        return sum(len(moment.items) for moment in self.moments)

    @property
    def title(self) -> str:
        """What the user said first, or else whoever said something."""
        steps = sorted(self.live.observations, key=lambda step: step.kind != "user")
        return _cut(steps[0].text, _TITLE_CHARS) if steps else ""


def _talks(memory: Memory, day: date) -> list[Talk]:
    lives = memory.observations.live_sessions(first=day, last=day)
    newest = sorted(lives, key=lambda live: live.began, reverse=True)
    return [Talk(live, memory.observations.received(live)) for live in newest]


def _days_of_talks(
    memory: Memory, before: date | None
) -> tuple[list[tuple[date, list[Talk]]], date | None]:
    days = [day for day in memory.observations.days() if not before or day < before]
    shown_days = days[:_MOST_DAYS]
    older = shown_days[-1] if len(days) > _MOST_DAYS else None
    return [(day, _talks(memory, day)) for day in shown_days], older


def live(memory: Memory, before: Before = None) -> Shown:
    """List the recorded conversations, newest day first."""
    days, older = _days_of_talks(memory, before)
    return {"days": days, "older": older}


def recall(memory: Memory, before: Before = None) -> Shown:
    """List which memories the conversations received, and why."""
    days, older = _days_of_talks(memory, before)
    talks = [talk for _, listed in days for talk in listed if talk.moments]
    return {"talks": talks, "older": older}


def conversation(
    memory: Memory, day: Day, name: Annotated[str, Field(description="the name of its file")]
) -> Shown:
    """Show a conversation step by step, with the memories that it received."""
    talk = next((talk for talk in _talks(memory, day) if talk.name == name), None)
    if talk is None:
        raise NotFoundError("no conversation {!r} on {}", name, day)
    steps: list[tuple[int, Observation | None, results.Received | None]]
    observed = zip(talk.live.places, talk.live.observations, strict=True)
    steps = [(place, observation, None) for place, observation in observed]
    steps += [(moment.place, None, moment) for moment in talk.moments]
    return {
        "title": talk.title or talk.live.conversation,
        "live": talk.live,
        "steps": sorted(steps, key=lambda step: step[0]),
    }


class Button(NamedTuple):
    """What a button says, sends to the API and says when it is done, by keys of the words."""

    label: str
    method: str
    address: str
    sent: dict[str, Any]
    done: str


def review(
    memory: Memory,
    limit: Annotated[int, Field(ge=0, description="how many of each kind, 0 for all")] = 10,
) -> Shown:
    """List sessions to look at, each with the command that would fix it."""
    reviewed = memory.review(limit=limit)
    by_kind: dict[str, list[results.Remark]] = {kind: [] for kind in FINDINGS}
    for remark in reviewed.remarks:
        by_kind[remark.finding.kind].append(remark)
    return {"reviewed": reviewed, "by_kind": by_kind, "buttons": _buttons}


def _buttons(remark: results.Remark) -> Iterator[Button]:
    kind = remark.finding.kind
    if kind == "summary":
        address = f"/api/summary?scope={remark.root.scope}"
        yield Button("do_summary", "POST", address, {}, "done_summary")
        return
    address = api_url(remark.root.scoped(remark.finding.sessions[0].id))
    if kind in ("contradiction", "outdated"):
        label = "do_outdated" if kind == "contradiction" else "do_outdated_one"
        yield Button(label, "PATCH", address, {"outdated": True}, "done_mark")
    if kind == "important":
        yield Button("do_unimportant", "PATCH", address, {"important": False}, "done_mark")
    if kind in ("duplicate", "poor"):
        label = "do_delete_older" if kind == "duplicate" else "delete"
        yield Button(label, "DELETE", address, {}, "done_delete")


# What a kind of proposal is called for the API.
_ACTIONS = {"outdated": "delete", "large": "oversized"}


def cleanup(memory: Memory) -> Shown:
    """List possible cleanups, each with its command."""
    return {"proposals": memory.cleanup.proposals(), "actions": _ACTIONS}


def changes(memory: Memory) -> Shown:
    """List what can be undone."""
    return {"operations": memory.operations()}


def report(
    memory: Memory, language: Language, days: Annotated[int, Field(ge=1, le=10**6)] = 365
) -> Shown:
    """Show statistics."""
    counts = memory.report(days=days)._replace(language=language)
    words = REPORT_WORDS[language]
    return {
        "days": days,
        "range": words["range"].format(first=counts.start, last=counts.last),
        "boxes": safe(report_page.boxes(counts)),
        "sections": safe(report_page.body(counts, _report_link)),
        "footer": words["footer"],
    }


def _report_link(kind: str, name: str) -> str:
    if kind == "tags":
        return tag_url(name)
    if kind == "most":
        return session_url(name.partition(" ")[0])
    return f"/?{urlencode({'project': name})}" if kind == "projects" else ""


def settings(memory: Memory, language: Language) -> Shown:
    """Show every setting with its meaning and what changes it."""
    described = {setting.key.name: setting.value for setting in memory.config.describe()}
    sections = [
        (
            _SECTIONS[language][section],
            [_setting(key, described[key.name], language) for key in keys],
        )
        for section, keys in groupby(KEYS, key=lambda key: key.section)
    ]
    return {
        "path": memory.config.path,
        "problems": list(map(str, memory.settings_problems)),
        "sections": sections,
    }


def _setting(key: Key, value: object, language: str) -> dict[str, Any]:
    words, choices = WORDS[language], _CHOICES[language]
    why = "cli_encrypt" if key.name == "storage.encryption" else "cli_only"
    meaning = in_language(key.meaning, language)
    return {
        "name": key.name,
        "title": _TITLES[language][key.name],
        "meaning": f"{meaning[:1].upper()}{meaning[1:]}",
        "value": value,
        "kind": _control(key),
        "choices": [(choice, choices.get(choice, choice)) for choice in key.choices],
        "key": key,
        "range": words["range"].format(f"{key.low:g}", f"{key.high:,.10g}") if key.high else "",
        "is_changed": value != key.default,
        "usual": _usual(key, words, choices),
        "why_fixed": "" if is_changeable(key.name) else words[why],
    }


def _control(key: Key) -> str:
    if isinstance(key.default, bool):
        return "flag"
    if key.choices:
        return "choice"
    if isinstance(key.default, tuple):
        return "list"
    return "text" if isinstance(key.default, str) else "number"


def _usual(key: Key, words: dict[str, str], choices: dict[str, str]) -> str:
    if isinstance(key.default, bool):
        return words["on" if key.default else "off"]
    usual = choices.get(str(key.default), str(key.default or "")) if key.default != () else ""
    return usual or words["is_default"]
