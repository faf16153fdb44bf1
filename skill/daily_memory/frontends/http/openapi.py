"""The table of routes as an OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from daily_memory import __version__
from daily_memory.frontends.http.request import Route
from daily_memory.frontends.operations import DeclaredOperation, Schema

_TEXT = {"type": "string"}
_ERROR_PARTS = {"code": _TEXT, "message": _TEXT, "hint": _TEXT}
_ERROR = {"type": "object", "properties": {"error": {"type": "object", "properties": _ERROR_PARTS}}}
_PLAIN_ERROR = {"type": "object", "properties": {"error": _TEXT}}


def document(routes: Iterable[Route]) -> Schema:
    paths: dict[str, Schema] = {}
    for route in routes:
        if route.is_page:
            continue
        paths.setdefault(plain_path(route.path), {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Daily Memory",
            "version": __version__,
            "description": "The memory of a project and of its user, on this machine only.",
        },
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def plain_path(path: str) -> str:
    """Return a path as OpenAPI writes it.

    >>> plain_path("/api/sessions/{session_id:path}")
    '/api/sessions/{session_id}'
    """
    return path.replace(":path}", "}")


def _operation(route: Route) -> Schema:
    operation = route.operation
    if operation is None:
        return {
            "summary": route.summary,
            "parameters": [],
            "responses": _responses(route, {"type": "object"}),
            "security": [],
        }
    described: Schema = {
        "summary": operation.about,
        "parameters": list(_parameters(route, operation)),
        "responses": _responses(route, operation.outputs),
        "security": [{"token": []}],
    }
    if route.has_body:
        body = _body(route, operation)
        content = {"application/json": {"schema": body}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _parameters(route: Route, operation: DeclaredOperation) -> Iterable[Schema]:
    for name, schema in operation.inputs["properties"].items():
        place = route.place(name)
        if place == "body":
            continue
        yield {
            "name": "If-Match" if place == "header" else name,
            "in": place,
            "required": name in operation.inputs.get("required", ()),
            "description": schema.get("description", ""),
            "schema": {key: value for key, value in schema.items() if key != "description"},
        }


def _body(route: Route, operation: DeclaredOperation) -> Schema:
    inputs = operation.inputs
    fields = {
        name: schema for name, schema in inputs["properties"].items() if route.place(name) == "body"
    }
    required = [name for name in inputs.get("required", ()) if name in fields]
    is_open: Any = inputs.get("additionalProperties", False)
    return {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": is_open,
    }


def _responses(route: Route, schema: Schema) -> Schema:
    error = _ERROR if route.path.startswith("/api/") else _PLAIN_ERROR
    refused = "refused or failed; docs/servers.md has the meaning of each status"
    return {
        "200": {"description": "done", "content": {"application/json": {"schema": schema}}},
        "default": {"description": refused, "content": {"application/json": {"schema": error}}},
    }


def form(schema: Schema, indent: str = "") -> str:
    """Return a schema as people read it.

    >>> form({"type": "array", "items": {"type": "string"}})
    '[string, …]'
    """
    if "anyOf" in schema:
        return " or ".join(form(option, indent) for option in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(repr, schema["enum"]))
    if schema.get("type") == "array" and "items" in schema:
        return f"[{form(schema['items'], indent)}, …]"
    if schema.get("properties"):
        deeper = f"{indent}  "
        fields = (
            f'{deeper}"{name}": {form(part, deeper)}' for name, part in schema["properties"].items()
        )
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}"
    return str(schema.get("format") or schema.get("type") or "any")
