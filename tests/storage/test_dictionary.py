import itertools
import sqlite3
import sys
from datetime import date

import pytest
from scripts import build_dictionary

from daily_memory.core.search import translation
from daily_memory.core.search.glossary import Glossary
from daily_memory.errors import DamagedDataError
from daily_memory.model import Session
from daily_memory.storage import dictionary
from daily_memory.storage.dictionary import SqliteDictionary
from tests.core.memories import ListedPostings

CEDICT = """\
# CC-CEDICT
冰箱 冰箱 [bing1 xiang1] /icebox/freezer cabinet/refrigerator/CL:個|个[ge4],臺|台[tai2]/
防守 防守 [fang2 shou3] /to defend/to protect (against)/
王 王 [Wang2] /surname Wang/
王 王 [wang2] /king or monarch/best or strongest of its type/
北大 北大 [Bei3 da4] /Peking University (abbr. for 北京大學|北京大学[Bei3 jing1 Da4 xue2])/
北京大學 北京大学 [Bei3 jing1 Da4 xue2] /Peking University, Beijing/
資料庫 资料库 [zi1 liao4 ku4] /database/
数据库 数据库 [shu4 ju4 ku4] /database/
冷門 冷门 [leng3 men2] /(fig.) obscure subject/
裡 裡 [li3] /variant of 裏|里[li3]/
2019冠狀病毒病 2019冠状病毒病 [x] /COVID-19/
"""
COUNTS = {
    "冰箱": 900,
    "防守": 1500,
    "王": 3000,
    "北大": 10,
    "北京大学": 20,
    "数据库": 600,
    "资料库": 60,
}


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "dictionary.sqlite3"
    build_dictionary.build(CEDICT.split("\n"), COUNTS, path)
    return SqliteDictionary(str(path))


def test_a_word_has_its_meanings_without_remarks_counters_and_surnames(large):
    assert large.glosses(["冰箱", "防守", "王", "冷门", "无"]) == {
        "冰箱": ("icebox", "freezer cabinet", "refrigerator"),
        "防守": ("defend", "protect"),
        "王": ("king or monarch", "best or strongest of its type"),
    }


def test_an_abbreviation_has_the_meaning_of_what_it_stands_for(large):
    assert large.glosses(["北大"]) == {"北大": ("Peking University, Beijing",)}


def test_a_phrase_has_the_words_for_it_the_usual_one_first(large):
    assert large.headwords(["databas", "freezer cabinet", "armadillo"]) == {
        "databas": {"数据库": 1.0, "资料库": 0.645},
        "freezer cabinet": {"冰箱": 1.0},
    }
    assert large.frequencies(["数据库", "无"]) == {"数据库": 600}


def test_many_words_can_be_asked_for_at_once(large):
    words = [chr(number) for number in range(0x4E00, 0x5E00)]

    assert large.glosses([*words, "冰箱"])["冰箱"]


def test_the_counts_of_one_spelling_are_added_up():
    assert build_dictionary.word_counts(["資料庫 5 n", "资料库 7 n"]) == {"资料库": 12}


def test_a_rare_word_for_a_common_one_is_kept_for_the_memory_that_has_it(tmp_path):
    path = tmp_path / "dictionary.sqlite3"
    words = ["".join(pair) for pair in itertools.product("甲乙丙丁", "子丑寅卯辰")]
    entries = [f"{word} {word} [x] /origin/" for word in words]
    build_dictionary.build(entries, {word: 900 - at for at, word in enumerate(words)}, path)

    session = Session(date(2026, 1, 29), 1, topic=words[-1])
    large = SqliteDictionary(str(path))
    reading = translation.read("origin", ListedPostings([session]), [large])

    assert [term.term for term in reading.query.terms] == [words[-1]]


def test_the_large_dictionary_is_used_where_it_is_installed(tmp_path, monkeypatch):
    assert dictionary.find_large() == ""

    package = tmp_path / "daily_memory_chinese"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert dictionary.find_large() == ""  # without its data it is of no use

    build_dictionary.build(CEDICT.split("\n"), COUNTS, package / "dictionary.sqlite3")
    dictionary.installed.cache_clear()
    try:
        ours, large = dictionary.installed()
    finally:
        dictionary.installed.cache_clear()
        del sys.modules["daily_memory_chinese"]

    assert isinstance(ours, Glossary)
    assert large.glosses(["冰箱"])


def test_a_damaged_dictionary_is_told(tmp_path):
    path = tmp_path / "dictionary.sqlite3"
    sqlite3.connect(path).close()
    path.write_bytes(b"garbage" * 1000)

    with pytest.raises(DamagedDataError):
        SqliteDictionary(str(path)).glosses(["冰箱"])
