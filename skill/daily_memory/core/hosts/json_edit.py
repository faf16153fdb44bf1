"""Edits JSON as text, keeping comments, order, indentation and line ends.

Comments and trailing commas are allowed, as in the settings of editors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from daily_memory.text import filled

_GAP = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BARE = re.compile(r"[-+.\w]+")
# A comment after a value, on its line.
_BEHIND = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?:(?!\*/)[^\r\n])*\*/)(?=[ \t]*\r?\n)")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_BLANK = " \t\r\n"
_DEFAULT_INDENT = "  "
_DECODER = json.JSONDecoder()

# The keys and indices from the top to a value.
JsonPath = Sequence[str | int]


class Node(NamedTuple):
    """A value at text[start:end]; `items` where it is an object or an array."""

    start: int
    end: int
    value: object
    items: tuple[Item, ...] = ()

    def find(self, key: str | int) -> Node | None:
        """Return a member or an element, None if there is none."""
        place = self.place(key)
        return self.items[place].node if place >= 0 else None

    def place(self, key: str | int) -> int:
        """Return the index of a member, -1 if there is none; of two with one key, the last."""
        if isinstance(key, int):
            return key
        return max((place for place, item in enumerate(self.items) if item.key == key), default=-1)


class Item(NamedTuple):
    """A member (or element, with key "") from `start`; `comma` is the place behind it, or -1."""

    key: str
    start: int
    node: Node
    comma: int


@lru_cache(maxsize=4)  # an edit looks at one text several times
def parse(text: str, within: str | None = None) -> Node:
    """Return the value of a text; a ValueError names the line that is not JSON.

    With `within`, only that member of the top object is parsed with its places, which is a hundred
    times faster for settings of several megabytes.
    """
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    try:
        node = _parse_value(text, start, within)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end))
    return node


def find(text: str, path: JsonPath) -> Node | None:
    """Return the value at a path, None if there is none."""
    node: Node | None = parse(text, str(path[0]) if path else "")
    for key in path:
        node = node.find(key) if node else None
    return node


def put(text: str, path: Sequence[str], value: object) -> str:
    """Set a member; missing objects on its path are added.

    >>> put('{"a": 1}', ["b", "c"], 2)
    '{"a": 1, "b": {"c": 2}}'
    """
    node = parse(text, path[0])
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            name = f'"{path[depth - 1]}"' if depth else "the whole"
            raise ValueError(filled("{} is not an object", name))
        member = node.find(key)
        if member is None:
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return add(text, path[:depth], key, value)
        node = member
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def add(text: str, path: JsonPath, key: str, value: object) -> str:
    """Append a member, or an element if key is "", to a container.

    >>> add('{"a": [1]}', ["a"], "", 2)
    '{"a": [1, 2]}'
    """
    root, container = parse(text, str(path[0]) if path else ""), find(text, path)
    if container is None:
        raise KeyError(path[-1])
    newline = "\r\n" if "\r\n" in text else "\n"
    own_line = _line_indent(text, root.items[0].start) if root.items else None
    unit = own_line or _DEFAULT_INDENT
    if not container.items:
        return _fill(text, container, key, value, (newline, unit))
    last = container.items[-1]
    own_line = _line_indent(text, container.items[0].start)
    if own_line is None:
        new = _format(key, value, "", "")
        at = last.comma + 1 if last.comma >= 0 else last.node.end
        lead = " " if last.comma >= 0 else ", "
        return text[:at] + lead + new + text[at:]
    new = newline + own_line + _format(key, value, own_line, unit).replace("\n", newline)
    if last.comma >= 0:
        at = _behind(text, last.comma + 1)
        return text[:at] + new + "," + text[at:]
    at = _behind(text, last.node.end)
    return text[: last.node.end] + "," + text[last.node.end : at] + new + text[at:]


def remove(text: str, path: JsonPath, *, prune: bool = False) -> str:
    """Remove the value at a path, if there is one.

    With `prune`, also without each container around it that became empty.

    >>> remove('{"a": 1, "b": [2]}', ["b", 0])
    '{"a": 1, "b": []}'
    >>> remove('{"a": 1, "b": [2]}', ["b", 0], prune=True)
    '{"a": 1}'
    """
    if not find(text, path):
        return text
    text = _cut(text, path)
    while prune and len(path) > 1:
        path = path[:-1]
        node = find(text, path)
        if not node or text[node.start : node.end] not in ("[]", "{}"):
            break
        text = _cut(text, path)
    return text


def _cut(text: str, path: JsonPath) -> str:
    container = find(text, path[:-1])
    assert container is not None
    index = container.place(path[-1])
    item = container.items[index]
    previous = container.items[index - 1] if index else None
    left = len(text[: item.start].rstrip(_BLANK))
    right = item.comma + 1 if item.comma >= 0 else item.node.end
    between = text[item.node.end : right - 1]  # a comment before the comma
    comment = between if between.strip(_BLANK) else ""
    gap = text[previous.node.end if previous else container.start + 1 : left]
    if "//" in gap.rpartition("\n")[2] and not _LINE_END.match(text, right):
        # What follows must not end up in the line comment before.
        left = item.start
    cut = text[:left] + comment + text[right:]
    if item.comma < 0 and previous and previous.comma >= 0:
        cut = cut[: previous.comma] + cut[previous.comma + 1 :]
    container = find(cut, path[:-1])
    assert container is not None
    inner = cut[container.start + 1 : container.end - 1]
    if container.items or inner.strip(_BLANK):
        return cut
    return cut[: container.start + 1] + cut[container.end - 1 :]


def _fill(text: str, container: Node, key: str, value: object, style: tuple[str, str]) -> str:
    """Put the first item into an empty container, after its comments."""
    newline, unit = style
    outer = _indent_before(text, container.start)
    indent = outer + unit
    new = newline + indent + _format(key, value, indent, unit).replace("\n", newline)
    inner = text[container.start + 1 : container.end - 1].rstrip(_BLANK)
    at = container.start + 1 + len(inner)
    return f"{text[:at]}{new}{newline}{outer}{text[container.end - 1 :]}"


def _format(key: str, value: object, indent: str, unit: str) -> str:
    """Return a member as text; without an indentation unit, on one line."""
    body = json.dumps(value, ensure_ascii=False, indent=unit or None)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    return name + body.replace("\n", f"\n{indent}")


def _line_indent(text: str, start: int) -> str | None:
    """Return the indentation before a place, None if it is not first on its line."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if "\n" in text[:start] and not before.strip(" \t") else None


def _indent_before(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _behind(text: str, at: int) -> int:
    comment = _BEHIND.match(text, at)
    return comment.end() if comment else at


def _parse_value(text: str, start: int, within: str | None = None) -> Node:
    opening = text[start : start + 1]
    if opening in ("{", "["):
        return _parse_items(text, start, "}" if opening == "{" else "]", within)
    token = (_STRING if opening == '"' else _BARE).match(text, start)
    if not token:
        raise _wrong(text, start)
    try:
        return Node(start, token.end(), json.loads(token.group()))
    except ValueError as error:
        raise _wrong(text, start) from error


def _parse_items(text: str, start: int, closing: str, within: str | None) -> Node:
    items: list[Item] = []
    place = _skip(text, start + 1)
    while text[place : place + 1] != closing:
        if items and items[-1].comma < 0:
            raise _wrong(text, place)
        item = _parse_item(text, place, within, is_member=closing == "}")
        items.append(item)
        place = _skip(text, (item.comma if item.comma >= 0 else item.node.end - 1) + 1)
    values = [item.node.value for item in items]
    value: object = values
    if closing == "}":
        value = dict(zip((item.key for item in items), values, strict=True))
    return Node(start, place + 1, value, tuple(items))


def _parse_item(text: str, start: int, within: str | None, *, is_member: bool) -> Item:
    key, place = "", start
    if is_member:
        name = _parse_value(text, start)
        colon = _skip(text, name.end)
        if not isinstance(name.value, str) or text[colon : colon + 1] != ":":
            raise _wrong(text, start)
        key, place = name.value, _skip(text, colon + 1)
    is_wanted = within is None or key == within
    node = _parse_value(text, place) if is_wanted else _parse_whole(text, place)
    behind = _skip(text, node.end)
    return Item(key, start, node, behind if text[behind : behind + 1] == "," else -1)


def _parse_whole(text: str, start: int) -> Node:
    """Return a value without the places of its items; fast for plain JSON."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError:
        return _parse_value(text, start)  # there may be a comment in it
    return Node(start, end, value)


def _skip(text: str, start: int) -> int:
    gap = _GAP.match(text, start)
    return gap.end() if gap else start


def _wrong(text: str, place: int) -> ValueError:
    return ValueError(filled("not JSON in line {}", text.count(chr(10), 0, place) + 1))
