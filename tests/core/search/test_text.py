import sys
from concurrent.futures import ThreadPoolExecutor
from string import ascii_letters

import pytest
import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st

from daily_memory.core.search import text

MIXED = st.text(st.sampled_from("aZ9_.'’#+-/ 缓存資ｶＡ한の\n\0é\ud800😀"), max_size=60)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Connection pools TIMED out", ["connect", "pool", "time"]),
        ("Melanie's don't", ["melani"]),
        ("retryCount", ["retrycount", "retri", "count"]),
        ("retry_count", ["retrycount", "retri", "count"]),
        ("pgDump", ["pgdump", "pg", "dump"]),
        ("HTTPServer __init__", ["httpserver", "http", "server", "init"]),
        ("C++ C# g++ F#", ["cplusplus", "csharp", "gplusplus", "fsharp"]),
        (".NET and ASP.NET", ["dotnet", "asp", "dotnet"]),
        ("example.net", ["exampl", "net"]),
        ("src/index.ts", ["src", "index", "ts"]),
        ("3.11.7", ["3.11.7", "3.11"]),
        ("python3.12", ["python", "3.12"]),
        ("v2.0", ["2.0"]),
        ("word.5", ["word", "0.5"]),
        ("E1234 ERR_FOO HTTP 404", ["e1234", "1234", "errfoo", "err", "foo", "http", "404"]),
        ("61,000 EUR", ["61000", "61", "000", "eur"]),
        ("f(100,200)", ["f", "100200", "100", "200"]),
        ("1,234.5", ["1234.5"]),
        ("P99 120s v2", ["p99", "99", "120s", "120", "v2", "2"]),
        ("播放器", ["播", "放", "器", "播放", "放器"]),
        ("存.1.2的", ["存", "1.2", "的"]),
        ("v20.1.3 v10.2", ["20.1.3", "20.1", "10.2"]),
        ("é缓存3.5x", ["e", "缓", "存", "缓存", "3.5", "x"]),
        ("network .Net, a.new", ["network", "dotnet", "new"]),
        ("API重构", ["api", "重", "构", "重构"]),
        ("資料庫", ["资", "料", "库", "资料", "料库"]),
        ("ＡＢＣ　１２", ["abc", "12"]),
        ("キャッシュ", ["キ", "ャ", "ッ", "シ", "ュ", "キャ", "ャッ", "ッシ", "シュ"]),
        ("배포", ["배", "포", "배포"]),
        ("々b 々", ["々", "b", "々"]),
        ("Café Привет наш_код", ["cafe", "привет", "нашкод", "наш", "код"]),
        ("the of THE", []),
        ("\0 \ud800 😀 --- ...", []),
        ("_ __", []),
    ],
)
def test_a_text_gives_its_terms(written, expected):
    terms = text.terms(written)

    assert terms == expected


def test_a_very_long_word_is_known_by_its_beginning():
    terms = text.terms("x" * 1_000_000)

    assert terms == ["x" * 64]


def test_the_memo_does_not_grow_without_end(monkeypatch):
    monkeypatch.setattr(text, "MEMO_LIMIT", 3)
    text.MEMO.clear()

    text.terms("alpha beta gamma delta")

    assert len(text.MEMO) == 1


@given(MIXED)
def test_every_term_can_be_stored_and_packed(written):
    terms = text.terms(written)

    assert all(term and " " not in term and term.encode() for term in terms)


@given(MIXED, MIXED)
def test_texts_apart_give_the_terms_of_each(first, second):
    terms = text.terms(f"{first}\n{second}")

    assert terms == text.terms(first) + text.terms(second)


@given(MIXED)
def test_folding_twice_changes_nothing_that_folding_once_left(written):
    folded = text.fold(written)

    assert text.terms(folded) == text.terms(written)


@given(st.text())
def test_any_text_is_safe(written):
    terms = text.terms(written)

    assert all(terms)


@given(st.text(alphabet="缓存，。“ab1.9_ \n\u3000\U00020000", max_size=30))
@example("缓存v3.11.7的redis_key")
def test_tokens_are_the_same_beside_what_is_neither_ascii_nor_chinese(written):
    """Text in these two is cut in another way than all other text."""
    assert text.tokens(f"{written} ж") == [*text.tokens(written), "ж"]


@given(st.text())
@example("缓存ж存a⺀.1 a缓.5 缓a.5")
def test_a_token_is_chinese_or_not(written):
    tokens = text.tokens(written)

    folded = "".join(filter(str.isalnum, text.fold(written)))
    assert "".join(filter(str.isalnum, "".join(tokens))) == folded
    assert all(len({character >= "\u2e80" for character in token}) == 1 for token in tokens)


def test_a_chinese_run_is_told_from_a_word():
    assert [text.is_cjk(token) for token in text.tokens("缓存 cache の")] == [True, False, True]


@pytest.mark.parametrize("letter", [*ascii_letters, "À", "ɿ"])
@pytest.mark.parametrize("character", ["一", "鿿"])
def test_a_text_is_chinese_that_has_a_character_for_three_letters(letter, character):
    assert text.is_mainly_chinese(character + 3 * letter)
    assert not text.is_mainly_chinese(character + 4 * letter)


def test_half_a_character_has_no_language():
    assert text.is_mainly_chinese("缓存\ud83d")
    assert not text.is_mainly_chinese("cache\ud83d")


def test_stop_words_are_known():
    assert text.is_stop_word("the")
    assert not text.is_stop_word("cache")


def test_many_threads_cut_words_as_one_does(monkeypatch):
    monkeypatch.setattr(text, "MEMO_LIMIT", 50)  # so that words are cut all the time
    endings = ("ing", "ations", "ness", "ies", "ed")
    words = [f"{letter}onnect{end}" for letter in "abcdefghijklmnopqrst" for end in endings]
    wanted = {word: (Stemmer.Stemmer("english").stemWord(word),) for word in words}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda word: (word, text.word_terms(word)), words * 100)
            wrong = [(word, got) for word, got in found if got != wanted[word]]
    finally:
        sys.setswitchinterval(interval)

    assert wrong == []


def test_an_accent_after_its_letter_is_the_accented_letter():
    assert text.terms("Mu\u0308ller") == text.terms("Müller") == ["muller"]


@pytest.mark.parametrize("name", ["c++", "g++", "c#", "f#", ".net"])
def test_a_name_with_signs_is_one_term_that_is_shown_as_it_is_written(name):
    (term,) = text.terms(name)

    assert text.SPELLINGS[term] == name


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("abc", False),
        ("é", False),
        ("…", False),
        ("缓", True),
        ("缓abc", True),
        ("缓abcd", False),
        ("缓存ABCXYZ", True),
        ("缓存ABCXYZé", False),
        ("缓@@@@[[[[````{{{{", True),
    ],
)
def test_a_chinese_character_says_what_three_letters_do(written, expected):
    assert text.is_mainly_chinese(written) is expected


def test_a_figure_has_a_digit_and_another_character():
    assert [text.is_figure(term) for term in ("7", "10", "e4", "order")] == [
        *(False, True, True, False)
    ]


def test_a_run_of_chinese_gives_its_pairs():
    assert text.run_pairs("首帧缓存") == ["首帧", "帧缓", "缓存"]
    assert text.run_terms("缓存") == ["缓", "存", "缓存"]
