"""Day files for tests of the index, and what the index has of them."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

from daily_memory.storage.index import keywords_json, lookup, refresh
from daily_memory.storage.roots import Root

DAY = "2026-01-29.md"


TEXT = (
    "# day\n\n## Session 1 - 10:00\n\n### Topic\nredis\n\n---\n\n"
    "## Session 2 - 11:00\n\n### Topic\ncache\n"
)


def write(root: Root, text: str, name: str = DAY) -> Path:
    path = Path(root.daily_folder, name)
    path.write_bytes(text.encode())
    return path


def found(root: Root, *terms: str) -> dict[str, list[tuple[object, ...]]]:
    """Return where the fresh index has each term: day, number, copy and lines."""
    opened = refresh.refresh(root).lookup
    try:
        return {
            term: sorted(
                (date.fromordinal(p.day).isoformat(), p.number, p.copy, tuple(p.span))
                for p in opened.places([posting >> 8 for posting in opened.postings(term)])
            )
            for term in terms
        }
    finally:
        opened.close()


def keyword_files(root: Root) -> dict[str, Any]:
    """Return the contents of the index files for other programs, but for when they were made."""
    loaded = {
        name: json.loads(Path(root.index_folder, name).read_bytes())
        for name in keywords_json.stamps(root)
    }
    return {name: {**index, "updated_at": ""} for name, index in loaded.items()}


def entries(root: Root) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = keyword_files(root)["keywords.json"]["entries"]
    return listed


REDIS = ("2026-01-29", 1, 1, (3, 8))


CACHE = ("2026-01-29", 2, 1, (10, 13))


def everything(root: Root) -> tuple[object, object]:
    opened = refresh.refresh(root).lookup
    terms = opened.vocabulary()
    opened.close()
    return found(root, *terms), keyword_files(root)


MONTH = [f"2026-01-{day:02}.md" for day in range(1, 10)]


def write_month(root: Root, word: str = "redis") -> int:
    """Write nine days of the same size, and return that size."""
    for name in MONTH:
        write(root, f"## Session 1\n\n### Topic\n{word} 缓存 {name[8:10]}\n", name)
    return os.path.getsize(Path(root.daily_folder, MONTH[0]))


def days_found(fresh: refresh.Freshness, term: str) -> list[str]:
    opened = fresh.lookup
    keys = [posting >> 8 for posting in opened.postings(term)]
    found = [date.fromordinal(place.day).isoformat() for place in opened.places(keys)]
    opened.close()
    return sorted(found)


def contents(root: Root) -> object:
    opened = lookup.open_lookup(root)
    assert opened
    try:
        names = opened.listing()[0]
        shown = [names, opened.hashes(), opened.count, list(opened.days)]
        return [*shown, keyword_files(root)]
    finally:
        opened.close()
