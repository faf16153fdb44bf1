"""A function as an operation that programs call, over MCP or HTTP.

Its signature is the declaration: pydantic checks what a caller sends against the annotations, and
makes the JSON Schemas of both sides from them. The command line has parsers of its own: pydantic
takes longer to load than a search takes to answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic import create_model as make_model

from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError
from daily_memory.text import filled, joined

Schema = dict[str, Any]


def _parse_day(value: object) -> date:
    try:
        return parse_date(value)
    except InvalidInputError as error:
        shown = repr(value)[:40]
        raise ValueError(filled("{} is not a date such as 2026-01-29", shown)) from error


# A day as text, such as 2026-01-29.
Day = Annotated[date, BeforeValidator(_parse_day)]
Scope = Annotated[
    Literal["", "project", "global", "all"], Field(description="which memory; default: settings")
]
OneScope = Annotated[
    Literal["", "project", "global"], Field(description="which memory; default: settings")
]
Tags = Annotated[list[str], Field(description="with all of these tags")]
Archived = Annotated[bool, Field(description="the archive too")]
Flag = bool | None


class DeclaredOperation(NamedTuple):
    """A function that programs call; `inputs` and `outputs` are JSON Schemas."""

    about: str
    takes: type[BaseModel]
    inputs: Schema
    outputs: Schema
    function: Callable[..., Any]

    def run(self, memory: object, values: Mapping[str, object], *, is_text: bool = False) -> Any:
        """Return the answer to arguments: JSON values, or with `is_text` texts of them."""
        try:
            # A caller may send null for what they leave out.
            sent = {name: value for name, value in values.items() if value is not None}
            given = self.takes.model_validate(sent, strict=not is_text)
        except ValidationError as error:
            raise _explained(error, list(self.takes.model_fields)) from error
        return self.function(memory, **dict(given))


def declare(function: Callable[..., Any]) -> DeclaredOperation:
    """Return a function as an operation; its first parameter is the memory, or what opens one."""
    signature = inspect.signature(function, eval_str=True)
    _, *parameters = signature.parameters.values()
    fields: dict[str, Any] = {
        parameter.name: (
            parameter.annotation,
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in parameters
    }
    # What a function gets as `**data` has no fixed names.
    others = [name for name, one in signature.parameters.items() if one.kind is one.VAR_KEYWORD]
    for name in others:
        del fields[name]
    extra: Literal["allow", "forbid"] = "allow" if others else "forbid"
    model = make_model(function.__name__, __config__=ConfigDict(extra=extra), **fields)
    about = (inspect.getdoc(function) or "").replace("\n", " ")
    inputs = {"properties": {}, **compact(model.model_json_schema(), is_input=True)}
    gives = TypeAdapter(signature.return_annotation).json_schema(mode="serialization")
    return DeclaredOperation(about, model, inputs, compact(gives), function)


def compact(schema: Any, *, is_input: bool = False, names: Mapping[str, Any] | None = None) -> Any:
    """Return a JSON Schema without what tells a reader nothing: titles, references, empty defaults.

    In an input `null` is left out too: a caller may send it for whatever they leave out.

    >>> compact({"title": "A", "anyOf": [{"type": "integer"}, {"type": "null"}]}, is_input=True)
    {'type': 'integer'}
    """
    if not isinstance(schema, dict):
        return schema
    names = schema.get("$defs") or names or {}
    if "$ref" in schema:
        schema = {**names[schema["$ref"].rpartition("/")[2]], **schema}
    inner = {
        key: _compact_part(key, value, is_input, names)
        for key, value in schema.items()
        if key not in ("title", "$defs", "$ref") and not (key == "default" and not value)
    }
    options = inner.get("anyOf", [])
    if is_input and {"type": "null"} in options:
        others = [option for option in options if option != {"type": "null"}]
        rest = {key: value for key, value in inner.items() if key != "anyOf"}
        return {**others[0], **rest} if len(others) == 1 else {**rest, "anyOf": others}
    return inner


def _compact_part(key: str, value: Any, is_input: bool, names: Mapping[str, Any]) -> Any:
    if key == "properties":  # names of its own, which may be called "title"
        return {name: compact(part, is_input=is_input, names=names) for name, part in value.items()}
    if isinstance(value, list):
        return [compact(part, is_input=is_input, names=names) for part in value]
    return compact(value, is_input=is_input, names=names)


def _explained(error: ValidationError, names: list[str]) -> InvalidInputError:
    faults = error.errors(include_url=False)
    first = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    place = ".".join(map(str, first["loc"]))
    cause = first.get("ctx", {}).get("error")
    text = cause.args[0] if cause else first["msg"][:1].lower() + first["msg"][1:300]
    message = {
        "extra_forbidden": filled("{!r} is unknown here", place[:40]),
        "missing": filled("{} is missing", place),
    }.get(first["type"], joined(": ", (place, text)))
    return InvalidInputError(message, hint=filled("it takes {}", ", ".join(names) or "nothing"))
