"""What a person writes into a day file without our heading: found, shown, and changed by its id."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import Memory
from tests.services.upkeep.test_doctor import report_of

OURS = "# 2026-01-29 对话记忆\n\n## Session 1 - 10:00\n\n### 主题\n登录\n\n---\n"
BY_HAND = f"{OURS}\n## Redis 决定\n\n缓存 TTL 定为 300 秒\n\n## Ports\nweb listens on 8080\n"


def ids(memory: Memory, query: str) -> list[str]:
    return [str(hit.session.id) for hit in memory.search(query).hits]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (BY_HAND, "缓存 TTL"),
        ("the cache is in redis, TTL 300 s\n", "redis TTL"),
        ("- 用 Redis 做缓存\n- 端口 8080\n", "redis 端口"),
        ("Notes of a day\n\n### Decisions\n- use redis queues\n", "redis queues"),
        (f"用 Redis 做缓存\n\n{OURS}", "redis 缓存"),
    ],
)
def test_the_next_search_has_what_was_written_by_hand(memory, day_file, text, query):
    memory.save({"topic": "other", "date": "2026-01-01"})
    day_file(text)

    assert ids(memory, query) == ["2026-01-29#0"]
    assert "2026-01-29#0" in memory.inject(query).text
    assert report_of(memory).faults == ()


def test_it_is_listed_and_shown_in_the_order_of_the_file(memory, day_file):
    day_file(BY_HAND)

    listed = [str(one.session.id) for one in memory.sessions()]

    assert listed == ["2026-01-29#1", "2026-01-29#0", "2026-01-29#0~2"]
    assert memory.get("2026-01-29#0~2").session.topic == "Ports"
    assert memory.get("2026-01-29#0").span == (10, 12)


def test_a_save_takes_no_id_of_it_and_leaves_its_bytes(memory, day_file):
    day_file(BY_HAND)
    assert ids(memory, "8080") == ["2026-01-29#0~2"]

    saved = memory.save({"topic": "later"})

    assert saved.id == "2026-01-29#2"
    assert day_file().read_text(encoding="utf-8").startswith(BY_HAND)
    assert ids(memory, "8080") == ["2026-01-29#0~2"]


def test_what_is_private_in_it_is_in_no_search(memory, day_file):
    day_file(f"{OURS}\nthe redis key is forty-two #private\n")

    assert ids(memory, "redis key") == []
    assert "forty-two" not in memory.inject().text


def test_it_is_edited_marked_deleted_and_brought_back(memory, day_file):
    day_file(BY_HAND)

    memory.mark(["2026-01-29#0"], {"outdated": True})
    assert memory.get("2026-01-29#0").session.is_outdated
    memory.undo()
    assert day_file().read_text(encoding="utf-8") == BY_HAND

    memory.edit("2026-01-29#0~2", "## Ports\nweb listens on 9090")
    assert ids(memory, "9090") == ["2026-01-29#0~2"]
    memory.undo()
    assert day_file().read_text(encoding="utf-8") == BY_HAND

    memory.delete(["2026-01-29#0"])
    assert ids(memory, "Redis") == []
    assert ids(memory, "8080") == ["2026-01-29#0"]
    memory.undo()
    assert day_file().read_text(encoding="utf-8") == BY_HAND
    assert report_of(memory).remarks == ()


def test_what_was_deleted_comes_back_also_when_the_day_went_on(memory, day_file):
    day_file(f"{OURS}\n## Redis 6\nTTL 300\n\n## Ports\nweb 8080\n")
    memory.delete(["2026-01-29#0"])
    memory.save({"topic": "later"})

    memory.undo()

    text = day_file().read_text(encoding="utf-8")
    assert "## Redis 6\nTTL 300\n" in text
    assert [one.session.topic for one in memory.sessions()] == ["登录", "Ports", "later", "Redis 6"]


def test_a_day_without_any_section_keeps_its_words_when_it_is_saved_to(memory, day_file):
    day_file("plain words about redis")

    assert memory.save({"topic": "one"}).id == "2026-01-29#1"

    assert ids(memory, "redis words") == ["2026-01-29#0"]


def test_doctor_does_not_renumber_it(memory, day_file):
    day_file(BY_HAND)

    report = report_of(memory, fix=True)

    assert report.mended == ("rebuilt the index",)
    assert report.sessions == 3
    assert day_file().read_text(encoding="utf-8") == BY_HAND


def test_it_goes_into_an_export_and_is_imported_once(memory, day_file, tmp_path):
    day_file(BY_HAND)
    exported = list(memory.export("jsonl"))
    (tmp_path / "other").mkdir()
    other = Memory(tmp_path / "other", home=tmp_path / "home")
    Path(tmp_path / "sessions.jsonl").write_text("".join(exported), encoding="utf-8")

    assert len(other.import_files(str(tmp_path / "sessions.jsonl")).ids) == 3
    assert memory.import_files(str(tmp_path / "sessions.jsonl")).ids == ()
    assert [hit.session.topic for hit in other.search("8080").hits] == ["Ports"]


def test_it_is_archived_with_its_day_and_found_there(memory, day_file):
    day_file(BY_HAND.replace("2026-01-29", "2025-09-01"), "2025-09-01.md")
    memory.save({"topic": "new"})

    memory.archive.store(memory.archive.due())

    found = memory.search("8080", archived=True).hits
    assert [(str(hit.session.id), hit.archived) for hit in found] == [("2025-09-01#0~2", True)]


def test_it_is_merged_with_no_section_that_says_the_same(memory, day_file):
    day_file(f"{OURS.replace('Session 1 - 10:00', 'Notes')}\n{OURS}\n## Notes\n### 主题\n登录\n")

    assert len(list(memory.sessions())) == 3
    assert memory.cleanup.duplicates() == ()
