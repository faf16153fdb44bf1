"""The journal: what was written lately, and no longer than that."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone

import pytest

from daily_memory.storage import journal
from daily_memory.storage.journal import Record
from daily_memory.storage.roots import Root, project_root

NOW = datetime(2026, 1, 29, 10, 30, tzinfo=timezone.utc)


@pytest.fixture
def root(tmp_path) -> Root:
    made = project_root(str(tmp_path))
    os.makedirs(made.index_folder)
    return made


def record(age_days: int) -> Record:
    at = (NOW - timedelta(days=age_days)).isoformat()
    return Record(at, f"2026-01-{29 - age_days}#1", "## Session 1\n缓存\n")


def test_records_come_back_in_their_order(root):
    journal.add_records(root, [record(1)], NOW)
    journal.add_records(root, [record(0)], NOW)

    assert journal.load_records(root) == [record(1), record(0)]


def test_what_is_older_than_two_weeks_is_gone_with_the_next_record(root):
    journal.add_records(root, [record(15), record(14)], NOW - timedelta(days=13))
    journal.add_records(root, [record(0)], NOW)

    assert journal.load_records(root) == [record(14), record(0)]


def test_a_line_that_was_cut_off_hides_no_other(root):
    journal.add_records(root, [record(0)], NOW)
    with open(os.path.join(root.index_folder, "journal.jsonl"), "ab") as file:
        file.write(b'{"at": "2026-01-29T1\n[1]\n')

    assert journal.load_records(root) == [record(0)]


def test_without_a_journal_there_are_no_records(root):
    assert journal.load_records(root) == []


def test_the_highest_number_of_a_day_is_known(root):
    records = [record(0)._replace(id=f"2026-01-29#{number}") for number in (3, 12, 5)]
    journal.add_records(root, records, NOW)

    assert journal.last_number(root, NOW.date()) == 12
    assert journal.last_number(root, NOW.date() - timedelta(days=1)) == 0


def test_a_journal_that_can_not_be_read_knows_no_number(root):
    os.mkdir(os.path.join(root.index_folder, "journal.jsonl"))

    assert journal.last_number(root, NOW.date()) == 0
