"""Sessions that wait for the lock: named by their time, read in its order."""

from __future__ import annotations

import json
import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daily_memory.errors import NotFoundError
from daily_memory.storage import pending_saves
from daily_memory.storage.pending_saves import SpoolAnswer
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
    assert pending_saves.list_waiting(root) == []
    later = pending_saves.add(root, {}, NOW + timedelta(seconds=1))
    first = pending_saves.add(root, {}, NOW)
    Path(root.index_folder, "spool", "notes.txt").write_text("x")

    assert pending_saves.list_waiting(root) == [first, later]
    assert pending_saves.is_older(first, NOW + timedelta(seconds=1))
    assert not pending_saves.is_older(later, NOW + timedelta(seconds=1))
    assert not pending_saves.is_older(first, NOW)


def test_a_file_that_is_not_ours_is_no_session(tmp_path):
    root = project_root(str(tmp_path))
    path = pending_saves.add(root, {}, NOW)
    for text in ("[]", "{", "1"):
        Path(path).write_text(text)
        assert pending_saves.load(path) == {}


def test_one_that_waits_too_long_is_left_to_the_next_save(tmp_path):
    root = project_root(str(tmp_path))
    path = pending_saves.add(root, {"topic": "缓存"}, NOW, is_awaited=True)
    assert (pending_saves.list_waiting(root), pending_saves.list_kept(root)) == ([path], [])

    pending_saves.keep(path)

    assert [pending_saves.load(path) for path in pending_saves.list_kept(root)] == [
        {"topic": "缓存"}
    ]
    assert pending_saves.find_answer(path) is None
    with pytest.raises(NotFoundError):
        pending_saves.keep(path)


def test_only_those_who_wait_are_answered(tmp_path):
    root = project_root(str(tmp_path))
    path = pending_saves.add(root, {}, NOW, is_awaited=True)
    kept = pending_saves.add(root, {}, NOW)
    answer = SpoolAnswer("2026-01-29#3", ("saved, but …",))

    assert pending_saves.begin(root, [path, kept]) == set()
    assert pending_saves.find_answer(path) is None
    pending_saves.finish(root, {path: answer, kept: answer})

    assert pending_saves.find_answer(path) == answer
    assert pending_saves.find_answer(kept) is None
    assert pending_saves.list_waiting(root) == []
    Path(kept).write_text("{}")
    assert pending_saves.begin(root, [kept]) == set(), "nothing is noted of what was saved"


def test_an_answer_stays_for_minutes_while_others_are_saved(tmp_path):
    root = project_root(str(tmp_path))
    now, before = (
        pending_saves.add(root, {}, NOW, is_awaited=True) for _ in ("answered now", "years ago")
    )
    pending_saves.finish(root, {now: SpoolAnswer("2026-01-29#3"), before: SpoolAnswer("x")})
    answers = Path(root.index_folder, "spool", "answers")
    noted = json.loads(answers.read_text())
    noted[Path(before).stem][0] = "1500000000.0"
    answers.write_text(json.dumps(noted))

    pending_saves.begin(root, [])

    assert pending_saves.find_answer(now) == SpoolAnswer("2026-01-29#3")
    assert pending_saves.find_answer(before) is None


def test_what_somebody_began_to_save_may_be_saved(tmp_path):
    root = project_root(str(tmp_path))
    paths = [pending_saves.add(root, {}, NOW, is_awaited=True) for _ in range(3)]
    pending_saves.begin(root, paths[:2])  # and was killed
    pending_saves.keep(paths[1])

    assert pending_saves.begin(root, pending_saves.list_waiting(root)) == {
        paths[0],
        *pending_saves.list_kept(root),
    }


def test_answers_that_nobody_can_read_are_none(tmp_path):
    root = project_root(str(tmp_path))
    path = pending_saves.add(root, {}, NOW, is_awaited=True)
    os.remove(path)
    for text in ("[]", "{", f'{{"{Path(path).stem}": 7}}'):
        Path(root.index_folder, "spool", "answers").write_text(text)

        assert pending_saves.find_answer(path) is None
