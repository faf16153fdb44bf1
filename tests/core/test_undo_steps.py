"""What can be undone, as JSON: any text comes back, and what we did not write is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core import undo_steps
from daily_memory.core.format import exact
from daily_memory.core.undo_steps import Blanked, ChangedDay, Operation, SectionChange

PIECE = Blanked("observations/2026-01-29/c.jsonl", 118, '{"text":"缓存"}')
CHANGE = SectionChange("2026-01-29#1", "缓存", "## Session 1\n", begins=31, observed=(PIECE,))
OTHER = CHANGE._replace(id="2026-01-29#2", before="## Session 2\n", observed=())
DAY = ChangedDay("2026-01-29", "9b1c", ("2026-01-29#4",), (CHANGE, OTHER))
OPERATION = Operation("7", "2026-01-29T02:30:45+00:00", "delete", (DAY,))


@given(st.binary())
def test_any_bytes_come_back(data):
    change = CHANGE._replace(before=exact.to_text(data))
    made = OPERATION._replace(days=(DAY._replace(changes=(change,)),))

    parsed = undo_steps.parse_operation(undo_steps.format_operation(made), "7")

    assert parsed == made
    assert exact.to_bytes(parsed.changes[0].before) == data


def test_what_was_moved_comes_back_day_by_day():
    names = ["observations/2026-01-28/c.jsonl"]
    ids = [("2026-01-29#1", "缓存"), ("2026-01-29#2", ""), ("2026-01-30#1", "x")]
    days = undo_steps.moved(undo_steps.ARCHIVED, ids, names)
    made = Operation("7", OPERATION.at, "archive", tuple(days), undoes="6", others=("summary.md",))

    assert [(day.date, len(day.changes), day.files) for day in days] == [
        ("2026-01-29", 2, ()),
        ("2026-01-30", 1, ()),
        ("2026-01-28", 0, tuple(names)),
    ]
    assert undo_steps.parse_operation(undo_steps.format_operation(made), "7") == made
    assert (made.is_undo, made.is_empty) == (True, False)
    left = undo_steps.without(made, lambda _: True)
    assert left.days == (days[2],)


def test_what_happened_to_some_sections_is_taken_out():
    assert undo_steps.without(OPERATION, lambda change: change.id == "2026-01-29#9") == OPERATION
    left = undo_steps.without(OPERATION, lambda change: change.id == "2026-01-29#1")
    assert left.days == (DAY._replace(left="", changes=(OTHER,)),)
    assert undo_steps.without(left, lambda change: change == OTHER).days == ()


def fields(**changed: object) -> bytes:
    data = json.loads(undo_steps.format_operation(OPERATION))
    data.update(changed)
    return json.dumps(data).encode()


def in_day(**changed: object) -> bytes:
    data = json.loads(undo_steps.format_operation(OPERATION))
    data["days"][0].update(changed)
    return json.dumps(data).encode()


def in_change(**changed: object) -> bytes:
    data = json.loads(undo_steps.format_operation(OPERATION))
    data["days"][0]["changes"][0].update(changed)
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        fields(at="soon"),
        fields(at=7),
        in_day(kind="gone"),
        in_day(files=["observations/../../x.jsonl"]),
        fields(action="burn"),
        fields(days=7),
        fields(days=[{}]),
        in_change(id="../x"),
        in_change(begins="x"),
        in_change(observed=[{"path": "../../x.jsonl", "begins": 1, "text": ""}]),
        in_change(observed=[{"path": "observations/2026-01-29/../x", "begins": 1, "text": ""}]),
        fields(days=[{**json.loads(fields())["days"][0], "date": "../x"}]),
        fields(days=[{**json.loads(fields())["days"][0], "others": 7}]),
    ],
)
def test_what_is_no_operation_is_refused(data):
    with pytest.raises(ValueError, match=r"."):
        undo_steps.parse_operation(data, "7")
