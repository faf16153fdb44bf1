"""`memory.config`: show and change settings; the comments and order of a file stay."""

from __future__ import annotations

import json
import os
import shlex
from typing import NamedTuple

from daily_memory.core import config_layers, setting_keys
from daily_memory.core.config_file import ConfigFile, parse_config
from daily_memory.core.hosts import json_edit
from daily_memory.core.setting_keys import Key
from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.model import Problem
from daily_memory.services import MemoryPart
from daily_memory.services.setup import init
from daily_memory.storage import settings_file
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_HINT = "mend it with an editor first"
_TRUE = ("true", "on", "yes", "开", "开启", "打开", "启用", "是")
_FALSE = ("false", "off", "no", "关", "关闭", "停用", "禁用", "否")


class Setting(NamedTuple):
    """A setting, its value, and its source: `project`, `global`, `both` (a list) or `default`."""

    key: Key
    value: object
    source: str


class Config(MemoryPart):
    """The `config.json` of the project; outside any project, the user's own for all of them."""

    @property
    def path(self) -> str:
        """The path of the `config.json` that is changed."""
        return self._workspace.settings_root.config

    @property
    def global_path(self) -> str:
        """The path of the user's own `config.json`."""
        return self._workspace.global_root.config

    def describe(self) -> tuple[Setting, ...]:
        """Return every setting with its value, default, meaning and source."""
        effective = self._workspace.load_settings()
        values = setting_keys.setting_values(effective.settings)
        return tuple(
            Setting(key, values[key.name], effective.sources.get(key.name, config_layers.DEFAULT))
            for key in setting_keys.KEYS
        )

    def set(self, name: str, value: object) -> None:
        """Change a setting, such as `retrieval.max_results`."""
        root = self._workspace.settings_root
        change(root, self._workspace.global_root, name, value)
        self._workspace.reload_settings()

    def parse_value(self, name: str, text: str) -> object:
        """Return the value that a user typed, checked."""
        return checked_value(name, parse_value(name, text))

    def set_text(self, name: str, text: str) -> None:
        """Change a setting to the value that a user typed: JSON, or a plain text."""
        self.set(name, parse_value(name, text))

    def unset(self, name: str) -> None:
        """Remove a setting from the file, so that its default applies again."""
        root, key = self._workspace.settings_root, setting_keys.get_key(name)
        if files.find_bytes(root.config) is not None:
            _rewrite(root, key, None)
        self._workspace.reload_settings()

    def text(self) -> str:
        """Return the text of the file, for an editor."""
        return load_text(self._workspace.settings_root)

    def replace_text(self, text: str, before: str) -> bool:
        """Replace the text `before` of the file; return whether anything changed."""
        root = self._workspace.settings_root
        known = _faults(before, root.config)
        faults = _faults(text, root.config).values()
        new = [str(fault) for fault in faults if fault.message not in known]
        if new:
            raise InvalidInputError(new[0], hint="nothing was changed")
        with locked(root):
            init.ignore_derived(root)
            expected = files.stamp(root.config)
            if load_text(root) != before:
                hint = "run the command again"
                raise ConflictError("{!r} changed meanwhile", root.config, hint=hint)
            if text != before or expected == files.NO_STAMP:
                files.replace(root.config, text.encode(), root.modes, expected=expected)
        self._workspace.reload_settings()
        return text != before


def parse_value(name: str, text: str) -> object:
    """Return the value of a setting that a user typed, unchecked.

    Text is taken as it is, other values as JSON. A switch may be on, off, 开, 关 and so on.
    """
    default = setting_keys.get_key(name).default
    if isinstance(default, bool):
        word = text.strip().lower()
        return word in _TRUE if word in (*_TRUE, *_FALSE) else text
    if isinstance(default, str) and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def change(root: Root, own: Root, name: str, value: object) -> None:
    """Set a setting in the `config.json` of a root; `own` is the global root.

    Raises:
        InvalidInputError: the setting or the value is unknown, the file is not JSON, or it is a
            project's and the value would have no effect there.
        ConflictError: somebody else saved the file at this moment.
    """
    key = setting_keys.get_key(name)
    checked_value(name, value)
    if root.path != own.path and not _has_effect(key, value, own):
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        can = "can only be made stricter" if key.rule == setting_keys.TIGHTEN else "does not count"
        raise InvalidInputError(
            "{} {} in a project's settings, which come with its repository",
            name,
            can,
            hint=filled(
                "for all your projects: memory config set --global {} {}",
                name,
                shlex.quote(written),
            ),
        )
    _rewrite(root, key, value)


def checked_value(name: str, value: object) -> object:
    """Return the value; raise InvalidInputError if the setting can't have it."""
    key = setting_keys.get_key(name)
    fault = setting_keys.value_fault(key, value)
    if fault:
        hint = "`memory config` lists what each setting means and may be"
        if isinstance(key.default, tuple):
            hint = """give a JSON list of texts, such as '["one", "two"]'"""
        raise InvalidInputError("{}: {}", name, fault, hint=hint)
    return value


def without_own_keys(text: str, own: Root) -> tuple[str, tuple[str, ...]]:
    """Return settings without those that only the user may set, and the names of these.

    An unusable protective setting raises InvalidInputError.
    """
    given = parse_config(text)
    faults = config_layers.effective(given).faults
    if faults:
        raise InvalidInputError(str(faults[0]))
    names = tuple(
        name
        for name, value in given.values.items()
        if not _has_effect(setting_keys.KEY_OF[name], value, own)
    )
    for name in names:
        text = _changed(text, setting_keys.KEY_OF[name], None)
    return text, names


def _has_effect(key: Key, value: object, own: Root) -> bool:
    """Tell whether a project's file can set this value."""
    mine = settings_file.load_config(own)
    below = config_layers.layered(key, key.default, mine, is_own=True)
    asked = setting_keys.usable_value(key, value)
    if key.is_own or isinstance(asked, tuple):
        return not key.is_own
    return (
        config_layers.layered(key, below, ConfigFile("", values={key.name: asked}), is_own=False)
        == asked
    )


def load_text(root: Root) -> str:
    """Return the `config.json` of a root, or that of the template if there is none."""
    data = files.find_bytes(root.config)
    if data is None:
        data = files.read_bytes(os.path.join(init.template_folder(), "config.json"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError("{!r} is not UTF-8", root.config, hint=_HINT) from error


def _faults(text: str, path: str) -> dict[str, Problem]:
    """Return the faults of a file by message."""
    return {
        problem.message: problem for problem in config_layers.parse_settings(text, path).problems
    }


def _rewrite(root: Root, key: Key, value: object) -> None:
    with locked(root):
        init.ignore_derived(root)
        expected = files.stamp(root.config)
        text = load_text(root)
        try:
            changed = _changed(text, key, value)
        except ValueError as error:
            message = filled("{!r} is not JSON that can be changed", root.config)
            raise InvalidInputError(message, hint=_HINT) from error
        if changed != text or expected == files.NO_STAMP:
            files.replace(root.config, changed.encode(), root.modes, expected=expected)


def _changed(text: str, key: Key, value: object) -> str:
    path = [key.section, key.field]
    top = json_edit.parse(text, key.section)
    section = top.find(key.section) or top
    if not isinstance(top.value, dict) or not isinstance(section.value, dict):
        raise ValueError("not an object")
    return json_edit.remove(text, path) if value is None else json_edit.put(text, path, value)
