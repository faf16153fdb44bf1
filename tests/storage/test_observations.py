"""Live sessions on disk: lines that only grow, read once each, whatever a crash left of them."""

from __future__ import annotations

import base64
import os
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.observation import SAVE_TOOL, Observation, format_observation
from daily_memory.model import Session
from daily_memory.storage import archive_moves, day_sections, key_holders, keys, observations
from daily_memory.storage.fs import encryption, files
from daily_memory.storage.fs.file_cache import FileCache
from daily_memory.storage.roots import Root

NOW = datetime(2026, 1, 29, 10, 30, tzinfo=timezone(timedelta(hours=8)))
SEALED = base64.b64encode(b"age-encryption.org/v1\n-> X25519 x\n") + b"\n"


@pytest.fixture
def path(root) -> str:
    made = observations.new_path(root, "c", NOW.date())
    line = observations.session_line("c", "cursor", "app", NOW.isoformat())
    observations.append(root, made, line)
    return made


def said(
    text: str, after_s: float = 0, kind: str = "user", turn: str = "", event: str = ""
) -> Observation:
    at = (NOW + timedelta(seconds=after_s)).isoformat()
    return Observation(at, kind, text, turn=turn, event=event)


def add(root: Root, path: str, *added: Observation) -> None:
    observations.append(root, path, *map(format_observation, added))


def test_what_was_added_comes_back(root, path):
    add(root, path, said("为什么慢？"), said("no cache", kind="assistant"))

    live = observations.load(path)

    assert (live.conversation, live.host, live.project) == ("c", "cursor", "app")
    assert [one.text for one in live.observations] == ["为什么慢？", "no cache"]
    assert observations.find_path(root, "c") == path
    assert observations.find_path(root, "d") == ""


def test_only_the_owner_can_read_it(root, path):
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("added", "count"),
    [
        ([said("x", turn="1"), said("x", 60, turn="1")], 1),
        ([said("x", turn="1"), said("x", 60, turn="2")], 2),
        ([said("x"), said("x", 10)], 1),
        ([said("x"), said("x", 11)], 2),
        ([said("继续"), said("继续", 60)], 2),
        ([said("a", kind="assistant"), said("a", 60, kind="assistant")], 1),
        ([said("a", kind="assistant"), said("x", 1), said("a", 60, kind="assistant")], 3),
        ([said("ls", kind="tool", event="1"), said("ls", 60, kind="tool", event="1")], 1),
        ([said("ls", kind="tool", event="1"), said("ls", 1, kind="tool", event="2")], 2),
        ([said("x"), Observation("?", "user", "x")], 2),
    ],
)
def test_what_a_host_tells_twice_is_there_once(root, path, added, count):
    add(root, path, *added)

    assert len(observations.load(path).observations) == count


def test_half_a_line_swallows_no_other(root, path):
    with open(path, "ab") as file:
        file.write(b'{"at":"2026-01-29T10')
    add(root, path, said("whole"))
    with open(path, "ab") as file:
        file.write(b'[1]\n{"other":1}\nnot json\n\xff\xfe\n')

    assert [one.text for one in observations.load(path).observations] == ["whole"]


def test_what_came_of_a_session_holds_until_it_goes_on(root, path):
    add(root, path, said("x"))
    assert not observations.is_settled(path)
    observations.append(root, path, observations.format_line(ended="user_close"))
    observations.append(root, path, observations.format_line(digested="2026-01-29#1"))
    assert observations.is_settled(path)
    assert observations.load(path).digested == "2026-01-29#1"
    assert observations.load(path).ended == "user_close"

    add(root, path, said("y"))

    assert not observations.is_settled(path)
    assert observations.load(path).digested == ""


def test_the_last_line_tells_what_came_of_a_session_however_long_the_one_before(root, path):
    add(root, path, said("x" * 9000))
    observations.append(root, path, observations.format_line(digested="2026-01-29#1"))

    assert observations.is_settled(path)


@pytest.mark.parametrize("fields", [{"recalled": ["a"]}, {"asked": True}, {"session": {}}])
def test_what_is_no_news_leaves_a_session_as_it_was(root, path, fields):
    add(root, path, said("x"))
    assert not observations.is_settled(path)
    observations.append(root, path, observations.format_line(**fields))
    assert not observations.is_settled(path)

    observations.append(root, path, observations.format_line(skipped="too short"))
    observations.append(root, path, observations.format_line(**fields))

    assert observations.is_settled(path)


def test_a_session_in_which_nothing_was_said_is_settled_however_much_was_recalled(root, path):
    long = observations.format_line(recalled=["2026-01-29#1"] * 300)
    assert observations.is_settled(path)

    add(root, path, said("x"))
    observations.append(root, path, long)

    assert not observations.is_settled(path)


def test_lines_that_are_no_objects_are_broken(root, path):
    with open(path, "ab") as file:
        file.write(b'{"other":1}\n\n[1]\nnot json\n')

    assert observations.broken_lines(path) == [4, 5]


def test_what_was_recalled_adds_up_until_it_is_forgotten(root, path):
    observations.append(root, path, observations.format_line(recalled=["a", "b"]))
    observations.append(root, path, observations.format_line(recalled=["c"]))
    assert observations.load_recalled(path) == {"a", "b", "c"}
    assert observations.load(path).recalled == {"a", "b", "c"}

    observations.append(root, path, observations.format_line(recalled=None))

    assert observations.load_recalled(path) == frozenset()
    assert observations.load_recalled(path + ".absent") == frozenset()


def test_unfinished_are_those_that_are_in_no_section(root, path):
    now = datetime.now(timezone.utc)
    paths = {}
    for name in ("open", "done", "current"):
        paths[name] = observations.new_path(root, name, now.date())
        observations.append(root, paths[name], observations.session_line(name, "", "", ""))
        add(root, paths[name], said("x"))
    observations.append(root, paths["done"], observations.format_line(skipped="too short"))
    old = observations.new_path(root, "old", date(2020, 1, 1))
    add(root, old, said("x"))
    later = now + timedelta(minutes=5)

    left = observations.unfinished(root, later, but="current")
    assert [file for file in left if file != path] == [old, paths["open"]]
    assert observations.unfinished(root, later, days_back=1, but="current") == [paths["open"]]
    assert observations.unfinished(root, later, idle_s=60, but="current") == left
    assert observations.unfinished(root, later, idle_s=3600, but="current") == []


def test_what_came_while_it_was_digested_is_unfinished(root, path):
    add(root, path, said("x"))
    line = observations.format_line(digested="2026-01-29#1")
    observations.append(root, path, line, observations.format_line(behind=True))

    assert not observations.is_settled(path)
    assert observations.load(path).digested == "2026-01-29#1"


def test_what_is_private_once_is_private(root, path):
    add(root, path, said("工资表 salary", turn="1"))
    add(root, path, said("工资表 salary", turn="1")._replace(private=True))
    add(root, path, said("Redis"))

    assert [(one.text, one.private) for one in observations.load(path).observations] == [
        ("工资表 salary", True),
        ("Redis", False),
    ]


def test_a_damaged_line_does_not_end_recall(root, path):
    observations.append(root, path, observations.format_line(recalled=["a"]))
    with open(path, "ab") as file:
        file.write(b'{"recalled":["\xff\xfe"]}\n')

    assert "a" in observations.load_recalled(path)


def test_nothing_but_files_is_followed(root, path, tmp_path):
    add(root, path, said("x"))
    folder = Path(path).parent
    (folder / "folder.jsonl").mkdir()
    (folder / "link.jsonl").symlink_to(tmp_path)
    (folder / "notes.txt").write_text("x")

    assert observations.list_paths(root, folder.name) == [path]
    assert len(observations.list_paths(root, folder.name, files_only=False)) == 3


def test_without_any_there_are_none(root):
    assert observations.list_days(root) == []
    assert observations.list_paths(root, "2026-01-29") == []
    assert observations.is_settled(os.path.join(root.path, "absent"))


@given(st.text(max_size=200))
def test_every_conversation_has_a_safe_file_of_its_own(name):
    file = observations.file_name(name)

    assert file == os.path.basename(file)
    assert file.endswith(".jsonl")
    assert len(file.encode()) <= 120
    assert file.isascii()
    assert not file.startswith("..") or "-" in file


def test_names_that_look_alike_are_told_apart():
    names = ["a/b", "a_b", "A_B", "a\\b", "", ".", "..", "a" * 100, "a" * 101]

    assert len({observations.file_name(name) for name in names}) == len(names)


def test_only_what_a_section_holds_is_erased_and_no_line_moves(root, tmp_path):
    path = str(tmp_path / "c.jsonl")
    lines = [
        observations.session_line("c", "cursor", "app", "2026-01-29T10:30:45+08:00"),
        format_observation(Observation("", "user", "缓存多久过期？")),
        observations.format_line(recalled=["2026-01-01#1"]),
        format_observation(Observation("", "note", "TTL 300 s")),
        observations.format_line(digested="2026-01-29#1"),
        format_observation(Observation("", "note", "later")),
    ]
    before = "".join(lines).encode()
    files.append(path, before)

    observations.erase(root, path, observations.digested_ranges(path, before, "2026-01-29#2"))
    assert files.read_bytes(path) == before

    observations.erase(root, path, observations.digested_ranges(path, before, "2026-01-29#1"))
    live = observations.load(path)
    assert [one.text for one in live.observations] == ["later"]
    assert (live.places, live.recalled) == ((6,), frozenset({"2026-01-01#1"}))
    assert files.stamp(path)[0] == len(before)
    assert observations.broken_lines(path) == []


def test_what_was_said_ends_where_a_file_without_a_last_line_end_does():
    head = observations.session_line("c", "cursor", "app", "now", meta="x")
    data = (head + format_observation(Observation("", "note", "缓存")).rstrip("\n")).encode()
    places = [(len(head), len(data))]

    assert observations.digested_ranges("c.jsonl", data, "2026-01-29#1") == places
    assert observations.text_ranges("c.jsonl", data) == [
        *places,
        (head.index(',"meta":'), head.index("}}")),
    ]
    assert observations.text_ranges("c.jsonl", data[len(head) :]) == [(0, len(data) - len(head))]
    without = observations.session_line("c", "cursor", "app", "now").encode()
    assert observations.text_ranges("c.jsonl", without) == []


def test_a_conversation_that_goes_on_in_another_file_stays_private(root, path):
    assert observations.inherited_lines(root, "c") == []
    observations.set_private(root, path, is_private=True)
    later = observations.new_path(root, "c", NOW.date() + timedelta(days=1))
    line = observations.session_line("c", "cursor", "app", NOW.isoformat())

    observations.append(root, later, line, *observations.inherited_lines(root, "c"))

    assert observations.load(later).private
    observations.set_private(root, later, is_private=False)
    assert observations.inherited_lines(root, "c") == []
    archive_moves.archive_observations(root, later)
    archive_moves.archive_observations(root, path)
    assert observations.inherited_lines(root, "c") == []


def test_a_conversation_stays_private_after_its_file_went_to_the_archive(root, path):
    observations.set_private(root, path, is_private=True)

    archive_moves.archive_observations(root, path)

    assert observations.inherited_lines(root, "c") == ['{"private":true}\n']


def test_a_conversation_that_cannot_be_read_counts_as_private(root, path):
    Path(path).write_bytes(SEALED)

    assert observations.inherited_lines(root, "c") == ['{"private":true}\n']


def test_all_of_a_conversation_is_private_until_it_is_not(root, tmp_path):
    path = str(tmp_path / "c.jsonl")
    hidden = Observation("", "note", "hidden", private=True)
    files.append(path, format_observation(Observation("", "note", "open")).encode())
    files.append(path, format_observation(hidden).encode())
    files.append(path, observations.format_line(digested="2026-01-29#1").encode())

    observations.set_private(root, path, is_private=True)
    live = observations.load(path)
    assert [one.private for one in live.observations] == [True, True]
    assert (live.private, live.digested, observations.is_settled(path)) == (
        True,
        "2026-01-29#1",
        True,
    )

    observations.set_private(root, path, is_private=False)
    assert [one.private for one in observations.load(path).observations] == [False, True]


def test_a_section_without_a_conversation_was_made_of_nothing(root):
    assert observations.digested_files(root, "", "2026-01-29#1") == []


def test_a_section_is_noted_once_where_the_file_is(root, tmp_path):
    path = str(tmp_path / "c.jsonl")
    observations.note_digested(root, path, "2026-01-29#1")
    assert not os.path.exists(path)
    files.append(path, observations.session_line("c", "", "", "").encode())

    for _ in range(2):
        observations.note_digested(root, path, "2026-01-29#1")

    assert files.read_bytes(path).count(b"digested") == 1
    assert observations.digested_ids(files.read_bytes(path)) == ["2026-01-29#1"]


def test_what_a_killed_process_left_half_blank_is_found():
    assert observations.half_blank_ranges(b'{"a":1}\n     \n   ":1}\n') == [(14, 21)]


@pytest.mark.parametrize("line", ["", observations.format_line(digested="2026-01-28#1")])
def test_a_file_names_no_section_of_a_day_of_which_it_held_none(root, line):
    assert observations.section_name(root, "c", "2026-01-29#1", line.encode()) == ""


@pytest.mark.parametrize(
    ("conversation", "name"),
    [
        ("3f2a-77", "3f2a-77.jsonl"),
        ("a_b.c", "a_b.c.jsonl"),
        ("z9", "z9.jsonl"),
        ("a" * 80, "a" * 80 + ".jsonl"),
        ("a" * 81, "a" * 80 + "-c6192a4f.jsonl"),
        ("ABC", "___-a3830348.jsonl"),
        ("..", "..-9608161c.jsonl"),
        ("", "-00000000.jsonl"),
        ("缓存", "__-8a15ea5f.jsonl"),
    ],
)
def test_a_conversation_has_a_file_of_its_own(conversation: str, name: str) -> None:
    assert observations.file_name(conversation) == name


def test_each_line_of_a_file_is_written_so():
    assert observations.session_line("c", "cursor", "app", "now") == (
        '{"session":{"conversation":"c","host":"cursor","project":"app","began":"now"}}\n'
    )
    assert observations.session_line("c", "cursor", "缓存", "now", meta="x") == (
        '{"session":{"conversation":"c","host":"cursor","project":"缓存","began":"now","meta":"x"}}\n'
    )
    assert observations.format_line(digested="2026-01-29#1") == '{"digested":"2026-01-29#1"}\n'
    assert observations.format_line(ended="clear", at="") == '{"ended":"clear"}\n'
    assert observations.format_line(private=False) == '{"private":false}\n'
    assert observations.format_line(recalled=("a",)) == '{"recalled":["a"]}\n'
    assert observations.format_line(recalled=None) == '{"recalled":null}\n'


def test_only_files_of_live_sessions_are_listed(root, path):
    add(root, path, said("why?", event="e1"))
    folder = Path(path).parent
    (folder / "notes.txt").write_text("x")
    (folder / "link.jsonl").symlink_to(path)
    (folder.parent / "2026-01").mkdir()
    (folder.parent / "x026-01-29").mkdir()

    assert observations.list_days(root) == ["2026-01-29"]
    assert observations.list_paths(root, "2026-01-29") == [path]
    assert observations.list_paths(root, "2026-01-29", files_only=False) == [
        path,
        str(folder / "link.jsonl"),
    ]
    assert list(observations.list_stamps(root, "2026-01-29")) == ["observations/2026-01-29/c.jsonl"]
    assert observations.list_paths(root, "2026-01-30") == []
    assert observations.list_stamps(root, "2026-01-30") == {}


def test_an_event_of_a_host_is_found_with_its_line(root, path):
    add(root, path, said("why?", event="e1"), said("how?", event="e2"))

    found = observations.find_events(root, ["e2", "e1", "e3"])

    assert found == {"e1": "2026-01-29/c:2", "e2": "2026-01-29/c:3"}
    live = observations.load(path)
    ids = [observations.observation_id(live, number) for number in (0, 1)]
    assert ids == ["2026-01-29/c:2", "2026-01-29/c:3"]


def test_an_event_is_found_behind_a_file_that_cannot_be_read(root, path):
    add(root, path, said("why?", event="e1"))
    (Path(path).parent / "b.jsonl").write_bytes(SEALED)

    assert observations.find_events(root, ["e1"]) == {"e1": "2026-01-29/c:2"}


def test_the_place_of_the_last_is_that_of_its_first_copy(root, path):
    first, other = said("为什么？"), said("how?", 60)
    add(root, path, first)
    size = os.path.getsize(path)
    assert observations.place_of_last(path, size, first) == 2

    add(root, path, other, said("为什么？", 1))

    assert observations.place_of_last(path, os.path.getsize(path), said("为什么？", 1)) == 2
    assert observations.place_of_last(path, size, first) == 2


@pytest.mark.parametrize("has_key", [False, True])
def test_of_a_file_that_cannot_be_read_only_the_lines_are_known(
    root, path, has_key, tmp_path, monkeypatch
):
    monkeypatch.setattr(files, "key_holders", {})
    key_holders.register(str(tmp_path), {})
    keys.forget_opened()
    if has_key:  # of somebody else than those it was encrypted for
        ring = encryption.ring_of(str(tmp_path))
        keys.store_identities(ring, [keys.make_identity()], date(2026, 1, 29))
    Path(path).write_bytes(SEALED * 3)

    assert observations.is_settled(path)
    assert not observations.is_over(path)
    assert not observations.needs_agent_save(path)
    assert observations.place_of_last(path, 3 * len(SEALED), said("why?")) == 3
    assert observations.place_of_last(path, 2 * len(SEALED), said("why?")) == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"digested": "2026-01-29#1"}, {"digested": "2026-01-29#1"}),
        ({"skipped": "too short"}, {"skipped": "too short"}),
        ({"ended": "exit", "at": "later"}, {"ended": "exit"}),
        ({"refused": "x"}, {"refused": True}),
        ({"asked": "x"}, {"asked": True}),
        ({"private": True}, {"private": True}),
        ({"private": "yes"}, {}),
        ({"recalled": ["a", 1]}, {"recalled": frozenset({"a", "1"})}),
        ({"session": {"conversation": "other", "began": "later"}}, {}),
        ({"new": "x"}, {}),
        ({}, {}),
    ],
)
def test_each_line_tells_one_thing_of_a_session(line, told):
    first = observations.session_line("c", "cursor", "app", "now", meta='{"pid":1}')
    before = observations.LiveSession("x", "c", "cursor", "app", "now", meta='{"pid":1}')

    read = observations.parse("x", (first + observations.format_line(**line)).encode())

    assert read == before._replace(**told)


def test_live_sessions_of_some_days_are_read(root, path):
    day = NOW.date()

    assert [live.path for live in observations.each(root)] == [path]
    assert [live.path for live in observations.each(root, first=day, last=day)] == [path]
    assert list(observations.each(root, first=day + timedelta(days=1))) == []
    assert list(observations.each(root, last=day - timedelta(days=1))) == []


def test_a_live_session_that_goes_on_is_read_again(root, path, monkeypatch):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as if it were written long ago
    add(root, path, said("one"))
    kept = FileCache(9)

    def texts() -> list[list[str]]:
        return list(
            observations.each_cached(
                root, kept, lambda live: [one.text for one in live.observations]
            )
        )

    first, again = texts(), texts()
    add(root, path, said("two", after_s=60))

    assert again[0] is first[0]
    assert texts() == [["one", "two"]]


def test_the_file_that_a_section_was_made_of_is_found(root, path):
    observations.append(root, path, observations.format_line(digested="2026-01-29#1"))

    assert observations.digested_files(root, "c", "2026-01-29#1") == [(path, "2026-01-29#1")]
    assert observations.digested_files(root, "", "2026-01-29#1") == []
    assert observations.source_files(root, "c", "2026-01-29#1") == [(path, "2026-01-29#1")]


def test_a_section_that_no_file_names_was_made_of_those_without_a_section(root, path):
    assert observations.digested_files(root, "c", "2026-01-29#1") == []
    assert observations.source_files(root, "c", "2026-01-29#1") == [(path, "2026-01-29#1")]
    assert observations.source_files(root, "", "2026-01-29#1") == []


@pytest.mark.parametrize(
    ("named", "sections", "asked", "found"),
    [
        ("#1", "c", "#1", "#1"),
        ("#1", "other c", "#2", "#1"),  # a merge gave it the next number
        ("#1", "other c", "#1", ""),
        ("#1", "c", "#2", ""),
        ("#1 #3", "other other c", "#3", "#3"),
    ],
)
def test_a_file_names_its_section_by_the_number_before_a_merge(root, named, sections, asked, found):
    for conversation in sections.split():
        session = Session(NOW.date(), topic="a", conversation=conversation)
        day_sections.append_session(root, session, language="en")
    lines = [observations.format_line(digested=f"2026-01-29{mark}") for mark in named.split()]

    name = observations.section_name(root, "c", f"2026-01-29{asked}", "".join(lines).encode())

    assert name.removeprefix("2026-01-29") == found


def test_a_conversation_goes_on_for_31_days_with_others(root, path):
    for age_days in range(1, 32):
        assert observations.find_path(root, "c") == path
        later = observations.new_path(root, "other", NOW.date() + timedelta(days=age_days))
        observations.append(root, later, "{}\n")

    assert observations.find_path(root, "c") == ""


def test_what_is_said_again_after_other_things_has_a_place_of_its_own(root, path):
    answer, call = said("done", kind="assistant"), said("ls", kind="tool", event="1")
    add(root, path, answer, call, said("more?", 20))

    add(root, path, answer._replace(tool="say", at=said("", 60).at))
    assert observations.place_of_last(path, os.path.getsize(path), answer) == 5
    add(root, path, call._replace(event="2", at=said("", 60).at))
    assert observations.place_of_last(path, os.path.getsize(path), call) == 6


def call(tool: str, event: str = "") -> Observation:
    return Observation(NOW.isoformat(), "tool", "x", tool=tool, event=event)


@pytest.mark.parametrize("tool", ["edit", "write", "delete"])
def test_one_edit_is_worth_saving(root, path, tool):
    add(root, path, said("do it"))
    assert not observations.needs_agent_save(path)

    add(root, path, call(tool))
    assert observations.needs_agent_save(path)


def test_eight_calls_are_worth_saving(root, path):
    add(root, path, *[call("bash", f"{number}") for number in range(7)])
    assert not observations.needs_agent_save(path)

    add(root, path, call("bash", "8"))
    assert observations.needs_agent_save(path)


@pytest.mark.parametrize("line", [{"asked": "x"}, {"refused": "x"}])
def test_what_was_asked_for_or_refused_is_not_saved_again(root, path, line):
    add(root, path, call("edit"))

    observations.append(root, path, observations.format_line(**line))

    assert not observations.needs_agent_save(path)
    live = observations.load(path)
    assert (live.asked, live.refused) == ("asked" in line, "refused" in line)


def test_what_the_agent_saved_is_not_saved_again(root, path):
    add(root, path, call("edit"), call(SAVE_TOOL))

    assert not observations.needs_agent_save(path)


def test_prompts_are_counted(root, path):
    assert observations.count_prompts(path) == observations.count_prompts(f"{path}.gone") == 0

    add(root, path, said("one"), said("done", 1, kind="assistant"), said("two", 60))
    assert observations.count_prompts(path) == 2


def test_what_a_conversation_was_shown_is_known_with_its_line(root, path):
    observations.append(root, path, observations.format_line(recalled=["a", "b"]))
    observations.append(
        root, path, '{"recalled":[broken\n', observations.format_line(recalled=["c"])
    )

    assert observations.load_recalls(path) == [(2, ("a", "b")), (4, ("c",))]
    assert observations.load_recalls(f"{path}.gone") == []


def test_of_the_last_two_days_is_known_what_was_shown_and_made(root):
    day = NOW.date()
    for age_days, mark in enumerate("abc"):
        made = observations.new_path(root, mark, day - timedelta(days=age_days))
        line = observations.format_line(recalled=[mark])
        observations.append(root, made, line, observations.format_line(digested=f"{mark}#1"))

    assert observations.recently_known(root) == {"a", "a#1", "b", "b#1"}


def test_a_conversation_is_over_when_its_host_said_so_and_nothing_came_after(root, path):
    observations.append(root, path, observations.format_line(digested="2026-01-29#1"))
    assert observations.is_settled(path)
    assert not observations.is_over(path)

    observations.append(root, path, observations.format_line(ended="exit"))
    observations.append(root, path, observations.format_line(digested="2026-01-29#1"))
    assert observations.is_over(path)

    add(root, path, said("more"))
    assert not observations.is_over(path)
