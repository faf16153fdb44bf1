"""How observations and sessions are shown that were found as records."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.record import Record
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import RecordResult


def show_hits(query: str, result: RecordResult, *, as_json: bool, explain: bool) -> int:
    """Print what a search found, best first."""
    if as_json:
        terminal.show_json(json_shapes.records(query, result, explain=explain))
        return 0
    terminal.warn(result.warnings)
    if not result.hits:
        terminal.talk("nothing relevant was observed")
    for hit in result.hits:
        terminal.show(f"{hit.record.id}  {hit.score:.2f}  {_what(hit.record)}")
        terminal.show(f"    {hit.snippet}")
        for line in hit.explanation if explain else ():
            terminal.show(f"    | {line}")
    return 0


def show_records(asked: str, records: Sequence[Record], *, as_json: bool) -> int:
    """Print records in their order, the requested one marked with `>`."""
    if as_json:
        rows = [record._asdict() for record in records]
        terminal.show_json({"id": asked, "records": rows})
        return 0
    for record in records:
        mark = ">" if record.id == asked else " "
        terminal.show(f"{mark} {record.id}  {_what(record)}")
        for line in record.text.split("\n"):
            terminal.show(f"      {line}")
    return 0


def _what(record: Record) -> str:
    notes = [record.tool, *(f"#{tag}" for tag in record.tags), record.origin]
    when = record.at[:19].replace("T", " ")
    return "  ".join(note for note in (when, record.kind, *notes) if note)
