"""The routes of trae-mem, with its parameters and fields, for clients that were made for it.

The ids are ours, and saved sessions are found too, with the kind `session`.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.json_types import TraeHitJson, TraeRowJson
from daily_memory.frontends.trae_mem_rows import hit_row, record_row
from daily_memory.memory import Memory

_MOST_RESULTS = 100
Limit = Annotated[int, Field(ge=1, le=10**9, description="how many; more than 100 is 100")]
Query = Annotated[str, Field(description="words of any language")]


class TraeResultsJson(TypedDict):
    query: str
    results: list[TraeHitJson]


class TraeTimelineJson(TypedDict):
    observation_id: str
    items: list[TraeRowJson]


class TraeItemsJson(TypedDict):
    items: list[TraeRowJson]


class TraeContextJson(TypedDict):
    query: str
    context: str


def search(memory: Memory, query: Query = "", limit: Limit = 20) -> TraeResultsJson:
    """Find observations and sessions, best first."""
    if not query.strip():
        return {"query": query, "results": []}
    result = memory.observations.search(query, limit=min(limit, _MOST_RESULTS))
    hits = json_shapes.records(query, result)["results"]
    return {"query": query, "results": list(map(hit_row, hits))}


def timeline(
    memory: Memory,
    observation_id: str = "",
    window: Annotated[int, Field(ge=0, le=10**9, description="minutes before and after")] = 10,
) -> TraeTimelineJson:
    """Show what happened in the conversation of an observation, before and after it."""
    try:
        records = memory.observations.timeline(observation_id, window_min=window)
    except NotFoundError:
        records = ()
    rows = [record_row(json_shapes.record(record)) for record in records]
    return {"observation_id": observation_id, "items": rows}


def inject(
    memory: Memory,
    query: Query = "",
    limit: Limit = 12,
    project: Annotated[str, Field(description="its name or its folder")] = "",
) -> TraeContextJson:
    """Return the context block for a prompt."""
    name = os.path.basename(project.rstrip("/\\"))
    block = memory.inject(query, limit=min(limit, _MOST_RESULTS), project=name)
    return {"query": query, "context": block.text}


def get_observations(memory: Memory, ids: Any = None) -> TraeItemsJson:
    """Return observations in full, oldest first; unknown ids are left out."""
    if not isinstance(ids or [], list):
        raise InvalidInputError("ids must be a list")
    records = memory.observations.get([str(id_) for id_ in ids or []])
    rows = [record_row(json_shapes.record(record)) for record in records]
    return {"items": sorted(rows, key=lambda row: row["ts"])}
