"""What many texts lack is found out once."""

from __future__ import annotations

import pytest

from daily_memory.core.batch import Batch, Words, standing, standing_rows, words_of

LONG = "nothing of it stands in these words 这里什么都没有 " * 200


@pytest.mark.parametrize("around", ["", LONG], ids=["short", "long"])
def test_a_trigger_stands_where_its_words_do(around):
    words = words_of([around, "log in\nwith 密码", "curl\t-u"])

    found = standing(("密码", "log in", "wget", "curl\t", "-u", "-x", "口令"), words)

    assert found == ("密码", "log in", "curl\t", "-u")


def test_of_long_texts_each_word_is_kept_once():
    words = words_of([LONG, LONG])

    assert len(words[0]) < 100
    assert {("w", "o", "r"), ("什", "么")} < words[1]
    assert ("w", "o") not in words[1]
    assert words_of(["short"]) == ("short", frozenset())


@pytest.mark.parametrize("around", ["", LONG], ids=["short", "long"])
def test_rows_keep_their_number_and_lose_what_does_not_stand(around):
    rows = (("curl", "wget"), ("mysql",), ("ssh", "curl"))

    found = standing_rows(rows, words_of([around, "curl -u a:b"]))

    assert found == ((0, ("curl",)), (2, ("curl",)))


def test_each_question_is_asked_once():
    asked: list[str] = []
    batch = Batch(["eins", "two"])

    def look(words: Words) -> int:
        asked.append(words[0])
        return len(words[0])

    assert (batch.once(look), batch.once(look)) == (8, 8)
    assert asked == ["eins\ntwo"]
