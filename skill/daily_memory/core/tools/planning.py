"""An agent's task lists, and plans that the user approved.

Hosts report a whole list, or one task by its id. The record has one line per task:

    - [x]#1 Write the serializer    a task of a whole list, which replaces the list before
    [ ]#2 Add the route             a new task
    [x]#1 → completed               the new status of a task known by its id
    #2 Add the CSV route            its new name

Without an id, a blank follows the box, as names may begin with "#12". An approved plan is its title
after APPROVED, then its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from daily_memory.core.hosts.host_text import PLAN_PROMPT
from daily_memory.core.json_fields import object_in, objects, text_in
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.observation import Observation
from daily_memory.core.tools.shorten import one_line
from daily_memory.named_tuples import NamedTuple

APPROVED = "approved: "
# What the record calls a use of a task list.
TASK_LIST = "todos"

_MAX_LIST_CHARS = 1100
_MOST_TASKS = 100
_LEAST_HAN_TITLE = 4
# In Codex the plan is in the last answer, and this is what its user says by choosing it.
_CHOSEN = "Implement the plan."
_FEEDBACK = "\nUser feedback on this plan: "
_POINTER = "\nIf you need specific details from before exiting plan mode"

# An answer has the whole list, the arguments may have a part of it.
_LISTS_NOW = ("finalTodos", "tasks", "todos")
_LISTS_GIVEN = ("todos", "plan", "todoList")
_NAME_KEYS = ("subject", "title", "content", "step", "task", "description")
_ID_KEYS = ("taskId", "task_id", "id")
_CLOSED = frozenset("completed complete done closed cancelled canceled deleted skipped".split())

_BOX = lazy_pattern(r"\s*(?:(?:[-*]|\d+\.)\s*)?\[(.)\]\s+(\S.*)")
# As Claude Code prints its list.
_PRINTED = lazy_pattern(r"#(\S+) \[(\w+)\] (\S.*)")
_LINE = lazy_pattern(
    r"(?:- )?(?:\[(?P<box>[ x])\](?: |(?=#)))?(?:(?<! )#(?P<id>\S+) )?(?P<text>\S.*)"
)
_CREATED = lazy_pattern(r"[Tt]ask (?:#([\w-]+)|([\w-]+):)")
_WORD = lazy_pattern(r"(?!```)\W*\w")
_HEADING = lazy_pattern(r"(#{1,6})\s+(.*)")
_LIST_MARK = lazy_pattern(r"^(?:[-*+]|\d{1,3}[.)])\s+")
_SENTENCE_END = lazy_pattern(r"(?<=[^\s.]{2}[.!?])\s|(?<=[。！？])")
# "Plan: …", "Implementation Plan — …", "实施计划：…"; of "Migration plan" nothing is left.
_CALLED_PLAN = lazy_pattern(
    r"(?i)^(?:(?:\w+ )?plan|[\u4e00-\u9fff]{0,4}(?:计划|計劃|方案))\s*(?:[:：—–-]\s*|$)"
)


class _PlannedTask(NamedTuple):
    """What a tool call says about a task; unknown fields are ""."""

    id: str
    name: str
    status: str
    more: str


# ---------------------------------------------------------------------------- tasks


def format_tasks(args: Mapping[str, object], answer: Mapping[str, object], printed: str) -> str:
    """Return a tool call about tasks as lines, "" if it has none.

    >>> format_tasks({"plan": [{"step": "Fix it", "status": "completed"}, {"step": "试"}]}, {}, "")
    '- [x] Fix it\\n- [ ] 试'
    >>> format_tasks({"taskId": "1", "status": "in_progress"}, {"success": True}, "")
    '[ ]#1 → in progress'
    """
    listed = _listed(answer, _LISTS_NOW)
    is_whole = listed is not None or args.get("merge") is not True
    if listed is None:
        listed = _listed(args, _LISTS_GIVEN)
    if listed is None:
        rows = filter(None, map(_PRINTED.match, printed[:20_000].split("\n")))
        listed = [_PlannedTask(row[1], one_line(row[3]), row[2], "") for row in rows] or None
    if listed is None:
        return _told_task(args, answer, printed)
    lines = [line for task in listed if (line := _line(task, is_new=is_whole))]
    if not is_whole:
        return "\n".join(lines)
    if sum(map(len, lines)) > _MAX_LIST_CHARS:
        # Open tasks are at the end of a long list, where they would be cut off.
        lines = [line for line in lines if line.startswith("[ ]")]
    return "\n".join(f"- {line}" for line in lines) or "- no tasks"


def open_tasks(texts: Iterable[str]) -> list[str]:
    """Return the tasks that are still open, in order.

    >>> open_tasks(["[ ]#1 Add it\\n  a route", "[ ]#2 Test it", "[x]#1 → completed"])
    ['Test it']
    """
    tasks: dict[str, tuple[str, bool]] = {}
    for text in texts:
        lines = text.split("\n")
        if any(line.startswith("- ") for line in lines):
            tasks = {}
        for line in lines:
            match = _LINE.match(line)
            if match and (match["box"] or match["id"]):
                known, is_open = tasks.get(match["id"] or match["text"], ("", True))
                name = known if match["text"].startswith("→ ") else match["text"]
                is_open = match["box"] == " " if match["box"] else is_open
                tasks[match["id"] or match["text"]] = name, is_open
    return [name for name, is_open in tasks.values() if name and is_open]


def _told_task(args: Mapping[str, object], answer: Mapping[str, object], printed: str) -> str:
    task = _task({**args, **object_in(answer, "task")})
    is_new = not _first(args, _ID_KEYS)
    if is_new and not task.id and (created := _CREATED.search(printed[:400])):
        task = task._replace(id=created[1] or created[2])
    line = _line(task, is_new=is_new) if task.name or task.id else ""
    return f"{line}\n  {task.more}" if line and task.more else line


def _line(task: _PlannedTask, *, is_new: bool) -> str:
    number = f"#{task.id} " if task.id else " "
    if not (task.status or is_new):
        return f"{number}{task.name}" if task.id and task.name else ""
    # TODO_STATUS_IN_PROGRESS, in-progress
    words = task.status.lower().replace("-", "_").removeprefix("todo_status_")
    name = task.name or f"→ {words.replace('_', ' ')}" * bool(words)
    return f"[{' x'[words in _CLOSED]}]{number}{name}" if name else ""


def _listed(fields: Mapping[str, object], keys: Sequence[str]) -> list[_PlannedTask] | None:
    """Return the tasks of the first list, None for none; it may be a text with checkboxes."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, list):
            return list(map(_task, objects(value[:_MOST_TASKS])))
        if isinstance(value, str):
            boxes = [_BOX.match(line) for line in value[:20_000].split("\n")]
            if any(boxes):
                return [
                    _PlannedTask(
                        "", one_line(box[2]), "done" if box[1] in "xX✓✔" else "pending", ""
                    )
                    for box in boxes[:_MOST_TASKS]
                    if box
                ]
    return None


def _task(item: Mapping[str, object]) -> _PlannedTask:
    name, more = _first(item, _NAME_KEYS), _first(item, ("description",))
    id_ = "".join(_first(item, _ID_KEYS).split())
    return _PlannedTask(id_, name, _first(item, ("status",)), more if more != name else "")


# ---------------------------------------------------------------------------- plans


def format_plan(args: Mapping[str, object], answer: Mapping[str, object], printed: str) -> str:
    """Return an approved plan, "" if it was not approved.

    Claude Code and Qwen Code tell the plan, Gemini CLI the file that it was written to before.

    >>> format_plan({}, {"plan": "# Plan: use Redis\\n\\n1. Add it"}, "")
    'approved: use Redis\\n1. Add it'
    """
    plan = text_in(answer, "plan") or text_in(args, "plan")
    says = printed[:200].lower()
    is_approved = "plan" in answer or ("approved" in says and "not approved" not in says)
    if not is_approved or answer.get("awaitingLeaderApproval") is True:
        return ""
    path = _first(args, ("plan_filename", "plan_path")).replace("\\", "/")
    return _approved(plan, path.rpartition("/")[2])


def with_plans(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Yield the observations; a prompt that a host made of a plan becomes plan and title."""
    proposed = ""
    for one in observations:
        if one.kind == "assistant":
            before_end = one.text.rpartition("</proposed_plan>")[0]
            _, begins, plan = before_end.rpartition("<proposed_plan>")
            proposed = plan if begins else proposed
        title, text = _accepted(one.text, proposed) if one.kind == "user" else ("", "")
        if title:
            yield one._replace(kind="tool", text=f"{APPROVED}{title}", tool="plan")
            one = one._replace(text=text, event=one.event and f"{one.event} title")
        yield one


def title_of(lines: Iterable[str]) -> str:
    """Return a plan's heading if it says something, else its first sentence.

    >>> title_of(["# Implementation Plan", "## Context", "Sessions are lost. Move them to Redis."])
    'Sessions are lost.'
    """
    for line in filter(_WORD.match, lines):
        heading = _HEADING.match(line)
        text = heading[2] if heading else _LIST_MARK.sub("", line, count=1)
        text = text.replace("**", "").strip("*_ ")
        rest = _CALLED_PLAN.sub("", text).strip()
        if not heading and rest:
            return one_line(_SENTENCE_END.split(rest)[0])
        # "## Context" and "# Overview" are in any plan.
        says_more = " " in rest or (not rest.isascii() and len(rest) >= _LEAST_HAN_TITLE)
        if heading and says_more and (len(heading[1]) == 1 or len(rest) < len(text)):
            return one_line(rest)
    return ""


def _accepted(text: str, proposed: str) -> tuple[str, str]:
    """Return the title of the plan in a prompt, and with it the user's feedback."""
    prompt, feedback = text.strip(), ""
    if prompt.startswith(PLAN_PROMPT):
        plan, _, feedback = prompt.removeprefix(PLAN_PROMPT).partition(_FEEDBACK)
        proposed = plan.partition(_POINTER)[0]
    elif prompt != _CHOSEN:
        return "", text
    title = _approved(proposed, "").partition("\n")[0].removeprefix(APPROVED)
    return title, "\n\n".join(filter(None, (title, feedback.strip())))


def _approved(plan: str, file: str) -> str:
    lines = [line.strip() for line in plan[:20_000].split("\n") if line.strip()]
    title = title_of(lines) or file or "".join(lines[:1]).strip("# ")
    if lines and lines[0].startswith("#") and title in lines[0]:
        lines = lines[1:]
    return "\n".join((f"{APPROVED}{title}", *lines)) if title else ""


# ---------------------------------------------------------------------------- values


def _first(fields: Mapping[str, object], keys: Iterable[str]) -> str:
    """Return the first text or number in these fields as one line, "" for none."""
    values = (fields.get(key) for key in keys)
    texts = (str(value) for value in values if isinstance(value, (str, int)))
    return next(filter(None, map(one_line, texts)), "")
