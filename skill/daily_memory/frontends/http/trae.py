"""The routes of trae-mem, with its parameters and its fields, for clients that were made for it.

An observation's id is ours, and a saved session is found too, with the kind `session`.
"""

from __future__ import annotations

import os

from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends.http.schemas import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    listed,
    maybe,
    record,
)
from daily_memory.frontends.http.table import Call, Parameter, Route
from daily_memory.frontends.record_form import hit_row, record_row, seconds
from daily_memory.memory import Memory

_MOST_RESULTS = 100
_QUERY = Parameter("q", "text", "words of any language", "")


def search(memory: Memory, call: Call) -> object:
    """Return what matches, best first; nothing for an empty question."""
    question = call.text("q")
    if not question.strip():
        return {"query": question, "results": []}
    limit = min(call.whole("limit"), _MOST_RESULTS)
    hits = memory.observations.search(question, limit=limit).hits
    return {"query": question, "results": [hit_row(hit) for hit in hits]}


def timeline(memory: Memory, call: Call) -> object:
    """Return what happened around an observation; nothing where there is no such one."""
    wanted = call.text("observation_id")
    try:
        records = memory.observations.timeline(wanted, window_min=call.whole("window"))
    except NotFoundError:
        records = ()
    return {"observation_id": wanted, "items": [record_row(one) for one in records]}


def inject(memory: Memory, call: Call) -> object:
    """Return the context block. A project is given by its name or its folder."""
    project = os.path.basename(call.text("project").rstrip("/\\"))
    limit = min(call.whole("limit"), _MOST_RESULTS)
    injection = memory.inject(call.text("q"), limit=limit, project=project)
    return {"query": call.text("q"), "context": injection.text}


def get_observations(memory: Memory, call: Call) -> object:
    """Return the observations with these ids, oldest first."""
    ids = call.values["ids"] or []
    if not isinstance(ids, list):
        raise InvalidInputError("ids must be a list")
    records = memory.observations.get([str(one) for one in ids])
    return {"items": [record_row(one) for one in sorted(records, key=lambda one: seconds(one.at))]}


ROW = record(
    id=TEXT,
    session_id=TEXT,
    ts=WHOLE,
    kind=TEXT,
    tool_name=maybe(TEXT),
    content=TEXT,
    private=WHOLE,
    tags_json=TEXT,
)
_HIT = record(
    id=TEXT,
    ts=WHOLE,
    kind=TEXT,
    tool_name=maybe(TEXT),
    session_id=TEXT,
    snippet=TEXT,
    score=NUMBER,
)

ROUTES = (
    Route(
        "GET",
        "/health",
        "Tell that the server is there. Needs no token.",
        record(ok=FLAG),
        constant={"ok": True},
        is_lenient=True,
    ),
    Route(
        "GET",
        "/search",
        "Find observations and sessions.",
        record(query=TEXT, results=listed(_HIT)),
        search,
        (_QUERY, Parameter("limit", "whole", "how many; more than 100 is 100", 20, low=1)),
        is_lenient=True,
    ),
    Route(
        "GET",
        "/timeline",
        "Show what happened in the conversation of an observation, before and after it.",
        record(observation_id=TEXT, items=listed(ROW)),
        timeline,
        (
            Parameter("observation_id", "text", "its id", ""),
            Parameter("window", "whole", "minutes before and after", 10),
        ),
        is_lenient=True,
    ),
    Route(
        "GET",
        "/inject",
        "Give the context block for a prompt.",
        record(query=TEXT, context=TEXT),
        inject,
        (
            _QUERY,
            Parameter("limit", "whole", "how many sessions; more than 100 is 100", 12, low=1),
            Parameter("project", "text", "only of this project: its name or its folder", ""),
        ),
        is_lenient=True,
    ),
    Route(
        "POST",
        "/get_observations",
        "Give observations in full, by their ids; what is not there is left out.",
        record(items=listed(ROW)),
        get_observations,
        (Parameter("ids", "any", "a list of ids", None, "body"),),
        is_lenient=True,
    ),
)
