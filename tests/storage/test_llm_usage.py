"""What was asked of a language model on a day: counted by all processes, and capped."""

from __future__ import annotations

import json
import threading
from datetime import date
from pathlib import Path

import pytest

from daily_memory.errors import BackendError
from daily_memory.services.writing import llm_digest
from daily_memory.services.writing.llm_digest import Spent
from daily_memory.storage import roots
from daily_memory.storage.roots import Root

DAY, NEXT_DAY = date(2026, 1, 29), date(2026, 1, 30)
PLENTY = Spent(1_000, 1_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return roots.project_root(str(tmp_path))


def note(root: Root) -> Path:
    return Path(root.index_folder) / "summarizer.json"


def test_what_is_reserved_is_settled_by_what_was_used(root):
    llm_digest.reserve(root, DAY, 5_000, PLENTY)
    llm_digest.reserve(root, DAY, 700, PLENTY)
    llm_digest.settle(root, DAY, 5_000, 1_200)

    assert llm_digest.load_spent(root, DAY) == Spent(2, 1_900)
    assert json.loads(note(root).read_text()) == {"calls": 2, "day": "2026-01-29", "tokens": 1900}
    assert note(root).stat().st_mode & 0o777 == 0o600


def test_a_new_day_begins_with_nothing(root):
    llm_digest.reserve(root, DAY, 5_000, Spent(1, 5_000))
    llm_digest.reserve(root, NEXT_DAY, 5_000, Spent(1, 5_000))

    assert llm_digest.load_spent(root, NEXT_DAY) == Spent(1, 5_000)


def test_what_is_settled_after_midnight_leaves_the_new_day_alone(root):
    llm_digest.reserve(root, DAY, 5_000, PLENTY)
    llm_digest.reserve(root, NEXT_DAY, 70, PLENTY)
    llm_digest.settle(root, DAY, 5_000, 10)

    assert llm_digest.load_spent(root, NEXT_DAY) == Spent(1, 70)


@pytest.mark.parametrize(
    ("most", "message"),
    [(Spent(0, 9_999), "0 requests a day"), (Spent(9, 99), "the cap of 99 a day")],
)
def test_what_is_beyond_the_cap_is_refused_and_not_counted(root, most, message):
    with pytest.raises(BackendError, match=message):
        llm_digest.reserve(root, DAY, 100, most)

    assert llm_digest.load_spent(root, DAY) == Spent()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"day": "2026-01-29"}',
        '{"day": "2026-01-29", "calls": true, "tokens": 1}',
        '{"day": "2026-01-29", "calls": 1, "tokens": -5}',
        "[" * 100_000,
        "\udcff",
    ],
)
def test_a_note_that_is_damaged_is_made_anew(root, text):
    note(root).parent.mkdir(parents=True)
    note(root).write_bytes(text.encode("utf-8", "surrogateescape"))

    llm_digest.reserve(root, DAY, 100, PLENTY)

    assert llm_digest.load_spent(root, DAY) == Spent(1, 100)


def test_many_at_once_never_exceed_the_cap(root):
    refused = []

    def ask() -> None:
        try:
            llm_digest.reserve(root, DAY, 10, Spent(5, 1_000))
        except BackendError:
            refused.append(1)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(refused), llm_digest.load_spent(root, DAY)) == (7, Spent(5, 50))
