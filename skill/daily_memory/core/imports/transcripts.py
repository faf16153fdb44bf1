"""Reads conversations of other programs: who said what, when, and where.

None of these formats is documented or stable, so whatever is unexpected is skipped: an unreadable
line costs no more than itself. docs/sharing.md lists what is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple
from urllib.parse import unquote

from daily_memory.core.digests.messages import Message
from daily_memory.core.hosts.host_text import without_host_words
from daily_memory.core.imports.tool_calls import Conversation
from daily_memory.core.json_fields import (
    list_in,
    object_in,
    objects,
    parse_json,
    parse_object,
    text_in,
    texts,
    texts_of,
)

CLAUDE, CURSOR, CODEX, CLAUDE_MEM = "claude", "cursor", "codex", "claude-mem"

# Another program's notes may be hundreds of lines long; a session is a digest.
_MOST_POINTS, _MOST_DECISIONS, _MOST_OTHERS = 12, 8, 20

_LEAST_HAN_TITLE = 4

Row = Mapping[str, Any]


class Transcript(NamedTuple):
    """A conversation as another program recorded it, not redacted.

    `began` has its zone, and is None where nothing tells. `folder` is where it was held, `project`
    the project's name where only that is known. `given` are fields of a session that the program
    worded, named as `memory save` reads them.
    """

    conversation: str
    host: str
    began: datetime | None = None
    folder: str = ""
    messages: tuple[Message, ...] = ()
    project: str = ""
    given: tuple[tuple[str, object], ...] = ()
    bad_lines: tuple[int, ...] = ()


class Composer(NamedTuple):
    """The head of a conversation in Cursor's database; its messages (bubbles) are other rows."""

    conversation: str
    began: datetime | None
    folder: str
    bubbles: tuple[str, ...]
    subagents: tuple[str, ...]
    title: str = ""


_CLAUDE_FLAGS = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)


def parse_claude(lines: Iterable[bytes], name: str) -> Transcript:
    """Parse a JSONL transcript of Claude Code; `name` is its id if no line has one."""
    bad: list[int] = []
    said = Conversation()
    titles: dict[str, str] = {}
    numbers: set[str] = set()
    conversation = folder = last = own_title = ""
    began: datetime | None = None
    for record in _records(lines, bad):
        numbers.add(text_in(record, "uuid"))
        titles[text_in(record, "leafUuid")] = text_in(record, "summary")
        own_title = text_in(record, "aiTitle") or own_title
        message = object_in(record, "message")
        text = _claude_text(record)
        if text:
            # A continued session may begin with the lines of the older one.
            conversation = text_in(record, "sessionId") or conversation
            folder = folder or text_in(record, "cwd")
            began = began or parse_time(record.get("timestamp"))
            this = text_in(message, "id")
            said.say(text_in(record, "type"), text, goes_on=bool(this) and this == last)
            last = this
        if _is_claude_message(record):
            said.parts(message.get("content"), record.get("toolUseResult"))
    # A summary may be the title of an older conversation.
    title = [text for leaf, text in titles.items() if leaf and leaf in numbers]
    return Transcript(
        conversation or name,
        CLAUDE,
        began,
        folder,
        said.messages,
        given=_titled(own_title or (title[-1] if title else "")),
        bad_lines=tuple(bad),
    )


def _titled(title: str) -> tuple[tuple[str, object], ...]:
    """Return a title as the topic, unless it is a single word."""
    is_telling = " " in title.strip() or (not title.isascii() and len(title) >= _LEAST_HAN_TITLE)
    return (("topic", title.strip()),) if is_telling else ()


def claude_folder(lines: Iterable[bytes]) -> str:
    """Return the folder that a transcript began in; reads only as far as needed."""
    for record in _records(lines, []):
        folder = text_in(record, "cwd")
        if folder and _claude_text(record):
            return folder
    return ""


def _is_claude_message(record: Row) -> bool:
    is_flagged = any(record.get(flag) is True for flag in _CLAUDE_FLAGS)
    return record.get("type") in ("user", "assistant") and not is_flagged


def _claude_text(record: Row) -> str:
    """Return what a person or the model said in a line, "" for nothing."""
    if not _is_claude_message(record):
        return ""
    message = object_in(record, "message")
    # This is how Claude Code marks what it put into the assistant's mouth.
    if message.get("model") == "<synthetic>":
        return ""
    # `origin` marks text that the user didn't write; an approved plan counts as theirs.
    is_human = object_in(record, "origin").get("kind", "human") == "human"
    if not (is_human or text_in(record, "planContent")):
        return ""
    texts = texts_of(message.get("content"))
    if record.get("type") == "user":
        texts = [without_host_words(text) for text in texts]
    return "\n\n".join(text.strip() for text in texts if text.strip())


_CODEX_ROLES = {
    "UserMessage": "user",
    "AgentMessage": "assistant",
    # Before version 0.160 or so.
    "user_message": "user",
    "agent_message": "assistant",
}
_CODEX_STATUS = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})$", re.MULTILINE)


def parse_codex(lines: Iterable[bytes], name: str) -> Transcript:
    bad: list[int] = []
    said = Conversation()
    conversation = folder = title = ""
    began: datetime | None = None
    for record in _records(lines, bad):
        payload = object_in(record, "payload")
        if record.get("type") == "session_meta":
            conversation = conversation or text_in(payload, "id")
            folder = folder or text_in(payload, "cwd")
            began = began or parse_time(payload.get("timestamp"))
        item = object_in(payload, "item") or payload
        role = _CODEX_ROLES.get(text_in(item, "type"), "")
        # Only shown messages: what is sent to the model as the user's has more than they wrote.
        if record.get("type") == "event_msg":
            title = text_in(payload, "thread_name") or title
            text = "\n\n".join(texts_of(item.get("content"))) or text_in(item, "message")
            if role:
                said.say(role, without_host_words(text) if role == "user" else text.strip())
            elif text_in(item, "type") == "Plan":
                said.say("assistant", f"<proposed_plan>\n{text_in(item, 'text')}\n</proposed_plan>")
        elif record.get("type") == "response_item":
            _add_codex_call(said, payload)
    return Transcript(
        conversation or name,
        CODEX,
        began,
        folder,
        said.messages,
        given=_titled(title),
        bad_lines=tuple(bad),
    )


def _add_codex_call(said: Conversation, item: Row) -> None:
    kind, id_ = text_in(item, "type"), text_in(item, "call_id")
    if kind == "local_shell_call":
        said.call(id_, "shell", _with_command(object_in(item, "action")))
    elif kind in ("function_call", "custom_tool_call"):
        arguments = parse_object(text_in(item, "arguments"))
        given = _with_command(arguments) if arguments else text_in(item, "input")
        said.call(id_, text_in(item, "name"), given)
    elif kind.endswith("call_output"):
        said.result(id_, _codex_output(item.get("output")))


def _with_command(given: Row) -> Row:
    """Return the arguments of a tool, with the command as one text."""
    words = texts(list_in(given, "command"))
    if not words:
        return given
    is_shell = len(words) > 2 and words[1] in ("-c", "-lc")
    return {**given, "command": words[2] if is_shell else " ".join(words)}


def _codex_output(output: object) -> object:
    """Return the output of a tool, with the exit status if it is known."""
    text = output if isinstance(output, str) else "\n".join(texts_of(output))
    data = parse_object(text)
    if data is not None:
        return {**data, **object_in(data, "metadata")}
    head, _, printed = text.partition("Output:\n")
    status = _CODEX_STATUS.search(head)
    return {"output": printed, "exit_code": int(status[1])} if status else text


def codex_folder(lines: Iterable[bytes]) -> str:
    """Return the folder that a rollout began in; reads only as far as needed."""
    for record in _records(lines, []):
        if folder := text_in(object_in(record, "payload"), "cwd"):
            return folder
    return ""


_USER_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_NO_WORD = re.compile(r"[\W_]+")
_NO_ASCII_WORD = re.compile(r"[^a-z0-9]+")
_BUBBLE_ROLES = {1: "user", 2: "assistant"}


def parse_cursor(lines: Iterable[bytes], name: str) -> Transcript:
    """Parse a JSONL transcript of Cursor; most lines have no time."""
    bad: list[int] = []
    said = Conversation()
    began: datetime | None = None
    for record in _records(lines, bad):
        role = record.get("role")
        if role in ("user", "assistant"):
            began = began or parse_time(record.get("timestamp"))
            content = object_in(record, "message").get("content")
            said.say(role, _spoken(role, "\n\n".join(texts_of(content))))
            said.parts(content)
    return Transcript(name, CURSOR, began, messages=said.messages, bad_lines=tuple(bad))


def _spoken(role: str, text: str) -> str:
    queries = _USER_QUERY.findall(text) if role == "user" else []
    if queries:
        return "\n\n".join(query.strip() for query in queries)
    return without_host_words(text) if role == "user" else text.strip()


def parse_composer(conversation: str, text: str) -> Composer | None:
    """Return the head of a conversation in Cursor's database, None if it is none."""
    data = parse_object(text)
    if data is None:
        return None
    headers = objects(data.get("fullConversationHeadersOnly"))
    subagents = tuple(texts(list_in(data, "subagentComposerIds")))
    began = parse_time(data.get("createdAt")) or parse_time(data.get("lastUpdatedAt"))
    bubbles = tuple(filter(None, (text_in(header, "bubbleId") for header in headers)))
    folder, title = workspace_folder(data), text_in(data, "name")
    return Composer(conversation, began, folder, bubbles, subagents, title)


def workspace_folder(data: Row) -> str:
    """Return the folder in a conversation's head, "" for none."""
    address = object_in(object_in(data, "workspaceIdentifier"), "uri")
    return text_in(address, "fsPath") or text_in(address, "path")


def parse_bubbles(composer: Composer, bubbles: Iterable[Row]) -> Transcript:
    """Return a conversation from its head and messages."""
    said = Conversation()
    began, folder = composer.began, composer.folder
    for bubble in bubbles:
        folder = folder or next(
            filter(None, map(folder_of_uri, list_in(bubble, "workspaceUris"))), ""
        )
        began = began or parse_time(bubble.get("createdAt"))
        kind = bubble.get("type")
        role = _BUBBLE_ROLES.get(kind, "") if isinstance(kind, int) else ""
        text = _spoken(role, text_in(bubble, "text"))
        if role and text:
            said.say(role, text)
        tool = object_in(bubble, "toolFormerData")
        if text_in(tool, "name"):
            said.call("", text_in(tool, "name"), tool.get("rawArgs") or tool.get("params"))
            said.result("", tool.get("result"))
    given = _titled(composer.title)
    return Transcript(composer.conversation, CURSOR, began, folder, said.messages, given=given)


def folder_of_uri(uri: object) -> str:
    """Return the path of a `file:` address, "" for any other.

    >>> folder_of_uri("file:///home/u/%E9%A1%B9%E7%9B%AE"), folder_of_uri("file:///c%3A/shop")
    ('/home/u/项目', 'c:/shop')
    """
    if not isinstance(uri, str) or not uri.startswith("file:///"):
        return ""
    path = unquote(uri.removeprefix("file://"))
    # In a URI, a Windows drive comes after a slash.
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def slug_of(folder: str, *, ascii_only: bool = False) -> str:
    """Return how Cursor may name the folder of a project, in lower case.

    >>> slug_of("/home/u/My.Shop"), slug_of("home-u-My-Shop")
    ('home-u-my-shop', 'home-u-my-shop')
    >>> slug_of("/home/u/项目"), slug_of("/home/u/项目", ascii_only=True)
    ('home-u-项目', 'home-u')
    """
    apart = _NO_ASCII_WORD if ascii_only else _NO_WORD
    return apart.sub("-", folder.lower()).strip("-")


def parse_claude_mem(
    session: Row, prompts: Iterable[Row], observations: Iterable[Row], summaries: Iterable[Row]
) -> Transcript:
    """Return a session of claude-mem: its own fields, and the user's prompts."""
    asked = [text_in(row, "prompt_text") for row in prompts] or [text_in(session, "user_prompt")]
    rows = list(observations)
    made = list(summaries)
    last: Row = made[-1] if made else {}
    points = [text_in(row, "learned") for row in made]
    points += [_sentence(row) for row in rows if row.get("type") != "decision"]
    files = [path for row in rows for path in _strings(row, "files_modified")]
    given: dict[str, object] = {
        "topic": (text_in(session, "custom_title") or text_in(last, "request")).strip(),
        "summary": text_in(last, "completed").strip(),
        "key_points": _items(points, _MOST_POINTS),
        "decisions": _items(
            (_sentence(row) for row in rows if row.get("type") == "decision"), _MOST_DECISIONS
        ),
        "next_steps": _items([text_in(last, "next_steps")], _MOST_OTHERS),
        "files": _items(
            [*files, *(path for row in made for path in _strings(row, "files_edited"))],
            _MOST_OTHERS,
        ),
    }
    return Transcript(
        text_in(session, "content_session_id"),
        CLAUDE_MEM,
        parse_time(session.get("started_at_epoch")) or parse_time(session.get("started_at")),
        messages=tuple(Message("user", text.strip()) for text in asked if text.strip()),
        project=text_in(session, "project"),
        given=tuple((name, value) for name, value in given.items() if value),
    )


def _sentence(row: Row) -> str:
    title, more = text_in(row, "title"), text_in(row, "subtitle")
    return f"{title}: {more}" if title and more else title or more or text_in(row, "text")


def _strings(row: Row, name: str) -> list[str]:
    values = parse_json(text_in(row, name))
    return texts(values) if isinstance(values, list) else []


def _items(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the distinct non-blank texts, at most so many."""
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))[:most]


def parse_time(value: object) -> datetime | None:
    """Return the moment of an ISO time, or of seconds or milliseconds since 1970; None for neither.

    >>> parse_time("2026-09-01T10:00:00.000Z") == parse_time(1788256800000)
    True
    >>> parse_time(1788256800)
    datetime.datetime(2026, 9, 1, 10, 0, tzinfo=datetime.timezone.utc)
    """
    moment = _moment(value)
    # Converting to another time zone could overflow beyond these years.
    return moment if moment and 1970 <= moment.year < 9000 else None


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            # `Z` is understood from Python 3.11 on only.
            moment = datetime.fromisoformat(re.sub(r"(\.\d+)?Z$", "+00:00", value))
            return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            # Seconds reach that number in the year 5138, milliseconds did in March 1973.
            seconds = value / 1000 if value > 100_000_000_000 else value
            return datetime.fromtimestamp(seconds, timezone.utc)
    except (ValueError, OverflowError, OSError):
        pass  # a time that nobody can read is no time
    return None


def _records(lines: Iterable[bytes], bad: list[int]) -> Iterator[Row]:
    """Yield the JSON objects in lines; numbers of other lines go to `bad`."""
    for number, line in enumerate(lines, 1):
        record = parse_object(line) if line.strip() else {}
        if record is None:
            bad.append(number)
        else:
            yield record
