"""`keywords.json`: one or several files, always in order, and written where something changed."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory.model import Session, Span
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.index import keywords_json
from daily_memory.storage.roots import Root, project_root

NOW = "2026-01-29T10:30:45Z"


class Index:
    """The index files of a root, written as an update writes them."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.layout: keywords_json.Layout = {}
        self.noted: dict[str, Stamp] = {}
        self.rendered: list[str] = []

    def write(self, days: dict[str, str], count: int) -> None:
        after = keywords_json.layout({f"{day}.md": text for day, text in days.items()}, count)
        self.rendered.clear()
        keywords_json.write(self.root, self.layout, after, self.noted, self._lines, NOW)
        self.layout, self.noted = after, keywords_json.stamps(self.root)

    def _lines(self, name: str) -> list[bytes]:
        self.rendered.append(name[:10])
        return [entry(name[:10], 1), entry(name[:10], 2, 40)]

    def days(self, name: str = "keywords.json") -> list[tuple[str, int]]:
        loaded = json.loads(Path(self.root.index_folder, name).read_bytes())
        assert list(loaded["files"]) == sorted({f"{one['date']}.md" for one in loaded["entries"]})
        return [(one["date"], one["session"]) for one in loaded["entries"]]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    made = project_root(str(tmp_path))
    os.makedirs(made.index_folder)
    return Index(made)


def entry(day: str, number: int, first: int = 3) -> bytes:
    session = Session(date.fromisoformat(day), number, "10:30:45", topic="设计", tags=("skill",))
    formatted = keywords_json.format_entry(session, ["memory", "设计"])
    return keywords_json.format_line(formatted, Span(first, first + 22))


def both(*days: str) -> list[tuple[str, int]]:
    return [(day, number) for day in days for number in (1, 2)]


def test_the_file_has_the_form_that_the_format_describes(index):
    index.write({"2026-01-29": "abc"}, 2)

    text = Path(index.root.index_folder, "keywords.json").read_text(encoding="utf-8")
    assert text == (
        "{\n"
        '  "version": "1.0",\n'
        '  "updated_at": "2026-01-29T10:30:45Z",\n'
        '  "files": {\n'
        '    "2026-01-29.md": "abc"\n'
        "  },\n"
        '  "entries": [\n'
        '    {"date": "2026-01-29", "session": 1, "time": "10:30:45",'
        ' "keywords": ["memory", "设计"], "topics": ["设计"], "tags": ["skill"],'
        ' "line_range": [3, 25]},\n'
        '    {"date": "2026-01-29", "session": 2, "time": "10:30:45",'
        ' "keywords": ["memory", "设计"], "topics": ["设计"], "tags": ["skill"],'
        ' "line_range": [40, 62]}\n'
        "  ]\n"
        "}\n"
    )


def test_an_entry_names_author_and_copy_where_there_are_any():
    session = Session(date(2026, 1, 29), 1, "", topic="", copy=2, origin="git: Ann")

    assert json.loads(keywords_json.format_entry(session, [])) == {
        "date": "2026-01-29",
        "session": 1,
        "time": "",
        "keywords": [],
        "topics": [],
        "tags": [],
        "origin": "git: Ann",
        "copy": 2,
    }


def test_an_index_without_sessions_is_json(index):
    index.write({}, 0)

    assert index.days() == []


def test_only_the_first_changed_day_and_later_ones_are_rendered(index):
    index.write({"2026-01-26": "a", "2026-01-27": "a", "2026-01-29": "c"}, 6)

    index.write({"2026-01-26": "a", "2026-01-28": "b", "2026-01-29": "c"}, 6)

    assert index.days() == both("2026-01-26", "2026-01-28", "2026-01-29")
    assert index.rendered == ["2026-01-28", "2026-01-29"]


@pytest.mark.parametrize("gone", range(1 << 4))
def test_any_days_can_be_taken_out_of_a_file(index, gone):
    days = [f"2026-01-2{number}" for number in range(4)]
    index.write(dict.fromkeys(days, "a"), 8)

    left = [day for place, day in enumerate(days) if not gone >> place & 1]
    index.write(dict.fromkeys(left, "a"), 2 * len(left))

    assert index.days() == both(*left)


def test_what_did_not_change_is_not_written(index):
    index.write({"2026-01-29": "a"}, 2)
    before = index.noted

    index.write({"2026-01-29": "a"}, 2)

    assert index.noted == before


def test_older_months_move_out_when_there_are_many_sessions_and_back_when_there_are_few(
    index, monkeypatch
):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 7)
    days = dict.fromkeys(["2025-12-01", "2025-12-30", "2026-01-28", "2026-01-29"], "a")

    index.write(days, 8)

    assert index.days() == both("2026-01-28", "2026-01-29")
    assert index.days("keywords-2025-12.json") == both("2025-12-01", "2025-12-30")

    index.write({**days, "2026-01-29": "b", "2026-02-01": "a"}, 10)

    assert index.days() == both("2026-02-01")
    assert index.days("keywords-2026-01.json") == both("2026-01-28", "2026-01-29")
    assert "2025-12-01" not in index.rendered

    index.write({"2025-12-01": "a", "2026-01-28": "a"}, 4)

    assert list(index.noted) == ["keywords.json"]
    assert index.days() == both("2025-12-01", "2026-01-28")


def test_a_thousand_sessions_are_in_one_file_and_one_more_in_two():
    hashes = {"2025-12-30.md": "a", "2026-01-29.md": "b"}

    assert list(keywords_json.layout(hashes, 1000)) == ["keywords.json"]
    assert list(keywords_json.layout(hashes, 1001)) == ["keywords.json", "keywords-2025-12.json"]


def test_a_file_of_a_year_that_an_older_version_wrote_goes(index):
    Path(index.root.index_folder, "keywords-2024.json").write_text("{}")

    index.write({"2024-01-29": "a"}, 2)

    assert list(index.noted) == ["keywords.json"]


@pytest.mark.parametrize("data", [b"", b"{", b'{"version":[],"entries":{"a":1}}', None])
def test_a_file_that_was_changed_or_removed_is_written_again(index, data):
    index.write({"2026-01-28": "a", "2026-01-29": "a"}, 4)
    path = Path(index.root.index_folder, "keywords.json")
    path.unlink()
    if data is not None:
        path.write_bytes(data)

    index.write({"2026-01-28": "a", "2026-01-29": "b"}, 4)

    assert index.days() == both("2026-01-28", "2026-01-29")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"version": "99.0"}', True),
        ('{"version": "1.1", "entries": []}', True),
        ('{"version": "1.0"}', False),
        ('{"version": "x"}', False),
        ("[1]", False),
        ("", False),
    ],
)
def test_a_newer_version_is_foreign(index, data, expected):
    Path(index.root.index_folder, "keywords.json").write_text(data)

    assert keywords_json.is_foreign(index.root) is expected


def test_without_a_file_nothing_is_foreign(tmp_path):
    assert not keywords_json.is_foreign(project_root(str(tmp_path)))
    assert keywords_json.stamps(project_root(str(tmp_path))) == {}
