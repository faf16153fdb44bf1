"""Flags: only the user sets them, no word of a text does."""

from __future__ import annotations

import pytest

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
