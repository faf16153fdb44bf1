"""JSON as text: read with its places, and changed without moving what is there.

Settings belong to people: they have comments, an order, an indentation and line ends of their own.
So a member is put in or cut out of the text, and nothing else of it is written anew. Comments and
trailing commas are allowed, as editors allow them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

_GAP = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BARE = re.compile(r"[-+.\w]+")
# What stands behind a value on its line and belongs to it: a comment.
_BEHIND = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?:(?!\*/)[^\r\n])*\*/)(?=[ \t]*\r?\n)")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_BLANK = " \t\r\n"
_DEFAULT_INDENT = "  "
_DECODER = json.JSONDecoder()


class Node(NamedTuple):
    """A value at text[start:end]; `items` where it is an object or an array."""

    start: int
    end: int
    value: object
    items: tuple[Item, ...] = ()

    def find(self, key: str) -> Node | None:
        """Return the value of a member; of two with one key the last one counts."""
        found = [item.node for item in self.items if item.key == key]
        return found[-1] if found else None

    def place(self, key: str) -> int:
        """Return the place of a member among the items; -1 where there is none."""
        return max((place for place, item in enumerate(self.items) if item.key == key), default=-1)


class Item(NamedTuple):
    """A member (or element, with key "") from `start`; `comma` is the place behind it, or -1."""

    key: str
    start: int
    node: Node
    comma: int


def parse(text: str, within: str | None = None) -> Node:
    """Return the value of a text.

    With `within`, only that member of the top object has its places inside; of the others there is
    the value alone. Settings of several megabytes are read a hundred times faster so.

    Raises:
        ValueError: it is not JSON; the message names the line.
    """
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    try:
        node = _parse_value(text, start, within)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end))
    return node


def add(text: str, path: Sequence[str], key: str, value: object) -> str:
    """Return the text with one more member, or with key "" element, at the end of a container.

    `path` names the container: the members to follow from the top.

    >>> add('{"a": 1}', [], "b", [2])
    '{"a": 1, "b": [2]}'
    """
    root = parse(text, *path[:1] or [""])
    container = _follow(root, path)
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text, root)
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


def remove(text: str, path: Sequence[str], index: int) -> str:
    """Return the text without one item of a container.

    >>> remove('{"a": 1, "b": [2]}', [], 1)
    '{"a": 1}'
    """
    container = _follow(parse(text, *path[:1] or [""]), path)
    item = container.items[index]
    previous = container.items[index - 1] if index else None
    left = len(text[: item.start].rstrip(_BLANK))
    right = item.comma + 1 if item.comma >= 0 else item.node.end
    between = text[item.node.end : right - 1]  # a comment before the comma
    kept = between if between.strip(_BLANK) else ""
    gap = text[previous.node.end if previous else container.start + 1 : left]
    if "//" in gap.rpartition("\n")[2] and not _LINE_END.match(text, right):
        # What follows must not end up in the line comment before.
        left = item.start
    cut = text[:left] + kept + text[right:]
    if item.comma < 0 and previous and previous.comma >= 0:
        cut = cut[: previous.comma] + cut[previous.comma + 1 :]
    return _closed(cut, path)


def _closed(text: str, path: Sequence[str]) -> str:
    """Close up a container that became empty."""
    container = _follow(parse(text, *path[:1] or [""]), path)
    inner = text[container.start + 1 : container.end - 1]
    if container.items or inner.strip(_BLANK):
        return text
    return text[: container.start + 1] + text[container.end - 1 :]


def _fill(text: str, container: Node, key: str, value: object, style: tuple[str, str]) -> str:
    """Put the first item into an empty container, behind the comments that stand in it."""
    newline, unit = style
    outer = _indent_before(text, container.start)
    indent = outer + unit
    new = newline + indent + _format(key, value, indent, unit).replace("\n", newline)
    inner = text[container.start + 1 : container.end - 1].rstrip(_BLANK)
    at = container.start + 1 + len(inner)
    return f"{text[:at]}{new}{newline}{outer}{text[container.end - 1 :]}"


def _format(key: str, value: object, indent: str, unit: str) -> str:
    """Return a member as text; on one line where there is no unit of indentation."""
    body = json.dumps(value, ensure_ascii=False, indent=unit or None)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    return name + body.replace("\n", f"\n{indent}")


def _unit(text: str, root: Node) -> str:
    own_line = _line_indent(text, root.items[0].start) if root.items else None
    return own_line or _DEFAULT_INDENT


def _line_indent(text: str, start: int) -> str | None:
    """Return the white space before a place, None where something else stands on its line."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if "\n" in text[:start] and not before.strip(" \t") else None


def _indent_before(text: str, start: int) -> str:
    """Return the indentation of the line that a place is on."""
    line = text[text.rfind("\n", 0, start) + 1 : start].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _behind(text: str, at: int) -> int:
    comment = _BEHIND.match(text, at)
    return comment.end() if comment else at


def _follow(node: Node, path: Sequence[str]) -> Node:
    for key in path:
        found = node.find(key)
        if found is None:
            raise KeyError(key)
        node = found
    return node


# ---------------------------------------------------------------------------- reading


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
    """Return a value without the places in it; fast where it is plain JSON."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError:
        return _parse_value(text, start)  # there may be a comment in it
    return Node(start, end, value)


def _skip(text: str, start: int) -> int:
    gap = _GAP.match(text, start)
    return gap.end() if gap else start


def _wrong(text: str, place: int) -> ValueError:
    return ValueError(f"not JSON in line {text.count(chr(10), 0, place) + 1}")
