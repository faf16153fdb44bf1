"""What a line is worth, by its signs."""

from __future__ import annotations

from daily_memory.core.digests.digest import said_lines
from daily_memory.core.observation import Observation


def scores(*turns: str) -> list[float]:
    """Return what the lines of turns weigh; the user begins."""
    talk = [Observation("", ("user", "assistant")[at % 2], text) for at, text in enumerate(turns)]
    return [line.score for line in said_lines(talk)]


def test_a_line_that_takes_up_what_the_other_side_said_is_worth_more():
    answer = "The import failed because of the code page on that machine."

    *_, taken_up = scores("why does the import fail on Windows", answer)
    *_, alone = scores("why does the build hang on Windows", answer)

    assert taken_up > alone


def test_what_may_be_is_worth_less_than_what_is():
    question = "why does the import fail on Windows"

    *_, is_so = scores(question, "The code page cp1252 breaks `open()` on Windows.")
    *_, may_be = scores(question, "The code page cp1252 may break `open()` on Windows.")

    assert is_so > may_be


def test_what_a_user_chooses_is_worth_more_than_what_a_user_asks_for():
    before = ("the API is slow", "It has 40 queries in `orders.py`.")

    *_, chosen = scores(*before, "let's use the eager loading of SQLAlchemy 2.0", "Done.")
    *_, ordered = scores(*before, "add the eager loading of SQLAlchemy 2.0", "Done.")

    assert chosen > ordered


def test_an_abbreviation_or_a_foreign_word_is_a_name():
    *_, named = scores("为什么接口这么慢", "根本原因是 ORM 关系没有设置预先加载。")
    *_, unnamed = scores("为什么接口这么慢", "根本原因是这些关系没有设置预先加载。")

    assert named > unnamed
