"""One `config.json`: what it says, and what of it can't be used.

Whoever wrote a file that can't be used wanted something by it that is not known. So each setting is
noted that it names, also by a slip: what protects is to hold then.
"""

from __future__ import annotations

import json
from itertools import islice

from daily_memory.core.jsonc import line_of_key, parse_jsonc
from daily_memory.core.settings import (
    KEY_OF,
    KEYS,
    NO_EFFECT,
    SECTIONS,
    Key,
    usable_value,
    value_fault,
)
from daily_memory.model import Problem
from daily_memory.named_tuples import NamedTuple

# No settings are larger, and a stranger's file is read before each search.
MOST_BYTES = 65_536
_MOST_UNKNOWN = 100
_MOST_NAME = 60
# How alike a name must be to that of a setting to be taken for a slip of the fingers.
_ALIKE = 0.85


class ConfigFile(NamedTuple):
    """What a file says: the `values` of settings by their names, and which are `unusable` and why.

    `fault` is there where nothing in it can be used. `remarks` are what else is to be said.
    """

    path: str
    text: str = ""
    values: Mapping[str, object] = {}
    unusable: Mapping[str, Problem] = {}
    remarks: tuple[Problem, ...] = ()
    fault: Problem | None = None

    def line(self, key: Key) -> int:
        """Return the line on which a setting stands, 0 where it is not found."""
        return line_of_key(self.text, key.section, key.field)


def parse_config(text: str, path: str = "config.json") -> ConfigFile:
    """Return what a text says. Nothing stops: what can't be used is told."""
    if len(text) > MOST_BYTES:
        return broken(path, 0, f"is larger than {MOST_BYTES // 1024} KB")
    try:
        data = parse_jsonc(text)
    except ValueError as error:
        message = getattr(error, "msg", str(error))
        return broken(path, getattr(error, "lineno", 0), f"not JSON ({message})", text)
    if not isinstance(data, dict):
        return broken(path, 1, "not a JSON object", text)
    unknown = list(islice(_unknown(data), _MOST_UNKNOWN + 1))
    if len(unknown) > _MOST_UNKNOWN:
        return broken(path, 0, f"has more than {_MOST_UNKNOWN} unknown keys", text)
    file = ConfigFile(path, text, {}, dict(_no_objects(data, text, path)))
    return _with_slips(_with_values(file, data), unknown)


def _with_values(file: ConfigFile, data: Mapping[str, object]) -> ConfigFile:
    """Return the file with what it says of the settings that there are."""
    values: dict[str, object] = {}
    unusable = dict(file.unusable)
    remarks: list[Problem] = []
    for key in KEYS:
        section = data.get(key.section)
        if not isinstance(section, dict) or key.field not in section:
            continue
        given = section[key.field]
        value, fault = usable_value(key, given), value_fault(key, given)
        if value is not None:
            values[key.name] = value
        if fault:
            unusable[key.name] = Problem(file.path, file.line(key), f"{key.name}: {fault}")
        elif key.later and value != key.default:
            remarks.append(Problem(file.path, file.line(key), f"{key.name}: {NO_EFFECT}"))
    return file._replace(values=values, unusable=unusable, remarks=tuple(remarks))


def _with_slips(file: ConfigFile, unknown: Sequence[tuple[str, str]]) -> ConfigFile:
    """Return the file with what it says under names that no setting has."""
    unusable = dict(file.unusable)
    remarks = list(file.remarks)
    for section, field in unknown:
        key = _meant(field or section)
        if field and section not in SECTIONS and key is None:
            continue  # the section is told
        line = line_of_key(file.text, section, field)
        name = _shown(f"{section}.{field}") if field else _shown(section)
        message = f"{name}: unknown {'key' if field else 'section'}"
        if key is None or key.name in file.values:
            remarks.append(Problem(file.path, line, f"{message}; ignored"))
        else:
            message = f"{message}; did you mean {key.name}?"
            unusable.setdefault(key.name, Problem(file.path, line, message))
    return file._replace(unusable=unusable, remarks=tuple(remarks))


def _no_objects(data: Mapping[str, object], text: str, path: str) -> Iterator[tuple[str, Problem]]:
    """Yield each setting whose section is no object."""
    for key in KEYS:
        if not isinstance(data.get(key.section, {}), dict):
            line = line_of_key(text, key.section, "")
            yield key.name, Problem(path, line, f"{key.section}: not an object")


def broken(path: str, line: int, reason: str, text: str | None = None) -> ConfigFile:
    """Return a file of which nothing can be used.

    What its `text` does not name it can't have set; without a text it may have set anything.
    """
    problem = Problem(path, line, reason)
    # A key may also be spelt with escapes.
    is_open = text is None or "\\u" in text
    named = {key.name: problem for key in KEYS if is_open or (text and key.field in text)}
    return ConfigFile(path, text or "", unusable=named, fault=problem)


def _unknown(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield section and key of each name that no setting has; "" for a section as a whole."""
    for name, section in data.items():
        if name != "version" and name not in SECTIONS:
            yield name, ""
        for field in section if isinstance(section, dict) else ():
            if f"{name}.{field}" not in KEY_OF:
                yield name, field


def _meant(name: str) -> Key | None:
    """Return the setting that protects and that is called like this, or nearly so."""
    import difflib  # only for a slip of the fingers

    fields = {key.field: key for key in KEYS if key.protects and not key.later}
    said = name[:_MOST_NAME].lower().rpartition(".")[2]
    near = difflib.get_close_matches(said, fields, n=1, cutoff=_ALIKE)
    return fields[near[0]] if near else None


def _shown(name: str) -> str:
    """Return a name as it is shown: as it is, or where it is no word, as JSON."""
    short = name[:_MOST_NAME]
    return short if short.replace(".", "").isidentifier() else json.dumps(short)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
