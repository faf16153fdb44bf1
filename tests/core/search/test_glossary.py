import re
from collections import Counter

import pytest

from daily_memory.core.search import glossary, text
from daily_memory.core.search.glossary import Glossary, headwords
from daily_memory.core.search.synonyms import SYNONYMS

ENTRIES = [
    entry.partition(" ")[::2]
    for part in (glossary.TECHNICAL, glossary.GENERAL)
    for line in part.strip().split("\n")
    for entry in line.split("; ")
]


def test_each_entry_is_a_chinese_word_with_english_ones_and_there_once():
    words = [word for word, _ in ENTRIES]

    assert 1_400 < len(words) < 1_600
    assert [word for word, times in Counter(words).items() if times > 1] == []
    for word, glosses in ENTRIES:
        assert all(map(text.is_cjk, word)), word
        assert re.fullmatch(r"[a-z0-9][a-z0-9 .,/-]*", glosses), (word, glosses)
        listed = glosses.split(", ")
        assert len(set(listed)) == len(listed), (word, glosses)
        assert all(map(glossary.gloss_stems, listed)), (word, glosses)


def test_no_entry_only_repeats_what_a_group_of_synonyms_has():
    repeated = [
        word
        for word, glosses in ENTRIES
        if set(glosses.split(", ")) == set(filter(str.isascii, SYNONYMS.get(word, ())))
    ]

    assert repeated == []


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("帧率", "frame rate"),
        ("回溯", "backtrack"),
        ("熔断", "circuit breaker"),  # not a fuse
        ("线程", "thread"),  # not yarn
        ("进程", "process"),  # not a course of events
        ("镜像", "image"),  # of a container, before a mirror
        ("雪崩", "avalanche"),
        ("灰度", "canary"),  # not gray level
        ("埋点", "tracking"),
        ("脚手架", "scaffold"),
        ("幂等", "idempotent"),
        ("上线", "release"),  # before going online
        ("仓库", "repository"),  # before a warehouse
        ("接口", "api"),
        ("兜底", "fallback"),
        ("鉴权", "authentication"),
        ("超时", "timeout"),  # from the groups of synonyms
        ("日志", "log"),
    ],
)
def test_words_of_the_trade_mean_what_developers_mean(word, meant):
    assert meant in Glossary().glosses([word])[word]


@pytest.mark.parametrize(
    ("phrase", "best"),
    [
        ("thread pool", "线程池"),
        ("rollback", "回滚"),
        ("retri", "重试"),
        ("databas", "数据库"),
        ("timeout", "超时"),
        ("memori leak", "内存泄漏"),
        ("rate limit", "限流"),
    ],
)
def test_an_english_phrase_has_its_chinese_word_first(phrase, best):
    words = Glossary().headwords([phrase])[phrase]

    assert max(words, key=lambda word: (words[word], word)) == best


def test_words_of_grammar_have_no_meaning_and_unknown_ones_are_absent():
    assert Glossary().glosses(["为什么", "缓存", "犰狳"]) == {
        "为什么": ("",),
        "缓存": ("cache", "caching"),
    }
    assert Glossary().headwords(["armadillo"]) == {}
    assert Glossary().frequencies(["缓存", "犰狳"]) == {"缓存": 1000}
    assert Glossary().headwords(["rollback"])["rollback"]["回滚"] == 1.0


def test_a_word_weighs_less_where_the_phrase_is_late_or_a_part_of_a_gloss_or_it_is_one_character():
    entries = [
        ("池", ["pool"], 1.0),
        ("线程池", ["thread pool"], 1.0),
        ("泳池", ["x", "pool"], 1.0),
    ]

    found = headwords(entries)

    assert found["pool"] == {
        "池": pytest.approx(0.3),
        "线程池": pytest.approx(0.25),
        "泳池": pytest.approx(0.8),
    }
    assert found["thread pool"] == {"线程池": 1.0}


def test_a_phrase_has_three_words_at_most():
    found = headwords([("甲乙", ["red green blue", "red green blue gold"], 1.0)])

    assert found["red green blue"] == {"甲乙": 1.0}
    assert "red green blue gold" not in found
    assert found["gold"] == {"甲乙": pytest.approx(0.8 * 0.5 / 4)}
