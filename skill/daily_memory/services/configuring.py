"""Changing a setting: one value of `config.json`, whose comments and order are the user's."""

from __future__ import annotations

import json

from daily_memory.core import json_text, settings
from daily_memory.core.settings import Key
from daily_memory.errors import InvalidInputError
from daily_memory.services import setup
from daily_memory.storage import files
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root


def change(root: Root, name: str, value: object) -> None:
    """Give a setting another value in the `config.json` of a root.

    Raises:
        InvalidInputError: there is no such setting, the value is none that it may have, or the file
            is not JSON.
        ConflictError: the file was saved by somebody else at this moment.
    """
    key = settings.get_key(name)
    fault = settings.value_fault(key, value)
    if fault:
        raise InvalidInputError(f"{name}: {fault}", hint="`memory config` says what it may be")
    _rewrite(root, key, value)


def reset(root: Root, name: str) -> None:
    """Take a setting out of the `config.json` of a root: it has its default then.

    Raises:
        InvalidInputError: there is no such setting, or the file is not JSON.
        ConflictError: the file was saved by somebody else at this moment.
    """
    _rewrite(root, settings.get_key(name), None)


def _rewrite(root: Root, key: Key, value: object) -> None:
    with locked(root):
        setup.ignore_derived(root)
        expected = files.stamp(root.config)
        text = (files.find_bytes(root.config) or b"{\n}\n").decode("utf-8", "replace")
        try:
            changed = _changed(text, key, value)
        except (ValueError, KeyError) as error:
            message = f"{root.config!r} is not JSON that can be changed"
            raise InvalidInputError(message, hint="mend it with an editor first") from error
        if changed != text:
            files.replace(root.config, changed.encode(), root.modes, expected=expected)


def _changed(text: str, key: Key, value: object) -> str:
    top = json_text.parse(text)
    if not isinstance(top.value, dict):
        raise ValueError("not an object")
    section = top.find(key.section)
    if section is not None and not isinstance(section.value, dict):
        raise ValueError("not an object")
    node = section.find(key.field) if section else None
    if node and section:
        if value is None:
            return json_text.remove(text, [key.section], section.place(key.field))
        written = json.dumps(value, ensure_ascii=False)
        return text[: node.start] + written + text[node.end :]
    if value is None:
        return text
    if section:
        return json_text.add(text, [key.section], key.field, value)
    return json_text.add(text, [], key.section, {key.field: value})
