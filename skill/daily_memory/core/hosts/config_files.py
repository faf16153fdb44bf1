"""What stands in the files of a host for us: put in, and taken out again, text to text.

What is there already is not moved, and what is not ours is never taken out. A text that is not
what its host would read raises ValueError, with the line where that is known.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.core.hosts import json_edit
from daily_memory.core.hosts.json_edit import Node

if sys.version_info >= (3, 11):
    import tomllib
else:  # the same under another name
    import tomli as tomllib

# The name of the MCP entry in every host.
SERVER = "daily-memory"

_OURS = re.compile(
    r"""(?:^|[\\/'" ])(?:daily[-_])?memory(?:\.exe|\.py)?['"]?[ ]hook[ ]\w+$""", re.VERBOSE
)
_BEGIN = "<!-- daily-memory: begin; `memory install` wrote this -->"
_END = "<!-- daily-memory: end -->"
_BLOCK = re.compile(
    rf"(?:\r?\n)*{re.escape(_BEGIN)}.*?{re.escape(_END)}[ \t]*(?:\r?\n)?", re.DOTALL
)
_TABLE = re.compile(r"[ \t]*\[")
_OUR_TABLE = re.compile(rf"[ \t]*\[\s*mcp_servers\s*\.\s*[\"']?{SERVER}[\"']?\s*[\].]")
# How the skill of the checkout says what to call; an installed one knows.
_CALL = re.compile(r"`memory` is the command\. If it is not.*?same\s+arguments\.", re.DOTALL)
# Stands at the end of a file that is ours as a whole.
MARK = "<!-- daily-memory: written by `memory install`, which overwrites it -->"


class Hooks(NamedTuple):
    """The hooks that a host shall run.

    `events` are the host's names, `command` is what its shell runs, `timeout_s` the seconds it may
    take. `is_nested` is the form of Claude Code (an event has groups, a group has hooks), else that
    of Cursor; `version` stands at the top where it is not 0.
    """

    events: tuple[str, ...]
    command: str
    timeout_s: int
    is_nested: bool
    version: int = 0

    def entry(self) -> dict[str, object]:
        """Return what stands in the list of an event."""
        one: dict[str, object] = {"command": self.command, "timeout": self.timeout_s}
        return {"hooks": [{"type": "command", **one}]} if self.is_nested else one


# ---------------------------------------------------------------------------- hooks


def with_hooks(text: str, hooks: Hooks) -> str:
    """Return the text with these hooks, and none of ours beside them.

    >>> print(with_hooks("", Hooks(("stop",), "memory hook cursor", 10, False, 1)), end="")
    {
      "version": 1,
      "hooks": {
        "stop": [
          {
            "command": "memory hook cursor",
            "timeout": 10
          }
        ]
      }
    }
    """
    text = _filled(text)
    if _has_these(text, hooks):
        return text
    text = without_hooks(text)
    root = _object(json_edit.parse(text, "hooks"), "the whole")
    if hooks.version and not root.find("version"):
        text = json_edit.add(text, [], "version", hooks.version)
    entry = hooks.entry()
    found = root.find("hooks")
    if found is None:
        return json_edit.add(text, [], "hooks", {event: [entry] for event in hooks.events})
    _object(found, '"hooks"')
    for event in hooks.events:
        entries = found.find(event)
        if entries is None:
            text = json_edit.add(text, ["hooks"], event, [entry])
        elif isinstance(entries.value, list):
            text = json_edit.add(text, ["hooks", event], "", entry)
        else:
            raise ValueError(f'"{event}" in "hooks" is not a list')
    return text


def without_hooks(text: str) -> str:
    """Return the text without our hooks, and without what became empty by that."""
    if _is_blank(text):
        return text
    while place := _find_ours(text):
        event, index, inner = place
        if inner >= 0:
            text = _remove_inner(text, event, index, inner)
            continue
        text = json_edit.remove(text, ["hooks", event], index)
        text = _without_empty(_without_empty(text, ["hooks"], event), [], "hooks")
    return text


def hook_commands(text: str) -> tuple[str, ...]:
    """Return the commands of our hooks, each once; none where there are no hooks of ours."""
    found = [] if _is_blank(text) else _each(json_edit.parse(text, "hooks"))
    commands = [command for _, _, _, command in found if is_ours(command)]
    return tuple(dict.fromkeys(commands))


def is_ours(command: str) -> bool:
    """Tell whether a command of a hook runs us.

    >>> is_ours("'/opt/my tools/memory' hook claude"), is_ours("my-memory hook claude")
    (True, False)
    """
    return bool(_OURS.search(command))


def _has_these(text: str, hooks: Hooks) -> bool:
    """Tell whether our hooks in the text are these and no others."""
    found = json_edit.parse(text, "hooks").find("hooks")
    if found is None:
        return False
    ours = {
        event.key: [entry.node.value for entry in event.node.items if _holds_ours(entry.node)]
        for event in found.items
    }
    ours = {event: entries for event, entries in ours.items() if entries}
    return ours == {event: [hooks.entry()] for event in hooks.events}


def _holds_ours(entry: Node) -> bool:
    return any(is_ours(_command(node)) for node in (entry, *_inner(entry)))


def _find_ours(text: str) -> tuple[str, int, int] | None:
    """Return event, entry and, where others share the entry, the hook inside; else -1."""
    for event, index, inner, command in _each(json_edit.parse(text, "hooks")):
        if is_ours(command):
            return event, index, inner
    return None


def _each(root: Node) -> list[tuple[str, int, int, str]]:
    """Return each hook with its place: event, entry, the hook inside (-1: the whole entry)."""
    found = []
    events = root.find("hooks")
    for event in events.items if events else ():
        for index, entry in enumerate(event.node.items):
            inner = _inner(entry.node)
            commands = [_command(node) for node in inner]
            is_shared = not all(map(is_ours, commands))
            found += [
                (event.key, index, place if is_shared else -1, command)
                for place, command in enumerate(commands)
            ]
            if not inner:
                found.append((event.key, index, -1, _command(entry.node)))
    return found


def _inner(entry: Node) -> tuple[Node, ...]:
    inner = entry.find("hooks") if isinstance(entry.value, dict) else None
    return tuple(item.node for item in inner.items) if inner else ()


def _command(hook: Node) -> str:
    found = hook.find("command")
    return found.value if found and isinstance(found.value, str) else ""


def _remove_inner(text: str, event: str, index: int, inner: int) -> str:
    """Take our hook out of an entry that it shares with others."""
    events = json_edit.parse(text, "hooks").find("hooks")
    entries = events.find(event) if events else None
    assert entries is not None
    entry = entries.items[index].node
    part = json_edit.remove(text[entry.start : entry.end], ["hooks"], inner)
    return text[: entry.start] + part + text[entry.end :]


def _without_empty(text: str, path: list[str], key: str) -> str:
    """Return the text without a member that is empty: not even a comment is left in it."""
    container = json_edit.parse(text, *path[:1] or [key])
    for name in path:
        container = container.find(name) or container
    member = container.find(key)
    if member is None or text[member.start : member.end] not in ("[]", "{}"):
        return text
    return json_edit.remove(text, path, container.place(key))


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _filled(text: str) -> str:
    """Return an object where there is no text: an empty file is as good as none."""
    return f"{text.strip()}{{}}\n" if _is_blank(text) else text


def _object(node: Node, name: str) -> Node:
    if not isinstance(node.value, dict):
        raise ValueError(f"{name} is not an object")
    return node


# ---------------------------------------------------------------------------- MCP entries


def with_server(text: str, path: Sequence[str], server: dict[str, object]) -> str:
    """Return a JSON text with our MCP entry in the object at `path`, the members from the top.

    >>> with_server('{"servers": {}, "inputs": []}', ["servers"], {"command": "memory"})
    '{"servers": {\\n  "daily-memory": {\\n    "command": "memory"\\n  }\\n}, "inputs": []}'
    """
    text = _filled(text)
    servers = _object(json_edit.parse(text, path[0]), "the whole")
    for depth, key in enumerate(path):
        found = servers.find(key)
        if found is None:
            value: dict[str, object] = {SERVER: server}
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return json_edit.add(text, path[:depth], key, value)
        servers = _object(found, f'"{key}"')
    found = servers.find(SERVER)
    if found and found.value == server:
        return text
    if found:
        text = json_edit.remove(text, path, servers.place(SERVER))
    return json_edit.add(text, path, SERVER, server)


def without_server(text: str, path: Sequence[str]) -> str:
    """Return a JSON text without our MCP entry, and without what became empty by that."""
    if _is_blank(text):
        return text
    servers: Node | None = json_edit.parse(text, path[0])
    for key in path:
        servers = servers.find(key) if servers else None
    if not servers or not servers.find(SERVER):
        return text
    text = json_edit.remove(text, path, servers.place(SERVER))
    for depth in reversed(range(len(path))):
        text = _without_empty(text, list(path[:depth]), path[depth])
    return text


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
    kept: list[str] = []
    behind: list[str] = []  # blank lines and comments: of our table only if more of it follows
    is_inside = False
    for line in text.split("\n"):
        if _TABLE.match(line):
            was_inside, is_inside = is_inside, bool(_OUR_TABLE.match(line))
            if is_inside and not was_inside and kept and not kept[-1].strip():
                kept.pop()  # the line between, which came with the table
            if not is_inside:
                kept += behind
            behind = []
        if not is_inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            behind.append(line)
        else:
            behind = []
    after = "\n".join(kept + behind)
    left = parse_toml(after)
    # A table of no servers stays, where the user has one.
    if SERVER in _servers(left) or _without(left) != _without(before):
        raise ValueError(f"the entry {SERVER!r} is not a table of its own")
    return after


def _without(values: dict[str, object]) -> dict[str, object]:
    servers = {name: value for name, value in _servers(values).items() if name != SERVER}
    rest = {key: value for key, value in values.items() if key != "mcp_servers"}
    return {**rest, "mcp_servers": servers} if servers else rest


def parse_toml(text: str) -> dict[str, object]:
    """Return the values of a TOML text. Raises ValueError where it is none."""
    try:
        values: dict[str, object] = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not TOML: {error}") from error
    return values


def _servers(values: dict[str, object]) -> dict[str, object]:
    servers = values.get("mcp_servers", {})
    if not isinstance(servers, dict):
        raise ValueError('"mcp_servers" is not a table')
    return servers


# ---------------------------------------------------------------------------- Markdown


def with_block(text: str, body: str) -> str:
    """Return a Markdown text with our block, between marks of ours, at its end.

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
    """Return a Markdown text without our block."""
    found = _BLOCK.search(text)
    if not found:
        return text
    before, after = text[: found.start()], text[found.end() :]
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{before}{newline}{after}" if before.strip("\ufeff") else f"{before}{after}"


def own_file(body: str) -> str:
    """Return the text of a file that is ours as a whole."""
    return f"{body.strip()}\n\n{MARK}\n"


def is_own_file(text: str) -> bool:
    """Tell whether a file is ours as a whole."""
    return MARK in text


def skill_text(source: str, command: str) -> str:
    """Return the skill as it is installed: it says what to call, in place of how to find it.

    Raises:
        ValueError: the skill does not say how to find the command; then it is not ours.
    """
    call = "`memory` is the command."
    if command != "memory":
        call = f"`memory` is not on the PATH: run `{command}` instead."
    text, count = _CALL.subn(lambda _: call, source)
    if count != 1:
        raise ValueError("SKILL.md does not say what to call")
    return text
