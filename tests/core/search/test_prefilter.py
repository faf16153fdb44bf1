from daily_memory.core.search.prefilter import needles, shares


def test_a_text_with_all_words_has_all_of_the_question():
    wanted = needles("deploying the Happy caches 缓存")

    assert wanted == ("deploy", "happ", "cach", "缓存")
    found = shares(wanted, ["We DEPLOYED happy caches；緩存", "a cache", "nothing"])
    assert found[0] == 1.0
    assert 0 < found[1] < 0.5
    assert found[2] == 0.0


def test_a_question_of_grammar_asks_for_nothing():
    assert needles("what did we do?") == ()
    assert shares((), ["text"]) == [0.0]


def test_a_lonely_character_is_looked_for_itself():
    assert needles("茶") == ("茶",)
