"""The table of routes as an OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daily_memory import __version__
from daily_memory.frontends.http import schemas
from daily_memory.frontends.http.schemas import TEXT, record
from daily_memory.frontends.http.table import Parameter, Route

_KINDS: dict[str, Mapping[str, object]] = {
    "text": schemas.TEXT,
    "whole": schemas.WHOLE,
    "flag": schemas.FLAG,
    "day": schemas.DAY,
    "texts": schemas.TEXTS,
    "mapping": schemas.MAPPING,
    "any": schemas.ANY,
}
_ERROR = record(error=record(code=TEXT, message=TEXT, hint=TEXT))
_PLAIN_ERROR = record(error=TEXT)
_IF_MATCH: Mapping[str, object] = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "the ETag of what was read",
    "schema": TEXT,
}
_TOKEN = {"token": {"type": "http", "scheme": "bearer"}}


def document(routes: Iterable[Route]) -> dict[str, object]:
    """Return the OpenAPI 3.1 document of the routes."""
    paths: dict[str, dict[str, object]] = {}
    for route in routes:
        paths.setdefault(plain_path(route.path), {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Daily Memory",
            "version": __version__,
            "description": "The memory of a project and of its user, on this machine only.",
        },
        "paths": paths,
        "components": {"securitySchemes": _TOKEN},
    }


def plain_path(path: str) -> str:
    """Return a path as OpenAPI writes it.

    >>> plain_path("/api/records/{id:path}")
    '/api/records/{id}'
    """
    return path.replace(":path}", "}")


def _operation(route: Route) -> dict[str, object]:
    parameters = [_parameter(one) for one in route.parameters if one.place != "body"]
    operation: dict[str, object] = {
        "summary": route.summary,
        "parameters": [*parameters, *([_IF_MATCH] if route.is_edit else [])],
        "responses": _responses(route),
        "security": [] if route.constant is not None else [{"token": []}],
    }
    if route.has_body:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": route.body or _body(route.in_body)}},
        }
    return operation


def _responses(route: Route) -> dict[str, object]:
    error = _ERROR if route.path.startswith("/api/") else _PLAIN_ERROR
    right = {
        "description": "done",
        "content": {"application/json": {"schema": route.answer}},
    }
    wrong = {
        "description": "refused or failed; docs/servers.md has the meaning of each status",
        "content": {"application/json": {"schema": error}},
    }
    return {"200": right, **({"201": right} if route.status == 201 else {}), "default": wrong}


def _parameter(one: Parameter) -> dict[str, object]:
    return {
        "name": one.name,
        "in": one.place,
        "required": one.is_required or one.place == "path",
        "description": one.meaning,
        "schema": _schema(one),
    }


def _body(parameters: Iterable[Parameter]) -> dict[str, object]:
    fields = list(parameters)
    return {
        "type": "object",
        "properties": {one.name: {**_schema(one), "description": one.meaning} for one in fields},
        "required": [one.name for one in fields if one.is_required],
    }


def _schema(one: Parameter) -> dict[str, object]:
    schema = dict(_KINDS[one.kind])
    if one.choices:
        allowed = {**TEXT, "enum": [*one.choices, *([""] if one.default == "" else [])]}
        schema = {**schema, "items": allowed} if one.kind == "texts" else allowed
    if one.kind == "whole":
        schema.update(minimum=one.low, maximum=one.high)
    if one.default not in (None, ()):
        schema["default"] = one.default
    return schema
