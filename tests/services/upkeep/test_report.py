"""What there is, in numbers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from daily_memory import Memory
from daily_memory.core.pages.report import Recall, Recalled
from daily_memory.frontends import json_shapes
from daily_memory.storage import observations


def test_sessions_and_observations_are_counted_by_day_tag_project_and_host(memory):
    memory.save({"date": "2026-01-28", "topic": "a", "tags": ["Redis", "缓存"], "source": "cursor"})
    memory.save({"topic": "b", "tags": ["redis"], "project": "shop", "source": "trae"})
    memory.save({"topic": "c", "tags": ["缓存"], "source": "trae"})
    memory.save({"topic": "d", "tags": ["x"]}, scope="global")
    memory.save({"date": "2025-01-01", "topic": "long ago", "tags": ["old"]})
    memory.start("live")
    memory.log("one", conversation="live")
    memory.log("two", conversation="live")

    counts = json_shapes.report(memory.report(days=30))

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

    folder = Path(memory.workspace.project_root.daily_folder)
    assert counts.bytes["daily"] == sum(path.stat().st_size for path in folder.iterdir())
    assert counts.bytes["index"] > 0
    assert counts.bytes["observations"] == 0


def test_folders_that_are_no_days_are_not_counted(memory):
    memory.start("live")
    memory.log("one", conversation="live")
    odd = Path(memory.workspace.project_root.observations_folder) / "2026-01-00"
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
    counts = json_shapes.report(memory.report())

    assert (counts["sessions"], counts["days"], counts["tags"]) == (0, [], [])


def told(memory: Memory, name: str, *ids: str, then: str = "", before: str = "继续昨天的") -> None:
    """Have a live session that was told of sessions, and what the assistant said then."""
    memory.start(name)
    memory.log(before, kind="user", conversation=name)
    assert memory.workspace.project_root is not None
    path = observations.find_path(memory.workspace.project_root, name)
    observations.append(memory.workspace.project_root, path, observations.format_line(recalled=ids))
    if then:
        memory.log("再问一句", kind="user", conversation=name)
        memory.log(then, kind="assistant", conversation=name)


def test_private_sessions_are_counted_and_no_more(memory):
    memory.save({"topic": "a", "tags": ["redis", "private"], "project": "geheim", "source": "trae"})
    memory.save({"topic": "b", "tags": ["mysql", "important"], "origin": "import"})
    memory.save({"topic": "c", "tags": ["mysql", "过时"]})

    counts = memory.report()

    assert sum(counts.sessions.values()) == 3
    assert counts.flags == {"important": 1, "outdated": 1, "private": 1, "foreign": 1}
    assert counts.tags == {"mysql": 2}
    assert set(counts.projects) == {"app"}
    assert set(counts.hosts) == {""}
    assert counts.topics.tags == {"mysql": (2,)}
    assert counts.quality.sessions == 2


def test_marks_of_what_was_hidden_are_counted(memory):
    memory.save({"topic": "密码", "key_points": ["password: hunter2hunter"]})
    memory.start("live")
    memory.log("the password: hunter2hunter", conversation="live")
    memory.save({"topic": "old", "key_points": ["password: hunter2hunter"], "date": "2020-01-01"})

    counts = json_shapes.report(memory.report(days=30))

    assert counts["redactions"] == [{"kind": "password", "count": 2}]


def test_what_was_recalled_and_shows_signs_of_use(memory):
    memory.save({"topic": "缓存方案", "key_points": ["TTL 定为 300 秒"], "files": ["src/cache.py"]})
    memory.save({"topic": "全局约定"}, scope="global")
    told(memory, "a", "2026-01-29#1", "summary", then="改了 src/cache.py")
    told(memory, "b", "2026-01-29#1", "global:2026-01-29#1", then="没什么")
    told(memory, "c", "2026-01-29#1", then="看过 cache.py", before="看一下 cache.py")
    told(memory, "d", "2026-01-29#9", "bad#id")
    memory.start("e")

    recall = memory.report().recall

    assert recall == Recall(
        conversations=5,
        told=4,
        sessions=6,
        used=1,
        unknown=2,
        most=(
            Recalled("2026-01-29#1", "缓存方案", 3, 1),
            Recalled("global:2026-01-29#1", "全局约定", 1, 0),
        ),
    )
    assert memory.report(scope="project").recall.unknown == 3


def test_a_session_that_is_private_by_now_is_not_named(memory):
    memory.save({"topic": "秘密"})
    told(memory, "a", "2026-01-29#1")
    memory.mark(["2026-01-29#1"], {"private": True})

    recall = memory.report().recall

    assert (recall.sessions, recall.unknown, recall.most) == (1, 1, ())


def test_what_is_told_again_counts_from_the_first_time(memory):
    memory.save({"topic": "缓存方案", "files": ["src/cache.py"]})
    told(memory, "a", "2026-01-29#1", then="改了 src/cache.py")
    told(memory, "a", "2026-01-29#1")

    assert memory.report().recall.used == 1


def test_the_page_is_in_the_language_of_the_memory(memory, tmp_path):
    assert '<html lang="en">' in memory.report_page(memory.report())
    memory.save({"topic": "缓存方案", "key_points": ["TTL 定为 300 秒"]})
    memory.save({"topic": "A private one", "summary": "in English", "tags": ["private"]})

    page = memory.report_page(memory.report())

    assert '<html lang="zh-CN">' in page
    assert "app <small>记忆报告" in page
    alone = Memory("", home=tmp_path / "home")
    assert "daily-memory <small>memory report" in alone.report_page(alone.report())


def test_the_json_has_all_parts(memory):
    memory.save({"topic": "", "summary": "x", "conversation": "c", "tags": ["缓存"]})

    told_json = json_shapes.report(memory.report(days=30))

    assert told_json["topics"] == {
        "unit": "week",
        "periods": ["2026-01-26"],
        "tags": [{"tag": "缓存", "sessions": [1]}],
    }
    assert told_json["quality"] == {
        "sessions": 1,
        "mean": 0.4,
        "good": 0,
        "fair": 0,
        "poor": 1,
        "reasons": [{"reason": "it says very little", "sessions": 1}],
    }
    assert told_json["recall"] == {
        "conversations": 0,
        "told": 0,
        "sessions": 0,
        "used": 0,
        "unknown": 0,
        "asked": 0,
        "agent_saves": 0,
        "agent_tokens": 0,
        "most": [],
    }
