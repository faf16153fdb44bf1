"""Handle an event of a host: append one redacted line to the file of its conversation.

The host waits for each hook, so this takes no lock, opens no index, makes no digest, and loads
nothing that would. Longer work is returned, for the caller to start in another process.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from daily_memory.core.hosts import events
from daily_memory.core.hosts.events import Event
from daily_memory.core.observation import Observation, format_observation, is_save
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import BackendError, DailyMemoryError, LockedError
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.setup.redaction_policy import (
    LONG_CHARS,
    both_ends_of,
    clean_name,
    decoded,
    known_policy,
    policy,
    private_places,
    redacted,
    redacted_values,
    shortened,
)
from daily_memory.storage import observations, signatures
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.reading.inject import Injection
    from daily_memory.workspace import Workspace

# Hosts give the reason why a conversation ended in a word.
_REASON_CHARS = 100
# The rest of a longer question would find nothing more.
_QUERY_CHARS = 2000


class Handled(NamedTuple):
    """The outcome of an event: text for the conversation, and the work that is left.

    Each item of `work` has the arguments of `memory.background.run`. `reminder` is for the user.
    `missed` says why the event was not recorded. `request` is for the agent before its turn ends.
    """

    context: str = ""
    work: tuple[tuple[str, ...], ...] = ()
    reminder: str = ""
    missed: DailyMemoryError | None = None
    request: str = ""


# `Memory.inject`.
Inject = Callable[..., "Injection"]


def handle(
    workspace: Workspace,
    event: Event,
    inject: Inject,
    in_time: AbstractContextManager[object],
    settle: Callable[[], object],
    *,
    recalls: bool,
) -> Handled:
    """Record an event, and return what to tell its conversation; see `Memory.handle`."""
    settings = workspace.settings
    if not recalls:
        silent = settings.recall._replace(at_start=False, at_prompt=False, review_days=0)
        settings = settings._replace(recall=silent)
    root = workspace.save_root()
    handled = _handled(workspace, root, settings, event, inject, in_time, settle)
    if workspace.person:
        from daily_memory.services.writing import live  # a hook of the user's does without

        live.note_origin(workspace, event.conversation)
    if not recalls or event.meaning != events.START:
        return handled
    reminders = [signatures.unseen_warning(root), handled.reminder]
    if workspace.has_settings():
        from daily_memory.storage import shown_warnings

        loaded = workspace.load_settings()
        alert = shown_warnings.settings_warning(workspace.home, workspace.settings_root, loaded)
        reminders.insert(0, alert)
    return handled._replace(reminder=" ".join(filter(None, reminders)))


def _handled(
    workspace: Workspace,
    root: Root,
    settings: Settings,
    event: Event,
    inject: Inject,
    in_time: AbstractContextManager[object],
    settle: Callable[[], object],
) -> Handled:
    """Record an event, and return what follows from it."""
    now = workspace.now()
    event = _with_clean_names(event, known_policy(settings))
    conversation = event.conversation or _conversation(root, event, now)
    event = event._replace(conversation=conversation)
    path, missed = "", None
    try:
        path = _record(root, event, settings, now, workspace.project_name)
    except BackendError as error:
        missed = error  # recall works nevertheless
    # Events that are only recorded need no time limit, nor the modules for it.
    with in_time if event.meaning in (events.START, events.PROMPT) else nullcontext():
        is_closed = bool(missed or settings.closed)  # nothing else could be written either
        if event.meaning == events.START and not is_closed and _left_behind(root, event, now):
            settle()
        found = _found(root, path, event, settings, inject)
        context = found.text if found else ""
        if is_closed:
            return Handled(context, missed=missed)
        handled = _following(root, event, settings, now)._replace(context=context)
        handled = _with_request(root, path, event, settings, handled)
        return _with_index(root, handled, now) if found and found.unread else handled


def _with_request(
    root: Root, path: str, event: Event, settings: Settings, handled: Handled
) -> Handled:
    """Ask the agent, once, to save what it did; with a prompt this costs no extra request."""
    wanted = settings.recording.agent_digest
    moments = {"when-it-fits": (events.PROMPT,), "always": (events.PROMPT, events.STOP)}
    if event.meaning not in moments.get(wanted, ()) or not settings.recording.auto_save:
        return handled
    if event.meaning == events.STOP and not events.accepts_request(event):
        return handled
    if not observations.needs_agent_save(path):
        return handled
    # Loaded once per conversation, or while a refusal waits for the digest.
    from daily_memory.core.phrases import saving
    from daily_memory.services.writing import agent_saves

    live = observations.load(path)
    if saving.last_wish([each.text for each in live.observations if each.kind == "user"]) == "skip":
        return handled
    observations.append(root, path, observations.format_line(asked=True))
    if event.meaning == events.STOP:
        return handled._replace(request=agent_saves.REQUEST)
    return handled._replace(context=handled.context + agent_saves.REQUEST)


def _with_index(root: Root, handled: Handled, now: datetime) -> Handled:
    """Have the index built in the background, and tell the user once."""
    from daily_memory.services.writing import reminders  # rarely needed

    told = reminders.index_reminder(root, now)
    lines = filter(None, (told, handled.reminder))
    return handled._replace(work=(*handled.work, ("index",)), reminder=" ".join(lines))


def _left_behind(root: Root, event: Event, now: datetime) -> list[str]:
    """Return recent live sessions that grew since their last digest."""
    but = "" if _is_compacted(event) else event.conversation
    return observations.unfinished(root, now, days_back=observations.START_DAYS, but=but)


def _following(root: Root, event: Event, settings: Settings, now: datetime) -> Handled:
    """Return the work that is left after an event."""
    conversation = event.conversation
    if event.meaning == events.END:
        return Handled(work=(("ended", conversation),))
    if event.meaning == events.STOP:
        # The host may be killed before it reports the end of the conversation, or never report it.
        return Handled(work=(("so-far", conversation),))
    if event.meaning != events.START:
        return Handled()
    from daily_memory.services.writing import reminders  # only needed at a start

    review_days = 0 if _is_compacted(event) else settings.recall.review_days
    is_settling_due = reminders.is_settling_due(root, now)
    is_due = is_settling_due or reminders.is_archive_due(root, settings, now)
    return Handled(
        work=(("all",),) if is_due else (), reminder=reminders.reminder(root, review_days, now)
    )


def _is_compacted(event: Event) -> bool:
    """Tell whether a conversation continues with a summary of itself (was compacted)."""
    return (event.meaning, event.reason) == (events.START, "compact")


def explain(event: Event, error: Exception) -> str:
    """Return an error as one line, without any text of the conversation."""
    if isinstance(error, DailyMemoryError):
        what = error.message
    else:
        # Its text may quote the conversation; the place in the code says enough.
        import traceback  # rarely needed

        frames = traceback.extract_tb(error.__traceback__)
        where = f" at {frames[-1].name}:{frames[-1].lineno}" if frames else ""
        what = f"{type(error).__name__}{where}"
    # The name of an unknown event may be any text.
    name = event.raw_name if event.meaning != events.OTHER else ""
    return f"{event.host} {name}".strip() + f": {what}" if event.host or name else what


def _found(
    root: Root, path: str, event: Event, settings: Settings, inject: Inject
) -> Injection | None:
    """Return the context block for an event, None if nothing was searched.

    `path` is the conversation's file, "" if it could not be written: what was shown before is then
    unknown.
    """
    wanted = {events.START: settings.recall.at_start, events.PROMPT: settings.recall.at_prompt}
    if not wanted.get(event.meaning):
        return None
    query = event.text[:_QUERY_CHARS] if event.meaning == events.PROMPT else ""
    if event.meaning == events.PROMPT:
        from daily_memory.core.phrases.continuing import is_continuation  # only for prompts

        # Later on, "continue" means this conversation.
        is_own = is_continuation(query) and path and observations.count_prompts(path) > 1
        if is_own or not query.strip():
            return None
    known = observations.load_recalled(path) if path else frozenset()
    # After a compaction it sees only a summary of itself: then its own sessions come first.
    own = "resumed" if _is_compacted(event) else "conversation"
    found = inject(
        query,
        max_chars=settings.recall.max_chars,
        known=known,
        is_hurried=True,
        **{own: event.conversation},
    )
    if found.marks and path:
        observations.append(root, path, observations.format_line(recalled=found.marks))
    return found


def _with_clean_names(event: Event, hide: Policy) -> Event:
    """Return the event with ids that hold no secret and are safe in file names and shells."""
    return event._replace(
        conversation=clean_name(event.conversation, hide),
        turn=clean_name(event.turn, hide),
        id=clean_name(event.id, hide),
    )


def _conversation(root: Root, event: Event, now: datetime) -> str:
    """Return a name for the conversation of a host that gives none.

    Such a host has one conversation at a time. A new one begins each day, at a start after
    something was said, and with anything that comes after an end.
    """
    first = f"{event.host or 'unknown'}-{now.date().isoformat()}"
    name, number = first, 1
    while path := observations.find_path(root, name):
        try:
            live = observations.load(path)
        except LockedError:
            return name  # without the key it can still be appended to
        is_new = event.meaning == events.START and event.reason != "compact" and live.observations
        is_late = live.ended and event.meaning not in (events.END, events.STOP)
        if not (is_new or is_late) and not observations.find_path(root, f"{first}-{number + 1}"):
            break
        number += 1
        name = f"{first}-{number}"
    return name


def _record(root: Root, event: Event, settings: Settings, now: datetime, project: str) -> str:
    """Record an event, redacted, and return the file of its conversation.

    With `recording.auto_save` off only the existence of the conversation is recorded.
    """
    conversation = event.conversation
    path = observations.find_path(root, conversation)
    lines = []
    if not path:
        path = observations.new_path(root, conversation, now.date())
        began = now.isoformat(timespec="seconds")
        host, name = (redacted(one, known_policy(settings)) for one in (event.host, project))
        lines.append(observations.session_line(conversation, host, name, began))
        lines += observations.inherited_lines(root, conversation)
        if event.reason == "fork":
            # A fork has seen what was shown to the conversation it came from.
            lines.append(
                observations.format_line(recalled=sorted(observations.recently_known(root)))
            )
        from daily_memory.services.setup import init  # once per conversation

        # Recordings stay on this machine: `git add` must not take them.
        init.ignore_derived(root)
    if settings.recording.auto_save:
        hide, at = policy(settings), now.isoformat(timespec="milliseconds")
        before = [event._replace(text=text) for text in event.said_before]
        if event.asked:
            before.insert(0, event._replace(meaning=events.PROMPT, text=event.asked))
        for each in before:
            said = _observation(each, hide, at)
            lines += [format_observation(said)] if said else []
        observation = _observation(event, hide, at)
        lines += [format_observation(observation)] if observation else []
    if event.meaning == events.END:
        reason = redacted(event.reason, known_policy(settings))[:_REASON_CHARS]
        at = now.isoformat(timespec="seconds")
        lines.append(observations.format_line(ended=reason or "ended", at=at))
    if event.meaning == events.COMPACT or _is_compacted(event):
        # After a compaction, what was shown before is no longer in view.
        lines.append(observations.format_line(recalled=None))
    if lines:
        observations.append(root, path, *lines)
    return path


def _observation(event: Event, hide: Policy, at: str) -> Observation | None:
    if event.meaning == events.TOOL:
        return _of_tool(event, hide, at)
    kind = {events.PROMPT: "user", events.ANSWER: "assistant", events.STOP: "assistant"}
    said = _without_context(event.text)
    text = both_ends_of(_spoken(said, hide)).strip()
    if event.meaning == events.PROMPT and len(said) > len(text):
        text = _with_wish(text, said)
    if not text or event.meaning not in kind:
        return None
    return Observation(at, kind[event.meaning], text, turn=event.turn)


def _spoken(text: str, hide: Policy) -> str:
    """Return a text redacted; a private block may have begun in an earlier message."""
    text = shortened(text)
    if not private_places(text):
        return redacted(text, hide)
    return privacy.redact_all(("<private>", text), hide)[1].text


def _with_wish(kept: str, said: str) -> str:
    """Return the kept part of a long text, and the user's wish about saving if that was cut off."""
    if len(said) <= LONG_CHARS:
        return kept
    # Messages this long are rare, and the patterns take time to load.
    from daily_memory.core.phrases import saving

    for says, wish in (
        (saving.is_save_refused, "don't save this conversation"),
        (saving.is_save_requested, "save this conversation"),
    ):
        if says(said) and not says(kept):
            return f"{kept}\n\n{wish}"
    return kept


def _of_tool(event: Event, hide: Policy, at: str) -> Observation:
    # Loaded here: prompts and answers have no tool.
    from daily_memory.core.tools.tool_output import is_known, shorten_call

    given = [decoded(event.arguments), decoded(event.output), event.error]
    arguments, output, error = redacted_values(given, hide)
    use = shorten_call(event.tool, arguments, output, str(error))
    text = use.text
    if is_save(event.tool):
        from daily_memory.services.writing import agent_saves  # once per conversation

        text = agent_saves.observed_text(event.tool, arguments, output) or text
    return Observation(
        at,
        "error" if use.failed else "tool",
        # Again as a whole: a name and its value together may be a secret, though neither is alone.
        redacted(text, hide),
        tool=use.tool if is_known(use.tool) else redacted(use.tool, hide),
        files=tuple(redacted(file, hide) for file in use.files),
        turn=event.turn,
        event=event.id,
    )


def _without_context(text: str) -> str:
    """Return a message without injected memories, so that they are not recorded again."""
    if "daily-memory-" not in text:
        return text
    from daily_memory.core.context import without_context  # rarely needed

    return without_context(text)
