"""The journal: what was written lately, and no longer than that."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone

from daily_memory.storage import deleted, journal
from daily_memory.storage.journal import JournalEntry

NOW = datetime(2026, 1, 29, 10, 30, tzinfo=timezone.utc)


def record(age_days: int) -> JournalEntry:
    at = (NOW - timedelta(days=age_days)).isoformat()
    return JournalEntry(at, f"2026-01-{29 - age_days}#1", "## Session 1\n缓存\n")


def test_records_come_back_in_their_order(root):
    journal.add_records(root, [record(1)], NOW)
    journal.add_records(root, [record(0)], NOW)

    assert journal.load_records(root) == [record(1), record(0)]


def test_what_is_older_than_two_weeks_is_gone_with_the_next_record(root):
    old = [record(15)] * journal.KEEP_RECORDS
    young = [record(14)] * (journal.KEEP_RECORDS + 1)
    journal.add_records(root, [*old, *young], NOW - timedelta(days=13))
    journal.add_records(root, [record(0)], NOW)

    assert journal.load_records(root) == [*young, record(0)]


def test_what_is_older_stays_while_there_is_little(root):
    journal.add_records(root, [record(15)] * 2 * journal.KEEP_RECORDS, NOW)
    journal.add_records(root, [record(0)], NOW)

    assert len(journal.load_records(root)) == 2 * journal.KEEP_RECORDS + 1


def test_a_clock_that_jumps_ahead_does_not_empty_the_journal(root):
    count = 3 * journal.KEEP_RECORDS
    journal.add_records(root, [record(0)] * count, NOW)
    journal.add_records(root, [record(0)], NOW + timedelta(days=3650))

    assert len(journal.load_records(root)) == journal.KEEP_RECORDS


def test_a_line_that_a_power_cut_left_half_does_not_swallow_the_next(root):
    journal.add_records(root, [record(1)], NOW)
    with open(os.path.join(root.index_folder, "journal.jsonl"), "ab") as file:
        file.write(b'{"at": "2026-01-29T1')
    journal.add_records(root, [record(0)], NOW)

    assert journal.load_records(root) == [record(1), record(0)]


def test_of_a_large_import_only_the_last_number_of_each_day_is_kept(root):
    large = record(0)._replace(id="2026-01-29#10~2", text="x" * (journal.MOST_CHARS + 1))
    journal.add_records(root, [large, record(1), record(0)._replace(id="2026-01-29#9")], NOW)

    assert journal.load_records(root) == [record(1)._replace(text=""), large._replace(text="")]
    assert journal.last_numbers(root) == {"2026-01-28": 1, "2026-01-29": 10}


def test_a_line_that_was_cut_off_hides_no_other(root):
    journal.add_records(root, [record(0)], NOW)
    with open(os.path.join(root.index_folder, "journal.jsonl"), "ab") as file:
        file.write(b'{"at": "2026-01-29T1\n[1]\n')

    assert journal.load_records(root) == [record(0)]


def test_half_a_character_does_not_keep_a_record_from_being_written(root):
    journal.add_records(root, [record(0)._replace(text="half: \ud83d")], NOW)

    assert journal.load_records(root) == [record(0)._replace(text="half: ?")]


def test_without_a_journal_there_are_no_records(root):
    assert journal.load_records(root) == []


def test_the_highest_number_of_a_day_is_known(root):
    records = [record(0)._replace(id=f"2026-01-29#{number}") for number in (3, 12, 5)]
    journal.add_records(root, records, NOW)

    assert journal.last_number(root, NOW.date()) == 12
    assert journal.last_number(root, NOW.date() - timedelta(days=1)) == 0


def test_without_a_journal_that_can_be_read_the_numbers_of_deleted_sections_are_known(root):
    os.mkdir(os.path.join(root.index_folder, "journal.jsonl"))
    assert journal.last_number(root, NOW.date()) == 0

    deleted.add(root, [deleted.Deleted("", "2026-01-29#7")])

    assert journal.last_number(root, NOW.date()) == 7


def test_of_a_text_that_is_forgotten_only_the_number_stays(root):
    journal.add_records(root, [record(1), record(0)], NOW)
    before = journal.load_records(root)

    journal.forget_texts(root, {"2026-01-27#1"})
    assert journal.load_records(root) == before

    journal.forget_texts(root, {"2026-01-28#1"})
    assert journal.load_records(root) == [before[0]._replace(text=""), before[1]]
    assert journal.last_number(root, NOW.date() - timedelta(days=1)) == 1


def test_lines_are_known_by_the_ids_of_their_sections(root):
    assert journal.lines_by_id(root) == {}
    journal.add_records(root, [record(1), record(0), record(1)._replace(text="again")], NOW)

    found = journal.lines_by_id(root)

    assert {
        id_: [journal.parse_record(line).text for line in lines] for id_, lines in found.items()
    } == {
        "2026-01-28#1": [record(1).text, "again"],
        "2026-01-29#1": [record(0).text],
    }


def test_the_journal_is_a_file_of_lines_without_gaps(root):
    journal.add_records(root, [record(1)], NOW)
    journal.add_records(root, [record(0)], NOW)

    with open(os.path.join(root.index_folder, "journal.jsonl"), "rb") as file:
        lines = file.read().split(b"\n")
    assert [journal.parse_record(line) for line in lines[:-1]] == [record(1), record(0)]
    assert lines[-1] == b""


def test_nothing_is_forgotten_where_there_is_no_journal(root):
    journal.forget_texts(root, ["2026-01-29#1"])

    assert not os.path.exists(os.path.join(root.index_folder, "journal.jsonl"))


def test_a_clock_at_an_end_of_the_calendar_has_a_moment():
    first = datetime.min.replace(tzinfo=timezone.utc)

    assert journal.format_moment(first, days_back=14) == "0001-01-01T00:00:00+00:00"
    assert journal.format_moment(NOW) == "2026-01-29T10:30:00+00:00"
    assert journal.format_moment(NOW, days_back=1) == "2026-01-28T10:30:00+00:00"
