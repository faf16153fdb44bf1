"""When something was last done is the time of an empty file with its name."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path

import pytest

from daily_memory.storage import timestamps
from daily_memory.storage.roots import project_root

NOW = datetime(2026, 1, 29, 10, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (timestamps.ARCHIVED, "last-archived"),
        (timestamps.REVIEWED, "last-reviewed"),
        (timestamps.REMINDED, "last-reminded"),
        (timestamps.INDEXED, "last-indexed"),
        (timestamps.SETTLED, "last-settled"),
    ],
)
def test_what_is_noted_is_read_back_from_its_file(tmp_path, name, file):
    root = project_root(str(tmp_path))

    assert timestamps.load(root, name) is None
    timestamps.note(root, name, NOW)

    assert timestamps.load(root, name) == NOW
    assert os.listdir(root.index_folder) == [file]
    assert Path(root.index_folder, file).read_bytes() == b""


def test_a_time_that_no_date_has_is_a_late_one(tmp_path):
    root = project_root(str(tmp_path))
    timestamps.note(root, timestamps.INDEXED, NOW)
    path = os.path.join(root.index_folder, "last-indexed")

    os.utime(path, (0, 0))
    assert timestamps.load(root, timestamps.INDEXED) is None

    os.utime(path, (1, 1))
    assert timestamps.load(root, timestamps.INDEXED) == datetime(
        1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc
    )
