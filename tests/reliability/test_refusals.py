"""The system refuses: another process holds the lock, the disk is full, others own the files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tests.reliability.store import (
    CAN_FORK,
    Store,
    content,
    expected,
    expected_by_hand,
    is_polite,
    witness,
)
from tests.reliability.victims import BY_HAND, two_sessions

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
NOBODY = 65534
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to be another user"
)


def saved(number: int) -> str:
    return json.dumps(witness(number), ensure_ascii=False)


# ---------------------------------------------------------------------------- the lock


@pytest.mark.parametrize("action", ["", "stop"], ids=["busy", "suspended"])
def test_a_save_does_not_wait_for_ever_and_keeps_the_text(action, store, held_lock):
    two_sessions(store)
    before = store.day_bytes()

    with held_lock(store, action):
        done = store.run("save", "--json", stdin=saved(5), wait_s=0.05)
        search = store.run("search", "witness1x", "--json")

    assert done.status == 4
    assert "busy" in done.out
    assert is_polite(done) == ""
    assert search.json["results"][0]["id"] == "2026-01-29#1"
    assert store.day_bytes() == before
    assert len(list((store.index / "spool").glob("*.json"))) == 1

    after = store.run("save", "--json", stdin=saved(6))

    assert after.status == 0
    said = sorted(map(content, store.sessions()))
    assert said == sorted(
        [
            *map(expected, (1, 2, 5, 6)),
            expected(3, date="2026-01-30"),
            expected_by_hand(BY_HAND),
        ],
    )
    assert list((store.index / "spool").iterdir()) == []
    assert store.index_faults() == []


def test_reading_never_waits_for_the_lock(store, held_lock):
    two_sessions(store)
    (store.index / "lookup.sqlite3").unlink()

    with held_lock(store):
        outcomes = [
            store.run(*argv, timeout_s=6)
            for argv in (
                ("list",),
                ("show", "2026-01-29#1"),
                ("search", "witness2x"),
                ("inject", "witness2x"),
                ("inject",),
                ("doctor",),
                ("export",),
            )
        ]

    assert [one.status for one in outcomes] == [0] * len(outcomes)


@pytest.mark.parametrize("stale", [b"", b"999999\n", b"\0" * 100])
def test_a_lock_file_that_a_dead_process_left_holds_nobody_up(stale, store):
    two_sessions(store)
    (store.index / ".lock").write_bytes(stale)

    done = store.run("save", stdin=saved(5), wait_s=0.5)

    assert done.status == 0, done.err


# ---------------------------------------------------------------------------- the disk


@needs_root
@pytest.mark.needs("mount")
def test_a_full_disk_takes_nothing_away(tmp_folder, zygote):
    command = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(tmp_folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        store = Store(tmp_folder, zygote)
        acknowledged: list[int] = []
        done = store.run("save", "--json", stdin=saved(1))
        while done.status == 0 and len(acknowledged) < 100:
            acknowledged.append(len(acknowledged) + 1)
            data = witness(len(acknowledged) + 1, summary="长 long " * 1500)
            done = store.run("save", "--json", stdin=json.dumps(data))
        before = store.day_bytes()
        with open(tmp_folder / "ballast", "wb", buffering=0) as ballast:
            for size in (4096, 1):
                try:
                    while True:
                        ballast.write(b"x" * size)
                except OSError:
                    pass
            # More than may be left in the last page of the day.
            much = json.dumps(witness(200, summary="长 long " * 15000))
            full = store.run("save", "--json", stdin=much)

            assert full.status != 0
            assert is_polite(full) == ""
            assert store.day_bytes() == before
            assert store.run("list").status == 0
            assert store.run("search", "witness1x", "--json").json["results"]
        (tmp_folder / "ballast").unlink()
        shutil.rmtree(store.index)

        after = store.run("save", "--json", stdin=saved(201))

        assert after.status == 0, after.err
        said = set(map(content, store.sessions()))
        assert expected(1) in said
        assert expected(201) in said
        assert expected(200) not in said
        assert len(said) == len(store.sessions()) >= len(acknowledged) + 1
        assert store.leftovers() == []
        assert store.index_faults() == []
    finally:
        subprocess.run(["umount", str(tmp_folder)], check=True)


# ---------------------------------------------------------------------------- other users


@pytest.fixture
def theirs(store):
    """A memory of another user, which that user may read and write."""
    two_sessions(store)
    os.chmod(store.folder, 0o755)
    for folder, _, names in os.walk(store.folder):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.chown(path, NOBODY, NOBODY)
    return store


def lock_up(store: Store, mode: int) -> None:
    for folder, _, names in os.walk(store.project, topdown=False):
        for name in names:
            os.chmod(os.path.join(folder, name), mode & 0o666)
        os.chmod(folder, mode)


@needs_root
def test_a_memory_that_may_not_be_written_is_still_read(theirs):
    # Something changed since the index was made, so that an answer needs more than the index.
    with theirs.day().open("ab") as file:
        file.write("\n\n## Session 9 - 09:00:00\n\n### 主题\n手写 handmade\n\n---\n".encode())
    lock_up(theirs, 0o555)

    search = theirs.run("search", "handmade", "--json", user=NOBODY)
    others = [
        theirs.run(*argv, user=NOBODY)
        for argv in (("list",), ("show", "2026-01-29#1"), ("inject",), ("inject", "handmade"))
    ]
    save = theirs.run("save", "--json", stdin=saved(5), user=NOBODY)

    assert search.json["results"][0]["id"] == "2026-01-29#9"
    assert [one.status for one in others] == [0, 0, 0, 0]
    assert save.status != 0
    assert is_polite(save) == ""
    assert "permission denied" in save.err


@needs_root
@pytest.mark.parametrize("name", ["", "keywords.json", "lookup.sqlite3", "journal.jsonl", ".lock"])
def test_an_index_that_may_not_be_read_keeps_nobody_from_searching(name, theirs):
    (theirs.index / name).chmod(0o000)

    search = theirs.run("search", "witness2x", "--json", user=NOBODY)
    save = theirs.run("save", "--json", stdin=saved(5), user=NOBODY)
    reindex = theirs.run("reindex", user=NOBODY)
    doctor = theirs.run("doctor", user=NOBODY)

    assert search.json["results"][0]["id"] == "2026-01-29#2"
    assert [is_polite(one) for one in (search, save, reindex)] == [""] * 3
    assert "Traceback" not in doctor.err + doctor.out
    assert "a bug" not in doctor.err
    assert (save.status == 0) == (expected(5) in map(content, theirs.sessions(user=NOBODY)))


@needs_root
def test_a_day_that_may_not_be_read_hides_no_other(theirs):
    theirs.day().chmod(0o000)

    search = theirs.run("search", "witness3x", "--json", user=NOBODY)
    listed = theirs.run("list", "--json", user=NOBODY)
    doctor = theirs.run("doctor", user=NOBODY)
    save = theirs.run("save", stdin=saved(5), user=NOBODY)

    assert search.json["results"][0]["id"] == "2026-01-30#1"
    assert [one["id"] for one in listed.json["sessions"]] == ["2026-01-30#1"]
    assert doctor.status == 5
    assert str(theirs.day()) in doctor.out
    assert save.status != 0
    assert is_polite(save) == ""


@needs_root
def test_a_home_that_may_not_be_written_spoils_no_save(theirs):
    shutil.rmtree(theirs.home / ".cursor")
    os.chmod(theirs.home, 0o555)

    done = theirs.run("save", stdin=saved(5), user=NOBODY)

    assert done.status == 0, done.err
    assert expected(5) in map(content, theirs.sessions(user=NOBODY))
