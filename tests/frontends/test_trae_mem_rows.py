"""Records as trae-mem gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.record import Record, seconds
from daily_memory.frontends import json_shapes
from daily_memory.frontends.trae_mem_rows import parse_tags, record_row

RECORD: Any = json_shapes.record(
    Record("2026-01-29/c:2", "2026-01-29T10:30:45+08:00", "note", "x", "c")
)


def test_a_row_has_what_trae_mem_has():
    record: Any = {**RECORD, "tool": "shell", "private": True, "tags": ["redis", "area=缓存"]}
    row = record_row(record)

    assert (row["tool_name"], row["private"], row["ts"]) == ("shell", 1, 1769653845)
    assert row["tags_json"] == '{"redis": true, "area": "缓存"}'
    assert record_row(RECORD)["tags_json"] == "{}"


@pytest.mark.parametrize("at", ["", "2026-01-29T99:99:00", "0001-01-01T00:00:00+00:00"])
def test_what_is_no_moment_is_told_as_such(at):
    assert seconds(at) <= 0


@given(
    st.dictionaries(
        st.text("ab缓", min_size=1, max_size=4),
        st.just(True) | st.text("xy存", min_size=1),
        max_size=4,
    )
)
def test_tags_come_back_as_they_went(tags):
    record: Any = {**RECORD, "tags": list(parse_tags(tags))}
    row = record_row(record)

    assert json.loads(str(row["tags_json"])) == tags
