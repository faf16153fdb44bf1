"""Parts of words become the words that they are parts of, and nothing else is touched."""

from __future__ import annotations

from daily_memory.core.search.observation_ranking import Document
from daily_memory.core.search.plain_corpus import PlainCorpus
from daily_memory.core.search.word_parts import completed

SAID = ["the connectionPool timeout 连接池", "kubernetes deployment", "an apple"]


def asked(question: str) -> str:
    documents = [Document(f"d/{n}:1", f"d/{n}", 0, "", text) for n, text in enumerate(SAID)]
    corpus = PlainCorpus(documents)

    def containing(part: str) -> list[str]:
        found = [term for term in corpus.vocabulary() if part in term]
        return sorted(found, key=len)

    return completed(question, corpus, containing)


def test_a_part_of_a_word_becomes_the_word():
    assert asked("nectionpoo 超时") == "connectionpool 超时"
    assert asked("Where is bernet?") == "Where is kubernet?"
    assert asked("nect") == "connect"


def test_behind_a_slip_a_part_of_a_word_becomes_the_word_too():
    assert asked("timeuot nectionpoo") == "timeuot connectionpool"


def test_of_many_unknown_words_the_first_eight_may_be_parts():
    unknown = [f"qz{letter}xw" for letter in "abcdefgh"]

    assert asked(" ".join([*unknown[:7], "bernet"])).endswith(" kubernet")
    assert asked(" ".join([*unknown, "bernet"])).endswith(" bernet")


def test_words_and_slips_and_chinese_stay():
    for question in ("timeout", "timeuot", "池", "接池超", "net", "", "zzzzqq", "the"):
        assert asked(question) == question
