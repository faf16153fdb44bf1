from __future__ import annotations

import pytest

from daily_memory.core.review import summary_region
from daily_memory.core.review.summary_region import BEGIN, END, put, without_missing
from daily_memory.errors import InvalidInputError

HAND = "# 记忆摘要 / Summary\n\n我自己写的一行 (2026-01-01#1)\n"
OURS = ["## Standing facts", "- 用 pnpm (2026-01-29#1)", "- TTL (2026-01-28#1, 2026-01-29#2)"]


def test_our_part_comes_at_the_end_and_the_rest_stays():
    text = put(HAND, OURS)

    assert text == f"{HAND}\n{BEGIN}\n" + "\n".join(OURS) + f"\n{END}\n"


def test_a_second_time_only_our_part_is_another():
    text = put(HAND, OURS) + "\n## 手写\r\n没有换行的最后一行"

    again = put(text.replace("\r\n", "\n"), ["- x (2026-01-29#1)"])

    assert again.startswith(HAND)
    assert again.endswith(f"\n- x (2026-01-29#1)\n{END}\n\n## 手写\n没有换行的最后一行")
    assert put(again, ["- x (2026-01-29#1)"]) == again


def test_line_ends_are_those_of_the_file():
    text = put("# A\r\n\r\nby hand\r\n", OURS)

    assert text.count("\n") == text.count("\r\n")
    assert put(text, OURS) == text


@pytest.mark.parametrize("text", ["", "by hand", "by hand\n"])
def test_an_empty_part_is_not_begun_but_is_emptied(text):
    assert put(text, []) == text
    assert OURS[1] not in put(put(text, OURS), [])
    assert put(text, OURS).startswith(text)


@pytest.mark.parametrize(
    "text",
    [BEGIN, END, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n", f"{BEGIN}\n{END}\n{END}"],
)
def test_comments_that_are_no_pair_are_refused(text):
    with pytest.raises(InvalidInputError, match="not one pair"):
        put(text, OURS)


def test_lines_whose_sources_are_all_gone_go():
    text = put(HAND, OURS)

    found = without_missing(text, lambda ids: ids - {"2026-01-29#1", "2026-01-28#1"})

    assert OURS[1] not in found
    assert OURS[2] in found
    assert HAND in found


def test_a_heading_without_a_line_goes_too():
    text = put(HAND, [*OURS, "", "## Open threads", "- 压测 (2026-01-27#1)"])

    found = without_missing(text, lambda _ids: {"2026-01-27#1"})

    assert "## Standing facts" not in found
    assert "## Open threads\n- 压测 (2026-01-27#1)" in found
    assert "##" not in without_missing(text, lambda _ids: set())


def test_text_of_people_and_what_is_all_there_stays():
    text = put(HAND, OURS)

    assert without_missing(HAND, lambda _ids: set()) == HAND
    assert without_missing(text, lambda ids: ids) == text


def test_where_a_comment_is_missing_any_line_may_be_ours():
    text = put(HAND, OURS).replace(END, "")

    assert OURS[1] not in without_missing(text, lambda _ids: set())


def test_the_sources_of_a_line():
    assert summary_region.sources("- a (2026-01-29#1~2; git: bob)") == ("2026-01-29#1~2",)
    assert summary_region.sources("a (2026-01-29#1)") == ()
    assert summary_region.sources("- a (see 2026-01-29#1)") == ()
