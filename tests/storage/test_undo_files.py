"""The store of what can be undone: whole files, in order, kept long enough."""

from __future__ import annotations

import os
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from daily_memory.core.undo_steps import ChangedDay, Operation, SectionChange
from daily_memory.errors import BackendError
from daily_memory.storage import undo_files
from daily_memory.storage.roots import Root

NOW = datetime(2026, 1, 29, 10, 30, 45, tzinfo=timezone(timedelta(hours=8)))
DAY = ChangedDay("2026-01-29", "", (), (SectionChange("2026-01-29#1", "缓存", "## Session 1\n"),))
OPERATION = Operation("", "2026-01-29T02:30:45+00:00", "delete", (DAY,))


def names(root: Root) -> list[str]:
    return sorted(os.listdir(root.undo_folder))


def test_the_same_operation_is_the_same_bytes(root):
    added = undo_files.add(root, OPERATION, NOW)
    (name,) = names(root)
    data = Path(root.undo_folder, name).read_bytes()
    shutil.rmtree(root.undo_folder)

    assert undo_files.add(root, OPERATION, NOW) == added == OPERATION._replace(id="1")
    assert name == "000001-20260129T023045Z.json.gz"
    assert Path(root.undo_folder, name).read_bytes() == data
    assert os.stat(Path(root.undo_folder, name)).st_mode & 0o777 == 0o600
    assert undo_files.find_all(root) == [added]


def test_a_number_is_not_given_again(root):
    first = undo_files.add(root, OPERATION, NOW)
    second = undo_files.add(root, OPERATION, NOW)
    undo_files.remove(root, second.id)
    undo_files.remove(root, "9")
    assert len(names(root)) == 2

    third = undo_files.add(root, OPERATION, NOW)
    undo_files.remove(root, first.id)

    assert (first.id, second.id, third.id) == ("1", "2", "3")
    assert names(root) == ["000003-20260129T023045Z.json.gz"]


def test_an_operation_that_did_nothing_is_not_kept(root):
    nothing = OPERATION._replace(days=())

    assert undo_files.store(root, nothing, NOW) == nothing
    assert not os.path.exists(root.undo_folder)


def test_an_operation_that_has_a_number_is_changed_or_removed_under_it(root):
    undo_files.add(root, OPERATION, NOW)
    second = undo_files.store(root, OPERATION, NOW)
    undone = second._replace(action="edit", undoes="1")

    assert undo_files.store(root, undone, NOW + timedelta(days=1)) == undone
    assert [one.action for one in undo_files.find_all(root)] == ["edit", "delete"]
    undo_files.store(root, undone._replace(days=()), NOW)
    assert [one.id for one in undo_files.find_all(root)] == ["1"]
    assert len(undo_files.paths(root)) == 2


def test_operations_are_joined_under_the_number_of_the_last(root):
    for number in (1, 2, 3):
        day = DAY._replace(date=f"2026-01-0{number}")
        undo_files.add(root, OPERATION._replace(days=(day,)), NOW)

    undo_files.join(root, {"1", "3", "9"}, "import")

    left = [
        (one.id, one.action, [day.date for day in one.days]) for one in undo_files.find_all(root)
    ]
    assert left == [
        ("3", "import", ["2026-01-01", "2026-01-03"]),
        ("2", "delete", ["2026-01-02"]),
    ]


def test_thirty_days_stay_and_always_the_last_twenty(root):
    for number in range(30):
        undo_files.add(root, OPERATION, NOW + timedelta(hours=number))

    undo_files.add(root, OPERATION, NOW + timedelta(days=30, hours=5))
    assert [one.id for one in undo_files.find_all(root)] == [str(n) for n in range(31, 5, -1)]
    undo_files.add(root, OPERATION, NOW + timedelta(days=3653))
    assert [one.id for one in undo_files.find_all(root)] == [str(n) for n in range(32, 12, -1)]


def test_what_is_damaged_hides_nothing_and_is_told_of(root):
    added = undo_files.add(root, OPERATION, NOW)
    broken = Path(root.undo_folder, "000002-20260129T023045Z.json.gz")
    for data in (b"\x1f\x8b", b"no gzip", b"\x1f\x8b\x08\x00" + bytes(20)):
        broken.write_bytes(data)
        assert undo_files.find_all(root) == [added]
        assert undo_files.faults(root) == [str(broken)]
    Path(root.undo_folder, "notes.txt").write_text("mine")
    assert undo_files.forget_ids(root, {"2026-01-29#2"}) == 0
    assert undo_files.forget_ids(root, {"2026-01-29#1"}) == 1
    assert undo_files.find_all(root) == []


def test_a_root_without_a_store_has_nothing(root):
    assert (undo_files.find_all(root), undo_files.forget(root, bool)) == ([], 0)


def test_what_can_not_be_read_is_told_of(root):
    Path(root.undo_folder, "000001-20260129T023045Z.json.gz").mkdir(parents=True)

    with pytest.raises(BackendError, match="is not a regular file"):
        undo_files.find_all(root)
    assert len(undo_files.faults(root)) == 1
