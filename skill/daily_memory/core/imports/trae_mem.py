"""Reads rows of trae-mem's database: a session with its observations.

Other versions may have another schema: missing columns count as empty, new ones are ignored, and so
is a value of another type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from daily_memory.core.digests.digest import digest_observations
from daily_memory.core.format import markdown
from daily_memory.core.imports.transcripts import parse_time
from daily_memory.core.json_fields import parse_object, text_in
from daily_memory.core.observation import Observation
from daily_memory.core.tools import tool_output
from daily_memory.model import KINDS, Note, Session

HOST = "trae-mem"

Row = Mapping[str, Any]
Localize = Callable[[datetime], datetime]

# Notes that its hooks write at each stop and end: they say nothing that was said or done.
_NOISE = ("停止，原因=", "结束，原因=")
# How its hooks write down what a tool was given and gave back, each as JSON that may be cut.
_GIVEN, _GAVE = "输入=", "\n输出="
_ID = re.compile(r"[\w.:-]{1,100}")
_OTHER_NAMES = {"exception": "error"}

_MOST_TAGS = 20
_BRIEF = "brief"
_HEADINGS = {"zh": "详细摘要", "en": "Detailed summary"}


class TraeMemSession(NamedTuple):
    """A session of trae-mem, nothing hidden yet.

    `began` and `ended` are in the user's time, None where nothing tells. `folder` is its project.
    `meta` is JSON, "" for none. The `event` of an observation is its id in trae-mem. Of each level
    of `summaries` the newest is there.
    """

    conversation: str
    began: datetime | None = None
    ended: datetime | None = None
    folder: str = ""
    meta: str = ""
    observations: tuple[Observation, ...] = ()
    summaries: tuple[tuple[str, str], ...] = ()


def parse_session(
    session: Row, observations: Iterable[Row], summaries: Iterable[Row], local: Localize
) -> TraeMemSession:
    """Return a session; `local` turns a moment into the user's time."""
    conversation = text_in(session, "id")
    rows = [row for row in observations if text_in(row, "content").strip()]
    moments = (parse_time(row.get("ts")) for row in rows)
    began = parse_time(session.get("started_at")) or next(filter(None, moments), None)
    began = began and local(began)
    ended = parse_time(session.get("ended_at"))
    return TraeMemSession(
        conversation,
        began,
        ended and local(ended),
        text_in(session, "project_path"),
        _meta(session),
        tuple(_observation(row, conversation, began, local) for row in rows),
        _newest(summaries),
    )


def _observation(
    row: Row, conversation: str, began: datetime | None, local: Localize
) -> Observation:
    kind = text_in(row, "kind")
    known = _OTHER_NAMES.get(kind, kind)
    tags = [*_names(parse_object(text_in(row, "tags_json")) or {})]
    if known not in KINDS:
        known, tags = "note", [kind, *tags]
    moment = parse_time(row.get("ts"))
    at = local(moment) if moment else began
    return Observation(
        at.isoformat(timespec="seconds") if at else "",
        known,
        text_in(row, "content"),
        tool=text_in(row, "tool_name"),
        tags=tuple(dict.fromkeys(filter(None, map(markdown.clean_tag, tags)))),
        event=_id(row, conversation),
        private=bool(row.get("private")),
    )


def _id(row: Row, conversation: str) -> str:
    """Return the id of an observation, or its place if the id is invalid."""
    own = text_in(row, "id")
    return own if _ID.fullmatch(own) else f"{conversation}:{row.get('row_number', '')}"


def _meta(session: Row) -> str:
    """Return what was noted of a session, and the folder that it was held in, as JSON."""
    text = text_in(session, "meta_json")
    fields = parse_object(text)
    if fields is None:
        fields = {"meta": text} if text.strip() else {}
    folder = text_in(session, "project_path")
    told = {**({"project_path": folder} if folder else {}), **fields}
    return json.dumps(told, ensure_ascii=False) if told else ""


def _names(tags: Row) -> Iterator[str]:
    """Yield the tags of an observation, none lost: `{"redis": true, "where": "登录"}`.

    >>> list(_names({"redis": True, "where": "登录", "off": False}))
    ['redis', 'where=登录', 'off=false']
    """
    for name, value in tags.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield name if value is True else f"{name}={shown}"


def _newest(summaries: Iterable[Row]) -> tuple[tuple[str, str], ...]:
    texts = ((text_in(row, "level"), text_in(row, "content").strip()) for row in summaries)
    return tuple({level: text for level, text in texts if text}.items())


def section(
    kept: TraeMemSession, day: date, *, save_code: bool = True, detailed: bool = False
) -> Session:
    """Return the section of a session, unsaved: its own summaries, else a digest of ours.

    Call it with what is redacted.
    """
    made = digest_observations(
        list(_done(kept.observations)), day, save_code=save_code, detailed=detailed
    )
    public = (observation for observation in kept.observations if not observation.private)
    tags = dict.fromkeys(tag for row in public for tag in row.tags if "=" not in tag)
    made = made._replace(tags=tuple(tags)[:_MOST_TAGS] or made.tags)
    if not kept.summaries:
        return made
    brief = dict(kept.summaries).get(_BRIEF, "")
    # The brief summary of its rules is the beginning of the detailed one.
    others = (
        text.removeprefix(brief).strip("\n") for level, text in kept.summaries if level != _BRIEF
    )
    notes = tuple(Note(_HEADINGS[markdown.language_of(text)], text) for text in others if text)
    return Session(
        day,
        topic=made.topic,
        summary=brief,
        decisions=made.decisions,
        files=made.files,
        tags=made.tags,
        notes=notes,
    )


def _done(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield the observations, with tool calls as our own hooks record them."""
    for observation in observations:
        used = find_use(observation)
        if used:
            kind = "error" if used.failed else "tool"
            yield observation._replace(kind=kind, tool=used.tool, text=used.text, files=used.files)
        elif not observation.text.startswith(_NOISE):
            yield observation


def find_use(observation: Observation) -> tool_output.ToolUse | None:
    """Return the tool call in an observation, None if it has another form or was cut."""
    given, mark, gave = observation.text.partition(_GAVE)
    if observation.kind != "tool" or not mark or not given.startswith(_GIVEN):
        return None
    arguments = parse_object(given.removeprefix(_GIVEN))
    return (
        None if arguments is None else tool_output.shorten_call(observation.tool, arguments, gave)
    )
