"""The conversation files of other programs: where they are, and their lines."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from daily_memory.core.imports.trae_mem import HOST as TRAE_MEM
from daily_memory.core.imports.transcripts import CLAUDE, CLAUDE_MEM, CODEX, CURSOR
from daily_memory.storage.fs import files

# A line with a picture in it may be tens of megabytes; one beyond this is not worth the memory.
MOST_LINE_BYTES = 64_000_000
_TRANSCRIPTS = "agent-transcripts"
# The assistant reports what its subagents did.
_SUBAGENTS = "subagents"
_ROLLOUT = re.compile(r"^rollout-[0-9T-]{19}-")


# Per program: the variable with its folder, the default folder, and what is in it.
_PLACES = {
    CLAUDE: ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    CODEX: ("CODEX_HOME", ".codex", "sessions"),
    CURSOR: ("CURSOR_CONFIG_DIR", ".cursor", "projects"),
    CLAUDE_MEM: ("CLAUDE_MEM_DATA_DIR", ".claude-mem", "claude-mem.db"),
    TRAE_MEM: ("TRAE_MEM_HOME", ".trae-mem", "trae_mem.sqlite3"),
}


def own_place(host: str, home: str, environment: Mapping[str, str]) -> str:
    """Return where a program keeps its conversations: a folder or a database."""
    variable, folder, name = _PLACES[host]
    named = environment.get("TRAE_MEM_DB", "") if host == TRAE_MEM else ""
    return named or os.path.join(environment.get(variable) or os.path.join(home, folder), name)


def cursor_database(home: str, environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return the database of the Cursor editor."""
    if platform == "darwin":
        own = os.path.join(home, "Library", "Application Support")
    elif platform == "win32":
        own = environment.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    else:
        own = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(own, "Cursor", "User", "globalStorage", "state.vscdb")


def jsonl_files(folder: str) -> list[str]:
    return [path for path in _files(folder) if path.endswith(".jsonl")]


def cursor_files(folder: str) -> list[str]:
    found = jsonl_files(folder)
    return [path for path in found if _TRANSCRIPTS in os.path.abspath(path).split(os.sep)]


def _files(folder: str) -> list[str]:
    found = []
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != _SUBAGENTS]
        found += [os.path.join(where, name) for name in names]
    return sorted(path for path in found if os.path.isfile(path))


def cursor_slug(path: str) -> str:
    """Return Cursor's name for the project folder of a transcript.

    >>> cursor_slug(os.path.join("x", "home-u-shop", "agent-transcripts", "1", "1.jsonl"))
    'home-u-shop'
    """
    parts = os.path.abspath(path).split(os.sep)
    return parts[parts.index(_TRANSCRIPTS) - 1] if _TRANSCRIPTS in parts else ""


def is_of_one_project(folder: str) -> bool:
    """Tell whether a folder of Cursor has the transcripts of one project only."""
    inner = os.path.join(folder, _TRANSCRIPTS)
    return os.path.isdir(inner) or _TRANSCRIPTS in os.path.abspath(folder).split(os.sep)


def mentions(path: str, folder: str) -> bool:
    """Tell whether a transcript contains the path of a folder, as JSON spells it."""
    texts = json.dumps(folder), json.dumps(folder, ensure_ascii=False)
    forms = [text[1:-1].encode() for text in texts]
    return any(form in line for line in lines(path) for form in forms)


def name_of(path: str) -> str:
    """Return the conversation id of a transcript, from its file name."""
    name = os.path.splitext(os.path.basename(path))[0]
    # Codex puts a time before it.
    name = _ROLLOUT.sub("", name)
    # Invalid UTF-8 would not survive a day file.
    return files.to_text(os.fsencode(name))


def lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file; long lines are truncated."""
    with files.stream(path, follows_links=True) as file:
        while line := file.readline(MOST_LINE_BYTES):
            is_cut = len(line) == MOST_LINE_BYTES and not line.endswith(b"\n")
            yield line[:100] if is_cut else line
            while is_cut:
                rest = file.readline(MOST_LINE_BYTES)
                is_cut = bool(rest) and not rest.endswith(b"\n")


def file_time(path: str) -> datetime:
    """Return the creation time of a file, or else its last change."""
    with files.translated(path, "read"):
        status = os.stat(path)
    # A copy is younger than what it says.
    born = min(getattr(status, "st_birthtime", status.st_mtime), status.st_mtime)
    return datetime.fromtimestamp(born, timezone.utc)


def is_inside(folder: str, project: str) -> bool:
    """Tell whether a folder is the project's, or below it."""
    if not folder:
        return False
    inner, outer = (os.path.normcase(os.path.realpath(path)) for path in (folder, project))
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)
