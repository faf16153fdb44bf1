"""`keywords.json`: read and written as text, in one or several files, always in order."""

from __future__ import annotations

import json
import os
from datetime import date

import pytest

from daily_memory.model import Section, Session, Span
from daily_memory.storage.fs import files
from daily_memory.storage.index import keywords_json
from daily_memory.storage.index.keywords_json import BROKEN, EMPTY, KeywordIndex, Shard
from daily_memory.storage.roots import Root, project_root

NOW = "2026-01-29T10:30:45Z"


@pytest.fixture
def root(tmp_path) -> Root:
    made = project_root(str(tmp_path))
    os.makedirs(made.index_folder)
    return made


def section(day: str, number: int, first: int = 3) -> Section:
    session = Session(date.fromisoformat(day), number, "10:30:45", topic="设计", tags=("skill",))
    return Section(session, Span(first, first + 22))


def entry(day: str, number: int, first: int = 3) -> bytes:
    return keywords_json.format_entry(section(day, number, first), ["memory", "设计"])


def load(root: Root, name: str = "keywords.json") -> dict[str, object]:
    data = json.loads(files.read_bytes(os.path.join(root.index_folder, name)))
    assert isinstance(data, dict)
    return data


def days_in(index: dict[str, object]) -> list[tuple[str, int]]:
    entries = index["entries"]
    assert isinstance(entries, list)
    return [(one["date"], one["session"]) for one in entries]


def test_the_file_has_the_form_that_the_format_describes(root):
    entries = {"2026-01-29.md": [entry("2026-01-29", 1)]}

    keywords_json.update_index(root, EMPTY, entries, {"2026-01-29.md": "abc"}, count=1, now=NOW)

    path = os.path.join(root.index_folder, "keywords.json")
    assert files.read_bytes(path).decode() == (
        "{\n"
        '  "version": "1.0",\n'
        '  "updated_at": "2026-01-29T10:30:45Z",\n'
        '  "files": {\n'
        '    "2026-01-29.md": "abc"\n'
        "  },\n"
        '  "entries": [\n'
        '    {"date": "2026-01-29", "session": 1, "time": "10:30:45",'
        ' "keywords": ["memory", "设计"], "topics": ["设计"], "tags": ["skill"],'
        ' "line_range": [3, 25]}\n'
        "  ]\n"
        "}\n"
    )


def test_an_index_without_sessions_is_json_and_read_back(root):
    keywords_json.update_index(root, EMPTY, {}, {}, count=0, now=NOW)

    assert load(root)["entries"] == []
    assert keywords_json.load_index(root) == KeywordIndex({"keywords.json": Shard({}, b"")})


def test_days_are_put_in_replaced_and_taken_out_in_their_order(root):
    hashes = {"2026-01-27.md": "a", "2026-01-29.md": "c"}
    entries = {name: [entry(name[:10], 1), entry(name[:10], 2)] for name in hashes}
    keywords_json.update_index(root, EMPTY, entries, hashes, count=4, now=NOW)

    hashes = {"2026-01-28.md": "b", "2026-01-29.md": "c2"}
    changed = {
        "2026-01-28.md": [entry("2026-01-28", 5)],
        "2026-01-29.md": [entry("2026-01-29", 2, 9)],
    }
    keywords_json.update_index(
        root, keywords_json.load_index(root), changed, hashes, count=2, now=NOW
    )

    index = load(root)
    assert days_in(index) == [("2026-01-28", 5), ("2026-01-29", 2)]
    assert index["files"] == hashes
    assert keywords_json.load_index(root).day_lines("2026-01-29.md") == [entry("2026-01-29", 2, 9)]


@pytest.mark.parametrize("gone", range(1 << 4))
def test_any_days_can_be_taken_out_of_a_file(root, gone):
    days = [f"2026-01-2{number}" for number in range(4)]
    hashes = {f"{day}.md": "a" for day in days}
    entries = {f"{day}.md": [entry(day, 1), entry(day, 2)] for day in days}
    keywords_json.update_index(root, EMPTY, entries, hashes, count=8, now=NOW)

    left = [day for place, day in enumerate(days) if not gone >> place & 1]
    hashes = {f"{day}.md": "a" for day in left}
    index = keywords_json.load_index(root)
    keywords_json.update_index(root, index, {}, hashes, count=2 * len(left), now=NOW)

    assert days_in(load(root)) == [(day, number) for day in left for number in (1, 2)]


def test_what_did_not_change_is_not_written(root):
    hashes = {"2026-01-29.md": "a"}
    keywords_json.update_index(
        root, EMPTY, {"2026-01-29.md": [entry("2026-01-29", 1)]}, hashes, count=1, now=NOW
    )
    before = keywords_json.shard_stamps(root)

    keywords_json.update_index(root, keywords_json.load_index(root), {}, hashes, count=1, now=NOW)

    assert keywords_json.shard_stamps(root) == before


def test_older_years_move_out_when_there_are_many_sessions_and_back_when_there_are_few(
    root, monkeypatch
):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    days = ["2024-05-01", "2025-05-01", "2026-01-28", "2026-01-29"]
    hashes = {f"{day}.md": "a" for day in days}
    entries = {f"{day}.md": [entry(day, 1)] for day in days}

    keywords_json.update_index(root, EMPTY, entries, hashes, count=4, now=NOW)

    assert days_in(load(root)) == [("2026-01-28", 1), ("2026-01-29", 1)]
    assert days_in(load(root, "keywords-2024.json")) == [("2024-05-01", 1)]
    assert days_in(load(root, "keywords-2025.json")) == [("2025-05-01", 1)]

    index = keywords_json.load_index(root)
    assert index.hashes == hashes
    del hashes["2025-05-01.md"]
    keywords_json.update_index(root, index, {"2025-05-01.md": []}, hashes, count=3, now=NOW)

    assert sorted(keywords_json.shard_stamps(root)) == ["keywords.json"]
    assert days_in(load(root)) == [("2024-05-01", 1), ("2026-01-28", 1), ("2026-01-29", 1)]


def test_a_new_day_goes_to_the_file_of_its_year(root, monkeypatch):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 1)
    days = ["2025-05-01", "2026-01-28"]
    hashes = {f"{day}.md": "a" for day in days}
    entries = {f"{day}.md": [entry(day, 1)] for day in days}
    keywords_json.update_index(root, EMPTY, entries, hashes, count=2, now=NOW)
    untouched = keywords_json.shard_stamps(root)["keywords.json"]

    hashes["2025-04-01.md"] = "a"
    changed = {"2025-04-01.md": [entry("2025-04-01", 1)]}
    keywords_json.update_index(
        root, keywords_json.load_index(root), changed, hashes, count=3, now=NOW
    )

    assert days_in(load(root, "keywords-2025.json")) == [("2025-04-01", 1), ("2025-05-01", 1)]
    assert keywords_json.shard_stamps(root)["keywords.json"] == untouched


def test_an_unchanged_section_that_moved_gets_its_new_lines():
    moved = keywords_json.moved_entry(entry("2026-01-29", 1), section("2026-01-29", 1, 40))

    assert moved == entry("2026-01-29", 1, 40)
    assert keywords_json.entries_by_key([moved]) == {(1, 1): moved}


def test_the_second_of_two_sections_with_one_number_says_so():
    second = section("2026-01-29", 1)
    second = second._replace(session=second.session._replace(copy=2))

    assert list(keywords_json.entries_by_key([keywords_json.format_entry(second, [])])) == [(1, 2)]


@pytest.mark.parametrize("line", [b'{"session": 1,,}', b"[1]", b'{"date": "2026-01-29"}'])
def test_a_damaged_entry_is_not_used_again(line):
    assert keywords_json.entries_by_key([entry("2026-01-29", 1), line]) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"version":[],"entries":{"a":1}}',
        b'{\n  "version": "1.0",\n  "files": {},\n  "entries": [\n    {"date": "2026-01-29"',
        b'{\n  "version": "1.0",\n  "files": [],\n  "entries": [\n  ]\n}\n',
        b'{\n  "version": 1.0.0,\n  "files": {},\n  "entries": [\n  ]\n}\n',
    ],
)
def test_a_broken_file_holds_nothing(root, data):
    with open(os.path.join(root.index_folder, "keywords.json"), "wb") as file:
        file.write(data)

    assert keywords_json.load_index(root) == KeywordIndex({"keywords.json": BROKEN})
    keywords_json.update_index(root, keywords_json.load_index(root), {}, {}, count=0, now=NOW)
    assert load(root)["entries"] == []


def test_a_folder_in_the_place_of_the_file_holds_nothing(root):
    os.mkdir(os.path.join(root.index_folder, "keywords.json"))

    for _ in range(2):
        keywords_json.update_index(root, keywords_json.load_index(root), {}, {}, count=0, now=NOW)
        os.remove(os.path.join(root.index_folder, "keywords.json"))
        os.mkdir(os.path.join(root.index_folder, "keywords.json"))
    assert sorted(os.listdir(root.index_folder)) == [
        "keywords.json",
        "keywords.json.aside-1",
        "keywords.json.aside-2",
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"version": "99.0"}', True),
        (b'{"version": "1.1", "entries": []}', True),
        (b'{"version": "1.0"}', False),
        (b'{"version": "x"}', False),
        (b"[1]", False),
    ],
)
def test_a_newer_version_is_foreign(data, expected):
    assert keywords_json.is_foreign(data) is expected


def test_a_foreign_index_is_not_read(root):
    with open(os.path.join(root.index_folder, "keywords.json"), "w") as file:
        file.write('{"version": "2.0", "future": true}')

    assert keywords_json.load_index(root) == KeywordIndex({}, is_foreign=True)


def test_no_folder_has_no_files(tmp_path):
    assert keywords_json.shard_stamps(project_root(str(tmp_path))) == {}
