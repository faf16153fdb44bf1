"""`doctor` names flags that no user set."""

from __future__ import annotations

from pathlib import Path

from daily_memory import Memory
from tests.services.upkeep.test_doctor import messages, report_of
from tests.services.writing.test_flags import REGISTRY


def old_section(tags: str, comment: str = "") -> str:
    return f"## Session 1 - 10:00\n{comment}\n### Topic\nour private registry\n\n### Tags\n{tags}\n"


def test_a_flag_from_a_word_of_the_text_is_named_with_what_mends_it(memory, day_file):
    day_file(old_section("#private #registry"))

    (message,) = messages(report_of(memory))

    assert message == (
        "2026-01-29#1 is in no search: a word in its text became the tag #private;"
        " if you did not set it, run `memory mark 2026-01-29#1 --not private`"
    )
    memory.mark(["2026-01-29#1"], {"private": False})
    assert messages(report_of(memory)) == []
    assert memory.search("registry").hits


def test_a_flag_in_the_global_memory_is_mended_there(tmp_path):
    (tmp_path / "home").mkdir()
    memory = Memory(home=tmp_path / "home")
    memory.setup.init(scope="global")
    daily = Path(memory.workspace.global_root.daily_folder)
    daily.mkdir(exist_ok=True)
    (daily / "2026-01-29.md").write_text(old_section("#private #registry"))

    (report,) = memory.doctor(scope="global").values()

    assert "--not private --scope global`" in report.remarks[0].message


def test_a_digest_that_nobody_touched_is_named_and_one_that_a_person_marked_is_not(memory):
    result = memory.save({"messages": REGISTRY, "conversation": "c1", "tags": ["npm", "private"]})
    # As an earlier version wrote it: the tag is a word of the conversation.
    assert "memory mark" in messages(report_of(memory))[0]

    memory.mark([result.id], {"important": True})

    assert messages(report_of(memory)) == []


def test_a_flag_that_no_word_of_the_text_gave_is_not_named(memory, day_file):
    day_file(old_section("#outdated #important"))

    assert messages(report_of(memory)) == []
