"""Live sessions: observations are added one by one, and become a section at the end.

A conversation is digested when it ends. One that fell silent, or whose host was killed, is digested
when the next one starts. Later observations go into the same section.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.digests.digest import digest_observations
from daily_memory.core.format.markdown import clean_tag
from daily_memory.core.hosts.names import host_name
from daily_memory.core.observation import Observation, format_observation, is_save
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import KINDS, Session
from daily_memory.services.setup.redaction_policy import clean_name, known_policy, policy
from daily_memory.services.writing import agent_saves, deleted_sections, digest, llm_digest, save
from daily_memory.services.writing.digest import Improve
from daily_memory.storage import import_origins, observations, roots
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.workspace import Workspace

# How often a session that grows while it is digested is digested again.
_MOST_ROUNDS = 3


class Ended(NamedTuple):
    """What became of a live session: the id of its section, or why there is none."""

    conversation: str
    id: str = ""
    skipped: str = ""
    warnings: tuple[str, ...] = ()


def start(
    workspace: Workspace,
    conversation: str,
    host: str,
    project: str,
    meta: Mapping[str, object] | None,
) -> LiveSession:
    """Start a live session, or continue the one with this name; see `Memory.start`."""
    root, now, settings = workspace.save_root(), workspace.now(), workspace.settings
    # The random part tells apart two sessions that start in the same second.
    name = _clean(workspace, conversation or f"{now:%Y%m%dT%H%M%S}-{os.urandom(2).hex()}")
    path = observations.find_path(root, name)
    if not path:
        path = observations.new_path(root, name, now.date())
        given = json.dumps(meta, ensure_ascii=False) if meta else ""
        texts = (host_name(host), project or workspace.project_name, given)
        redacted = [privacy.redact(text, policy(settings)).text for text in texts]
        began = now.isoformat(timespec="seconds")
        line = observations.session_line(name, redacted[0], redacted[1], began, redacted[2])
        observations.append(root, path, line, *observations.inherited_lines(root, name))
    note_origin(workspace, name)
    return observations.scoped(root, observations.load(path))


class Logged(NamedTuple):
    """The file that an observation was added to, and its id."""

    root: Root
    path: str
    id: str

    @property
    def live(self) -> LiveSession:
        """The whole live session; reading it takes longer than adding to it."""
        return observations.scoped(self.root, observations.load(self.path))


def log(
    workspace: Workspace,
    text: str,
    *,
    kind: str,
    tags: Sequence[str],
    private: bool,
    tool: str,
    conversation: str,
) -> Logged:
    """Add an observation, redacted, to a live session; see `Memory.log`."""
    root, now = workspace.save_root(), workspace.now()
    name = _clean(workspace, conversation)
    if kind not in KINDS:
        raise InvalidInputError("kind {!r} is not one of {}", kind, ", ".join(KINDS))
    if not text.strip():
        raise InvalidInputError("nothing to log", hint='say `memory log "TTL is 300 s"`')
    path, hide = observations.get_path(root, name), policy(workspace.settings)
    note_origin(workspace, name)
    observation = Observation(
        now.isoformat(timespec="milliseconds"),
        kind,
        _writable(privacy.redact(text, hide).text),
        tool=_writable(privacy.redact(tool, hide).text) if tool else "",
        tags=privacy.redact_tags([clean_tag(tag) for tag in tags], hide),
        private=private,
    )
    size = observations.append(root, path, format_observation(observation))
    place = observations.place_of_last(path, size, observation)
    live = observations.unread(path)._replace(places=(place,))
    return Logged(root, path, root.scoped(observations.observation_id(live, 0)))


def _writable(text: str) -> str:
    """Return a text without lone surrogates, which can't be written."""
    return text.encode("utf-8", "replace").decode()


def note_origin(workspace: Workspace, conversation: str) -> None:
    """Note the origin of a live session if somebody else contributes to it."""
    root = workspace.save_root()
    path = workspace.person and observations.find_path(root, conversation)
    if path and not import_origins.origin_of(root, path):
        with locked(root):
            import_origins.note(root, [os.path.relpath(path, root.path)], workspace.origin)


def _clean(workspace: Workspace, conversation: str) -> str:
    return clean_name(conversation, known_policy(workspace.settings))


def end(workspace: Workspace, conversation: str, *, so_far: bool) -> Ended:
    """End a live session and save it, or with `so_far` only save it; see `Memory.end`."""
    root = workspace.save_root()
    path = observations.get_path(root, _clean(workspace, conversation))
    if not so_far:
        at = workspace.now().isoformat(timespec="seconds")
        observations.append(root, path, observations.format_line(ended="ended", at=at))
    return _ended(workspace, root, settle(root, path, _context(workspace, root)), path)


def end_all(workspace: Workspace) -> list[Ended]:
    """Save every live session that was left unfinished."""
    root = workspace.save_root()
    sessions = settle_unfinished(root, _context(workspace, root))
    return [_ended(workspace, root, ended) for ended in sessions]


def _ended(workspace: Workspace, root: Root, ended: Ended, *paths: str) -> Ended:
    day = [os.path.join(root.daily_folder, f"{ended.id[:10]}.md")] if ended.id else []
    # The user may have refused to save it: then its section was removed from the day.
    workspace.after_write(root, *paths, *day, is_removed=bool(ended.skipped))
    return ended._replace(id=root.scoped(ended.id)) if ended.id else ended


def _context(workspace: Workspace, root: Root) -> DigestContext:
    now, settings = workspace.now(), workspace.settings

    def improve(draft: Session, text: str) -> tuple[Session, tuple[str, ...]]:
        return llm_digest.summarize(draft, text, settings, workspace.environment, root, now)

    return DigestContext(settings, now, improve)


class DigestContext(NamedTuple):
    """What it takes to digest a session, besides the session.

    `improve` improves a digest by a language model, if one is on.
    """

    settings: Settings
    now: datetime
    improve: Improve


def settle(root: Root, path: str, context: DigestContext) -> Ended:
    """Write a live session as a section, and note that in its file.

    A language model is asked only once the session is over or silent.

    Raises:
        ConflictError: the lock was busy; the section is queued, or the next start tries again.
    """
    conversation = observations.load(path).conversation
    for _ in range(_MOST_ROUNDS):
        known = deleted_sections.deletions(root, conversation)
        live = observations.load(path)
        ended = _settled(root, live, context, known)
        if ended.skipped in (digest.REFUSED, save.DELETED):
            return ended  # it was deleted meanwhile; new observations wait for the next start
        line = observations.format_line(digested=ended.id)
        if ended.skipped:
            line = observations.format_line(skipped=ended.skipped)
        # If it grew meanwhile, another process may have written more: this one repeats.
        if observations.load(path).observations == live.observations:
            asks_model = context.settings.recording.summarizer != llm_digest.HEURISTIC
            if ended.skipped or _is_over(live, context.now) or not asks_model:
                observations.append(root, path, line)
                return ended
            break
    # The next start continues.
    observations.append(root, path, line, observations.format_line(behind=True))
    return ended


def _settled(
    root: Root, live: LiveSession, context: DigestContext, known: Sequence[Deleted]
) -> Ended:
    # Once there is a section it is kept up to date, however short the conversation.
    has_section = not known and observations.digested_ids(files.read_bytes(live.path)) != []
    skipped = _reason_to_skip(live, context.settings, has_section=has_section)
    if skipped == digest.REFUSED:
        return Ended(live.conversation, skipped=skipped, warnings=_refuse(root, live, context))
    draft = _session(root, live, context.settings)
    if not draft.topic:
        skipped = "nothing was said"
    if skipped:
        return Ended(live.conversation, skipped=skipped)
    warnings: tuple[str, ...] = ()
    if _is_over(live, context.now):
        logged = _logged_decisions(live, draft)
        draft, warnings = context.improve(draft, _transcript(live))
        # Logged decisions are kept word for word.
        draft = draft._replace(decisions=tuple(dict.fromkeys((*logged, *draft.decisions))))
    saved = agent_saves.first_save(root, live.conversation, _public(live), context.now)
    if saved:
        draft = agent_saves.combined(saved.session, draft)
        if not saved.section.session.conversation:
            # The agent's section goes first: after a crash the next digest writes both.
            warnings += save.forget(root, _empty_session(live), context.settings, context.now)
    section = saved.section if saved else None
    result = save.save(
        root, draft, context.settings, context.now, known=known, is_live=True, replaces=section
    )
    warnings = (*warnings, *_left_out(live, draft), *result.warnings)
    return Ended(live.conversation, result.id, result.skipped, warnings)


def _left_out(live: LiveSession, draft: Session) -> tuple[str, ...]:
    """Return a warning if the digest has no room for some of the logged decisions."""
    count = len(_logged_texts(live)) - len(_logged_decisions(live, draft))
    if count <= 0:
        return ()
    command = f"memory observations {live.conversation} --kind decision"
    what = counted(count, "logged decision")
    return (filled("{} did not fit into the digest: `{}` shows all of them", what, command),)


def _logged_decisions(live: LiveSession, draft: Session) -> list[str]:
    """Return the decisions of a digest that somebody logged."""
    texts = tuple(_logged_texts(live))
    return [
        text
        for text in draft.decisions
        if any(logged.startswith(text.removesuffix("…")) for logged in texts)
    ]


def _logged_texts(live: LiveSession) -> set[str]:
    return {
        " ".join(observation.text[:2000].split())
        for observation in _public(live)
        if observation.kind == "decision" and not observation.tool
    }


def _is_over(live: LiveSession, now: datetime) -> bool:
    """Tell whether the host reported the end, or the session has been silent for long."""
    silent_since = files.stamp(live.path)[1] / 1e9
    return bool(live.ended) or silent_since + observations.IDLE_S <= now.timestamp()


def _transcript(live: LiveSession) -> str:
    return "\n\n".join(
        f"{observation.tool or observation.kind}: {observation.text}"
        for observation in _public(live)
    )


def _reason_to_skip(live: LiveSession, settings: Settings, *, has_section: bool) -> str:
    public = _public(live)
    reason = digest.reason_to_skip(
        digest.messages_of(public),
        settings,
        was_refused=live.refused,
        is_marked=has_section or any(each.kind == "decision" for each in public),
    )
    # The minimum length is for hosts: a session that was started by hand is wanted.
    return reason if live.host or reason == digest.REFUSED else ""


def _refuse(root: Root, live: LiveSession, context: DigestContext) -> tuple[str, ...]:
    """Remove the observations of a session that the user does not want saved, and its section.

    It has one if it was digested before the user said so.
    """
    saved = agent_saves.first_save(root, live.conversation, _public(live), context.now)
    sections = [_empty_session(live)]
    if saved and saved.section.session.conversation:
        sections.append(saved.section.session)
    warnings = [
        warning
        for section in sections
        for warning in save.forget(root, section, context.settings, context.now)
    ]
    head = observations.session_line(live.conversation, live.host, live.project, live.began)
    reason = observations.format_line(skipped=digest.REFUSED)
    kept = head + observations.format_line(refused=True) + reason
    files.replace(live.path, kept.encode("utf-8", "replace"), root.modes)
    return tuple(warnings)


def _public(live: LiveSession) -> Sequence[Observation]:
    return [observation for observation in live.observations if not observation.private]


def _session(root: Root, live: LiveSession, settings: Settings) -> Session:
    beginning = _empty_session(live)
    folder = roots.project_folder(root) if root.scope == "project" else ""
    made = digest_observations(
        [
            observation._replace(files=digest.within(observation.files, folder))
            for observation in _public(live)
            if not is_save(observation.tool)
        ],
        beginning.date,
        save_code=settings.recording.save_code_snippets,
        detailed=settings.recording.digest == "detailed",
    )
    return made._replace(
        time=beginning.time,
        conversation=live.conversation,
        source=live.host,
        project=live.project if root.scope == "global" else "",
        origin=import_origins.origin_of(root, live.path),
    )


def _empty_session(live: LiveSession) -> Session:
    """Return an empty session with the conversation and the time it began."""
    began = _began_at(live)
    time = began.strftime("%H:%M:%S")
    return Session(began.date(), time=time, conversation=live.conversation)


def _began_at(live: LiveSession) -> datetime:
    """Return when a session began; its section belongs to that day, even past midnight."""
    first = live.observations[0].at if live.observations else ""
    for text in (live.began, first):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            continue
    return datetime.fromtimestamp(files.stamp(live.path)[1] / 1e9).astimezone()


def settle_unfinished(root: Root, context: DigestContext) -> list[Ended]:
    """Settle each unfinished session; a failure does not stop the others."""
    ended = []
    # Newest first: a new conversation does not wait long.
    for path in reversed(observations.unfinished(root, context.now)):
        try:
            ended.append(settle(root, path, context))
        except DailyMemoryError as error:
            ended.append(Ended(path, warnings=(error.message,)))
    return ended
