"""The list of deleted sections, to the byte, and what a purge leaves of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory.storage import deleted
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.roots import Root

AT = "2026-01-29T10:30:00+00:00"
UUID = "3f2a9c10-8aa0-487e-ac75-5e0066870c49"
FIRST = Deleted(AT, "2026-01-29#1", deleted.key("chat"), ("aa", "bb"))
SECOND = Deleted(AT, "2026-01-29#2", deleted.key(UUID), ("cc",))


def written(root: Root) -> bytes:
    return Path(root.index_folder, "deleted.jsonl").read_bytes()


def test_each_section_is_one_line_and_what_is_empty_is_left_out(root):
    deleted.add(root, [FIRST, Deleted(AT, "2026-01-29#3")])

    assert written(root) == (
        b'{"at": "2026-01-29T10:30:00+00:00", "id": "2026-01-29#1",'
        b' "conversation": "31e06f7d89feb99a0e6c0affe198748c", "digests": ["aa", "bb"]}\n'
        b'{"at": "2026-01-29T10:30:00+00:00", "id": "2026-01-29#3"}\n'
    )
    assert deleted.load(root) == [FIRST, Deleted(AT, "2026-01-29#3")]


def test_more_is_added_below_and_half_a_line_does_not_swallow_it(root):
    deleted.add(root, [FIRST])
    whole = written(root)
    deleted.add(root, [SECOND])

    assert written(root).startswith(whole)
    assert b"\n\n" not in written(root)

    Path(root.index_folder, "deleted.jsonl").write_bytes(whole + b'{"at": "20')
    deleted.add(root, [SECOND])

    assert written(root).startswith(whole + b'{"at": "20\n{"at"')
    assert deleted.load(root) == [FIRST, SECOND]


def test_a_conversation_finds_its_sections(root):
    deleted.add(root, [FIRST, SECOND])

    assert deleted.find(root, "chat") == [FIRST]
    assert deleted.find(root, "") == []


def test_lines_that_are_no_section_are_skipped(root):
    path = Path(root.index_folder, "deleted.jsonl")
    path.write_bytes(b'[]\n{"at": "x"}\n\xff\n{"at": "x", "id": "y", "purged": 1}\n')

    assert deleted.load(root) == [Deleted("x", "y")]


def test_of_what_is_back_only_the_number_stays(root):
    deleted.add(root, [FIRST, SECOND])

    deleted.lift(root, lambda section: section.id == "2026-01-29#1")

    assert deleted.load(root) == [Deleted(AT, "2026-01-29#1"), SECOND]


def test_of_what_is_purged_nothing_stays_that_could_be_guessed(root):
    deleted.add(root, [FIRST, SECOND])

    deleted.purge(root, {FIRST.id: ["chat"], SECOND.id: ["chat", UUID]}, "later")

    assert deleted.load(root) == [
        Deleted("later", FIRST.id, "", (), True),
        Deleted("later", SECOND.id, deleted.key(UUID), (), True),
    ]


def test_an_id_that_is_purged_again_is_noted_again_beside_the_first_note(root):
    deleted.purge(root, {FIRST.id: [UUID]}, "before")

    deleted.purge(root, {FIRST.id: ["other"]}, "later")

    assert deleted.load(root) == [
        Deleted("before", FIRST.id, deleted.key(UUID), (), True),
        Deleted("later", FIRST.id, "", (), True),
    ]


@pytest.mark.parametrize(
    "guessable", ["3f2a", f"{UUID}0", f"x{UUID}", "3f2a9c10-8aa0487e-ac75-5e0066870c49"]
)
def test_only_a_uuid_cannot_be_guessed(root, guessable):
    deleted.purge(root, {FIRST.id: [guessable]}, AT)

    assert deleted.load(root) == [Deleted(AT, FIRST.id, "", (), True)]


@pytest.mark.parametrize("random", [UUID, UUID.upper(), UUID.replace("-", "")])
def test_a_uuid_may_be_written_in_three_ways(root, random):
    deleted.purge(root, {FIRST.id: [random]}, AT)

    assert deleted.load(root) == [Deleted(AT, FIRST.id, deleted.key(random), (), True)]
