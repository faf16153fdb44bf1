"""The effective settings: defaults, overridden by the user's file and then by the project's.

A project's file comes with its repository, so it can only tighten settings that protect the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from daily_memory.core.config_file import ConfigFile, parse_config
from daily_memory.core.setting_keys import (
    FREE,
    KEY_OF,
    KEYS,
    OWN,
    RECORDING,
    TIGHTEN,
    Key,
    make_settings,
)
from daily_memory.core.settings import DEFAULTS, Settings
from daily_memory.model import Problem
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled, joined

PROJECT, GLOBAL, BOTH, DEFAULT = "project", "global", "both", "default"
STOPPED = "nothing is recorded until this is mended"


class EffectiveSettings(NamedTuple):
    """The settings in force, the file that each comes from, and the problems of the files.

    `faults` are unusable settings that protect, so the strict side is in force. `refused` is what
    a project's file may not set, `remarks` all else.
    """

    settings: Settings = DEFAULTS
    sources: Mapping[str, str] = {}
    faults: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (*self.faults, *self.refused, *self.remarks)


def parse_settings(text: str, path: str = "config.json") -> EffectiveSettings:
    """Return the effective settings with the user's file alone."""
    return effective(parse_config(text, path))


def effective(own: ConfigFile, project: ConfigFile | None = None) -> EffectiveSettings:
    """Return the effective settings of two files; `own` is the user's."""
    files = [(GLOBAL, own), *([(PROJECT, project)] if project else [])]
    combined = {key.name: _combined(key, files) for key in KEYS}
    values = {name: value for name, (value, _) in combined.items()}
    unusable: dict[Problem, list[Key]] = {file.fault: [] for _, file in files if file.fault}
    shut: dict[str, Problem] = {}
    for key, problem in _unusable(files):
        unusable.setdefault(problem, []).append(key)
        if key.guards:
            shut.setdefault(key.guards, problem)
    values.update({name: KEY_OF[name].strict for name in shut})
    broken = [file.fault for _, file in files]
    faults: list[Problem] = []
    remarks: list[Problem] = []
    for problem, keys in unusable.items():
        is_fault = problem in broken or any(key.protects for key in keys)
        then = _instead(problem, keys, values) if keys else "ignored"
        full = problem._replace(message=joined("; ", (problem.message, then)))
        (faults if is_fault else remarks).append(full)
    return EffectiveSettings(
        make_settings(values, str(shut[RECORDING]) if RECORDING in shut else ""),
        {name: source for name, (_, source) in combined.items()},
        tuple(faults),
        tuple(_refused(project, values)) if project else (),
        (*remarks, *(remark for _, file in files for remark in file.remarks)),
    )


def _combined(key: Key, files: Sequence[tuple[str, ConfigFile]]) -> tuple[object, str]:
    value: object = key.default
    source = DEFAULT
    for scope, file in files:
        below, value = value, layered(key, value, file, is_own=scope == GLOBAL)
        if value != below and isinstance(below, tuple) and below:
            source = BOTH
        elif value != below or (_counts(key, scope) and value == file.values.get(key.name)):
            source = scope
    return value, source


def _unusable(files: Sequence[tuple[str, ConfigFile]]) -> Iterator[tuple[Key, Problem]]:
    for scope, file in files:
        for key in KEYS:
            if key.name in file.unusable and _counts(key, scope):
                yield key, file.unusable[key.name]


def layered(key: Key, below: object, file: ConfigFile, *, is_own: bool) -> object:
    """Return the value of a setting after a file was laid over the value `below`."""
    if key.rule == OWN and not is_own:
        return below
    if key.name in file.unusable and key.strict is not None:
        return key.strict
    stated = file.values.get(key.name, below)
    if is_own or key.rule == FREE:
        return stated
    if isinstance(stated, tuple) and isinstance(below, tuple):
        return tuple(dict.fromkeys((*below, *stated)))
    return stated if stated == key.strict else below


def _counts(key: Key, scope: str) -> bool:
    return scope == GLOBAL or key.rule != OWN


def _refused(project: ConfigFile, values: Mapping[str, object]) -> Iterator[Problem]:
    """Yield a problem for each setting that a project's file must not change."""
    for name, stated in project.values.items():
        key = KEY_OF[name]
        is_united = key.rule == TIGHTEN and isinstance(stated, tuple)
        if key.rule != FREE and not is_united and stated not in (values[name], key.default):
            yield Problem(project.path, project.line(key), joined(": ", (name, _why_not(key))))


def _why_not(key: Key) -> str:
    can = "can only make this stricter" if key.rule == TIGHTEN else "can't set this"
    return filled(
        "ignored, a project's file {}; use `memory config set --global {} …`", can, key.name
    )


def _instead(problem: Problem, keys: Sequence[Key], values: Mapping[str, object]) -> str:
    """Return what is in force instead of settings that are unusable for one reason."""
    if any(key.guards == RECORDING for key in keys):
        return STOPPED
    if [key.name for key in keys if key.name in problem.message] != [key.name for key in keys]:
        is_strict = any(key.protects for key in keys)
        return "what protects is at its strictest" if is_strict else "ignored"
    (key,) = keys
    if key.guards:
        return filled("{} is {!r} until this is mended", key.guards, KEY_OF[key.guards].strict)
    value = values[key.name]
    return "left out" if isinstance(value, tuple) else filled("{!r} is used", value)
