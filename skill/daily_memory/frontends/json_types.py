"""The JSON objects that MCP and HTTP answer with, as types: their schemas are made of these.

`json_shapes` fills them in. Only doors that run for long import this; it loads pydantic's types.
"""

from __future__ import annotations

from typing_extensions import NotRequired, TypedDict

Counts = dict[str, int]


class CodeJson(TypedDict):
    language: str
    text: str


class CodeTextJson(TypedDict):
    language: NotRequired[str]
    text: str


class NoteTextJson(TypedDict):
    heading: str
    text: str


class NamedSessionJson(TypedDict):
    """What tells a session from others."""

    id: str
    date: str
    session: int
    time: str
    topic: str
    tags: list[str]
    important: bool
    outdated: bool
    project: str | None
    origin: str | None
    scope: str


class BriefSessionJson(NamedSessionJson):
    """A session in a list."""

    private: bool
    source: str | None


class SessionJson(BriefSessionJson):
    """A whole session, and where it is."""

    summary: str
    key_points: list[str]
    decisions: list[str]
    open_questions: list[str]
    next_steps: list[str]
    files: list[str]
    code: list[CodeJson]
    notes: list[NoteTextJson]
    conversation: str | None
    continues: str | None
    digest: str | None
    root: str
    path: str
    line_range: list[int]
    archived: NotRequired[bool]


class SessionsJson(TypedDict):
    sessions: list[SessionJson]


class OpenedSessionJson(TypedDict):
    session: SessionJson
    text: str
    undo: str | None
    warnings: list[str]


class SummaryLineJson(TypedDict):
    kind: str
    text: str
    ids: list[str]
    origin: str | None


class SummaryJson(TypedDict):
    path: str
    scope: str
    changed: bool
    left_out: int
    text: str
    lines: list[SummaryLineJson]


class CleanedJson(TypedDict):
    undo: str | None
    warnings: list[str]


class SavedJson(TypedDict):
    id: str | None
    date: str
    session: int | None
    path: str | None
    line_range: list[int] | None
    scope: str
    redactions: Counts
    skipped: str | None
    warnings: list[str]


class DeletedJson(TypedDict):
    deleted: list[SessionJson]
    undo: str | None
    warnings: list[str]


class UndoneJson(TypedDict):
    undone: str
    at: str
    action: str
    undoes: str | None
    ids: list[str]
    renumbered: dict[str, str]
    kept: list[str]
    undo: str | None
    dry_run: bool
    warnings: list[str]


class HitJson(NamedSessionJson):
    score: float
    scores: dict[str, float | None]
    snippet: str
    matched: list[str]
    conversation: str | None
    path: str
    line_range: list[int]
    archived: NotRequired[bool]
    translated: NotRequired[bool]
    explanation: NotRequired[list[str]]


class HitsJson(TypedDict):
    query: str
    method: str
    count: int
    results: list[HitJson]
    warnings: list[str]


class BriefRecordJson(TypedDict):
    """An observation, or a session in the same form, without its text."""

    id: str
    at: str
    kind: str
    conversation: str
    tool: str
    project: str
    files: list[str]
    tags: list[str]
    private: bool
    origin: str
    archived: bool


class RecordJson(BriefRecordJson):
    text: str


class BriefHitJson(BriefRecordJson):
    score: float
    snippet: str
    translated: NotRequired[bool]


class BriefHitsJson(TypedDict):
    results: list[BriefHitJson]
    warnings: list[str]


class ItemsJson(TypedDict):
    items: list[RecordJson]


class DayOfSessionsJson(TypedDict):
    date: str
    sessions: list[BriefSessionJson]


class DaysJson(TypedDict):
    days: list[DayOfSessionsJson]
    next: str | None


class ProblemJson(TypedDict):
    path: str
    line: int
    message: str


class SettingJson(TypedDict):
    name: str
    value: object
    default: object
    meaning: str
    choices: list[str]
    least: float | None
    most: float | None
    changeable: bool


class SettingsJson(TypedDict):
    path: str
    settings: list[SettingJson]
    problems: list[ProblemJson]


class ReviewJson(TypedDict):
    sessions: int
    private: int
    counts: Counts
    findings: list[dict[str, object]]


class ReportJson(TypedDict):
    """The numbers of a report; `memory report --json` has the same."""

    first: str
    last: str
    sessions: int
    observations: int
    flags: Counts
    bytes: Counts
    days: list[dict[str, object]]
    tags: list[dict[str, object]]
    projects: list[dict[str, object]]
    hosts: list[dict[str, object]]
    topics: dict[str, object]
    redactions: list[dict[str, object]]
    recall: dict[str, object]
    quality: dict[str, object]


class TraeHitJson(TypedDict):
    """A search result of trae-mem."""

    id: str
    ts: int
    kind: str
    tool_name: str | None
    session_id: str
    snippet: str
    score: float


class TraeRowJson(TypedDict):
    """An observation of trae-mem."""

    id: str
    session_id: str
    ts: int
    kind: str
    tool_name: str | None
    content: str
    private: int
    tags_json: str
