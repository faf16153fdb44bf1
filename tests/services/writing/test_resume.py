"""A conversation that comes again after its section was archived has one section all the same."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.hosts.events import parse_event
from daily_memory.services.reading import browse
from daily_memory.services.upkeep import archive
from daily_memory.services.writing import resume
from daily_memory.storage import archive_files, deleted
from tests.conversations import CHINESE, ENGLISH

MESSAGES = [{"role": role, "content": text} for role, text in CHINESE]
MORE = [{"role": role, "content": text} for role, text in (*CHINESE, *ENGLISH)]
NOTE = "---\ntitle: {title}\npermalink: {key}\ncreated: 2026-01-05\n---\n\nRedis 缓存\n\nOne.\n"


def ids(memory: Memory) -> list[str]:
    return [str(found.session.id) for found in memory.sessions()]


def archived(memory: Memory) -> list[str]:
    found = browse.archived_sessions([memory.workspace.save_root()])
    return [str(one.session.id) for one in found]


def put_away(memory: Memory, clock) -> None:
    """Archive all that there is, and let some months pass."""
    clock.now += timedelta(days=100)
    assert memory.archive.store(memory.archive.due(before=clock.now.date())).ids


@pytest.fixture
def old(memory: Memory, clock) -> Memory:
    """A memory with an archived conversation, one that is archived beside it, and a note."""
    memory.save({"messages": MESSAGES, "conversation": "c"})
    memory.save({"topic": "另一个", "conversation": "d"})
    put_away(memory, clock)
    assert (ids(memory), archived(memory)) == ([], ["2026-01-29#1", "2026-01-29#2"])
    memory.add("later")
    return memory


def test_a_conversation_that_went_on_comes_back_into_its_day(old):
    saved = old.save({"messages": MORE, "conversation": "c"})

    assert saved.id == "2026-01-29#1"
    assert archived(old) == ["2026-01-29#2"]
    assert ids(old) == ["2026-01-29#1", "2026-05-09#1"]
    assert "checkout" in str(old.get(saved.id).session)
    assert old.search("checkout").hits[0].session.number == 1


def test_saved_again_as_it_was_it_is_not_there_twice(old):
    old.save({"messages": MESSAGES, "conversation": "c"})

    assert [*ids(old), *archived(old)].count("2026-01-29#1") == 1
    assert len([*ids(old), *archived(old)]) == 3


def test_another_conversation_is_as_new_as_ever(old):
    assert old.save({"topic": "new", "conversation": "e"}).id == "2026-05-09#2"
    assert archived(old) == ["2026-01-29#1", "2026-01-29#2"]


def test_what_a_person_edited_in_the_archive_stays_and_is_continued(memory, clock, day_file):
    memory.save({"messages": MESSAGES, "conversation": "c"})
    day = day_file()
    day.write_text(day.read_text(encoding="utf-8").replace("300 秒", "600 秒"), encoding="utf-8")
    put_away(memory, clock)

    saved = memory.save({"messages": MORE, "conversation": "c"})

    assert archived(memory) == ["2026-01-29#1"]
    assert (saved.id, saved.session.continues) == ("2026-05-09#1", "2026-01-29#1")


def test_a_live_session_that_is_resumed_later_holds_what_is_new(memory, clock):
    memory.start("c", host="claude")
    memory.log("用 xylophonezz 做缓存", kind="decision", conversation="c")
    memory.end("c")
    put_away(memory, clock)

    memory.start("c", host="claude")
    memory.log("决定把 TTL 改成 600 秒", kind="decision", conversation="c")
    ended = memory.end("c")

    session = memory.get(ended.id).session
    assert (ended.id, session.continues) == ("2026-05-09#1", "2026-01-29#1")
    assert "xylophonezz" not in str(session)
    assert archived(memory) == ["2026-01-29#1"]


def test_a_live_session_whose_section_was_rolled_over_goes_on_in_it(memory, clock):
    memory.start("c", host="claude")
    memory.log("用 Redis 做缓存", kind="decision", conversation="c")
    memory.end("c")
    root = memory.workspace.save_root()
    clock.now += timedelta(days=1)
    moved = archive.store(archive.overflow(root, 0.0001, clock.now.date()), clock.now)
    assert moved.ids == ("2026-01-29#1",)

    memory.log("决定把 TTL 改成 600 秒", kind="decision", conversation="c")
    ended = memory.end("c")

    assert (ended.id, ids(memory), archived(memory)) == ("2026-01-29#1", ["2026-01-29#1"], [])
    assert len(memory.get(ended.id).session.decisions) == 2


def test_an_archive_that_can_not_be_read_keeps_nobody_from_saving(old):
    path = Path(
        archive_files.day_path(old.workspace.save_root(), next(iter(old.sessions())).session.date)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"not a gzip")

    assert old.save({"topic": "x", "conversation": "c"}).id == "2026-01-29#1"


def test_what_only_mentions_the_conversation_is_not_taken_for_it(old):
    root = old.workspace.save_root()
    day = next(archive_files.each_day(root)).date
    data = archive_files.find_data(root, day) or b""
    text = '\n## Session 9 - 09:00\n\n### Topic\nit says "e" in its text\n\n---\n'
    archive_files.store(root, day, data + text.encode())

    assert resume.find_section(root, "e") is None


# ---------------------------------------------------------------------------- imports


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text(NOTE.format(title="缓存", key="same"), encoding="utf-8")
    return folder


def test_an_archived_note_is_there_already(memory, notes, clock):
    memory.add("another one, 另一个")
    memory.import_from("notes", [str(notes)])
    put_away(memory, clock)

    result = memory.import_from("notes", [str(notes)])

    assert (result.ids, result.present) == ((), 1)
    assert ids(memory) == []


def test_what_a_deletion_noted_says_nothing_of_what_is_archived(old):
    """Archived is not deleted: nothing is left out."""
    assert deleted.load(old.workspace.save_root()) == []
    data = gzip.decompress(next(Path(old.workspace.save_root().path).rglob("*.md.gz")).read_bytes())
    assert json.dumps("c").encode() in data


@pytest.mark.parametrize("is_archived", [False, True])
def test_what_was_private_stays_so_when_it_goes_on_months_later(memory, clock, is_archived):
    go_on_as_private(memory, clock, is_archived=is_archived)

    memory.start("c")
    memory.log("郁金香 tulip two", kind="decision", conversation="c")

    assert memory.observations.live("c").private
    assert len(memory.observations.live("c").observations) == 1
    assert not memory.observations.search("tulip").hits
    memory.end("c")
    assert not memory.search("tulip").hits


def test_a_hook_that_goes_on_months_later_keeps_it_private(memory, clock):
    go_on_as_private(memory, clock, is_archived=True)
    said = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c"}

    memory.handle(parse_event({**said, "prompt": "郁金香 tulip two"}, {}, "cursor"))

    assert memory.observations.live("c").private


def test_what_can_not_be_read_may_have_been_private(memory, clock):
    go_on_as_private(memory, clock, is_archived=True)
    ((packed, _),) = archive_files.list_observed(memory.workspace.save_root())
    Path(packed).write_bytes(b"damaged")

    assert memory.start("c").private
    assert not memory.start("another").private


def go_on_as_private(memory: Memory, clock, *, is_archived: bool) -> None:
    """Let months pass after a conversation whose section was marked as private."""
    memory.start("c")
    memory.log("郁金香 tulip one", kind="decision", conversation="c")
    memory.mark([memory.end("c").id], {"private": True})
    clock.now += timedelta(days=100)
    memory.add("later")
    if is_archived:
        assert memory.archive.store(memory.archive.due(before=clock.now.date())).observed == 1
        return
    for number in range(40):  # the folders of so many days hide an older one
        memory.start(f"other {number}")
        clock.now += timedelta(days=1)
