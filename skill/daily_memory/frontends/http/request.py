"""Which operation a path and a method call, and how a request becomes its arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request as WebRequest
from starlette.responses import Response

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.http import render
from daily_memory.frontends.operations import DeclaredOperation
from daily_memory.memory import Memory

# Short names that a URL may use, and the arguments that they mean.
SHORT_NAMES = {"q": "query", "k": "limit", "tag": "tags"}
# Arguments in the query of every method, and in the headers `If-Match` and `Accept-Language`.
IN_QUERY, IF_MATCH, LANGUAGE = "scope", "if_match", "language"


class HttpReply(NamedTuple):
    """A JSON value with its status and, where it may be edited, its tag.

    With the name of a `file`, the value is the bytes to download under that name.
    """

    value: object
    status: int = 200
    tag: str = ""
    file: str = ""


class Route(NamedTuple):
    """A method and a path, and what they call.

    A `fixed` route answers everybody: it says nothing of the memory. A lenient route ignores
    unknown arguments, as the clients of trae-mem expect. A page answers with HTML: the template
    with the name of its function, in which the place `page` is marked. Without a token the frame
    of the page answers, which asks for it.
    """

    method: str
    path: str
    operation: DeclaredOperation | None = None
    fixed: Callable[[WebRequest], Response] | None = None
    summary: str = ""
    is_lenient: bool = False
    page: str = ""

    @property
    def is_page(self) -> bool:
        return bool(self.page)

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def is_edit(self) -> bool:
        return self.operation is not None and IF_MATCH in self.operation.takes.model_fields

    def place(self, name: str) -> str:
        """Return where an argument comes from: path, header, query or body."""
        if f"{{{name}}}" in self.path or f"{{{name}:path}}" in self.path:
            return "path"
        if name == IF_MATCH or (self.is_page and name == LANGUAGE):
            return "header"
        return "body" if self.has_body and name != IN_QUERY else "query"


class ClientRequest(NamedTuple):
    """What a client sent."""

    path: Mapping[str, str]
    query: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    if_match: str = ""
    language: str = "en"


def answer(route: Route, request: ClientRequest, memory: Memory) -> HttpReply:
    assert route.operation  # a route without one is fixed
    values = _arguments(route, route.operation, request)
    value = route.operation.run(memory, values, is_text=not route.has_body)
    if route.is_page:
        name = route.operation.function.__name__
        shown = {"memory": memory, "here": route.page, "tab": name, **value}
        return HttpReply(render.render(f"{name}.html", request.language, **shown))
    return value if isinstance(value, HttpReply) else HttpReply(value)


def _arguments(
    route: Route, operation: DeclaredOperation, request: ClientRequest
) -> dict[str, Any]:
    fields = operation.inputs["properties"]
    values = {**(parse_body(request.body) if route.has_body else {})}
    misplaced = next((name for name in values if route.place(name) in ("path", "header")), None)
    if misplaced:
        raise InvalidInputError("{!r} is unknown in the body", misplaced[:40])
    values.update(_from_query(route, operation, request.query))
    values.update(request.path)
    if route.is_edit:
        values[IF_MATCH] = request.if_match
    if route.is_page and LANGUAGE in fields:
        values[LANGUAGE] = request.language
    if route.is_lenient:
        values = {name: value for name, value in values.items() if name in fields}
    return values


def _from_query(
    route: Route, operation: DeclaredOperation, query: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Return the arguments in a query; of one that is optional, no text means that it is absent."""
    fields, known = operation.inputs["properties"], operation.takes.model_fields
    values: dict[str, Any] = {}
    for short, text in query:
        name = SHORT_NAMES.get(short, short)
        if route.place(name) != "query":
            raise InvalidInputError("{!r} is unknown in the query", short[:40])
        if fields.get(name, {}).get("type") == "array":
            values.setdefault(name, []).extend([text] if text else [])
        elif name in values and not route.is_lenient:
            raise InvalidInputError("{} is given twice", name[:40])
        elif text or name not in known or known[name].is_required():
            values.setdefault(name, text)
    return values


def parse_body(body: bytes) -> dict[str, object]:
    hint = 'send an object such as {"text": "…"}'
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("the body is not JSON in UTF-8", hint=hint) from error
    if not isinstance(value, dict):
        raise InvalidInputError("the body is not a JSON object", hint=hint)
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
