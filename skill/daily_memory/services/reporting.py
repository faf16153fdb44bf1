"""What there is, in numbers: by day, tag, project and host."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.host_names import host_name
from daily_memory.storage import days, observations
from daily_memory.storage.roots import Root


class Counts(NamedTuple):
    """How many sessions and observations there are from `first` to `last`, and of what.

    `tags`, `projects` and `hosts` count sessions; `bytes` are the sizes of the folders, whatever
    the days.
    """

    first: date
    last: date
    sessions: Mapping[date, int]
    observations: Mapping[date, int]
    tags: Mapping[str, int]
    projects: Mapping[str, int]
    hosts: Mapping[str, int]
    bytes: Mapping[str, int]


def count(roots: Sequence[Root], first: date, last: date) -> Counts:
    """Return the numbers of these days."""
    sessions: Counter[date] = Counter()
    tags: Counter[str] = Counter()
    projects: Counter[str] = Counter()
    hosts: Counter[str] = Counter()
    for root in roots:
        for day in days.each_day(root, first=first, last=last):
            for section in day.sections:
                session = section.session
                sessions[session.date] += 1
                tags.update({tag.casefold() for tag in session.tags})
                projects[session.project or root.project] += 1
                hosts[host_name(session.source)] += 1
    seen = Counter(dict(_observations(roots, first, last)))
    return Counts(first, last, sessions, seen, tags, projects, hosts, _sizes(roots))


def as_json(counts: Counts) -> dict[str, object]:
    """Return the numbers as the JSON object that every door gives; what is named most comes first.

    Sessions without a project or host are counted in none.
    """
    all_days = sorted({*counts.sessions, *counts.observations})
    return {
        "first": counts.first.isoformat(),
        "last": counts.last.isoformat(),
        "sessions": sum(counts.sessions.values()),
        "observations": sum(counts.observations.values()),
        "bytes": dict(counts.bytes),
        "days": [
            {
                "date": day.isoformat(),
                "sessions": counts.sessions.get(day, 0),
                "observations": counts.observations.get(day, 0),
            }
            for day in all_days
        ],
        "tags": _ranked("tag", counts.tags),
        "projects": _ranked("project", counts.projects),
        "hosts": _ranked("host", counts.hosts),
    }


def _ranked(name: str, counts: Mapping[str, int]) -> list[dict[str, object]]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{name: value, "sessions": number} for value, number in ordered if value]


def _observations(roots: Sequence[Root], first: date, last: date) -> Iterable[tuple[date, int]]:
    """Return how many observations there are of each day on which live sessions began."""
    found: Counter[date] = Counter()
    for root in roots:
        for one in observations.each(root, first=first, last=last):
            day = days.day_of(f"{os.path.basename(os.path.dirname(one.path))}.md")
            if day:
                found[day] += len(one.observations)
    return found.items()


def _sizes(roots: Sequence[Root]) -> dict[str, int]:
    return {
        "daily": sum(_size(root.daily_folder) for root in roots),
        "observations": sum(_size(root.observations_folder) for root in roots),
        "index": sum(_size(root.index_folder) for root in roots),
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
