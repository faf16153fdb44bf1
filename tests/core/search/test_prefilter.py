import pytest

from daily_memory.core.search.glossary import Glossary
from daily_memory.core.search.prefilter import RawTexts, likely, needles, shares


def test_a_text_with_all_words_has_all_of_the_question():
    wanted = needles("deploying the Happy caches 缓存")

    assert wanted == ("deploy", "happi", "cach", "缓存")
    found = shares(wanted, ["We DEPLOYED happy caches；緩存", "a cache", "nothing"])
    assert found[0] == 1.0
    assert 0 < found[1] < 0.5
    assert found[2] == 0.0


def test_a_question_of_grammar_asks_for_nothing():
    assert needles("what did we do?") == ()
    assert needles("我们的缓存") == ("的缓", "缓存")
    assert shares((), ["text"]) == [0.0]


def test_a_lonely_character_is_looked_for_itself():
    assert needles("茶") == ("茶",)


def test_a_text_in_the_other_language_has_what_it_says_there():
    texts = ["支付网关的超时是 8 秒", "the login page", "网关"]
    full, none, part = likely("payment gateway timeout", RawTexts(texts), lambda: [Glossary()])

    assert full > 0.9
    assert none == 0
    assert 0 < part < 0.5
    assert likely("登录页面", RawTexts(texts), lambda: [Glossary()])[1] > 0.9


def test_no_dictionary_is_loaded_where_no_text_is_in_the_other_language():
    texts = RawTexts(["the login page of the café"])

    assert likely("login page", texts, lambda: pytest.fail("loaded")) == [1.0]


def test_what_few_texts_have_counts_more():
    rare, common = 1 / 2**0.5, 1 / 4**0.5

    found = shares(("redi", "ttl"), ["redis", "redis ttl", "Redis"])

    assert found == pytest.approx([common / (rare + common), 1.0, common / (rare + common)])


def test_a_name_that_both_languages_have_is_found_once_by_itself():
    assert likely("redis", RawTexts(["Redis 缓存"]), lambda: [Glossary()]) == [1.0]
