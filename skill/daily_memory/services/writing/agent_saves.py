"""What the agent itself saved during a conversation, with the tool `memory_save`.

The model that had the conversation sums it up best, so its text takes precedence over the digest.
Both end up in one section.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from daily_memory.core.format.session_json import parse_id, parse_session
from daily_memory.core.observation import SAVE_TOOL, Observation, is_save
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section, Session
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.writing import save
from daily_memory.storage import days
from daily_memory.storage.roots import Root

REQUEST = (
    "[memory: once this work is done, call memory_save (or `memory save`) with what a colleague"
    " needs in a month: decisions with their reasons, causes of faults, what is still open]\n"
)
_LISTS = ("key_points", "decisions", "open_questions", "next_steps", "code", "tags")
_FIELDS = ("topic", "summary", "files", "important", *_LISTS)
# Each host wraps tool results in its own way, some as JSON inside a string.
_ID = re.compile(r'\bid\\*": ?\\*"(\d{4}-\d{2}-\d{2}#\d+)\\*"')
_OBSERVED = re.compile(rf"{SAVE_TOOL} (\S+)\n(\{{.*\}})", re.DOTALL)


class AgentSave(NamedTuple):
    """A session as the agent wrote it, and the section that it became."""

    session: Session
    section: Section


def observed_text(tool: str, arguments: object, output: object) -> str:
    """Return the text to record of a call of `memory_save`, "" for any other tool.

    >>> observed_text("mcp__daily-memory__memory_save", {"topic": "TTL"}, {"id": "2026-01-29#2"})
    'memory_save 2026-01-29#2\\n{"topic": "TTL"}'
    """
    if not is_save(tool) or not isinstance(arguments, Mapping):
        return ""
    found = _ID.search(json.dumps(output))
    # With messages it is a whole conversation, which is digested like any other.
    if not found or arguments.get("messages"):
        return ""
    fields = {name: arguments[name] for name in _FIELDS if arguments.get(name)}
    return f"{SAVE_TOOL} {found[1]}\n{json.dumps(fields, ensure_ascii=False)}"


def first_save(
    root: Root, conversation: str, observations: Sequence[Observation], now: datetime
) -> AgentSave | None:
    """Return the first session that the agent of a conversation saved in this memory.

    None if there is none, or it was deleted, edited by hand, or belongs to another conversation.
    """
    for id_, session in _sessions(observations, now):
        section = days.find_section(root, parse_id(id_))
        if section and _is_as_written(root, section, session, conversation):
            return AgentSave(session, section)
    return None


def _is_as_written(root: Root, section: Section, saved: Session, conversation: str) -> bool:
    """Tell whether a section still is what the agent wrote, or that combined with a digest."""
    written = section.session
    if written.conversation:
        return written.conversation == conversation and save.is_untouched(root, section)
    # Without a conversation there is no digest to compare with.
    completed = save.completed(saved)
    names = ("topic", "summary", "files", "notes", *_LISTS)
    return all(getattr(written, name) == getattr(completed, name) for name in names)


def _sessions(observations: Sequence[Observation], now: datetime) -> Iterator[tuple[str, Session]]:
    for observation in observations:
        match = _OBSERVED.fullmatch(observation.text)
        if match and is_save(observation.tool):
            try:
                yield match[1], parse_session(json.loads(match[2]), now).session
            except (ValueError, DailyMemoryError):
                continue  # redaction may have cut it


def combined(saved: Session, digest: Session) -> Session:
    """Return a digest in which the agent's own text goes first; the files of both are kept."""
    lists = {name: getattr(saved, name) or getattr(digest, name) for name in _LISTS}
    return digest._replace(
        topic=saved.topic or digest.topic,
        summary=saved.summary or digest.summary,
        files=tuple(dict.fromkeys((*saved.files, *digest.files))),
        **lists,
    )
