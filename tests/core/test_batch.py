"""Which triggers occur in a batch of texts."""

from __future__ import annotations

import pytest

from daily_memory.core.batch import Batch

LONG = "nothing of it occurs in these words 这里什么都没有 " * 200


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
def test_a_trigger_is_present_where_its_words_are(filler):
    batch = Batch([filler, "log in\nwith 密码", "curl\t-u"])

    present = batch.present(("密码", "log in", "wget", "curl\t", "-u", "-x", "口令", "码"))

    assert present == ("密码", "log in", "curl\t", "-u", "码")


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
def test_a_trigger_is_absent_where_only_its_letters_are(filler):
    batch = Batch([filler, "logging in", "码 密"])

    assert batch.present(("log in", "密码")) == ()


def test_each_question_is_asked_once():
    asked: list[Batch] = []
    batch = Batch(["one", "two"])

    def ask(batch: Batch) -> int:
        asked.append(batch)
        return 8

    assert (batch.once(ask), batch.once(ask)) == (8, 8)
    assert asked == [batch]
