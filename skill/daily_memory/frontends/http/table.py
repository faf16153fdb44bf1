"""What a row of the table of routes is, and how a request is read by it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, cast

from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError
from daily_memory.memory import Memory

_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_MOST_WHOLE = 10**9


class Parameter(NamedTuple):
    """A value that a request may bring.

    `kind` is text, whole, flag, day, texts, mapping or any; `place` is path, query or body.
    Where it is not given, it is `default`.
    """

    name: str
    kind: str
    meaning: str
    default: object = None
    place: str = "query"
    is_required: bool = False
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = _MOST_WHOLE


class Call(NamedTuple):
    """A request as its route reads it: `body` is its JSON object, `tag` its `If-Match`."""

    values: Mapping[str, object]
    body: Mapping[str, object] = {}  # a Mapping can't be changed
    tag: str = ""

    def text(self, name: str) -> str:
        return cast("str", self.values[name])

    def texts(self, name: str) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self.values[name])

    def whole(self, name: str) -> int:
        return cast("int", self.values[name])

    def flag(self, name: str) -> bool:
        return cast("bool", self.values[name])

    def day(self, name: str) -> date | None:
        return cast("date | None", self.values[name])


class Answer(NamedTuple):
    """What a route answers: a JSON value, its status and, where it may be edited, its tag.

    With the name of a `file` the value is the bytes of that, to be kept and not shown.
    """

    value: object
    status: int = 200
    tag: str = ""
    file: str = ""


class Route(NamedTuple):
    """A row of the table: what can be asked, and what is answered.

    `handle` gives the answer, from a thread of its own. A route with a `constant` answers that, at
    once and to everybody: it tells nothing of the memory. `answer` is the JSON schema of the
    answer, `body` that of a body which `handle` reads itself. A `is_lenient` route passes over
    what it does not know, as the clients that it is there for expect.
    """

    method: str
    path: str
    summary: str
    answer: Mapping[str, object]
    handle: Callable[[Memory, Call], object] | None = None
    parameters: tuple[Parameter, ...] = ()
    body: Mapping[str, object] | None = None
    constant: object = None
    is_lenient: bool = False
    is_edit: bool = False
    status: int = 200

    @property
    def in_body(self) -> tuple[Parameter, ...]:
        return tuple(one for one in self.parameters if one.place == "body")

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")


# ---------------------------------------------------------------------------- reading


def read_call(
    route: Route,
    path: Mapping[str, str],
    query: Sequence[tuple[str, str]],
    body: bytes = b"",
    tag: str = "",
) -> Call:
    """Return what a request asks, by the table.

    Raises:
        InvalidInputError: a value is missing, unknown or not what it must be.
    """
    sent = parse_body(body) if route.has_body else {}
    if not route.is_lenient:
        _check_names(route, query, sent)
    values: dict[str, object] = {}
    for one in route.parameters:
        if one.place == "body":
            values[one.name] = _from_json(one, sent.get(one.name))
        else:
            given = [path[one.name]] if one.place == "path" else []
            given += [value for name, value in query if name == one.name]
            values[one.name] = _from_texts(one, given)
    return Call(values, sent, tag)


def parse_body(body: bytes) -> dict[str, object]:
    """Return the JSON object of a body.

    Raises:
        InvalidInputError: it is none.
    """
    hint = 'send an object such as {"text": "…"}'
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("the body is not JSON in UTF-8", hint=hint) from error
    if not isinstance(value, dict):
        raise InvalidInputError("the body is not a JSON object", hint=hint)
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _check_names(
    route: Route, query: Sequence[tuple[str, str]], sent: Mapping[str, object]
) -> None:
    names = {one.name: one for one in route.parameters}
    seen: set[str] = set()
    for name, _ in query:
        known = names.get(name)
        if known is None or known.place != "query":
            raise InvalidInputError(f"{_short(name)} is unknown here", hint="/docs has the names")
        if name in seen and known.kind != "texts":
            raise InvalidInputError(f"{name} is given twice")
        seen.add(name)
    for name in sent if route.body is None else ():
        if name not in names or names[name].place != "body":
            message = f"{_short(name)} is unknown in the body"
            raise InvalidInputError(message, hint="/docs has the names")


def _from_texts(one: Parameter, given: list[str]) -> object:
    """Return the value of a parameter that came as text."""
    if one.kind == "texts":
        return tuple(_chosen(one, value) for value in given if value)
    if not given:
        return _absent(one)
    value = given[0]
    if one.kind == "whole":
        return _whole(one, value)
    if one.kind == "flag":
        if value.casefold() not in _WORDS:
            raise _wrong(one, value, "true or false")
        return _WORDS[value.casefold()]
    if one.kind == "day":
        return parse_date(value, one.name) if value else None
    return _chosen(one, value)


def _whole(one: Parameter, value: str) -> int:
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        raise _wrong(one, value, "a whole number")
    number = int(value)
    if not one.low <= number <= one.high:
        raise _wrong(one, value, f"between {one.low} and {one.high}")
    return number


def _from_json(one: Parameter, value: object) -> object:
    """Return the value of a parameter that came in the body."""
    if value is None:
        return _absent(one)
    if one.kind == "any":
        return value
    if one.kind == "texts":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _wrong(one, value, "a list of texts")
        return tuple(value)
    wanted, words = {
        "text": (str, "a text"),
        "flag": (bool, "true or false"),
        "mapping": (dict, "an object"),
    }[one.kind]
    if not isinstance(value, wanted):
        raise _wrong(one, value, words)
    return _chosen(one, value) if isinstance(value, str) else value


def _absent(one: Parameter) -> object:
    if one.is_required:
        raise InvalidInputError(f"{one.name} is missing", hint="/docs says what it is")
    return one.default


def _chosen(one: Parameter, value: str) -> str:
    if one.choices and value and value not in one.choices:
        raise _wrong(one, value, f"one of {', '.join(one.choices)}")
    return value


def _wrong(one: Parameter, value: object, wanted: str) -> InvalidInputError:
    shown = _short(value) if isinstance(value, str) else f"a {type(value).__name__}"
    return InvalidInputError(f"{one.name}: {shown} is not {wanted}")


def _short(value: str) -> str:
    return repr(value if len(value) <= 40 else f"{value[:40]}…")
