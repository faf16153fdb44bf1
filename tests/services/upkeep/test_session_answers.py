"""What a review and a summary ask for the first time: the same of one process or two."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from daily_memory.frontends import json_shapes
from daily_memory.storage import review_cache

SAID = (
    ("2026-01-02", "框架", "用 Flask 写接口"),
    ("2026-01-03", "Logs", "Logs are kept for 30 days"),
    ("2026-01-04", "Framework", "Replaced Flask by FastAPI"),
    ("2026-01-05", "日志", "Logs are kept for 90 days"),
    ("2026-01-06", "Rule", "Never push without asking me first"),
)


@pytest.mark.parametrize("has_summary", [False, True])
def test_what_two_processes_ask_is_what_one_asks(memory, day_file, read_by, has_summary):
    for day, topic, decision in SAID:
        memory.save({"topic": topic, "decisions": [decision], "date": day})
    memory.save({"topic": "嗯", "date": "2026-01-07", "tags": ["outdated"], "source": "cursor"})
    memory.save({"topic": "私事", "date": "2026-01-08", "tags": ["private"]})
    day_file("## Session 1\n\nWe run \xff nginx\n".encode("latin-1"), "2026-01-09.md")
    if has_summary:
        memory.summarize()
        memory.save({"topic": "Build", "decisions": ["We always build with Node 22"]})
    root = memory.workspace.project_root

    def asked_by(count: int) -> list[Any]:
        read_by(count)
        found: list[Any] = []
        for command in (memory.review, lambda: memory.summarize(dry_run=True)):
            review_cache.forget(root)
            told = command()
            answers = json.loads(zlib.decompress(Path(review_cache.path_of(root)).read_bytes(), 31))
            shape = json_shapes.summary if hasattr(told, "left_out") else json_shapes.review
            found += [shape(told), answers]
        return found

    by_one = asked_by(1)

    assert asked_by(2) == by_one
    assert by_one[0]["counts"]["contradiction"] == 2


def test_what_is_known_is_not_asked_of_other_processes(memory, read_by):
    for day, topic, decision in SAID:
        memory.save({"topic": topic, "decisions": [decision], "date": day})
    first = json_shapes.review(memory.review())

    read_by(2)

    assert json_shapes.review(memory.review()) == first
