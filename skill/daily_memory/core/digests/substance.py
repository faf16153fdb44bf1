"""Decides whether a short conversation is worth keeping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from daily_memory.core.digests.digest import digest
from daily_memory.core.digests.messages import Message, role_of
from daily_memory.core.digests.wording import is_empty, width
from daily_memory.core.search.earlier import is_about_earlier
from daily_memory.core.tools.commands import is_recalling
from daily_memory.core.tools.planning import APPROVED, TASK_LIST, open_tasks
from daily_memory.core.tools.tool_output import CHANGING, ToolUse

_SEVERAL = 3
# As wide as it is shown: a Chinese character is two.
_LONG_ANSWER = 500

_HAS_WORD = re.compile(r"\w")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# A shell command that leaves something on the disk.
_WRITES = re.compile(
    r"(?:^|[\s;&|(])(?:tee|mkdir|mv|cp|rm|touch|patch|sed\ -i|git\ (?:commit|apply|mv|rm))\s"
    r"|(?<![-=<])>>?\s*(?!&|/dev/)[^\s>]"
)


def is_worth_keeping(messages: Sequence[Message], uses: Iterable[ToolUse]) -> bool:
    """Tell whether something was changed, investigated, decided, planned or explained.

    What our own tools print is none of it, nor a decision that the user only asked about.
    """
    work = [use for use in uses if not _is_recall(use)]
    if len(work) >= _SEVERAL or any(_changes(use) for use in work):
        return True
    if any(use.text.startswith(APPROVED) for use in work if use.tool == "plan"):
        return True
    if open_tasks(use.text for use in work if use.tool == TASK_LIST):
        return True
    if not turn_count(messages):
        return False
    if any(role_of(one) == "assistant" and width(one.content) >= _LONG_ANSWER for one in messages):
        return True
    asked = [message.content for message in messages if role_of(message) == "user"]
    is_recall = bool(asked) and all(map(is_about_earlier, asked))
    if is_recall:
        return False
    found = digest(messages, date.min)
    return bool(found.decisions or found.next_steps)


def turn_count(messages: Iterable[Message]) -> int:
    """Return the number of the user's turns; 0 if there are only greetings and thanks."""
    said = [message.content for message in messages if role_of(message) == "user"]
    turns = [text for text in said if _HAS_WORD.search(text)]
    return 0 if all(map(is_empty, turns)) else len(turns)


def _is_recall(use: ToolUse) -> bool:
    is_ours = use.tool.startswith("mcp:") and "memory" in use.tool
    return is_ours or (use.tool == "shell" and is_recalling(use.text))


def _changes(use: ToolUse) -> bool:
    if use.tool != "shell":
        return use.tool in CHANGING
    return bool(_WRITES.search(_QUOTED.sub("x", use.text.partition("\n")[0])))
