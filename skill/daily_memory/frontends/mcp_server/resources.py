"""The resources and the prompt: what a user may put into a conversation by hand."""

from __future__ import annotations

from urllib.parse import unquote

import mcp_types as types

from daily_memory.errors import NotFoundError
from daily_memory.frontends.mcp_server.access import Access
from daily_memory.frontends.mcp_server.tools import as_json, cleaned, sessions_of
from daily_memory.memory import Memory

SCHEME = "memory://"
MIME_TYPE = "application/json"

# By their addresses; one with `{…}` stands for many.
_TABLE = (
    ("memory://today", "today", "What was saved today"),
    ("memory://day/{date}", "day", "What was saved on a day, such as 2026-01-29"),
    ("memory://session/{id}", "session", "One session, such as 2026-01-29%231"),
    ("memory://summaries", "summaries", "The text of summary.md"),
)
RESOURCES = [
    types.Resource(uri=uri, name=name, description=about, mime_type=MIME_TYPE)
    for uri, name, about in _TABLE
    if "{" not in uri
]
TEMPLATES = [
    types.ResourceTemplate(uri_template=uri, name=name, description=about, mime_type=MIME_TYPE)
    for uri, name, about in _TABLE
    if "{" in uri
]
_TOPIC = types.PromptArgument(
    name="topic", description="what it is about; without it, what was last"
)
PROMPT = types.Prompt(
    name="recall", description="What is known from earlier work", arguments=[_TOPIC]
)


def read(access: Access, uri: str) -> str:
    """Return the text of a resource: a JSON object."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    name = unquote(rest)
    memory = access.open()
    if (kind, name) == ("today", ""):
        return _sessions(memory, "today")
    if (kind, name) == ("summaries", ""):
        return as_json({"summaries": cleaned(memory.summaries())})
    if kind == "day" and "#" not in name:
        return _sessions(memory, name)
    if kind == "session" and "#" in name:
        return _sessions(memory, name)
    hint = f"there are {', '.join(address for address, *_ in _TABLE)}"
    raise NotFoundError(f"no resource {uri!r}", hint=hint)


def _sessions(memory: Memory, what: str) -> str:
    return as_json({"sessions": cleaned(sessions_of(memory, what))})


def recall(access: Access, topic: str) -> str:
    """Return the text of the prompt: a question, and the notes that may answer it."""
    block = access.open().inject(topic).text
    about = f" about: {topic}" if topic.strip() else ""
    if not block:
        return f"Nothing is noted of earlier work{about}. Say so, and go on without."
    return f"Use what these notes say of earlier work{about}\n\n{block}"
