"""JSON that other programs write: a value of an unexpected type counts as missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fields = Mapping[str, Any]


def parse_json(text: str | bytes) -> object:
    """Return the value of a text, None if it is not JSON."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def parse_object(text: str | bytes) -> Fields | None:
    """Return the JSON object of a text, None if it is none."""
    value = parse_json(text)
    return value if isinstance(value, dict) else None


def decoded(value: object) -> object:
    """Return the value of a JSON text; any other value stays as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        parsed = parse_json(value)
        return value if parsed is None else parsed
    return value


def text_in(fields: Fields, *names: str) -> str:
    """Return the first of these fields that is a text and not empty, "" for none.

    >>> text_in({"a": 1, "b": "", "c": "x"}, "a", "b", "c")
    'x'
    """
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def object_in(fields: Fields, name: str) -> Fields:
    """Return an object in a field, empty for none."""
    value = fields.get(name)
    return value if isinstance(value, Mapping) else {}


def list_in(fields: Fields, name: str) -> list[Any]:
    """Return a list in a field, empty for none."""
    value = fields.get(name)
    return value if isinstance(value, list) else []


def texts(values: Iterable[object]) -> list[str]:
    """Return the texts among some values."""
    return [value for value in values if isinstance(value, str)]


def objects(values: object) -> list[Fields]:
    """Return the objects in a list, none if it is no list."""
    listed = values if isinstance(values, (list, tuple)) else ()
    return [value for value in listed if isinstance(value, Mapping)]


def texts_of(content: object) -> list[str]:
    """Return the texts of a message: it is one text, or a list of parts, some of them texts.

    >>> texts_of([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}])
    ['a', 'b']
    """
    if isinstance(content, str):
        return [content]
    return list(filter(None, (text_in(part, "text") for part in objects(content))))
