"""What the page and other programs can ask under `/api/`: a function for each operation.

The answers are those of the commands with `--json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby, islice
from typing import Annotated, Any, Literal

from pydantic import Field

from daily_memory import results
from daily_memory.core.setting_keys import KEYS, SEMANTIC, setting_values
from daily_memory.errors import DamagedDataError, InvalidInputError
from daily_memory.frontends import json_shapes, json_types
from daily_memory.frontends.http.request import HttpReply
from daily_memory.frontends.operations import Archived, Day, Flag, OneScope, Scope, Tags
from daily_memory.memory import Memory
from daily_memory.model import Problem, days_before

SessionId = Annotated[str, Field(description="such as 2026-01-29#1, with %23 for the #")]
Project = Annotated[str, Field(description="only of the project with this name")]


def list_days(
    memory: Memory,
    before: Day | None = None,
    days: Annotated[int, Field(ge=1, le=100, description="how many days with sessions")] = 7,
    tags: Tags = [],  # noqa: B006 - pydantic copies it
    project: Project = "",
    foreign: Annotated[bool, Field(description="only what others wrote")] = False,
    scope: Scope = "",
) -> json_types.DaysJson:
    """Browse by day, newest first. `next` is the `before` of the next page."""
    every = memory.sessions(
        last=days_before(before, 1) if before else date.max,
        tags=tags,
        project=_known(memory, project),
        foreign=foreign,
        scope=scope,
        newest_first=True,
    )
    by_day = groupby(every, key=lambda stored: stored.session.date)
    page = [(day.isoformat(), sorted(group, key=_place)) for day, group in islice(by_day, days)]
    return {
        "days": [
            {"date": day, "sessions": [_brief(json_shapes.session(stored)) for stored in listed]}
            for day, listed in page
        ],
        "next": page[-1][0] if any(by_day) else None,
    }


def _place(stored: results.StoredSession) -> tuple[bool, int]:
    return stored.root.scope == "global", stored.session.number


def _known(memory: Memory, project: str) -> str:
    """Return a project's name; an unknown one is an error, not an empty answer."""
    if project:
        memory.projects.check(project)
    return project


def _brief(session: Any) -> json_types.BriefSessionJson:
    brief: Any = {name: session[name] for name in json_types.BriefSessionJson.__annotations__}
    return brief


def save_session(memory: Memory, scope: OneScope = "", **data: Any) -> json_types.SavedJson:
    """Save a session or a conversation, in the form of `memory save`; 200 where it is skipped."""
    saved = memory.save(data, scope=scope)
    answer: Any = HttpReply(json_shapes.saved(saved), 200 if saved.skipped else 201)
    return answer


def get_session(
    memory: Memory, session_id: SessionId, scope: Scope = ""
) -> json_types.OpenedSessionJson:
    """Return a session and the text of its section. An edit needs the ETag of the answer."""
    return _opened(memory, session_id, scope)


def _opened(
    memory: Memory, session_id: str, scope: str, undo: str = "", warnings: Sequence[str] = ()
) -> Any:
    opened = memory.open(session_id, scope=scope)
    value = {
        "session": json_shapes.session(opened.found),
        "text": opened.text,
        "undo": undo or None,
        "warnings": list(warnings),
    }
    return HttpReply(value, tag=opened.digest)


def edit_session(
    memory: Memory,
    session_id: SessionId,
    text: Annotated[str, Field(description="the new text")],
    if_match: Annotated[str, Field(description="the ETag of the text that was read")],
    scope: Scope = "",
) -> json_types.OpenedSessionJson:
    """Replace the text of a section. If it changed since it was read: 412."""
    edited = memory.edit(session_id, text, digest=if_match, scope=scope)
    return _opened(memory, session_id, scope, edited.operation, edited.warnings)


def mark_session(
    memory: Memory,
    session_id: SessionId,
    important: Flag = None,
    outdated: Flag = None,
    private: Flag = None,
    scope: Scope = "",
) -> json_types.OpenedSessionJson:
    """Set flags of a session (true) or remove them (false)."""
    flags = {"important": important, "outdated": outdated, "private": private}
    given = {name: flag for name, flag in flags.items() if flag is not None}
    marked = memory.mark([session_id], given, scope=scope)
    return _opened(memory, session_id, scope, marked.operation, marked.warnings)


def delete_session(
    memory: Memory, session_id: SessionId, scope: Scope = ""
) -> json_types.DeletedJson:
    """Delete a session. The others keep their numbers."""
    deleted = memory.delete([session_id], scope=scope)
    return {
        "deleted": [json_shapes.session(found) for found in deleted.sections],
        "undo": deleted.operation or None,
        "warnings": list(deleted.warnings),
    }


def undo(
    memory: Memory,
    operation: Annotated[str, Field(description="its id; the last if empty")] = "",
    scope: Scope = "",
) -> json_types.UndoneJson:
    """Undo the last change, or the one with this id."""
    return json_shapes.undone(memory.undo(operation, scope=scope))


def search(
    memory: Memory,
    query: str,
    limit: Annotated[int, Field(ge=0, le=100, description="how many; 0: as in the settings")] = 0,
    since: Day | None = None,
    until: Day | None = None,
    days: Annotated[int, Field(ge=0, description="how many days back; 0: as in the settings")] = 0,
    tags: Tags = [],  # noqa: B006
    project: Project = "",
    explain: Annotated[bool, Field(description="say why each was found")] = False,
    archived: Archived = False,
    method: Literal["", "keyword", "semantic", "hybrid"] = "",
    scope: Scope = "",
) -> json_types.HitsJson:
    """Find sessions, as `memory search --json` does."""
    result = memory.search(
        query,
        k=limit,
        method=method,
        since=since,
        until=until,
        days=days,
        tags=tags,
        project=_known(memory, project),
        scope=scope,
        archived=archived,
    )
    return json_shapes.search(result, explain=explain)


def get_settings(memory: Memory) -> json_types.SettingsJson:
    """Return every setting with its meaning."""
    values = setting_values(memory.settings)
    problems: Any = [problem._asdict() for problem in memory.settings_problems]
    return {
        "path": memory.config.path,
        "settings": [
            {
                "name": key.name,
                "value": values[key.name],
                "default": key.default,
                "meaning": key.meaning,
                "choices": list(key.choices),
                "least": key.low if key.high else None,
                "most": key.high or None,
                "changeable": is_changeable(key.name),
            }
            for key in KEYS
        ],
        "problems": problems,
    }


Name = Annotated[str, Field(description="such as retrieval.max_results")]


def set_setting(memory: Memory, name: Name, value: object) -> json_types.SettingsJson:
    """Change one setting. Nothing else in `config.json` moves."""
    _check_changeable(name)
    memory.config.set(name, value)
    return get_settings(memory)


def unset_setting(memory: Memory, name: Name) -> json_types.SettingsJson:
    """Reset one setting to its default."""
    _check_changeable(name)
    memory.config.unset(name)
    return get_settings(memory)


# What names a program or a key, or asks first, is not changed over HTTP.
_ON_COMMAND_LINE = frozenset(
    {"storage.encryption", SEMANTIC, *(key.name for key in KEYS if key.is_own)}
)


def is_changeable(name: str) -> bool:
    """Tell whether a setting can be changed over HTTP."""
    return name not in _ON_COMMAND_LINE


def _check_changeable(name: str) -> None:
    if not is_changeable(name):
        hint = "use the command line: `memory encrypt`, `memory config set --global`"
        raise InvalidInputError("{} can't be changed from here", name, hint=hint)


def get_report(
    memory: Memory, days: Annotated[int, Field(ge=1, le=10**6)] = 365, scope: Scope = ""
) -> json_types.ReportJson:
    """Return the numbers of a report, for charts."""
    return json_shapes.report(memory.report(days=days, scope=scope))


def clean_up(
    memory: Memory,
    action: Literal["archive", "oversized", "restore", "dedupe", "sanitize", "delete"],
    ids: Annotated[list[str], Field(description="what to restore or delete")] = [],  # noqa: B006
    scope: OneScope = "",
) -> json_types.CleanedJson:
    """Archive what is past retention, restore, merge near-duplicates, hide secrets, or delete."""
    before = {listed.operation.id for listed in memory.operations(scope=scope)}
    warnings = _cleaned(memory, action, ids, scope)
    # Hiding secrets is the one thing that can't be undone.
    new = [each.operation.id for each in memory.operations(scope=scope)]
    undo = next((operation for operation in new if operation not in before), None)
    return {"undo": undo, "warnings": list(warnings)}


def _cleaned(memory: Memory, action: str, ids: list[str], scope: str) -> Sequence[str]:
    if action == "delete":
        return memory.delete(ids, scope=scope).warnings
    if action == "restore":
        return memory.archive.restore(ids, scope=scope).warnings
    if action == "dedupe":
        pairs = memory.cleanup.duplicates(scope=scope)
        return memory.cleanup.merge(pairs, scope=scope).warnings
    if action == "sanitize":
        return memory.cleanup.sanitize(scope=scope).warnings
    archive = memory.archive
    due = archive.due(scope=scope) if action == "archive" else archive.overflow(scope=scope)
    return archive.store(due).warnings


def summarize(memory: Memory, scope: OneScope = "") -> json_types.SummaryJson:
    """Rewrite our part of `summary.md`, as `memory summarize` does."""
    return json_shapes.summary(memory.summarize(scope=scope))


def export(
    memory: Memory,
    format: Literal["json", "zip"] = "json",  # noqa: A002 - the name in the URL
    scope: OneScope = "",
) -> object:
    """Return a file that `memory import` takes: the sessions, or the whole memory as a zip."""
    name = f"memory-{memory.today().isoformat()}"
    name += "-not-encrypted" if memory.encryption.is_on(scope) else ""
    if format == "zip":
        return HttpReply(memory.export_zip(scope=scope), file=f"{name}.zip")
    text = "".join(memory.export("json", scope=scope, warn=_refuse))
    return HttpReply(text.encode("utf-8", "replace"), file=f"{name}.json")


def _refuse(problem: Problem) -> None:
    """Refuse an export that would lack a day: a file has no place for a warning."""
    raise DamagedDataError(problem.message, hint="`memory export` takes all but that day")
