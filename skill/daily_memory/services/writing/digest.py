"""A whole conversation, on its way to becoming a session: redacted, judged, digested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from daily_memory.core.digests import digest as digests
from daily_memory.core.digests.messages import Message, role_of
from daily_memory.core.digests.substance import Use, has_substance, tool_uses, turn_count
from daily_memory.core.digests.tool_output import compress, is_known
from daily_memory.core.format.session_json import Draft, parse_session
from daily_memory.core.observation import Observation
from daily_memory.core.phrases import saving
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import InvalidInputError
from daily_memory.model import Session
from daily_memory.services.writing.redaction_policy import redacted_values

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
    improve: Improve,
) -> tuple[Draft, Counts, str]:
    """Return the session of a conversation, what was hidden in it, and why it is to be skipped.

    What `improve` makes of the heuristic digest is saved; of what is skipped it learns nothing.

    Raises:
        InvalidInputError: the messages, or what is given beside them, have the wrong form.
    """
    messages, hidden = redacted_messages(parse_messages(said), hide)
    skipped = reason_to_skip(messages, settings, uses=_uses(said))
    made = digested(messages, rest, settings, now, improve=None if skipped else improve)
    return made, hidden, skipped


def parse_messages(value: object) -> list[Message]:
    """Return the messages of a conversation.

    Raises:
        InvalidInputError: it is not a list of {"role", "content"}.
    """
    if not isinstance(value, (list, tuple)):
        raise InvalidInputError('messages: not a list of {"role", "content"}')
    return [_message(message, place) for place, message in enumerate(value, 1)]


def _message(message: object, place: int) -> Message:
    if not isinstance(message, Mapping):
        raise InvalidInputError(f'messages: number {place} is not {{"role", "content"}}')
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        # The hosts' own form: a list of parts, of which the text is what was said.
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if content is not None and not isinstance(content, str):
        raise InvalidInputError(f"messages: the content of number {place} is not a text")
    return Message(str(message.get("role", "")), content or "")


def _uses(said: object) -> list[Use]:
    """Return the tools that messages of the hosts' own form used."""
    messages = said if isinstance(said, (list, tuple)) else ()
    contents = (one.get("content") for one in messages if isinstance(one, Mapping))
    return [use for content in contents for use in tool_uses(content)]


def reason_to_skip(
    messages: Sequence[Message],
    settings: Settings,
    *,
    uses: Iterable[Use] = (),
    was_refused: bool = False,
    is_marked: bool = False,
) -> str:
    """Return why a conversation is not to be saved, "" if it is.

    One in which something was done, with the tools `uses`, decided or explained is worth keeping
    however few turns it took. `was_refused`: the user said so before these messages. `is_marked`:
    somebody noted a decision or a summary in it.
    """
    said = [message.content for message in messages if message.role == "user"]
    wish = _last_wish(said) or ("skip" if was_refused else "")
    if wish:
        return "" if wish == "save" else REFUSED
    if not settings.recording.auto_save:
        return "recording.auto_save is off"
    least = settings.recording.min_conversation_length
    if turn_count(messages) >= least or is_marked or has_substance(messages, uses):
        return ""
    return f"the conversation is shorter than {least} turns (recording.min_conversation_length)"


def _last_wish(said: Sequence[str]) -> str:
    """Return whether the user wanted the conversation saved: "save", "skip" or ""."""
    for text in reversed(said):
        if saving.is_save_refused(text):
            return "skip"
        if saving.is_save_requested(text):
            return "save"
    return ""


def redacted_messages(
    messages: Sequence[Message], hide: Policy
) -> tuple[list[Message], privacy.Counts]:
    """Return the messages with secrets hidden, before anything is picked out of them.

    A digest shortens: of a private block cut in two, the tag that opens it might be gone.
    """
    shortened = [_compressed(message, hide) for message in messages]
    found = privacy.redact_all([message.content for message in shortened], hide)
    redacted = [
        message._replace(content=result.text)
        for message, result in zip(shortened, found, strict=True)
    ]
    return redacted, privacy.sum_counts(result.counts for result in found)


def _compressed(message: Message, hide: Policy) -> Message:
    """Return a use of a tool as the few lines worth remembering; any other message as it is."""
    if not message.call:
        return message
    name, *values = redacted_values(list(message.call), hide)
    use = compress(str(name), values[0], values[1], str(values[2]))
    tool = use.tool if is_known(use.tool) else str(name)
    return Message("error" if use.failed else "tool", use.text, tool, use.files)


def digested(
    messages: Sequence[Message],
    rest: Mapping[str, object],
    settings: Settings,
    now: datetime,
    *,
    improve: Improve | None,
) -> Draft:
    """Return a conversation as a session; what is given beside the messages comes first."""
    is_detailed = settings.recording.digest == "detailed"
    made = digests.digest_observations(
        [
            Observation("", role, message.content, tool=message.tool, files=message.files)
            for message in messages
            if (role := role_of(message)) in _ROLES
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
        # What is marked as important has a tag already.
        filled["tags"] = (*given.session.tags, *made.tags)
    return Draft(given.session._replace(**filled), (*given.warnings, *warnings))


def transcript(messages: Sequence[Message]) -> str:
    """Return what was said as one text, each message below who said it."""
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
