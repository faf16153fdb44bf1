"""How this program was installed, and the command that installs it again with an extra.

That command names the path or address it came from: a bare name would be looked up on a package
index, where anybody may have registered it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple

NAME = "daily-memory"
# A module of each extra.
EXTRAS = {
    "crypto": "pyrage",
    "llm": "httpx2",
    "mcp": "mcp",
    "postgresql": "psycopg",
    "web": "starlette",
}
# Where uv keeps temporary environments.
PASSING = (f"{os.sep}uv{os.sep}archive-", f"{os.sep}uv{os.sep}environments-")
_COMMIT = re.compile(r"@[0-9a-f]{7,64}\Z")
# How to make an installer install a known place again; others know "--upgrade".
_REFRESH = {"uv": ["--reinstall"], "pipx": []}
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class Origin(NamedTuple):
    """Where the program came from: a folder, a file or an address; "" if unknown."""

    place: str = ""
    is_editable: bool = False

    @property
    def is_address(self) -> bool:
        return "://" in self.place


def install_command(
    extra: str = "",
    *,
    origin: Origin | None = None,
    prefix: str = sys.prefix,
    executable: str = sys.executable,
) -> str:
    """Return the command that installs an extra, or all that the program needs.

    `prefix` is the environment that it runs in.
    """
    origin = find_origin() if origin is None else origin
    return _typed(_install_words(extra, origin, prefix, executable))


def upgrade_commands(
    *, origin: Origin | None = None, prefix: str = sys.prefix, executable: str = sys.executable
) -> list[str]:
    """Return the commands that upgrade the program from where it came; [] if that is unknown."""
    origin = find_origin() if origin is None else origin
    if not origin.place:
        return []
    # Without the commit, which is the installed one.
    newest = origin._replace(place=_COMMIT.sub("", origin.place))
    words = _install_words("", newest, prefix, executable)
    after = words.index("install") + 1
    words[after:after] = _REFRESH.get(words[0], ["--upgrade"])
    is_repository = os.path.exists(os.path.join(origin.place, ".git"))
    pull = [["git", "-C", origin.place, "pull"]] if is_repository else []
    return [_typed(each) for each in (*pull, words)]


def _install_words(extra: str, origin: Origin, prefix: str, executable: str) -> list[str]:
    words = _tool(prefix)
    if words and origin.place:
        # A tool is reinstalled, and only keeps the extras that are named.
        extras = {extra, *(name for name, module in EXTRAS.items() if find_spec(module))} - {""}
        return [*words, *_flag(origin, "--editable"), _requirement(origin, extras)]
    words = pip(executable, has_pip=find_spec("pip") is not None)
    if not origin.place:
        return [*words, *_packages(extra)]
    return [*words, *_flag(origin, "-e"), _requirement(origin, {extra} - {""})]


def uninstall_command(*, prefix: str = sys.prefix, executable: str = sys.executable) -> str:
    """Return the command that removes the program from its environment."""
    tool = _tool(prefix)
    if tool:
        return _typed([*tool[: tool.index("install")], "uninstall", NAME])
    words = pip(executable, has_pip=find_spec("pip") is not None)
    return _typed([*(word.replace("install", "uninstall") for word in words), NAME])


def pip(executable: str, *, has_pip: bool) -> list[str]:
    """Return the command that installs into a Python's environment; uv's have no pip."""
    if has_pip:
        return [executable, "-m", "pip", "install"]
    return ["uv", "pip", "install", "--python", executable]


def find_origin(package: str = _PACKAGE) -> Origin:
    """Return where our package came from: its checkout, or what the installer noted."""
    checkout = os.path.dirname(os.path.dirname(package))
    noted = _noted()
    if all(os.path.exists(os.path.join(checkout, name)) for name in ("SKILL.md", "pyproject.toml")):
        return Origin(checkout, noted == Origin(checkout, is_editable=True))
    return noted


def _noted() -> Origin:
    """Return the origin in the installer's `direct_url.json`, if there is one."""
    from importlib import metadata  # slow to load, and hooks do without

    try:
        found = json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "{}")
        return parse_origin(found)
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        return Origin()


def parse_origin(found: Mapping[str, object]) -> Origin:
    """Return the origin in a `direct_url.json`.

    >>> parse_origin({"url": "https://example.org/m.git", "vcs_info": {"vcs": "git",
    ...     "commit_id": "4f2a"}}).place
    'git+https://example.org/m.git@4f2a'
    """
    from urllib.parse import unquote, urlsplit  # as above

    url = str(found.get("url", ""))
    folder, repository = found.get("dir_info"), found.get("vcs_info")
    if url.startswith("file:"):
        is_editable = isinstance(folder, dict) and folder.get("editable") is True
        path = unquote(urlsplit(url).path)
        return Origin(os.path.normpath(path[1:] if path[2:3] == ":" else path), is_editable)
    if isinstance(repository, dict):
        commit = f"@{repository['commit_id']}" if repository.get("commit_id") else ""
        return Origin(f"{repository.get('vcs', 'git')}+{url}{commit}")
    return Origin(url)


def _tool(prefix: str) -> list[str]:
    """Return the command of a tool such as pipx that installed the program, [] for others."""
    is_uv = os.path.exists(os.path.join(prefix, "uv-receipt.toml"))
    if is_uv or any(part in os.path.join(prefix, "") for part in PASSING):
        return ["uv", "tool", "install", "--force"]
    if os.path.exists(os.path.join(prefix, "pipx_metadata.json")):
        return ["pipx", "install", "--force"]
    return []


def _flag(origin: Origin, flag: str) -> list[str]:
    return [flag] if origin.is_editable else []


def _requirement(origin: Origin, extras: set[str]) -> str:
    named = f"[{','.join(sorted(extras))}]" if extras else ""
    return f"{NAME}{named} @ {origin.place}" if origin.is_address else f"{origin.place}{named}"


def _packages(extra: str) -> list[str]:
    """Return the packages of an extra, or the required ones, by our metadata."""
    from importlib import metadata  # as above

    mark = f'extra == "{extra}"'
    try:
        listed = metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        listed = []
    found = []
    for require in listed:
        package, _, condition = require.partition(";")
        marker = condition.replace("'", '"')
        if (mark in marker) if extra else ("extra ==" not in marker):
            found.append(package.strip())
    return found


def _typed(words: list[str]) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
