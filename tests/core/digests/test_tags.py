"""Tags: names and words of the conversation, and no pieces of them."""

from __future__ import annotations

from datetime import date

from daily_memory.core.digests.digest import digest
from daily_memory.core.digests.messages import Message
from daily_memory.model import FLAG_TAGS

DAY = date(2026, 1, 29)


def tags_of(*turns: str) -> tuple[str, ...]:
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY).tags


LONG = "我们先看了日志和监控，没有别的发现。" * 25


def test_a_piece_of_grammar_is_no_word_and_what_has_many_neighbours_is_one() -> None:
    tags = tags_of(
        "排班太慢，新排班页面到底用哪个组件，店长排班经常出错",
        f"排班页面到底用拖拽还是表格，取决于店长。{LONG}",
        "到底用拖拽吧，排班",
    )

    assert "页面" in tags
    assert "底用" not in tags


def test_a_short_word_is_a_tag_where_it_is_an_abbreviation() -> None:
    long = "We looked at the logs and the graphs and found nothing else. " * 10
    tags = tags_of(
        "the ANR rate of the app and the len of the buf are off",
        f"The ANR comes from the buf; its len is wrong. {long}",
        "ok, the ANR and the len and the buf",
    )

    assert "ANR" in tags
    assert "buf" not in tags


def test_a_form_of_a_verb_is_no_tag_in_a_long_conversation() -> None:
    long = "We looked at the logs and the graphs and found nothing else. " * 10
    tags = tags_of(
        "checkout keeps flaking in staging, flaking since the deploy of checkout",
        f"It was flaking as checkout raced with the seed. {long}",
    )

    assert "checkout" in tags
    assert "flaking" not in tags


def test_no_tag_of_a_digest_is_a_flag() -> None:
    tags = tags_of(
        "our `Private` npm registry and the Important header: make the methods private #private",
        "The methods are private now, the Important header is set, the Private registry answers.",
        "the outdated dependency is gone; 重要的是私密仓库，过时的依赖删了。私密仓库、过时的依赖",
    )

    assert "registry" in tags
    assert not FLAG_TAGS & {tag.casefold() for tag in tags}
