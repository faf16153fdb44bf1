"""Sessions that wait for the lock: named by their time, read in its order."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from pathlib import Path

from daily_memory.storage import pending_saves
from daily_memory.storage.roots import project_root

NOW = datetime(2026, 1, 29, 10, 30, 5, 7)


def test_a_session_waits_in_a_file_that_is_named_by_its_time(tmp_path):
    root = project_root(str(tmp_path))

    path = pending_saves.add(root, {"topic": "缓存"}, NOW)

    folder, name = os.path.split(path)
    assert folder == os.path.join(root.index_folder, "spool")
    assert re.fullmatch(r"20260129T103005000007-[0-9a-f]{8}\.json", name)
    assert Path(path).read_bytes() == '{"topic": "缓存"}'.encode()
    assert pending_saves.load(path) == {"topic": "缓存"}


def test_the_oldest_comes_first_and_other_files_do_not_wait(tmp_path):
    root = project_root(str(tmp_path))
    assert pending_saves.waiting(root) == []
    later = pending_saves.add(root, {}, NOW + timedelta(seconds=1))
    first = pending_saves.add(root, {}, NOW)
    Path(root.index_folder, "spool", "notes.txt").write_text("x")

    assert pending_saves.waiting(root) == [first, later]
    assert pending_saves.is_older(first, NOW + timedelta(seconds=1))
    assert not pending_saves.is_older(later, NOW + timedelta(seconds=1))
    assert not pending_saves.is_older(first, NOW)


def test_a_file_that_is_not_ours_is_no_session(tmp_path):
    root = project_root(str(tmp_path))
    path = pending_saves.add(root, {}, NOW)
    for text in ("[]", "{", "1"):
        Path(path).write_text(text)
        assert pending_saves.load(path) == {}
