"""The routes under `/api/`: all that a page needs to look at a memory and to look after it.

Values are those that the commands give with `--json`.
"""

from __future__ import annotations

from datetime import date
from typing import cast

from daily_memory import __version__
from daily_memory.core.observation import KINDS
from daily_memory.core.record import RECORD_KINDS
from daily_memory.core.settings import KEYS, setting_values
from daily_memory.errors import DamagedDataError, InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.http import schemas
from daily_memory.frontends.http.schemas import (
    ANY,
    DAY,
    FLAG,
    LINES,
    MAPPING,
    NUMBER,
    PROBLEM,
    TEXT,
    TEXTS,
    WHOLE,
    listed,
    maybe,
    record,
)
from daily_memory.frontends.http.table import Answer, Call, Parameter, Route
from daily_memory.memory import SCOPES, Memory
from daily_memory.model import Problem, days_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Found, Opened


_BRIEF = (
    "id date session time topic tags important outdated private project source origin scope"
).split()


# ---------------------------------------------------------------------------- the memory


def get_memory(memory: Memory, _call: Call) -> object:
    """Return where the memory is, and what is wrong with its settings."""
    return {
        "version": __version__,
        "project": memory.project or None,
        "today": memory.today().isoformat(),
        "encrypted": memory.encryption.is_on(),
        "roots": [
            {
                "scope": root.scope,
                "path": root.path,
                "project": root.project or None,
                "exists": root.exists,
            }
            for root in memory.roots
        ],
        "problems": list(map(str, memory.settings_problems)),
    }


# ---------------------------------------------------------------------------- sessions


def list_days(memory: Memory, call: Call) -> object:
    """Return the sessions of so many days that have any, the newest day first."""
    page = memory.browse(
        before=call.day("before"),
        days=call.whole("days"),
        tags=call.texts("tag"),
        project=_project(memory, call),
        foreign=call.flag("foreign"),
        scope=call.text("scope"),
    )
    days = [
        {"date": day.isoformat(), "sessions": [_brief(one) for one in found]}
        for day, found in page.days
    ]
    return {"days": days, "next": page.next.isoformat() if page.next else None}


def save_session(memory: Memory, call: Call) -> object:
    """Save what `memory save` reads, and return what it answers."""
    saved = memory.save(call.body, scope=call.text("scope"))
    return Answer(json_shapes.saved(saved), 200 if saved.skipped else 201)


def get_session(memory: Memory, call: Call) -> object:
    """Return a session, with the text of its section and the tag by which an edit names it."""
    return _opened(memory.open(call.text("id"), scope=call.text("scope")))


def edit_session(memory: Memory, call: Call) -> object:
    """Put other text in the place of a section, and return the session as it is then."""
    edited = memory.edit(
        call.text("id"), call.text("text"), digest=call.tag, scope=call.text("scope")
    )
    opened = memory.open(call.text("id"), scope=call.text("scope"))
    return _opened(opened, edited.warnings)


def mark_session(memory: Memory, call: Call) -> object:
    """Set flags of a session, or take them away, and return the session as it is then."""
    flags = {name: call.flag(name) for name in _FLAGS if call.values[name] is not None}
    marked = memory.mark([call.text("id")], flags, scope=call.text("scope"))
    opened = memory.open(call.text("id"), scope=call.text("scope"))
    return _opened(opened, marked.warnings)


def delete_session(memory: Memory, call: Call) -> object:
    """Delete a session, and return it as it was, with what undoes that."""
    deleted = memory.delete([call.text("id")], scope=call.text("scope"))
    return {
        "deleted": [json_shapes.session(one) for one in deleted.sections],
        "undo": deleted.operation or None,
        "warnings": list(deleted.warnings),
    }


def undo(memory: Memory, call: Call) -> object:
    """Bring back what was deleted, edited or marked."""
    return json_shapes.undone(memory.undo(call.text("operation"), scope=call.text("scope")))


def search(memory: Memory, call: Call) -> object:
    """Return the sessions that match best, as `memory search --json` does."""
    result = memory.search(
        call.text("q"),
        k=call.whole("k"),
        since=call.day("since"),
        until=call.day("until"),
        days=call.whole("days"),
        tags=call.texts("tag"),
        project=_project(memory, call),
        scope=call.text("scope"),
        archived=call.flag("archived"),
    )
    return json_shapes.search(result, explain=call.flag("explain"))


def _project(memory: Memory, call: Call) -> str:
    """Return the name of the only project that is wanted; one that nobody knows is an error."""
    name = call.text("project")
    if name:
        memory.projects.check(name)
    return name


def _brief(found: Found) -> dict[str, object]:
    whole = json_shapes.session(found)
    return {name: whole[name] for name in _BRIEF}


def _opened(opened: Opened, warnings: tuple[str, ...] = ()) -> Answer:
    told = {
        "session": json_shapes.session(opened.found),
        "text": opened.text,
        "warnings": list(warnings),
    }
    return Answer(told, tag=opened.digest)


# ---------------------------------------------------------------------------- observations


def search_records(memory: Memory, call: Call) -> object:
    """Return the observations and sessions that match best."""
    result = memory.observations.search(
        call.text("q"),
        limit=call.whole("limit"),
        kinds=call.texts("kind"),
        tools=call.texts("tool"),
        tags=call.texts("tag"),
        since=call.day("since"),
        until=call.day("until"),
        project=_project(memory, call),
        scope=call.text("scope"),
        archived=call.flag("archived"),
    )
    return json_shapes.records(call.text("q"), result)


def get_record(memory: Memory, call: Call) -> object:
    """Return an observation or a session by its id."""
    records = memory.observations.get([call.text("id")], scope=call.text("scope"))
    if not records:
        raise NotFoundError("no record with this id", hint="ids come from a search")
    return records[0]._asdict()


def get_timeline(memory: Memory, call: Call) -> object:
    """Return what happened in the conversation of a record, minutes before and after it."""
    records = memory.observations.timeline(
        call.text("id"), window_min=call.whole("window"), scope=call.text("scope")
    )
    return {"id": call.text("id"), "records": [one._asdict() for one in records]}


def list_live(memory: Memory, call: Call) -> object:
    """Return the live sessions that began in these days, without their observations."""
    last = call.day("until")
    first = call.day("since") or days_before(last or memory.today(), call.whole("days") - 1)
    found = memory.observations.live_sessions(first=first, last=last or date.max)
    return {"sessions": [json_shapes.live(one) for one in found]}


def get_live(memory: Memory, call: Call) -> object:
    """Return a live session with its observations."""
    found = memory.observations.live(call.text("conversation"))
    told = [json_shapes.observation(one) for one in found.observations]
    return {**json_shapes.live(found), "observations": told}


def start_live(memory: Memory, call: Call) -> object:
    """Begin a live session, or go on with one of that name."""
    started = memory.start(
        call.text("conversation"),
        host=call.text("source"),
        project=call.text("project"),
        meta=cast("dict[str, object]", call.values["meta"]),
    )
    return json_shapes.live(started)


def log(memory: Memory, call: Call) -> object:
    """Add an observation to a live session."""
    logged = memory.log(
        call.text("text"),
        kind=call.text("kind"),
        tags=call.texts("tags"),
        private=call.flag("private"),
        tool=call.text("tool"),
        conversation=call.text("conversation"),
    )
    return Answer({"observation": logged.id, "conversation": logged.live.conversation}, 201)


def end_live(memory: Memory, call: Call) -> object:
    """End a live session and save it, or save what there is so far."""
    ended = memory.end(call.text("conversation"), so_far=call.flag("so_far"))
    return {
        "conversation": ended.conversation,
        "id": ended.id or None,
        "skipped": ended.skipped or None,
        "warnings": list(ended.warnings),
    }


# ---------------------------------------------------------------------------- looking after it


def get_settings(memory: Memory, _call: Call) -> object:
    """Return every setting, with what it means and what it may be."""
    values = setting_values(memory.settings)
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
                "has_effect": not key.later,
                "changeable": key.name not in _ELSEWHERE,
            }
            for key in KEYS
        ],
        "problems": [problem._asdict() for problem in memory.settings_problems],
    }


def set_setting(memory: Memory, call: Call) -> object:
    """Change one setting, and return all."""
    _check_changeable(call.text("name"))
    memory.config.set(call.text("name"), call.values["value"])
    return get_settings(memory, call)


def unset_setting(memory: Memory, call: Call) -> object:
    """Give one setting its default again, and return all."""
    _check_changeable(call.text("name"))
    memory.config.unset(call.text("name"))
    return get_settings(memory, call)


def _check_changeable(name: str) -> None:
    """See that a setting may be changed from here: not what names a program or a key."""
    if name in _ELSEWHERE:
        hint = "use the command line: `memory encrypt`, `memory config set --global`"
        raise InvalidInputError(f"{name} can't be changed from here", hint=hint)


_ELSEWHERE = frozenset({"storage.encryption", *(key.name for key in KEYS if key.is_own)})


def get_review(memory: Memory, call: Call) -> object:
    """Return what should be looked at, of each kind the first."""
    reviewed = memory.review(scope=call.text("scope"), limit=call.whole("limit"))
    return json_shapes.review(reviewed)


def get_cleanup(memory: Memory, call: Call) -> object:
    """Return what could be cleaned up, and by which command; nothing is changed."""
    found = memory.cleanup.proposals(scope=call.text("scope"))
    return {"proposals": [json_shapes.proposal(one) for one in found]}


def get_report(memory: Memory, call: Call) -> object:
    """Return what there is, in numbers, for charts."""
    return json_shapes.report(memory.report(days=call.whole("days"), scope=call.text("scope")))


def export(memory: Memory, call: Call) -> object:
    """Return the sessions of one memory as JSON, or all that it holds as a zip, to be kept.

    Of an encrypted memory the name of the file says that it is not.
    """
    scope, name = call.text("scope"), f"memory-{memory.today().isoformat()}"
    name += "-not-encrypted" if memory.encryption.is_on(scope) else ""
    if call.text("format") == "zip":
        return Answer(memory.export_zip(scope=scope), file=f"{name}.zip")
    text = "".join(memory.export("json", scope=scope, warn=_refuse))
    return Answer(text.encode("utf-8", "replace"), file=f"{name}.json")


def _refuse(problem: Problem) -> None:
    """Refuse to export what would lack a day: a file has no place to say so."""
    hint = "`memory export` takes all but that day"
    raise DamagedDataError(problem.message, hint=hint)


def get_health(memory: Memory, call: Call) -> object:
    """Return what `memory doctor` finds; nothing is changed but the index."""
    reports = memory.doctor(scope=call.text("scope"))
    return {"roots": [json_shapes.doctor(path, report) for path, report in reports.items()]}


def mend(memory: Memory, call: Call) -> object:
    """Mend what can be mended without losing a line, and bring back what is gone."""
    reports = memory.doctor(
        scope=call.text("scope"), fix=call.flag("fix"), restore=call.flag("restore")
    )
    return {"roots": [json_shapes.doctor(path, report) for path, report in reports.items()]}


# ---------------------------------------------------------------------------- the table

_FLAGS = ("important", "outdated", "private")
_ID = Parameter("id", "text", "such as 2026-01-29#1, with %23 for the #", place="path")
_RECORD_ID = Parameter(
    "id", "text", "such as 2026-01-29#1 or 2026-01-29/NAME:12, with %23 for a #", place="path"
)
_SCOPE = Parameter("scope", "text", "which memory; by the settings if empty", "", choices=SCOPES)
_OWN = _SCOPE._replace(choices=SCOPES[:2])
_TAGS = Parameter("tag", "texts", "with this tag; again for more", ())
_PROJECT = Parameter("project", "text", "only of the project with this name", "")
_SINCE = Parameter("since", "day", "from this day on")
_UNTIL = Parameter("until", "day", "up to this day")
_ARCHIVED = Parameter("archived", "flag", "the archive too", False)
_QUESTION = Parameter("q", "text", "words of any language", is_required=True)
_CONVERSATION = Parameter("conversation", "text", "its name; the last one if empty", "", "body")

_BRIEF_SESSION = record(
    id=TEXT,
    date=DAY,
    session=WHOLE,
    time=TEXT,
    topic=TEXT,
    tags=TEXTS,
    important=FLAG,
    outdated=FLAG,
    private=FLAG,
    project=maybe(TEXT),
    source=maybe(TEXT),
    origin=maybe(TEXT),
    scope=TEXT,
)
_SESSION = record(
    id=TEXT,
    date=DAY,
    session=WHOLE,
    time=TEXT,
    topic=TEXT,
    summary=TEXT,
    key_points=TEXTS,
    decisions=TEXTS,
    open_questions=TEXTS,
    next_steps=TEXTS,
    files=TEXTS,
    code=listed(record(language=TEXT, text=TEXT)),
    notes=listed(record(heading=TEXT, text=TEXT)),
    tags=TEXTS,
    important=FLAG,
    outdated=FLAG,
    private=FLAG,
    project=maybe(TEXT),
    source=maybe(TEXT),
    conversation=maybe(TEXT),
    origin=maybe(TEXT),
    continues=maybe(TEXT),
    digest=maybe(TEXT),
    scope=TEXT,
    root=TEXT,
    path=TEXT,
    line_range=LINES,
)
_OPENED = record(session=_SESSION, text=TEXT, warnings=TEXTS)
_SAVED = record(
    id=maybe(TEXT),
    date=DAY,
    session=maybe(WHOLE),
    path=maybe(TEXT),
    line_range=maybe(LINES),
    scope=TEXT,
    redactions=MAPPING,
    skipped=maybe(TEXT),
    warnings=TEXTS,
)
_FOUND: dict[str, schemas.Schema] = {
    "id": TEXT,
    "date": DAY,
    "session": WHOLE,
    "time": TEXT,
    "topic": TEXT,
    "tags": TEXTS,
    "project": maybe(TEXT),
    "scope": TEXT,
    "score": NUMBER,
    "scores": MAPPING,
    "snippet": TEXT,
    "matched": TEXTS,
    "important": FLAG,
    "outdated": FLAG,
    "conversation": maybe(TEXT),
    "origin": maybe(TEXT),
    "path": TEXT,
    "line_range": LINES,
}
_HIT = {
    **record(**_FOUND, explanation=TEXTS, archived=FLAG),
    "required": list(_FOUND),  # the others are there where they were asked for
}
_RECORD: dict[str, schemas.Schema] = {
    "id": TEXT,
    "at": TEXT,
    "kind": TEXT,
    "text": TEXT,
    "conversation": TEXT,
    "tool": TEXT,
    "project": TEXT,
    "files": TEXTS,
    "tags": TEXTS,
    "private": FLAG,
    "origin": TEXT,
    "archived": FLAG,
}
_LIVE: dict[str, schemas.Schema] = {
    "conversation": TEXT,
    "source": maybe(TEXT),
    "project": maybe(TEXT),
    "began": maybe(TEXT),
    "ended": maybe(TEXT),
    "id": maybe(TEXT),
    "skipped": maybe(TEXT),
    "count": WHOLE,
    "path": TEXT,
}
_OBSERVATION = record(
    at=TEXT, kind=TEXT, text=TEXT, tool=maybe(TEXT), files=TEXTS, tags=TEXTS, private=FLAG
)
_SETTINGS = record(
    path=TEXT,
    settings=listed(
        record(
            name=TEXT,
            value=ANY,
            default=ANY,
            meaning=TEXT,
            choices=TEXTS,
            least=maybe(NUMBER),
            most=maybe(NUMBER),
            has_effect=FLAG,
            changeable=FLAG,
        )
    ),
    problems=listed(PROBLEM),
)
_DOCTOR = record(
    roots=listed(
        record(
            path=TEXT,
            sessions=WHOLE,
            days=WHOLE,
            faults=listed(PROBLEM),
            remarks=listed(PROBLEM),
            mended=TEXTS,
        )
    )
)

ROUTES = (
    Route(
        "GET",
        "/api/memory",
        "Tell which memory this is, and what is wrong with its settings.",
        record(
            version=TEXT,
            project=maybe(TEXT),
            today=DAY,
            encrypted=FLAG,
            roots=listed(record(scope=TEXT, path=TEXT, project=maybe(TEXT), exists=FLAG)),
            problems=TEXTS,
        ),
        get_memory,
    ),
    Route(
        "GET",
        "/api/days",
        "Browse by day, the newest first. `next` is the `before` of the next page.",
        record(
            days=listed(record(date=DAY, sessions=listed(_BRIEF_SESSION))),
            next=maybe(DAY),
        ),
        list_days,
        (
            Parameter("before", "day", "only earlier days"),
            Parameter("days", "whole", "how many days that have sessions", 7, low=1, high=100),
            _TAGS,
            _PROJECT,
            Parameter("foreign", "flag", "only what others wrote", False),
            _SCOPE,
        ),
    ),
    Route(
        "POST",
        "/api/sessions",
        "Save a session or a conversation: what `memory save` reads. 200 where it was skipped.",
        _SAVED,
        save_session,
        (_OWN,),
        body=MAPPING,
        status=201,
    ),
    Route(
        "GET",
        "/api/sessions/{id:path}",
        "Read a session, and the text of its section. The ETag is wanted for an edit.",
        _OPENED,
        get_session,
        (_ID, _SCOPE),
    ),
    Route(
        "PUT",
        "/api/sessions/{id:path}",
        "Replace the text of a section. It must be the one that `If-Match` names: else 412.",
        _OPENED,
        edit_session,
        (_ID, Parameter("text", "text", "the new text", place="body", is_required=True), _SCOPE),
        is_edit=True,
    ),
    Route(
        "PATCH",
        "/api/sessions/{id:path}",
        "Mark a session, or take marks away.",
        _OPENED,
        mark_session,
        (
            _ID,
            Parameter("important", "flag", "never fades", place="body"),
            Parameter("outdated", "flag", "ranks low", place="body"),
            Parameter("private", "flag", "is told to no assistant", place="body"),
            _SCOPE,
        ),
    ),
    Route(
        "DELETE",
        "/api/sessions/{id:path}",
        "Delete a session. The other sessions keep their numbers.",
        record(deleted=listed(_SESSION), undo=maybe(TEXT), warnings=TEXTS),
        delete_session,
        (_ID, _SCOPE),
    ),
    Route(
        "POST",
        "/api/undo",
        "Take back the last change, such as a deletion or an import, or the one with this id.",
        record(
            undone=TEXT,
            at=TEXT,
            action=TEXT,
            undoes=maybe(TEXT),
            ids=TEXTS,
            renumbered=MAPPING,
            kept=TEXTS,
            undo=maybe(TEXT),
            dry_run=FLAG,
            warnings=TEXTS,
        ),
        undo,
        (Parameter("operation", "text", "its id; the last if empty", "", "body"), _SCOPE),
    ),
    Route(
        "GET",
        "/api/search",
        "Find sessions, as `memory search --json` does.",
        record(query=TEXT, method=TEXT, count=WHOLE, results=listed(_HIT), warnings=TEXTS),
        search,
        (
            _QUESTION,
            Parameter("k", "whole", "how many; by the settings if 0", 0, high=100),
            _SINCE,
            _UNTIL,
            Parameter("days", "whole", "so many days back; by the settings if 0", 0),
            _TAGS,
            _PROJECT,
            Parameter("explain", "flag", "say why each was found", False),
            _ARCHIVED,
            _SCOPE,
        ),
    ),
    Route(
        "GET",
        "/api/records",
        "Find observations and sessions together.",
        record(
            query=TEXT,
            results=listed(record(**_RECORD, score=NUMBER, snippet=TEXT)),
            warnings=TEXTS,
        ),
        search_records,
        (
            _QUESTION,
            Parameter("limit", "whole", "how many", 20, low=1, high=100),
            Parameter("kind", "texts", "of this kind; again for more", (), choices=RECORD_KINDS),
            Parameter("tool", "texts", "of this tool; again for more", ()),
            _TAGS,
            _SINCE,
            _UNTIL,
            _PROJECT,
            _ARCHIVED,
            _SCOPE,
        ),
    ),
    Route(
        "GET",
        "/api/records/{id:path}",
        "Give an observation or a session as a record.",
        record(**_RECORD),
        get_record,
        (_RECORD_ID, _SCOPE),
    ),
    Route(
        "GET",
        "/api/timeline",
        "Show what happened in the conversation of a record, before and after it.",
        record(id=TEXT, records=listed(record(**_RECORD))),
        get_timeline,
        (
            Parameter("id", "text", "of an observation or a session", is_required=True),
            Parameter("window", "whole", "minutes before and after", 10),
            _SCOPE,
        ),
    ),
    Route(
        "GET",
        "/api/live",
        "List the live sessions of the last days.",
        record(sessions=listed(record(**_LIVE))),
        list_live,
        (Parameter("days", "whole", "the last so many days", 7, low=1), _SINCE, _UNTIL),
    ),
    Route(
        "GET",
        "/api/live/{conversation:path}",
        "Give a live session with its observations.",
        record(**_LIVE, observations=listed(_OBSERVATION)),
        get_live,
        (Parameter("conversation", "text", "its name", place="path"),),
    ),
    Route(
        "POST",
        "/api/start",
        "Begin a live session, or go on with one of that name.",
        record(**_LIVE),
        start_live,
        (
            Parameter("conversation", "text", "its name; one is made up if empty", "", "body"),
            Parameter("source", "text", "where it comes from", "", "body"),
            Parameter("project", "text", "the name of its project", "", "body"),
            Parameter("meta", "mapping", "kept as it is, but for secrets", None, "body"),
        ),
    ),
    Route(
        "POST",
        "/api/observations",
        "Add an observation to a live session.",
        record(observation=TEXT, conversation=TEXT),
        log,
        (
            Parameter("text", "text", "what happened", place="body", is_required=True),
            Parameter("kind", "text", "what it is", "note", "body", choices=KINDS),
            Parameter("tool", "text", "the tool that was used", "", "body"),
            Parameter("tags", "texts", "its tags", (), "body"),
            Parameter("private", "flag", "keep it out of the session", False, "body"),
            _CONVERSATION,
        ),
        status=201,
    ),
    Route(
        "POST",
        "/api/end",
        "End a live session and save it.",
        record(conversation=TEXT, id=maybe(TEXT), skipped=maybe(TEXT), warnings=TEXTS),
        end_live,
        (_CONVERSATION, Parameter("so_far", "flag", "save it, and let it go on", False, "body")),
    ),
    Route(
        "GET",
        "/api/settings",
        "Give every setting, with its meaning.",
        _SETTINGS,
        get_settings,
    ),
    Route(
        "PUT",
        "/api/settings/{name}",
        "Change one setting. Nothing else in `config.json` moves.",
        _SETTINGS,
        set_setting,
        (
            Parameter("name", "text", "such as retrieval.max_results", place="path"),
            Parameter("value", "any", "the new value", place="body", is_required=True),
        ),
    ),
    Route(
        "DELETE",
        "/api/settings/{name}",
        "Give one setting its default again.",
        _SETTINGS,
        unset_setting,
        (Parameter("name", "text", "such as retrieval.max_results", place="path"),),
    ),
    Route(
        "GET",
        "/api/report",
        "Count what there is, for charts.",
        record(
            first=DAY,
            last=DAY,
            sessions=WHOLE,
            observations=WHOLE,
            flags=record(important=WHOLE, outdated=WHOLE, private=WHOLE, foreign=WHOLE),
            bytes=record(daily=WHOLE, observations=WHOLE, index=WHOLE, archive=WHOLE),
            days=listed(record(date=DAY, sessions=WHOLE, observations=WHOLE)),
            tags=schemas.counts("tag"),
            projects=schemas.counts("project"),
            hosts=schemas.counts("host"),
            topics=record(
                unit=TEXT,
                periods=listed(DAY),
                tags=listed(record(tag=TEXT, sessions=listed(WHOLE))),
            ),
            redactions=listed(record(kind=TEXT, count=WHOLE)),
            recall=record(
                conversations=WHOLE,
                told=WHOLE,
                sessions=WHOLE,
                used=WHOLE,
                unknown=WHOLE,
                most=listed(record(id=TEXT, topic=TEXT, told=WHOLE, used=WHOLE)),
            ),
            quality=record(
                sessions=WHOLE,
                mean=NUMBER,
                good=WHOLE,
                fair=WHOLE,
                poor=WHOLE,
                reasons=listed(record(reason=TEXT, sessions=WHOLE)),
            ),
        ),
        get_report,
        (Parameter("days", "whole", "the last so many days", 365, low=1), _SCOPE),
    ),
    Route(
        "GET",
        "/api/review",
        "Tell what should be looked at, as `memory review` does.",
        record(
            sessions=WHOLE,
            private=WHOLE,
            counts=MAPPING,
            findings=listed(
                record(
                    kind=TEXT,
                    ids=TEXTS,
                    topics=TEXTS,
                    reason=TEXT,
                    command=TEXT,
                    scope=TEXT,
                    project=maybe(TEXT),
                )
            ),
        ),
        get_review,
        (Parameter("limit", "whole", "how many of each kind, 0 for all", 10, low=0), _SCOPE),
    ),
    Route(
        "GET",
        "/api/cleanup",
        "Tell what could be cleaned up, as `memory cleanup` does; nothing is changed.",
        record(
            proposals=listed(
                record(kind=TEXT, count=WHOLE, what=TEXT, why=TEXT, command=TEXT, ids=TEXTS)
            )
        ),
        get_cleanup,
        (_OWN,),
    ),
    Route(
        "GET",
        "/api/export",
        "Give a memory as a file that `memory import` takes: its sessions, or as a zip all of it.",
        ANY,
        export,
        (
            Parameter("format", "text", "of the file", "json", choices=("json", "zip")),
            _OWN,
        ),
    ),
    Route(
        "GET",
        "/api/doctor",
        "Look for faults, as `memory doctor --json` does.",
        _DOCTOR,
        get_health,
        (_SCOPE,),
    ),
    Route(
        "POST",
        "/api/mend",
        "Mend faults, as `memory doctor --fix` and `--restore` do.",
        _DOCTOR,
        mend,
        (
            Parameter("fix", "flag", "mend what can be mended", False, "body"),
            Parameter("restore", "flag", "bring back what is gone from its day", False, "body"),
            _SCOPE,
        ),
    ),
)
