"""What a person wrote outside of our sections: found under an id without a number, and stable."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.format import day_scan
from daily_memory.core.format.flags import marked
from daily_memory.core.format.markdown import Day, format_section, parse_day, parse_section
from daily_memory.model import Code, Note, Session

DAY = date(2026, 1, 29)
OURS = "## Session 1 - 10:00\n\n### Topic\nours\n\n---\n"


def loose(text: str) -> list[tuple[str, str, tuple[int, int]]]:
    return [
        (str(one.session.id), one.session.topic, (one.span.first, one.span.last))
        for one in parse_day(text, DAY).loose
    ]


def test_a_heading_by_hand_is_a_section_of_its_own():
    text = (
        f"# 2026-01-29 对话记忆\n\n{OURS}\n## Redis 决定\n\nTTL 定为 300 秒\n\n## Ports\n- web 80\n"
    )

    day = parse_day(text, DAY)

    assert loose(text) == [
        ("2026-01-29#0", "Redis 决定", (10, 12)),
        ("2026-01-29#0~2", "Ports", (14, 15)),
    ]
    assert [one.session.number for one in day.all_sections] == [1, 0, 0]
    assert day.loose[0].session.notes == (Note("", "TTL 定为 300 秒"),)
    assert day.last_number == 1


def test_a_plain_day_is_a_section():
    assert loose("the cache is in redis\nTTL 300 s\n") == [
        ("2026-01-29#0", "the cache is in redis", (1, 2))
    ]
    assert loose("- 缓存用 Redis\n- TTL 300\n")[0][1] == "缓存用 Redis"
    assert loose("# Redis notes\n\nTTL 300 s\n")[0][1] == "Redis notes"


def test_what_stands_above_between_and_below_is_found_in_its_order():
    text = f"above\n\n{OURS}\nbetween\n\n{OURS.replace('1 -', '2 -')}\nbelow"

    assert [one.session.topic for one in parse_day(text, DAY).all_sections] == [
        "above",
        "ours",
        "between",
        "ours",
        "below",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# 2026-01-29 对话记忆\n\n",
        f"# day\n\n{OURS}",
        f"{OURS}\n---\n\n---\n",
        f"<!-- a comment -->\n{OURS}",
        "---\nproject: shop\n---\n",
        # It has no rule yet: what stands below still belongs to it.
        "## Session 1\n### Topic\nours\n\n## Notes\nof the session\n",
    ],
)
def test_frame_and_what_belongs_to_a_section_is_none(text):
    assert loose(text) == []


def test_fields_tags_and_code_are_read_as_in_a_section():
    text = "## Redis\n### Decisions\n- use it #cache\n### Code\n```sh\n## no heading\n---\n```\n"
    text += "### Tags\n#db"

    (section,) = parse_day(text, DAY).loose

    assert section.session == Session(
        DAY,
        topic="Redis",
        decisions=("use it #cache",),
        code=(Code("sh", "## no heading\n---"),),
        tags=("db",),
    )


def test_a_text_that_begins_with_a_fence_keeps_it():
    (section,) = parse_day("```sh\nls\n```\nlists", DAY).loose

    assert section.session.topic == ""
    assert section.session.notes == (Note("", "```sh\nls\n```\nlists"),)


@pytest.mark.parametrize(
    "said", ["#private", "x #private.", "见 #私密 内容", "# Redis\ny\n#private"]
)
def test_a_flag_anywhere_in_it_counts(said):
    assert parse_day(said, DAY).loose[0].session.is_private


def test_a_comment_of_ours_in_it_says_nothing_about_a_conversation():
    comment = '<!-- memory {"conversation":"c1","digest":"9b1c","source":"cursor"} -->'
    (section,) = parse_day(f"## Lost heading\n{comment}\ntext", DAY).loose

    assert (section.session.conversation, section.session.digest) == ("", "")


@pytest.mark.parametrize(
    "said", ["## Redis\nTTL", "plain #redis", "## A\n### Tags\n#x", "- a\n- b"]
)
def test_a_flag_is_set(said):
    text = marked(said, {"important": True}, language="en")

    section = parse_section(text.split("\n"), DAY)
    assert section is not None
    assert section.is_important
    assert said.split("\n")[0] in text


@pytest.mark.parametrize(
    "said", ["TTL #private, x", "#private", "## A\n### Tags\n#x #私密", "#Private."]
)
def test_a_flag_is_taken_away_wherever_it_stands(said):
    gone = marked(said, {"private": False}, language="en")

    assert not any(one.session.is_private for one in parse_day(gone, DAY).loose)


LINES = st.sampled_from(
    [
        *("", "text", "# title", "# 2026-01-29 x", "## Notes", "## Redis 6", "### Topic", "#tag"),
        *("### Tags", "```", "~~~", "````", "---", "- item", "  ```", "<!-- c -->", "\\## x"),
        *("## Session 1", "## Session 2 - 10:00", "<<<<<<< a", "=======", ">>>>>>> b", "||||||| c"),
    ]
)


@given(st.lists(LINES, max_size=14))
def test_each_text_reads_the_same_from_its_own_lines(lines):
    text = "\n".join(lines)

    for section in parse_day(text, DAY).loose:
        first, last = section.span
        alone = parse_section(lines[first - 1 : last], DAY)
        assert alone == section.session._replace(copy=1)


@given(st.lists(LINES, max_size=14))
def test_sections_and_texts_share_no_line_and_nothing_that_says_something_is_in_none(lines):
    scan = day_scan.scan(lines)
    spans = sorted((one.first, one.last) for one in (*scan.blocks, *scan.loose))
    held = {line for first, last in spans for line in range(first, last + 1)}

    assert all(one[1] < other[0] for one, other in pairwise(spans))
    assert "text" not in [line for at, line in enumerate(lines) if at not in held] or any(
        line.startswith(("<<<<<<<", "|||||||")) for line in lines
    )


@given(st.lists(st.text(st.sampled_from("#-` \nS2ession~<!>"), max_size=12), max_size=4))
def test_no_saved_text_becomes_such_a_section(points):
    session = Session(
        DAY, 1, topic="t", key_points=tuple(points), code=(Code("", "## x\n---\n## y"),)
    )

    day = parse_day(f"# 2026-01-29 x\n\n{format_section(session, language='en')}", DAY)

    assert isinstance(day, Day)
    assert (len(day.sections), day.loose) == (1, ())
