"""JSON schemas in few words, for the table of routes."""

from __future__ import annotations

from collections.abc import Mapping

Schema = Mapping[str, object]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {}
MAPPING: Schema = {"type": "object"}
DAY: Schema = {"type": "string", "format": "date"}


def listed(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def record(**fields: Schema) -> Schema:
    """Return the schema of an object that has these fields, all of them and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def counts(name: str) -> Schema:
    """Return the schema of a list of names with how often each occurs."""
    return listed(record(**{name: TEXT}, sessions=WHOLE))


TEXTS = listed(TEXT)
PROBLEM = record(path=TEXT, line=WHOLE, message=TEXT)
# Both ends of the lines of a section.
LINES: Schema = {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2}
