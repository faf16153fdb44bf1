"""No answer in the index: the archive is looked at, and what is not saved yet is named."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.services.reading import archive_search
from daily_memory.services.reading.root_search import Query
from daily_memory.storage import archive_files
from daily_memory.storage.fs import files
from tests.conftest import NOW


@pytest.fixture
def archived(memory: Memory, clock) -> Memory:
    """A memory with two archived sessions and one that is not."""
    memory.save({"topic": "支付网关超时", "decisions": ["支付网关的超时定为 8 秒"]})
    memory.save({"topic": "Image uploads", "decisions": ["Retry uploads to MinIO three times"]})
    clock.now += timedelta(days=400)
    memory.archive.store(memory.archive.due(before=clock.now.date()))
    memory.save({"topic": "Login page", "key_points": ["the login page has a new logo"]})
    return memory


def found(memory: Memory, query: str) -> list[tuple[str, bool]]:
    return [(hit.id, hit.archived) for hit in memory.search(query).hits]


@pytest.mark.parametrize(
    ("query", "id_"),
    [
        ("支付网关的超时是多少", "2026-01-29#1"),
        ("retry MinIO uploads", "2026-01-29#2"),
        ("2026-01-29 做了什么", "2026-01-29#2"),
        ("payment gateway timeout", "2026-01-29#1"),
        ("上传失败要重试几次", "2026-01-29#2"),
    ],
)
def test_what_only_the_archive_knows_is_found(archived, query, id_):
    assert (id_, True) in found(archived, query)


def test_a_good_answer_of_the_index_is_not_mixed_with_the_archive(archived):
    assert found(archived, "login page logo") == [("2027-03-05#1", False)]


def test_what_nobody_knows_is_still_nothing(archived):
    assert found(archived, "kubernetes operator") == []
    assert found(archived, "the") == []
    assert archived.search("kubernetes operator").warnings == ()


def test_who_asks_for_the_archive_reads_it_once(archived):
    hits = archived.search("retry MinIO uploads", archived=True).hits

    assert [hit.id for hit in hits] == ["2026-01-29#2"]


def test_a_private_session_in_the_archive_is_found_by_no_search(memory, clock):
    memory.save({"topic": "salary of Li", "private": True})
    clock.now += timedelta(days=400)
    memory.archive.store(memory.archive.due(before=clock.now.date()))
    memory.save({"topic": "new"})

    assert found(memory, "salary of Li") == []


def test_of_a_large_archive_only_the_newest_part_is_searched(archived):
    root = archived.workspace.project_root
    size = files.stamp(archive_files.list_days(root)[0].path)[0]
    query = Query("retry MinIO uploads")

    source = archive_search.likely(
        root, query, None, is_hurried=False, dictionaries=tuple, most_bytes=size - 1
    )

    assert source.search(query, archived.settings.retrieval, NOW.date()) == []
    assert source.warnings == (
        "1 archived day not searched: `memory search --archived` searches all",
    )


def test_an_assistant_is_told_of_the_archive_by_who_asks_for_earlier_work(archived):
    said = archived.inject("did we decide how often to retry MinIO uploads?", is_hurried=True)
    assert said.ids == ("2026-01-29#2",)

    assert archived.inject("add MinIO uploads", is_hurried=True).ids == ()


@pytest.fixture
def live(memory: Memory) -> Memory:
    """A memory with a conversation that goes on."""
    memory.save({"topic": "Login page"})
    memory.start("c1")
    memory.log("支付网关的超时定为 8 秒", kind="decision")
    memory.log("Retry uploads to MinIO three times")
    memory.log("the key of the vault is swordfish", private=True)
    return memory


@pytest.mark.parametrize(
    ("query", "id_"),
    [
        ("支付网关超时", "2026-01-29/c1:2"),
        ("retry MinIO uploads", "2026-01-29/c1:3"),
        ("payment gateway timeout", "2026-01-29/c1:2"),
        ("上传重试三次", "2026-01-29/c1:3"),
    ],
)
def test_what_was_said_in_a_conversation_that_goes_on_is_named(live, query, id_):
    result = live.search(query)

    assert (result.hits, [hit.id for hit in result.unsaved]) == ((), [id_])
    (warning,) = result.warnings
    assert warning.startswith(f"a conversation that is not saved may have the answer ({id_})")
    assert live.observations.search(query).hits[0].record.id == id_


def test_once_it_is_saved_its_section_is_the_answer(live):
    ended = live.end("c1")

    result = live.search("retry MinIO uploads")

    assert [hit.id for hit in result.hits] == [ended.id]
    assert not result.unsaved


def test_nothing_is_translated_where_that_is_off(archived):
    archived.start("c1")
    archived.log("支付网关的超时定为 8 秒", kind="decision")
    archived.config.set("retrieval.translation_weight", 0)

    result = archived.search("payment gateway timeout")

    assert (result.hits, result.unsaved) == ((), ())


@pytest.mark.parametrize("query", ["vault swordfish", "kubernetes operator", "?!"])
def test_what_is_private_or_not_there_is_not_named(live, query):
    assert live.search(query).warnings == ()


def test_what_is_asked_of_another_time_is_asked_of_sections(live):
    assert live.search("retry MinIO uploads", until=date(2026, 1, 1)).warnings == ()


def test_a_record_that_can_not_be_read_keeps_no_search_from_answering(live):
    (path,) = Path(live.workspace.project_root.observations_folder).rglob("*.jsonl")
    path.write_bytes(b"age-encryption.org/v1\nno such file")

    assert live.search("retry MinIO uploads").hits == ()
    assert NOW.year == 2026


def test_the_whole_archive_is_searched_in_the_other_language_too(archived):
    hits = archived.search("payment gateway timeout", archived=True).hits

    assert [(hit.id, hit.archived, hit.translated) for hit in hits] == [
        ("2026-01-29#1", True, True)
    ]
