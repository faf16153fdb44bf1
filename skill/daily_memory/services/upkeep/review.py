"""`memory review`: findings in each root, and commands for them. Only its date is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.review import review
from daily_memory.core.review.cache import Cache
from daily_memory.core.review.review import KINDS, SUMMARY, Finding
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.upkeep import cached_days, summary
from daily_memory.services.writing import reminders
from daily_memory.storage.review_cache import ReviewCache
from daily_memory.storage.roots import Root

_ID = re.compile(r"(?:[\w.-]+:)?[0-9-]+#[0-9]+(?:~[0-9]+)?")


class Remark(NamedTuple):
    """A finding in a root, with its command line."""

    finding: Finding
    root: Root
    command: str


class Reviewed(NamedTuple):
    """The first findings of each kind, and the number of all by kind."""

    remarks: tuple[Remark, ...]
    counts: Mapping[str, int]
    sessions: int
    private: int


def review_roots(
    roots: Sequence[Root], settings: Settings, now: datetime, *, own: str, limit: int = 0
) -> Reviewed:
    """Return the findings in these roots, up to `limit` of each kind, 0 for all.

    `own` is the path of the root that commands use by default.
    """
    remarks: list[Remark] = []
    total = private = 0
    for root in roots:
        reminders.note(root, reminders.REVIEWED, now)
        cache = ReviewCache(root, summary.rules())
        loaded = cached_days.each_day(root, cache, review.fill_cache)
        stored = [*browse.sessions([root], loaded=loaded)]
        sessions = [found.session._replace(origin=found.origin) for found in stored]
        total += len(sessions)
        private += sum(session.is_private for session in sessions)
        findings = review.review(sessions, now.date(), cache.get)
        findings += _of_summary(root, settings, stored, cache.get)
        cache.save()
        remarks += [Remark(finding, root, _command(finding, root, own)) for finding in findings]
    by_kind: dict[str, list[Remark]] = {kind: [] for kind in KINDS}
    for remark in remarks:
        by_kind[remark.finding.kind].append(remark)
    shown = [remark for group in by_kind.values() for remark in group[: limit or None]]
    counts = {kind: len(group) for kind, group in by_kind.items()}
    return Reviewed(tuple(shown), counts, total, private)


def _of_summary(
    root: Root, settings: Settings, stored: Sequence[StoredSession], cache: Cache
) -> list[Finding]:
    """Return a finding if our part of `summary.md` is out of date."""
    try:
        is_behind = summary.is_behind(root, settings, stored, cache)
        reason = "the summary (summary.md) is out of date" if is_behind else ""
    except DailyMemoryError as error:
        reason = error.message
    return [Finding(SUMMARY, (), reason, ("summarize",))] if reason else []


def _command(finding: Finding, root: Root, own: str) -> str:
    ids = {str(session.id) for session in finding.sessions}
    words = ["memory", *(root.scoped(word) if word in ids else word for word in finding.command)]
    if root.path != own and not ids.intersection(finding.command):
        is_global = root.scope == "global"
        words += ["--scope", "global"] if is_global else ["--project", root.project]
    # The `#` inside an id needs no quotes.
    return " ".join(word if _ID.fullmatch(word) else shlex.quote(word) for word in words)
