"""Flags as tags: put in and taken out of the lines of a section."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory import InvalidInputError
from daily_memory.core.format import markdown
from daily_memory.core.format.flags import FLAGS, marked
from daily_memory.model import Session

HEAD = "## Session 1\n\n### Topic\nx\n"


@pytest.mark.parametrize(
    ("before", "flags", "after"),
    [
        ("", {"important": True}, "\n### 标签\n#important\n\n"),
        ("### Tags\n#a, #b\n", {"private": True}, "### Tags\n#a, #b #private\n"),
        ("### Tags\n- a\n- b\n\n", {"private": True}, "### Tags\n- a\n- b #private\n\n"),
        ("### Tags\n\n", {"outdated": True}, "### Tags\n#outdated\n\n"),
        ("### Tags\n#Important #a\n", {"important": True}, "### Tags\n#Important #a\n"),
        ("### Tags\n#重要 #a\n", {"important": False}, "### Tags\n#a\n"),
        ("### 标签\n#a、重要，#b\n", {"important": False}, "### 标签\n#a、#b\n"),
        ("### Tags\n#a #important\n", {"important": False}, "### Tags\n#a\n"),
        ("### Tags\n#important\n", {"important": False}, "### Tags\n\n"),
        ("### Tags\n#重要\n", {"important": False, "private": True}, "### Tags\n#private\n\n"),
        ("### Topic\n#important\n", {"important": False}, "### Topic\n#important\n"),
        ("### Tags\n#outdated-api\n", {"outdated": False}, "### Tags\n#outdated-api\n"),
    ],
)
def test_one_line_at_the_most_is_changed(before, flags, after):
    assert marked(f"{HEAD}{before}---\n", flags, language="zh") == f"{HEAD}{after}---\n"


def test_a_section_that_is_not_closed_is_marked_at_its_end():
    text = marked("## Session 1\n### Topic\nx", {"important": True}, language="en")

    assert text == "## Session 1\n### Topic\nx\n\n### Tags\n#important\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("TTL #private, 300 s", "TTL, 300 s"),
        ("#private TTL", " TTL"),
        ("见 #私密 内容 #redis\nx #Private.", "见 内容 #redis\nx."),
        ("#private-key #private", "#private-key"),
        ("TTL\n### Tags\n#private #redis", "TTL\n### Tags\n#redis"),
        ("TTL #important", "TTL #important"),
    ],
)
def test_a_flag_is_taken_out_of_a_line_that_people_wrote(before, after):
    assert marked(before, {"private": False}, language="en") == after


def test_lines_that_are_not_one_section_are_refused():
    with pytest.raises(InvalidInputError, match="not one section"):
        marked("## Session 1\n---\n## Session 2\n", {"important": True}, language="en")


words = st.text(alphabet="ab重要 #,、\n", max_size=12)


@given(
    words,
    st.lists(words, max_size=3),
    st.dictionaries(st.sampled_from(sorted(FLAGS)), st.booleans()),
)
def test_what_is_marked_reads_so_and_says_the_same(topic, tags, flags):
    tags = [tag for tag in map(markdown.clean_tag, tags) if tag]
    session = Session(date(2026, 1, 29), 1, topic=topic.strip(), tags=tuple(tags))
    text = markdown.format_section(session, language="en")

    done = marked(text, flags, language="en")

    parsed = markdown.parse_section(done.split("\n"), session.date)
    plain = markdown.parse_section(text.split("\n"), session.date)
    assert parsed is not None
    assert plain is not None
    assert all(getattr(parsed, f"is_{flag}") == value for flag, value in flags.items())
    assert parsed._replace(tags=()) == plain._replace(tags=())
    assert {tag for tag in plain.tags if all(tag not in FLAGS[flag] for flag in flags)} <= set(
        parsed.tags
    )
