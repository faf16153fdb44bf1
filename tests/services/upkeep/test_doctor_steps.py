"""What `doctor` ends with: what to do, in order."""

from __future__ import annotations

from daily_memory.model import Problem
from daily_memory.services.upkeep.doctor import Report
from daily_memory.services.upkeep.doctor_steps import steps


def problem(message: str, line: int = 3) -> Problem:
    return Problem("daily/2026-01-29.md", line, message)


def test_faults_come_first_each_command_once_and_the_rest_is_for_an_editor():
    report = Report(
        2,
        1,
        faults=(
            problem("is damaged; run `memory reindex`"),
            problem("session 1 occurs more than once"),
            problem("a merge conflict was left here"),
            problem("is not UTF-8 from here on; save it as UTF-8"),
        ),
        remarks=(problem("Claude Code: hooks"), problem("2 sessions; `memory embed` does it")),
    )

    assert [(step.command or step.place, step.findings) for step in steps([report])] == [
        ("memory doctor --fix", 2),
        ("memory reindex", 1),
        ("daily/2026-01-29.md:3", 1),
        ("memory embed", 1),
    ]


def test_where_all_is_well_nothing_is_to_be_done():
    assert steps([Report(2, 1, remarks=(problem("Claude Code: hooks"),))]) == ()


def test_what_is_no_text_is_not_for_an_editor():
    index = Problem("index/lookup.sqlite3", 0, "the index was not written: permission denied")

    assert steps([Report(2, 1, faults=(index,))]) == ()


def test_what_fixing_left_is_for_an_editor():
    report = Report(2, 1, (problem("a merge conflict was left here"),), (), ("rebuilt the index",))

    assert [(step.command, step.place) for step in steps([report])] == [
        ("", "daily/2026-01-29.md:3")
    ]
