from __future__ import annotations

from collections.abc import Callable

import pytest

from daily_memory.storage.fs import files
from daily_memory.storage.fs.encryption import Sealed
from daily_memory.storage.fs.file_cache import FileCache
from daily_memory.storage.fs.files import Modes

OLD, OTHER = (3, 1, 1), (4, 1, 1)


def counting() -> Callable[[], int]:
    made: list[int] = []

    def make() -> int:
        made.append(0)
        return len(made)

    return make


def test_what_was_made_of_a_file_is_kept_until_its_stamp_changes():
    kept, make, modes = FileCache(9), counting(), Modes()

    stamps = (OLD, OLD, OTHER, OTHER, OLD)

    assert [kept.get(modes, "a", stamp, make) for stamp in stamps] == [1, 1, 2, 2, 3]


def test_files_and_their_parts_are_told_apart():
    kept, make, modes = FileCache(9), counting(), Modes()

    made = [kept.get(modes, path, OLD, make, part=part) for path in "ab" for part in (1, 2, 1)]

    assert made == [1, 2, 1, 3, 4, 3]


def test_nothing_is_kept_of_what_may_change_without_a_new_stamp(monkeypatch):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", 10**18)
    kept, make = FileCache(9), counting()

    assert [kept.get(Modes(), "a", (3, 10**18 + 1, 1), make) for _ in range(2)] == [1, 2]


def test_nothing_is_kept_of_what_is_encrypted(tmp_path):
    kept, make, modes = FileCache(9), counting(), Sealed(str(tmp_path))

    assert [kept.get(modes, "a", OLD, make) for _ in range(2)] == [1, 2]


def test_all_is_forgotten_before_it_is_too_much():
    kept, make, modes = FileCache(2), counting(), Modes()

    assert [kept.get(modes, path, OLD, make) for path in "abcca"] == [1, 2, 3, 3, 4]


def test_what_could_not_be_made_is_made_again():
    kept, modes = FileCache(9), Modes()

    with pytest.raises(ZeroDivisionError):
        kept.get(modes, "a", OLD, lambda: 1 // 0)

    assert kept.get(modes, "a", OLD, lambda: 5) == 5
