"""Turn a whole conversation into a session: redact it, decide whether to keep it, digest it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from daily_memory.core.digests import digest as digests
from daily_memory.core.digests.messages import Message, role_of
from daily_memory.core.digests.substance import is_worth_keeping, turn_count
from daily_memory.core.format.session_json import Draft, parse_session
from daily_memory.core.imports.tool_calls import Conversation
from daily_memory.core.json_fields import texts_of
from daily_memory.core.observation import Observation, is_save
from daily_memory.core.phrases import saving
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.core.tools.tool_output import ToolUse, shorten_call
from daily_memory.errors import InvalidInputError
from daily_memory.model import Session
from daily_memory.services.setup.redaction_policy import decoded, redacted_values
from daily_memory.text import filled

Improve = Callable[[Session, str], tuple[Session, tuple[str, ...]]]

_DIGESTED = (
    "topic",
    "summary",
    "key_points",
    "decisions",
    "code",
    "open_questions",
    "next_steps",
    "files",
)


_ROLES = ("user", "assistant", "tool", "error")
REFUSED = "the user said not to save this conversation"


def draft(
    said: object,
    rest: Mapping[str, object],
    hide: Policy,
    settings: Settings,
    now: datetime,
    *,
    folder: str,
    improve: Improve,
) -> tuple[Draft, Counts, str]:
    """Return the session of a conversation, what was redacted, and why to skip it.

    Paths in `folder` become relative to it. `improve` may replace the heuristic digest; it never
    sees a skipped conversation.
    """
    messages, hidden = redacted_messages(parse_messages(said), hide)
    messages = [placed(message, folder) for message in messages]
    skipped = reason_to_skip(messages, settings)
    made = digested(messages, rest, settings, now, improve=None if skipped else improve)
    return made, hidden, skipped


def parse_messages(value: object) -> tuple[Message, ...]:
    """Return the messages of a conversation, with tool calls as in OpenAI's or Anthropic's API."""
    if not isinstance(value, (list, tuple)):
        raise InvalidInputError('messages: not a list of {"role", "content"}')
    said = Conversation()
    for place, message in enumerate(value, 1):
        _add(said, message, place)
    return said.messages


def _add(said: Conversation, message: object, place: int) -> None:
    if not isinstance(message, Mapping):
        raise InvalidInputError('messages: number {} is not {{"role", "content"}}', place)
    content = message.get("content")
    if content is not None and not isinstance(content, (str, list, tuple)):
        raise InvalidInputError("messages: the content of number {} is not a text", place)
    text = "\n".join(texts_of(content))
    # OpenAI's API has tool calls beside the content, and a message for each result.
    answered = message.get("tool_call_id")
    if answered is None or not said.result(str(answered), text):
        said.say(str(message.get("role", "")), text)
    said.parts(content)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, (list, tuple)) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            name, given = str(function.get("name", "")), function.get("arguments")
            said.call(str(call.get("id")), name, given)


def placed(message: Message, folder: str) -> Message:
    """Return a message with paths relative to the project's folder."""
    return message._replace(files=within(message.files, folder)) if message.files else message


def within(files: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return paths, those in a folder relative to it; all as they are if it is "".

    >>> within(["/app/src/a.py", "/etc/hosts"], "/app")
    ('src/a.py', '/etc/hosts')
    """
    head = folder.replace("\\", "/").rstrip("/") + "/"
    if not folder:
        return tuple(files)
    return tuple(
        file[len(head) :] if file.replace("\\", "/").startswith(head) else file for file in files
    )


def reason_to_skip(
    messages: Sequence[Message],
    settings: Settings,
    *,
    was_refused: bool = False,
    is_marked: bool = False,
) -> str:
    """Return why a conversation is not saved, "" if it is.

    However short, it is worth keeping if something was done, decided or explained in it.
    `was_refused`: the user said "don't save" before these messages. `is_marked`: somebody noted a
    decision or a summary in it.
    """
    said = [message.content for message in messages if message.role == "user"]
    wish = saving.last_wish(said) or ("skip" if was_refused else "")
    if wish:
        return "" if wish == "save" else REFUSED
    if not settings.recording.auto_save:
        return "recording.auto_save is off"
    least = settings.recording.min_conversation_length
    spoken = [message for message in messages if not message.tool]
    uses = (ToolUse(message.tool, message.content) for message in messages if message.tool)
    if turn_count(spoken) >= least or is_marked or is_worth_keeping(spoken, uses):
        return ""
    return filled(
        "the conversation is shorter than {} turns (recording.min_conversation_length)", least
    )


def messages_of(observations: Iterable[Observation]) -> list[Message]:
    """Return what was said, and the tool calls, among observations."""
    return [
        Message(one.kind, one.text, one.tool)
        for one in observations
        if one.tool or one.kind in ("user", "assistant")
    ]


def redacted_messages(
    messages: Sequence[Message], hide: Policy
) -> tuple[list[Message], privacy.Counts]:
    """Return the messages with secrets hidden.

    This comes before the digest, which shortens: it might cut off the tag that opens a private
    block.
    """
    shortened = [_compressed(message, hide) for message in messages]
    found = privacy.redact_all([message.content for message in shortened], hide)
    redacted = [
        message._replace(content=result.text)
        for message, result in zip(shortened, found, strict=True)
    ]
    return redacted, privacy.sum_counts(result.counts for result in found)


def _compressed(message: Message, hide: Policy) -> Message:
    """Return a tool call as the few lines worth remembering; any other message as it is."""
    if not message.call:
        return message
    name, *values = redacted_values(list(map(decoded, message.call)), hide)
    use = shorten_call(str(name), values[0], values[1], str(values[2]))
    return Message("error" if use.failed else "tool", use.text, use.tool, use.files)


def digested(
    messages: Sequence[Message],
    rest: Mapping[str, object],
    settings: Settings,
    now: datetime,
    *,
    improve: Improve | None,
) -> Draft:
    """Return a conversation as a session; fields in `rest` take precedence over the digest."""
    is_detailed = settings.recording.digest == "detailed"
    made = digests.digest_observations(
        [
            Observation("", role, message.content, tool=message.tool, files=message.files)
            for message in messages
            if (role := role_of(message)) in _ROLES and not is_save(message.tool)
        ],
        now.date(),
        save_code=settings.recording.save_code_snippets,
        detailed=is_detailed,
    )
    given = parse_session({"topic": made.topic or "-", **rest}, now)
    warnings: tuple[str, ...] = ()
    if improve and not given.session.is_private:
        made, warnings = improve(made, transcript(messages))
    filled = {name: getattr(made, name) for name in _DIGESTED if name not in rest}
    if "tags" not in rest:
        # An important session has a tag already.
        filled["tags"] = (*given.session.tags, *made.tags)
    return Draft(given.session._replace(**filled), (*given.warnings, *warnings))


def transcript(messages: Sequence[Message]) -> str:
    """Return the messages as one text, each below its role."""
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
