"""What there is, in numbers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from daily_memory.services import reporting


def test_sessions_and_observations_are_counted_by_day_tag_project_and_host(memory):
    memory.save({"date": "2026-01-28", "topic": "a", "tags": ["Redis", "缓存"], "source": "cursor"})
    memory.save({"topic": "b", "tags": ["redis"], "project": "shop", "source": "trae"})
    memory.save({"topic": "c", "tags": ["缓存"], "source": "trae"})
    memory.save({"topic": "d", "tags": ["x"]}, scope="global")
    memory.save({"date": "2025-01-01", "topic": "long ago", "tags": ["old"]})
    memory.start("live")
    memory.log("one", conversation="live")
    memory.log("two", conversation="live")

    counts = reporting.as_json(memory.report(days=30))

    assert (counts["first"], counts["last"]) == ("2025-12-31", "2026-01-29")
    assert (counts["sessions"], counts["observations"]) == (4, 2)
    assert counts["days"] == [
        {"date": "2026-01-28", "sessions": 1, "observations": 0},
        {"date": "2026-01-29", "sessions": 3, "observations": 2},
    ]
    assert counts["tags"] == [
        {"tag": "redis", "sessions": 2},
        {"tag": "缓存", "sessions": 2},
        {"tag": "x", "sessions": 1},
    ]
    assert counts["projects"] == [
        {"project": "app", "sessions": 3},
        {"project": "shop", "sessions": 1},
    ]
    assert counts["hosts"] == [{"host": "trae", "sessions": 2}, {"host": "cursor", "sessions": 1}]


def test_the_sizes_are_those_of_the_folders(memory):
    memory.save({"topic": "缓存"})

    counts = memory.report()

    folder = Path(memory.project_root.daily_folder)
    assert counts.bytes["daily"] == sum(path.stat().st_size for path in folder.iterdir())
    assert counts.bytes["index"] > 0
    assert counts.bytes["observations"] == 0


def test_folders_that_are_no_days_are_not_counted(memory):
    memory.start("live")
    memory.log("one", conversation="live")
    odd = Path(memory.project_root.observations_folder) / "2026-01-00"
    odd.mkdir()
    (odd / "x.jsonl").write_text('{"kind": "note", "text": "x"}\n', encoding="utf-8")

    assert memory.report().observations == {date(2026, 1, 29): 1}


def test_a_file_that_goes_meanwhile_has_no_size(memory, monkeypatch):
    memory.save({"topic": "缓存"})

    def gone(_path):
        raise FileNotFoundError

    monkeypatch.setattr("os.lstat", gone)

    assert set(memory.report().bytes.values()) == {0}


def test_an_empty_memory_has_nothing_to_count(memory):
    counts = reporting.as_json(memory.report())

    assert (counts["sessions"], counts["days"], counts["tags"]) == (0, [], [])
