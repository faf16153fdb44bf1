"""Adds our hooks, MCP entries and rules to a host's files, and removes them, as text.

Nothing else changes, and what is not ours is never removed. A text that the host could not read
raises ValueError, with the line number if possible.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from daily_memory.core.hosts import json_edit
from daily_memory.core.hosts.json_edit import JsonPath, Node
from daily_memory.text import filled

if sys.version_info >= (3, 11):
    import tomllib
else:  # the same under another name
    import tomli as tomllib

# The name of the MCP entry in every host.
SERVER = "daily-memory"

_OURS = re.compile(
    r"""(?:^|[\\/'" ])(?:daily[-_])?memory(?:\.exe|\.py)?['"]?[ ]hook[ ]\w+(?:[ ]\w+)?$""",
    re.VERBOSE,
)
# What hosts call the command of a hook.
_COMMANDS = ("command", "bash", "powershell")
_BEGIN = "<!-- daily-memory: begin; `memory install` wrote this -->"
_END = "<!-- daily-memory: end -->"
_BLOCK = re.compile(
    rf"(?:\r?\n)*{re.escape(_BEGIN)}.*?{re.escape(_END)}[ \t]*(?:\r?\n)?", re.DOTALL
)
_TABLE = re.compile(r"[ \t]*\[")
_OUR_TABLE = re.compile(rf"[ \t]*\[\s*mcp_servers\s*\.\s*[\"']?{SERVER}[\"']?\s*[\].]")
# How the skill of a checkout says what to call; an installed one knows.
_CALL = re.compile(r"`memory` is the command\. If it is not.*?same\s+arguments\.", re.DOTALL)
# The end of a file that is all ours.
MARK = "<!-- daily-memory: written by `memory install`, which overwrites it -->"


class Hooks(NamedTuple):
    """The hooks of a host: an entry for each event; a `version` other than 0 goes to the top."""

    entries: Mapping[str, object]
    version: int = 0


def with_hooks(text: str, hooks: Hooks) -> str:
    """Return the text with these hooks, and no others of ours.

    >>> print(with_hooks("", Hooks({"stop": {"command": "memory hook cursor"}}, 1)), end="")
    {
      "version": 1,
      "hooks": {
        "stop": [
          {
            "command": "memory hook cursor"
          }
        ]
      }
    }
    """
    text = _filled(text)
    if _has_these(text, hooks):
        return text
    text = without_hooks(text)
    if hooks.version and not json_edit.find(text, ["version"]):
        text = json_edit.put(text, ["version"], hooks.version)
    for event, entry in hooks.entries.items():
        entries = json_edit.find(text, ["hooks", event])
        if entries is None:
            text = json_edit.put(text, ["hooks", event], [entry])
        elif isinstance(entries.value, list):
            text = json_edit.add(text, ["hooks", event], "", entry)
        else:
            raise ValueError(filled('"{}" in "hooks" is not a list', event))
    return text


def without_hooks(text: str) -> str:
    """Return the text without our hooks, and without objects that are then empty."""
    # The last first, so that the others stay where they are.
    for path in reversed(dict.fromkeys(hook.path for hook in _our_hooks(text))):
        text = json_edit.remove(text, path, prune=True)
    return text


def hook_commands(text: str) -> tuple[str, ...]:
    """Return the distinct commands of our hooks."""
    return tuple(dict.fromkeys(hook.command for hook in _our_hooks(text)))


def is_ours(command: str) -> bool:
    """Return whether a command of a hook runs us.

    >>> is_ours("'/opt/my tools/memory' hook claude"), is_ours("my-memory hook claude")
    (True, False)
    """
    return bool(_OURS.search(command))


class _OwnHook(NamedTuple):
    """A hook of ours: the path to remove, its event, its entry and its command.

    The path is that of the whole entry, unless it has hooks of others too.
    """

    path: JsonPath
    event: str
    entry: object
    command: str


def _our_hooks(text: str) -> Iterator[_OwnHook]:
    events = None if _is_blank(text) else json_edit.find(text, ["hooks"])
    for number, event in enumerate(events.items if events else ()):
        for index, (_, _, entry, _) in enumerate(event.node.items):
            inner = entry.find("hooks")
            hooks = [item.node for item in inner.items] if inner else []
            commands = [_command(hook) for hook in hooks or [entry]]
            is_shared = not all(map(is_ours, commands))
            for place, command in enumerate(commands):
                if is_ours(command):
                    rest = ("hooks", place) if is_shared else ()
                    path = ("hooks", number, index, *rest)
                    yield _OwnHook(path, event.key, entry.value, command)


def _has_these(text: str, hooks: Hooks) -> bool:
    ours = [(hook.event, hook.entry) for hook in _our_hooks(text)]
    these = list(hooks.entries.items())
    return len(ours) == len(these) and all(hook in ours for hook in these)


def _command(hook: Node) -> str:
    values = [node.value for key in _COMMANDS if (node := hook.find(key))]
    return next((value for value in values if isinstance(value, str)), "")


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _filled(text: str) -> str:
    return f"{text.strip()}{{}}\n" if _is_blank(text) else text


def with_server(text: str, path: Sequence[str], server: dict[str, object]) -> str:
    """Return a JSON text with our MCP entry in the object at `path`.

    >>> with_server('{"servers": {}, "inputs": []}', ["servers"], {"command": "memory"})
    '{"servers": {\\n  "daily-memory": {\\n    "command": "memory"\\n  }\\n}, "inputs": []}'
    """
    text, own = _filled(text), [*path, SERVER]
    entry = json_edit.find(text, own)
    if entry and entry.value == server:
        return text
    return json_edit.put(json_edit.remove(text, own), own, server)


def without_server(text: str, path: Sequence[str]) -> str:
    """Return a JSON text without our MCP entry, and without objects that are then empty."""
    return text if _is_blank(text) else json_edit.remove(text, [*path, SERVER], prune=True)


def with_table(text: str, server: dict[str, object]) -> str:
    """Return a TOML text with our MCP entry, as Codex reads it.

    >>> with_table('model = "gpt"\\n', {"command": "memory", "args": ["mcp"]})
    'model = "gpt"\\n\\n[mcp_servers.daily-memory]\\ncommand = "memory"\\nargs = ["mcp"]\\n'
    """
    before = parse_toml(text)
    if _servers(before).get(SERVER) == server:
        return text
    text = without_table(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    # A string or a list of strings is written in TOML as in JSON.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in server.items()]
    gap = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    table = newline.join([f"[mcp_servers.{SERVER}]", *lines, ""])
    after = f"{text}{gap}{table}"
    parse_toml(after)
    return after


def without_table(text: str) -> str:
    """Return a TOML text without our MCP entry."""
    before = parse_toml(text)
    if SERVER not in _servers(before):
        return text
    lines: list[str] = []
    behind: list[str] = []  # blank lines and comments: ours only if more of our table follows
    is_inside = False
    for line in text.split("\n"):
        if _TABLE.match(line):
            was_inside, is_inside = is_inside, bool(_OUR_TABLE.match(line))
            if is_inside and not was_inside and lines and not lines[-1].strip():
                lines.pop()  # the blank line that came with the table
            if not is_inside:
                lines += behind
            behind = []
        if not is_inside:
            lines.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            behind.append(line)
        else:
            behind = []
    after = "\n".join(lines + behind)
    left = parse_toml(after)
    # A table of no servers stays, where the user has one.
    if SERVER in _servers(left) or _without(left) != _without(before):
        raise ValueError(filled("the entry {!r} is not a table of its own", SERVER))
    return after


def _without(values: dict[str, object]) -> dict[str, object]:
    servers = {name: value for name, value in _servers(values).items() if name != SERVER}
    rest = {key: value for key, value in values.items() if key != "mcp_servers"}
    return {**rest, "mcp_servers": servers} if servers else rest


def parse_toml(text: str) -> dict[str, object]:
    """Return the values of a TOML text; ValueError if it is not TOML."""
    try:
        values: dict[str, object] = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(filled("not TOML: {}", error)) from error
    return values


def _servers(values: dict[str, object]) -> dict[str, object]:
    servers = values.get("mcp_servers", {})
    if not isinstance(servers, dict):
        raise ValueError('"mcp_servers" is not a table')
    return servers


def with_block(text: str, body: str) -> str:
    """Return a Markdown text with our block, between our marks, at its end.

    >>> with_block("# Rules\\n", "Remember.").split("\\n")[2:4]
    ['<!-- daily-memory: begin; `memory install` wrote this -->', 'Remember.']
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([_BEGIN, *body.strip().split("\n"), _END])
    if block in text:
        return text
    text = without_block(text)
    gap = "" if _is_blank(text) else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}{newline}"


def without_block(text: str) -> str:
    block = _BLOCK.search(text)
    if not block:
        return text
    before, after = text[: block.start()], text[block.end() :]
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{before}{newline}{after}" if before.strip("\ufeff") else f"{before}{after}"


def own_file(body: str) -> str:
    """Return the text of a file that we own, with our mark."""
    return f"{body.strip()}\n" if MARK in body else f"{body.strip()}\n\n{MARK}\n"


def is_own_file(text: str) -> bool:
    """Return whether we own a file."""
    return MARK in text


def skill_text(source: str, command: str) -> str:
    """Return the skill as installed, with the command to call."""
    call = "`memory` is the command."
    if command != "memory":
        call = f"`memory` is not on the PATH: run `{command}` instead."
    text, count = _CALL.subn(lambda _: call, source)
    if count != 1:
        raise ValueError("SKILL.md does not say what to call")
    return text


def plugin_text(source: str, program: Sequence[str]) -> str:
    """Return the plugin of a host as installed, with the command to call."""
    return source.replace('["memory"]', json.dumps(program, ensure_ascii=False))
