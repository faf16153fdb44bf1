"""What other programs keep of conversations → `Transcript`: who said what, when, and where.

None of these forms is promised by those who write them: whatever is odd is passed over, so that
a line that can't be read costs no more than itself. docs/sharing.md tells what is taken of each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple

from daily_memory.core.digests.messages import Message
from daily_memory.core.hosts.host_text import without_host_words
from daily_memory.core.imports.tool_calls import Conversation

CLAUDE, CURSOR, CODEX, CLAUDE_MEM = "claude", "cursor", "codex", "claude-mem"

# What somebody else's program found worth noting may be hundreds of lines; a session is a digest.
_MOST_POINTS, _MOST_DECISIONS, _MOST_OTHERS = 12, 8, 20

_LEAST_HAN_TITLE = 4

Row = Mapping[str, Any]


class Transcript(NamedTuple):
    """A conversation as another program kept it, nothing hidden yet.

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
    """The head of a conversation in Cursor's database: its messages are other rows, its bubbles."""

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
    """Return the conversation of a JSONL transcript; `name` is its id where no line tells one."""
    bad: list[int] = []
    said = Conversation()
    titles: dict[str, str] = {}
    numbers: set[str] = set()
    conversation = folder = last = own_title = ""
    began: datetime | None = None
    for record in _records(lines, bad):
        numbers.add(_text(record, "uuid"))
        titles[_text(record, "leafUuid")] = _text(record, "summary")
        own_title = _text(record, "aiTitle") or own_title
        message = _mapping(record, "message")
        text = _claude_text(record)
        if text:
            # A session that goes on with an older one may begin with the lines of that.
            conversation = _text(record, "sessionId") or conversation
            folder = folder or _text(record, "cwd")
            began = began or parse_time(record.get("timestamp"))
            this = _text(message, "id")
            said.say(_text(record, "type"), text, goes_on=bool(this) and this == last)
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
    """Return a title as the topic, but for a single word, which tells nothing."""
    is_telling = " " in title.strip() or (not title.isascii() and len(title) >= _LEAST_HAN_TITLE)
    return (("topic", title.strip()),) if is_telling else ()


def claude_folder(lines: Iterable[bytes]) -> str:
    """Return the folder that a transcript's conversation began in; reads no further than that."""
    for record in _records(lines, []):
        folder = _text(record, "cwd")
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
    message = _mapping(record, "message")
    # This is how Claude Code marks what it put into the assistant's mouth.
    if message.get("model") == "<synthetic>":
        return ""
    # So it marks what came into the user's place from elsewhere; a plan the user approved.
    is_human = _mapping(record, "origin").get("kind", "human") == "human"
    if not (is_human or _text(record, "planContent")):
        return ""
    texts = _texts_of(message.get("content"))
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
        payload = _mapping(record, "payload")
        if record.get("type") == "session_meta":
            conversation = conversation or _text(payload, "id")
            folder = folder or _text(payload, "cwd")
            began = began or parse_time(payload.get("timestamp"))
        item = _mapping(payload, "item") or payload
        role = _CODEX_ROLES.get(_text(item, "type"), "")
        # The model is sent more in the user's place than the user wrote: these are what was shown.
        if record.get("type") == "event_msg":
            title = _text(payload, "thread_name") or title
            parts = [_text(part, "text") for part in _list(item, "content") if _is_mapping(part)]
            text = "\n\n".join(filter(None, parts)) or _text(item, "message")
            if role:
                said.say(role, without_host_words(text) if role == "user" else text.strip())
            elif _text(item, "type") == "Plan":
                said.say("assistant", f"<proposed_plan>\n{_text(item, 'text')}\n</proposed_plan>")
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
    """Add the call of a tool, or its result."""
    kind, id_ = _text(item, "type"), _text(item, "call_id")
    if kind == "local_shell_call":
        said.call(id_, "shell", _with_command(_mapping(item, "action")))
    elif kind in ("function_call", "custom_tool_call"):
        arguments = parse_object(_text(item, "arguments"))
        given = _with_command(arguments) if arguments else _text(item, "input")
        said.call(id_, _text(item, "name"), given)
    elif kind.endswith("call_output"):
        said.result(id_, _codex_output(item.get("output")))


def _with_command(given: Row) -> Row:
    """Return the arguments of a tool, with the words of a command as the shell has them."""
    words = [word for word in _list(given, "command") if isinstance(word, str)]
    if not words:
        return given
    is_shell = len(words) > 2 and words[1] in ("-c", "-lc")
    return {**given, "command": words[2] if is_shell else " ".join(words)}


def _codex_output(output: object) -> object:
    """Return the output of a tool, and its exit status where it is known."""
    text = output if isinstance(output, str) else "\n".join(_texts_of(output, "input_text"))
    data = parse_object(text)
    if data is not None:
        return {**data, **_mapping(data, "metadata")}
    head, _, printed = text.partition("Output:\n")
    status = _CODEX_STATUS.search(head)
    return {"output": printed, "exit_code": int(status[1])} if status else text


def codex_folder(lines: Iterable[bytes]) -> str:
    """Return the folder that a rollout's conversation began in; reads no further than that."""
    for record in _records(lines, []):
        if folder := _text(_mapping(record, "payload"), "cwd"):
            return folder
    return ""


_USER_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_NO_WORD = re.compile(r"[\W_]+")
_NO_ASCII_WORD = re.compile(r"[^a-z0-9]+")
_BUBBLE_ROLES = {1: "user", 2: "assistant"}


def parse_cursor(lines: Iterable[bytes], name: str) -> Transcript:
    """Return the conversation of a JSONL transcript; the lines mostly tell no time."""
    bad: list[int] = []
    said = Conversation()
    began: datetime | None = None
    for record in _records(lines, bad):
        role = record.get("role")
        if role in ("user", "assistant"):
            began = began or parse_time(record.get("timestamp"))
            content = _mapping(record, "message").get("content")
            said.say(role, _spoken(role, "\n\n".join(_texts_of(content))))
            said.parts(content)
    return Transcript(name, CURSOR, began, messages=said.messages, bad_lines=tuple(bad))


def _spoken(role: str, text: str) -> str:
    """Return what a person typed, without what Cursor put around it."""
    queries = _USER_QUERY.findall(text) if role == "user" else []
    if queries:
        return "\n\n".join(query.strip() for query in queries)
    return without_host_words(text) if role == "user" else text.strip()


def parse_composer(conversation: str, text: str) -> Composer | None:
    """Return the head of a conversation in Cursor's database, None where it is none."""
    data = parse_object(text)
    if data is None:
        return None
    headers = [entry for entry in _list(data, "fullConversationHeadersOnly") if _is_mapping(entry)]
    subagents = tuple(entry for entry in _list(data, "subagentComposerIds") if _is_text(entry))
    began = parse_time(data.get("createdAt")) or parse_time(data.get("lastUpdatedAt"))
    bubbles = tuple(filter(None, (_text(header, "bubbleId") for header in headers)))
    folder, title = workspace_folder(data), _text(data, "name")
    return Composer(conversation, began, folder, bubbles, subagents, title)


def workspace_folder(data: Row) -> str:
    """Return the folder that Cursor notes beside a conversation, "" where it notes none."""
    address = _mapping(_mapping(data, "workspaceIdentifier"), "uri")
    return _text(address, "fsPath") or _text(address, "path")


def parse_bubbles(composer: Composer, bubbles: Iterable[Row]) -> Transcript:
    """Return the conversation of a head and its messages in their order."""
    said = Conversation()
    began, folder = composer.began, composer.folder
    for bubble in bubbles:
        folder = folder or next(
            filter(None, map(folder_of_uri, _list(bubble, "workspaceUris"))), ""
        )
        began = began or parse_time(bubble.get("createdAt"))
        kind = bubble.get("type")
        role = _BUBBLE_ROLES.get(kind, "") if isinstance(kind, int) else ""
        text = _spoken(role, _text(bubble, "text"))
        if role and text:
            said.say(role, text)
        tool = _mapping(bubble, "toolFormerData")
        if _text(tool, "name"):
            said.call("", _text(tool, "name"), tool.get("rawArgs") or tool.get("params"))
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
    path = _ESCAPED.sub(_unescaped, uri.removeprefix("file://"))
    # A drive of Windows stands behind a slash in an address.
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def _unescaped(escaped: re.Match[str]) -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode("utf-8", "replace")


def slug_of(folder: str, *, ascii_only: bool = False) -> str:
    """Return what Cursor may name the folder of a project after, in lower case.

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
    """Return a session of claude-mem: its own words, and what the user had asked."""
    asked = [_text(row, "prompt_text") for row in prompts] or [_text(session, "user_prompt")]
    rows = list(observations)
    made = list(summaries)
    last: Row = made[-1] if made else {}
    points = [_text(row, "learned") for row in made]
    points += [_sentence(row) for row in rows if row.get("type") != "decision"]
    files = [path for row in rows for path in _strings(row, "files_modified")]
    given: dict[str, object] = {
        "topic": (_text(session, "custom_title") or _text(last, "request")).strip(),
        "summary": _text(last, "completed").strip(),
        "key_points": _items(points, _MOST_POINTS),
        "decisions": _items(
            (_sentence(row) for row in rows if row.get("type") == "decision"), _MOST_DECISIONS
        ),
        "next_steps": _items([_text(last, "next_steps")], _MOST_OTHERS),
        "files": _items(
            [*files, *(path for row in made for path in _strings(row, "files_edited"))],
            _MOST_OTHERS,
        ),
    }
    return Transcript(
        _text(session, "content_session_id"),
        CLAUDE_MEM,
        parse_time(session.get("started_at_epoch")) or parse_time(session.get("started_at")),
        messages=tuple(Message("user", text.strip()) for text in asked if text.strip()),
        project=_text(session, "project"),
        given=tuple((name, value) for name, value in given.items() if value),
    )


def _sentence(row: Row) -> str:
    title, more = _text(row, "title"), _text(row, "subtitle")
    return f"{title}: {more}" if title and more else title or more or _text(row, "text")


def _strings(row: Row, name: str) -> list[str]:
    try:
        items = json.loads(_text(row, name) or "[]")
    except (ValueError, RecursionError):
        return []
    return [item for item in items if _is_text(item)] if isinstance(items, list) else []


def _items(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the texts that say something, each once, and not for ever."""
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))[:most]


def parse_time(value: object) -> datetime | None:
    """Return the moment of an ISO time, or of seconds or milliseconds since 1970; None for neither.

    >>> parse_time("2026-09-01T10:00:00.000Z") == parse_time(1788256800000)
    True
    >>> parse_time(1788256800)
    datetime.datetime(2026, 9, 1, 10, 0, tzinfo=datetime.timezone.utc)
    """
    moment = _moment(value)
    # Beyond these years a clock elsewhere may have none.
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


def parse_object(text: str | bytes) -> Row | None:
    """Return the JSON object of a text, None where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _records(lines: Iterable[bytes], bad: list[int]) -> Iterator[Row]:
    """Yield the JSON objects of lines; the numbers of lines that are none go to `bad`."""
    for number, line in enumerate(lines, 1):
        record = parse_object(line) if line.strip() else {}
        if record is None:
            bad.append(number)
        else:
            yield record


def _texts_of(content: object, kind: str = "text") -> list[str]:
    """Return the texts of a message: it may be one, or a list of parts of which some are texts."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    said = (_text(part, "text") for part in parts if _is_mapping(part) and part.get("type") == kind)
    return [text for text in said if text]


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _mapping(row: Row, name: str) -> Row:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _list(row: Row, name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
