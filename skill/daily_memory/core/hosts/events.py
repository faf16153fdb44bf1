"""Converts a hook's payload to an event, and formats the hook's answer.

Most hosts send a JSON object in the form of Claude Code. Names differ, and fields may be missing or
of another type in any version: what is unexpected counts as empty, never as an error. `traits` has
what only one host does. Every event starts a process, so this module imports as little as possible.
"""

from __future__ import annotations

from collections.abc import Mapping

from daily_memory.core.hosts.host_text import parse_notification, without_host_words
from daily_memory.core.hosts.names import (
    CLAUDE,
    CODEX,
    COPILOT,
    CURSOR,
    GEMINI,
    HOSTS,
    QWEN,
    TRAE,
    host_name,
)
from daily_memory.core.hosts.traits import ReadEnd, anything, no_end
from daily_memory.core.json_fields import list_in, object_in, text_in, texts
from daily_memory.named_tuples import NamedTuple

START, PROMPT, ANSWER, TOOL, STOP, END = "start", "prompt", "answer", "tool", "stop", "end"
COMPACT, OTHER = "compact", "other"

# What an event means, by the host's name of it in lower case. What comes before a tool runs is
# told again after it, so that only the latter counts.
MEANINGS = {
    "sessionstart": START,
    "beforesubmitprompt": PROMPT,
    "userpromptsubmit": PROMPT,
    "userpromptsubmitted": PROMPT,
    "beforeagent": PROMPT,
    "afteragentresponse": ANSWER,
    "posttooluse": TOOL,
    "posttoolusefailure": TOOL,
    "aftertool": TOOL,
    "aftershellexecution": TOOL,
    "aftermcpexecution": TOOL,
    "afterfileedit": TOOL,
    "subagentstop": TOOL,
    "stop": STOP,
    "stopfailure": STOP,
    "agentstop": STOP,
    "afteragent": STOP,
    "precompact": COMPACT,
    "sessionend": END,
}
# Events whose tool the payload does not name.
_TOOLS = {"aftershellexecution": "Shell", "afterfileedit": "Edit", "subagentstop": "Task"}
_INJECTED = (START, PROMPT)
_ASKED_AT_STOP = (CLAUDE, CODEX, QWEN)
# Set for the hooks of a host that may run those of Claude Code as well.
_MARKS = {"CURSOR_VERSION": CURSOR, "TRAE_PROJECT_DIR": TRAE, "COPILOT_PROJECT_DIR": COPILOT}


class Event(NamedTuple):
    """One event of a host in a common form.

    `meaning` is one of the names above, `raw_name` the host's. `conversation` and `turn` are ids of
    the host, `folder` is the project as the host knows it; each is "" where it was not told. `text`
    is what the user or the assistant said. Of a turn that ends, `said_before` is what the assistant
    said earlier, and `asked` the prompt if no event told it. Of a tool, `arguments` and `output`
    are as they came.
    """

    host: str
    meaning: str
    raw_name: str
    conversation: str
    turn: str = ""
    folder: str = ""
    reason: str = ""
    text: str = ""
    said_before: tuple[str, ...] = ()
    asked: str = ""
    tool: str = ""
    arguments: object = None
    output: object = None
    error: str = ""
    id: str = ""


def parse_event(
    payload: Mapping[str, object],
    environment: Mapping[str, str],
    named: str = "",
    event_name: str = "",
    read_end: ReadEnd = no_end,
) -> Event:
    """Return the event in a payload; `named` and `event_name` come from the command line.

    >>> event = parse_event({"hook_event_name": "stop", "cursor_version": "3"}, {}, "claude")
    >>> event.host, event.meaning
    ('cursor', 'stop')
    """
    host = find_host(payload, environment, named)
    payload = _common(host, payload, read_end)
    raw_name = text_in(payload, "hook_event_name") or event_name
    key = raw_name.lower()
    meaning = MEANINGS.get(key, OTHER)
    conversation = text_in(payload, "conversation_id", "session_id", "parent_conversation_id")
    turn = text_in(payload, "generation_id", "prompt_id", "turn_id")
    event = Event(
        host=host,
        meaning=meaning,
        raw_name=raw_name,
        conversation=conversation,
        # Cursor's command line gives a conversation's id to each of its turns.
        turn="" if turn == conversation else turn,
        folder=_folder(payload, environment),
        reason=text_in(payload, "reason", "source", "status", "trigger"),
    )
    if _is_of_host(meaning, key, payload):
        return event._replace(meaning=OTHER)
    if meaning == PROMPT:
        return _with_prompt(event, text_in(payload, "submitted_prompt", "prompt"))
    if meaning in (ANSWER, STOP):
        text = text_in(payload, "text", "last_assistant_message", "prompt_response")
        path = text_in(payload, "transcript_path")
        if meaning == STOP and path and host in (CLAUDE, CODEX):
            from daily_memory.core.hosts.traits import last_turn  # once a turn

            transcript = read_end(path, anything)
            is_again = payload.get("stop_hook_active") is True  # the turn went on
            event = event._replace(
                said_before=last_turn.said_before(text, transcript),
                asked="" if is_again else last_turn.plan_begun_with(transcript),
            )
        return event._replace(text=text)
    return _with_tool(event, payload, key) if meaning == TOOL else event


def find_host(
    payload: Mapping[str, object], environment: Mapping[str, str], named: str = ""
) -> str:
    """Return which host sent a payload, "" if unknown.

    The order matters: most of them set `CLAUDE_PROJECT_DIR`, and some run the hooks of Claude Code
    as well.
    """
    if "cursor_version" in payload:
        return CURSOR
    for mark, host in _MARKS.items():
        if mark in environment:
            return host
    if host_name(named) in HOSTS:
        return host_name(named)
    if "transcript_path" in payload or "CLAUDE_PROJECT_DIR" in environment:
        return CLAUDE
    return ""


def accepts_request(event: Event) -> bool:
    """Tell whether the host accepts a request at the end of a turn."""
    return (event.meaning, event.raw_name) == (STOP, "Stop") and event.host in _ASKED_AT_STOP


def format_answer(
    event: Event, context: str, reminder: str = "", request: str = ""
) -> dict[str, object]:
    """Return the output of a hook, {} if there is nothing to say.

    A reminder is for the user: Claude Code shows it, others are told it for them. With a request
    the agent goes on instead of ending its turn.

    >>> format_answer(parse_event({"hook_event_name": "sessionStart"}, {}, "cursor"), "notes")
    {'additional_context': 'notes'}
    """
    if request and accepts_request(event):
        return {"decision": "block", "reason": request.strip()}
    if event.meaning not in _INJECTED:
        return {}
    shown: dict[str, object] = {}
    if reminder and event.host == CLAUDE:
        shown = {"systemMessage": reminder}
    elif reminder:
        context = f"{context}[memory: for the user: {reminder}]\n"
    if not context:
        return shown
    is_nested = event.raw_name[:1].isupper()
    if event.host == COPILOT:
        return {"additionalContext": context}
    if event.host == CURSOR or not is_nested:
        return {"additional_context": context}
    told = {"hookEventName": event.raw_name, "additionalContext": context}
    return {**shown, "hookSpecificOutput": told}


def _common(host: str, payload: Mapping[str, object], read_end: ReadEnd) -> Mapping[str, object]:
    """Return a payload in the form of Claude Code."""
    # Each of these is loaded for its host alone.
    if host == CODEX:
        from daily_memory.core.hosts.traits import codex

        return codex.common(payload, read_end)
    if host == COPILOT:
        from daily_memory.core.hosts.traits import copilot

        return copilot.common(payload, read_end)
    if host in (GEMINI, QWEN):
        from daily_memory.core.hosts.traits import gemini

        return gemini.common(payload)
    return payload


def _is_of_host(meaning: str, key: str, payload: Mapping[str, object]) -> bool:
    """Tell whether this is the host's own work on the conversation: compaction, summary, notes.

    It repeats what was said, and what was private in it without its mark. The host does it with an
    agent that has no name, or that ends without a task which somebody gave it, or in a file beside
    the transcript.
    """
    if "agent_id" in payload and not text_in(payload, "agent_type"):
        return True
    if key == "subagentstop":
        return not text_in(payload, "task")
    path = text_in(object_in(payload, "tool_input"), "file_path") if meaning == TOOL else ""
    transcript = text_in(payload, "transcript_path").replace("\\", "/")
    folder = transcript.rpartition("/")[0]
    return bool(folder) and path.replace("\\", "/").startswith(f"{folder}/")


def _with_prompt(event: Event, text: str) -> Event:
    """Return the event of a prompt, without text that the host wrote."""
    said = without_host_words(text)
    if said:
        return event._replace(text=said)
    told = parse_notification(text)
    if not told.answer:
        return event._replace(meaning=OTHER)
    given = {"description": told.task}
    return event._replace(
        meaning=TOOL, tool="Task", arguments=given, output=told.answer, id=told.use
    )


def _with_tool(event: Event, payload: Mapping[str, object], key: str) -> Event:
    tool = _TOOLS.get(key) or text_in(payload, "tool_name", "llm_tool_name")
    arguments = payload.get("tool_input")
    if arguments is None:
        names = ("command", "cwd", "file_path", "edits", "task", "description", "subagent_type")
        arguments = {name: payload[name] for name in names if name in payload}
    output = next(
        (
            payload[name]
            for name in ("tool_output", "tool_response", "output", "result_json", "summary")
            if payload.get(name) is not None
        ),
        None,
    )
    if key == "aftermcpexecution" and tool and not tool.lower().startswith("mcp"):
        tool = f"MCP:{tool}"
    return event._replace(
        tool=tool,
        arguments=arguments,
        output=output,
        error=text_in(payload, "error_message", "error"),
        # An id may contain a line break, which our lines can't.
        id=" ".join(text_in(payload, "tool_use_id", "tool_call_id").split()),
    )


def _folder(payload: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """Return the project's folder; the folder that a hook runs in can't be trusted."""
    found = next(iter(texts(list_in(payload, "workspace_roots")[:1])), "")
    for name in ("CURSOR_PROJECT_DIR", "TRAE_PROJECT_DIR", "CLAUDE_PROJECT_DIR"):
        found = found or environment.get(name, "")
    found = found or text_in(payload, "cwd")
    # Cursor on Windows writes `/c:/work`.
    return found[1:] if found[2:4] == ":/" and found[0] == "/" else found
