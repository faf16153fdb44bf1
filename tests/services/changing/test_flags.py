"""Flags: only the user sets them, and `doctor` names those that no user set."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import Memory
from tests.services.upkeep.test_doctor import messages, report_of

REGISTRY = [
    {"role": "user", "content": "Our private npm registry: make the private methods of it private"},
    {"role": "assistant", "content": "The private registry answers; its methods are private now."},
    {"role": "user", "content": "We decided to use the private npm registry. #private"},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "Thanks, merge it"},
]
IN_CHINESE = [
    {"role": "user", "content": "重要接口的依赖过时，私密仓库怎么办？重要：私密仓库先不动。"},
    {"role": "assistant", "content": "过时的依赖已升级，重要接口不受影响，私密仓库不动。"},
    {"role": "user", "content": "好，就这样：过时的依赖都升级"},
    {"role": "assistant", "content": "已升级。"},
    {"role": "user", "content": "合并吧"},
]
FLAGS = {"private", "outdated", "important", "私密", "过时", "重要"}


@pytest.mark.parametrize("said", [REGISTRY, IN_CHINESE])
def test_a_conversation_with_the_words_of_flags_gets_none_and_is_found(memory, said):
    result = memory.save({"messages": said, "conversation": "c1"})

    assert not FLAGS & set(result.session.tags)
    assert [hit.session.id for hit in memory.search("registry 仓库").hits] == [result.session.id]


def test_a_session_with_the_words_of_flags_gets_none(memory):
    for text in ("private subnet", "an outdated dependency", "重要接口改了", "私密 仓库"):
        assert not FLAGS & set(memory.save({"topic": text}).session.tags)


def test_who_asks_for_a_flag_gets_it(memory):
    assert memory.save({"topic": "one", "private": True}).session.is_private
    assert memory.save({"topic": "two", "tags": ["重要"]}).session.is_important
    assert memory.add("three is gone #outdated").session.is_outdated


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
    memory.init(scope="global")
    daily = Path(memory.global_root.daily_folder)
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
