"""The example memory: sound, small, and found in both languages, as its README shows."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from daily_memory import Memory

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
MOST_BYTES = 200_000


@pytest.fixture(scope="module")
def bookshop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(EXAMPLES / "bookshop", folder / "bookshop")
    (folder / "home").mkdir()
    return Memory(folder / "bookshop", home=folder / "home")


def test_the_example_is_small_and_holds_no_index():
    files = [path for path in EXAMPLES.rglob("*") if path.is_file()]

    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    assert not [path for path in files if path.name in (".lock", "lookup.sqlite3")]


def test_the_example_is_sound_and_about_two_months_long(bookshop):
    sessions = list(bookshop.sessions())
    days = [stored.session.date for stored in sessions]

    assert all(report.faults == () for report in bookshop.doctor().values())
    assert len(sessions) == 36
    assert (min(days), max(days)) == (date(2026, 1, 5), date(2026, 3, 6))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("缓存多久过期", {"2026-01-27#1", "2026-01-15#1"}),
        ("TTL of the book cache", {"2026-01-27#1", "2026-01-15#1"}),
        ("how do we verify payment webhooks", {"2026-01-13#1"}),
        ("支付回调重复", {"2026-01-14#1"}),
        ("库存为负", {"2026-01-16#1"}),
        ("kubernetes ingress", set()),
    ],
)
def test_the_questions_of_its_readme_are_answered(bookshop, question, answer):
    found = {hit.id for hit in bookshop.search(question, k=2, now=date(2026, 3, 7)).hits}

    assert answer <= found
    assert answer or not found
