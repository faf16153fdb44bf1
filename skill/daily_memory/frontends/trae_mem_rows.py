"""Records in the fields that trae-mem gives them, for each door that its users come through."""

from __future__ import annotations

import json
from collections.abc import Mapping

from daily_memory.core.record import seconds
from daily_memory.frontends.json_types import BriefHitJson, RecordJson, TraeHitJson, TraeRowJson


def hit_row(hit: BriefHitJson) -> TraeHitJson:
    """Return a search result as trae-mem gives it; `score` is 0 to 1, best first."""
    return {
        "id": hit["id"],
        "ts": int(seconds(hit["at"])),
        "kind": hit["kind"],
        "tool_name": hit["tool"] or None,
        "session_id": hit["conversation"],
        "snippet": hit["snippet"],
        "score": hit["score"],
    }


def record_row(record: RecordJson) -> TraeRowJson:
    """Return a record as trae-mem gives it; `tags_json` is a JSON object, see `parse_tags`."""
    return {
        "id": record["id"],
        "session_id": record["conversation"],
        "ts": int(seconds(record["at"])),
        "kind": record["kind"],
        "tool_name": record["tool"] or None,
        "content": record["text"],
        "private": int(record["private"]),
        "tags_json": json.dumps(dict(map(_named, record["tags"])), ensure_ascii=False),
    }


def parse_tags(tags: Mapping[str, object]) -> tuple[str, ...]:
    """Return the tags of a JSON object: names that are true, and `name=value` for the others.

    >>> parse_tags({"redis": True, "area": "缓存", "old": False, "n": 2})
    ('redis', 'area=缓存', 'n=2')
    """
    return tuple(
        name if value is True or value in (None, "") else f"{name}={_text(value)}"
        for name, value in tags.items()
        if value is not False
    )


def _named(tag: str) -> tuple[str, object]:
    name, sign, value = tag.partition("=")
    return (name, value) if sign and name else (tag, True)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
