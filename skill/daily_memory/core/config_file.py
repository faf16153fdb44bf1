"""Parses a `config.json`: its settings, and which of them are unusable.

An unusable setting was meant to change something, even if its name is mistyped. So its name is
kept, and the strict value is in force.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from daily_memory.core.jsonc import line_of_key, parse_jsonc
from daily_memory.core.setting_keys import KEY_OF, KEYS, SECTIONS, Key, usable_value, value_fault
from daily_memory.model import Problem
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled, joined

# A stranger's file is read before each search, so it must not be large.
MOST_BYTES = 65_536
_MOST_UNKNOWN = 100
_MOST_NAME = 60
# How similar a name must be to that of a setting to count as mistyped.
_ALIKE = 0.85


class ConfigFile(NamedTuple):
    """The settings in a config file: the usable `values`, and why others are `unusable`, by name.

    With a `fault` the whole file is unusable.
    """

    path: str
    text: str = ""
    values: Mapping[str, object] = {}
    unusable: Mapping[str, Problem] = {}
    remarks: tuple[Problem, ...] = ()
    fault: Problem | None = None

    def line(self, key: Key) -> int:
        """Return the line of a setting, 0 if it is not found."""
        return line_of_key(self.text, key.section, key.field)


def parse_config(text: str, path: str = "config.json") -> ConfigFile:
    """Parse a config file; nothing raises, problems are in the result."""
    if len(text) > MOST_BYTES:
        return broken(path, 0, filled("is larger than {} KB", MOST_BYTES // 1024))
    try:
        data = parse_jsonc(text)
    except ValueError as error:
        message = getattr(error, "msg", str(error))
        return broken(path, getattr(error, "lineno", 0), filled("not JSON ({})", message), text)
    if not isinstance(data, dict):
        return broken(path, 1, "not a JSON object", text)
    unknown = list(islice(_unknown(data), _MOST_UNKNOWN + 1))
    if len(unknown) > _MOST_UNKNOWN:
        return broken(path, 0, filled("has more than {} unknown keys", _MOST_UNKNOWN), text)
    file = ConfigFile(path, text, {}, dict(_no_objects(data, text, path)))
    return _with_slips(_with_values(file, data), unknown)


def _with_values(file: ConfigFile, data: Mapping[str, object]) -> ConfigFile:
    values: dict[str, object] = {}
    unusable = dict(file.unusable)
    for key in KEYS:
        section = data.get(key.section)
        if not isinstance(section, dict) or key.field not in section:
            continue
        given = section[key.field]
        value, fault = usable_value(key, given), value_fault(key, given)
        if value is not None:
            values[key.name] = value
        if fault:
            unusable[key.name] = Problem(file.path, file.line(key), joined(": ", (key.name, fault)))
    return file._replace(values=values, unusable=unusable)


def _with_slips(file: ConfigFile, unknown: Sequence[tuple[str, str]]) -> ConfigFile:
    unusable = dict(file.unusable)
    remarks = list(file.remarks)
    for section, field in unknown:
        key = _meant(field or section)
        if field and section not in SECTIONS and key is None:
            continue  # the section is reported
        line = line_of_key(file.text, section, field)
        name = _shown(f"{section}.{field}") if field else _shown(section)
        message = joined(": ", (name, "unknown key" if field else "unknown section"))
        if key is None or key.name in file.values:
            remarks.append(Problem(file.path, line, filled("{}; ignored", message)))
        else:
            message = filled("{}; did you mean {}?", message, key.name)
            unusable.setdefault(key.name, Problem(file.path, line, message))
    return file._replace(unusable=unusable, remarks=tuple(remarks))


def _no_objects(data: Mapping[str, object], text: str, path: str) -> Iterator[tuple[str, Problem]]:
    for key in KEYS:
        if not isinstance(data.get(key.section, {}), dict):
            line = line_of_key(text, key.section, "")
            yield key.name, Problem(path, line, filled("{}: not an object", key.section))


def broken(path: str, line: int, reason: str, text: str | None = None) -> ConfigFile:
    """Return an unusable file: it may have set what its text names, or anything if there is no
    text.
    """
    problem = Problem(path, line, reason)
    # A key may be spelt with escapes.
    is_open = text is None or "\\u" in text
    named = {key.name: problem for key in KEYS if is_open or (text and key.field in text)}
    return ConfigFile(path, text or "", unusable=named, fault=problem)


def _unknown(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield section and key of each unknown name; the key is "" for a section."""
    for name, section in data.items():
        if name != "version" and name not in SECTIONS:
            yield name, ""
        for field in section if isinstance(section, dict) else ():
            if f"{name}.{field}" not in KEY_OF:
                yield name, field


def _meant(name: str) -> Key | None:
    """Return the protecting setting that a name means, exactly or nearly."""
    import difflib  # only for typing errors

    fields = {key.field: key for key in KEYS if key.protects}
    field = name[:_MOST_NAME].lower().rpartition(".")[2]
    near = difflib.get_close_matches(field, fields, n=1, cutoff=_ALIKE)
    return fields[near[0]] if near else None


def _shown(name: str) -> str:
    short = name[:_MOST_NAME]
    return short if short.replace(".", "").isidentifier() else json.dumps(short)
