"""Looks through each root for what should be looked at; nothing is changed."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.progress import Progress
from daily_memory.core.review import review
from daily_memory.core.review.review import KINDS, SUMMARY, Finding
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.services.reading import browse
from daily_memory.services.upkeep import summary, summary_file
from daily_memory.storage.roots import Root

_ID = re.compile(r"(?:[\w.-]+:)?[0-9-]+#[0-9]+(?:~[0-9]+)?")


class Remark(NamedTuple):
    """What was found in a root, with the command line that would mend it."""

    finding: Finding
    root: Root
    command: str


class Reviewed(NamedTuple):
    """What was found, by kind, and how much was looked at.

    `counts` are of all that was found, `remarks` the first of each kind; `private` sessions were
    not looked at.
    """

    remarks: tuple[Remark, ...]
    counts: Mapping[str, int]
    sessions: int
    private: int


def review_roots(
    roots: Sequence[Root],
    settings: Settings,
    today: date,
    progress: Progress | None = None,
    *,
    own: str,
    limit: int = 0,
) -> Reviewed:
    """Return what should be looked at in these roots; of each kind `limit`, 0 for all.

    `own` is the path of the root for which commands need not say which is meant.
    """
    remarks: list[Remark] = []
    total = private = 0
    for root in roots:
        sessions = [
            found.session._replace(origin=found.origin)
            for found in browse.sessions([root], progress=progress)
        ]
        total += len(sessions)
        private += sum(session.is_private for session in sessions)
        found = [*review.review(sessions, today, progress), *_of_summary(root, settings)]
        remarks += [Remark(one, root, _command(one, root, own)) for one in found]
    # Stable: within a kind they keep the order in which they were found.
    remarks.sort(key=lambda one: KINDS.index(one.finding.kind))
    counts = Counter(one.finding.kind for one in remarks)
    shown: Counter[str] = Counter()
    kept = []
    for one in remarks:
        shown[one.finding.kind] += 1
        if not limit or shown[one.finding.kind] <= limit:
            kept.append(one)
    return Reviewed(tuple(kept), {kind: counts[kind] for kind in KINDS}, total, private)


def as_json(reviewed: Reviewed) -> dict[str, object]:
    """Return a review as the JSON object that every door gives."""
    return {
        "sessions": reviewed.sessions,
        "private": reviewed.private,
        "counts": dict(reviewed.counts),
        "findings": [
            {
                "kind": one.finding.kind,
                "ids": [one.root.scoped(session.id) for session in one.finding.sessions],
                "topics": [session.topic for session in one.finding.sessions],
                "reason": one.finding.reason,
                "command": one.command,
                "scope": one.root.scope,
                "project": one.root.project or None,
            }
            for one in reviewed.remarks
        ],
    }


def _of_summary(root: Root, settings: Settings) -> list[Finding]:
    """Return a finding where our part of `summary.md` is not what it would be by now."""
    try:
        if not summary_file.has_part(root):
            return []
        is_behind = summary.summarize(root, settings, dry_run=True).is_changed
        reason = "summary.md is not what `memory summarize` would write by now" if is_behind else ""
    except DailyMemoryError as error:
        reason = error.message
    return [Finding(SUMMARY, (), reason, ("summarize",))] if reason else []


def _command(finding: Finding, root: Root, own: str) -> str:
    ids = {str(session.id) for session in finding.sessions}
    words = ["memory", *(root.scoped(one) if one in ids else one for one in finding.command)]
    if root.path != own and not ids.intersection(finding.command):
        is_global = root.scope == "global"
        words += ["--scope", "global"] if is_global else ["--project", root.project]
    return " ".join(map(_as_typed, words))


def _as_typed(word: str) -> str:
    """Return a word as it is typed in a shell; the `#` inside of an id needs no quotes."""
    return word if _ID.fullmatch(word) else shlex.quote(word)
