"""Several files: all changed, or none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, ConflictError
from daily_memory.storage.fs import files, transaction
from daily_memory.storage.fs.files import PRIVATE
from daily_memory.storage.fs.transaction import FileChange


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def change(path: Path, after: str | None, **more: object) -> FileChange:
    before = path.read_bytes() if path.exists() else None
    new = None if after is None else after.encode()
    return FileChange("x", str(path), before, new, files.stamp(str(path)))._replace(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "action"),
    [
        (None, None, "keep"),
        (b"a", b"a", "keep"),
        (None, b"a", "create"),
        (b"a", b"b", "change"),
        (b"a", None, "remove"),
    ],
)
def test_a_change_says_what_it_does(before, after, action):
    assert FileChange("x", "p", before, after).action == action


def test_files_are_made_changed_and_removed(tmp_path):
    (tmp_path / "a").write_text("甲")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_text("乙")
    planned = [
        change(tmp_path / "a", "changed"),
        change(tmp_path / "sub" / "b", None),
        change(tmp_path / "new" / "c", "made"),
        change(tmp_path / "none", None),
    ]

    transaction.apply(planned, str(tmp_path), PRIVATE)

    assert tree(tmp_path) == {"a": b"changed", "new/c": b"made"}
    assert not (tmp_path / "sub").exists()


def test_a_copy_is_kept_out_of_the_sight_of_others_and_of_git(tmp_path):
    (tmp_path / "a").write_text("密钥")
    backup = tmp_path / "kept" / "a"
    transaction.apply(
        [change(tmp_path / "a", "new", backup=str(backup), keeps=True)], str(tmp_path), PRIVATE
    )

    assert backup.read_text() == "密钥"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert (backup.parent / ".gitignore").read_text() == "*\n"

    again = change(tmp_path / "a", "密钥", backup=str(backup), frees=True)
    transaction.apply([again], str(tmp_path), PRIVATE)

    assert tree(tmp_path) == {"a": "密钥".encode()}
    assert not backup.parent.exists()


def test_a_copy_leaves_others_alone_when_it_goes(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        backup = str(tmp_path / "kept" / name)
        planned = change(tmp_path / name, "new", backup=backup, keeps=True)
        transaction.apply([planned], str(tmp_path), PRIVATE)

    freed = change(tmp_path / "a", "a", backup=str(tmp_path / "kept" / "a"), frees=True)
    transaction.apply([freed], str(tmp_path), PRIVATE)

    assert set(tree(tmp_path / "kept")) == {"b", ".gitignore"}


@pytest.mark.parametrize("after", ["later", None])
def test_a_file_that_changed_meanwhile_stops_all_changes(tmp_path, after):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    planned = [
        change(tmp_path / "a", "new", backup=str(tmp_path / "kept" / "a"), keeps=True),
        change(tmp_path / "b", None),
        change(tmp_path / "new" / "d", "made"),
        change(tmp_path / "c", after),
    ]
    (tmp_path / "c").write_text("by somebody else")

    with pytest.raises(ConflictError):
        transaction.apply(planned, str(tmp_path), PRIVATE)

    assert tree(tmp_path) == {"a": b"a", "b": b"b", "c": b"by somebody else"}
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_a_folder_that_can_not_be_made_stops_all_changes(tmp_path):
    (tmp_path / "a").write_text("a")
    planned = [change(tmp_path / "a", "new"), change(tmp_path / "link" / "b", "made")]
    (tmp_path / "link").write_text("a file where a folder should be")

    with pytest.raises(BackendError):
        transaction.apply(planned, str(tmp_path), PRIVATE)

    assert (tmp_path / "a").read_text() == "a"


def test_folders_outside_are_never_removed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("a")

    transaction.apply([change(tmp_path / "out" / "a", None)], str(tmp_path / "in"), PRIVATE)

    assert (tmp_path / "out").is_dir()


def test_a_write_that_fails_at_its_end_is_taken_back_too(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("甲")
    real = files.replace

    def fail_at_the_end(path: str, data: bytes, *rest: object, **more: object) -> None:
        real(path, data, *rest, **more)  # type: ignore[arg-type]
        if data == b"made":
            raise BackendError("no space left on device")

    monkeypatch.setattr(files, "replace", fail_at_the_end)
    planned = [change(tmp_path / "a", "changed"), change(tmp_path / "new" / "b", "made")]

    with pytest.raises(BackendError):
        transaction.apply(planned, str(tmp_path), PRIVATE)

    assert tree(tmp_path) == {"a": "甲".encode()}
    assert not (tmp_path / "new").exists()


def test_what_somebody_wrote_meanwhile_is_not_undone_and_keeps_nothing_else(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).write_text("甲")
    real = files.replace

    def write(path: str, data: bytes, *rest: object, **more: object) -> None:
        if data == b"last":
            (tmp_path / "b").write_text("theirs")
            (tmp_path / "c").unlink()
            (tmp_path / "c").mkdir()  # it can't even be read now
            raise BackendError("no space left on device")
        real(path, data, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", write)
    planned = [change(tmp_path / name, "new") for name in "abc"]
    planned.append(change(tmp_path / "d", "last"))

    with pytest.raises(BackendError):
        transaction.apply(planned, str(tmp_path), PRIVATE)

    assert tree(tmp_path) == {"a": "甲".encode(), "b": b"theirs"}
