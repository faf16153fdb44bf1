"""What the names of the files of a root tell."""

from __future__ import annotations

import pytest

from daily_memory.storage import file_kinds


@pytest.mark.parametrize(
    ("name", "is_of_memory", "is_of_observations"),
    [
        ("daily/2026-01-29.md", True, False),
        ("daily/2026-02-30.md", False, False),
        ("daily/notes.md", False, False),
        ("a/daily/2026-01-29.md", False, False),
        ("archive/2026/2026-01-29.md.gz", True, False),
        ("archive/2026/observations/2026-01-29/c.jsonl.gz", True, True),
        ("archive/", False, False),
        ("observations/2026-01-29/c.jsonl", True, True),
        ("observations/2026-01-29/c.jsonl.tmp", False, True),
        ("summary.md", True, False),
        ("config.json", True, False),
        ("index/keywords.json", False, False),
    ],
)
def test_a_name_tells_what_is_part_of_a_memory(name, is_of_memory, is_of_observations):
    assert file_kinds.is_of_memory(name) == is_of_memory
    assert file_kinds.is_of_observations(name) == is_of_observations


@pytest.mark.parametrize(
    "name",
    [
        "archive/2025/2026-01-29.md.gz",
        "archive/2026/2026-02-30.md.gz",
        "archive/2026/2026-01-29.md",
        "archive/2025/observations/2026-01-29/c.jsonl.gz",
        "archive/2026/observations/c.jsonl.gz",
    ],
)
def test_a_file_at_a_wrong_place_of_the_archive_is_neither_day_nor_live_session(name):
    assert file_kinds.archived_day(name) is None
    assert file_kinds.archived_observed(name) is None
    assert not file_kinds.holds_sections(name)
