"""Merging a day: nothing lost, torn or doubled, whichever side merges the other."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.format import day_scan, markdown
from daily_memory.core.format.day_merge import has_sections, merge_days, resolve_conflicts
from daily_memory.core.format.markdown import parse_day
from daily_memory.core.format.merge_parts import parse_document
from tests.core.day_changes import LINES, Branch, Made, bases, branches, day

DAY = "2026-01-29"
TITLE = "# 2026-01-29 对话记忆\n"
ONE = "## Session 1 - 10:00:00\n\n### 主题\n一\n\n### 关键信息\n- a\n- b\n\n### 标签\n#x\n\n---\n"
TWO = "## Session 2 - 10:10:00\n\n### Topic\ntwo\n\n### Key points\n- c\n\n---\n"
THREE = "## Session 3 - 10:20:00\n\n### 主题\n三\n\n### 代码/配置\n```py\nprint(3)\n```\n\n---\n"


def joined(*sections: str, title: str = TITLE) -> str:
    return "\n".join([title, *sections])


def merged(base: str, ours: str, theirs: str) -> str:
    """Return the outcome, which must be the same both ways."""
    old, one, other = (text.encode() for text in (base, ours, theirs))
    outcome = merge_days(old, one, other, DAY)
    assert outcome == merge_days(old, other, one, DAY)
    return outcome.decode()


def renumbered(section: str, number: int) -> str:
    return markdown.renumbered(section, number)


def at(section: str, time: str) -> str:
    heading, _, rest = section.partition("\n")
    return f"{heading[:-8]}{time}\n{rest}"


# ---------------------------------------------------------------------------- additions


def test_what_both_sides_added_is_there_in_order_of_time_each_with_its_number():
    late = at(TWO, "11:00:00").replace("two", "late")

    assert merged(joined(ONE), joined(ONE, TWO), joined(ONE, late)) == joined(
        ONE, TWO, renumbered(late, 3)
    )


def test_a_number_that_was_given_is_not_given_again():
    late = at(TWO, "11:00:00")

    outcome = merged(joined(ONE, THREE), joined(ONE, TWO), joined(ONE, THREE, late))

    assert outcome == joined(ONE, TWO, renumbered(late, 4))


def test_at_one_time_and_number_the_content_decides():
    other = TWO.replace("two", "other")

    assert merged(joined(ONE), joined(ONE, TWO), joined(ONE, other)) == joined(
        ONE, other, renumbered(TWO, 3)
    )


def test_the_same_addition_is_there_once():
    assert merged(joined(ONE), joined(ONE, TWO), joined(ONE, TWO, THREE)) == joined(ONE, TWO, THREE)


def test_an_addition_that_an_earlier_merge_renumbered_is_there_once_under_the_later_number():
    mine = at(TWO, "09:00:00").replace("two", "mine")
    ours = joined(ONE, mine, renumbered(TWO, 4))

    assert merged(joined(ONE), ours, joined(ONE, TWO)) == ours


def test_merging_again_keeps_what_the_first_merge_renumbered():
    mine = at(TWO, "09:00:00").replace("two", "mine")
    tip = joined(ONE, TWO)
    main = merged(joined(ONE), joined(ONE, mine), tip)

    outcome = merged(tip, main, joined(ONE, TWO.replace("- c", "- c\n- d"), THREE))

    assert outcome == joined(
        ONE, mine, renumbered(TWO.replace("- c", "- c\n- d"), 3), renumbered(THREE, 4)
    )


def test_both_sides_may_begin_a_day():
    assert merged("", joined(ONE), joined(TWO)) == joined(ONE, TWO)
    assert merged("", joined(ONE), joined(ONE)) == joined(ONE)
    assert merged("", joined(ONE), "") == joined(ONE)


def test_of_two_titles_that_were_made_one_stays():
    english = "# 2026-01-29 Conversation memory\n"

    assert merged("", joined(ONE), joined(TWO, title=english)) == joined(ONE, TWO, title=english)


def test_a_title_of_a_person_comes_before_one_that_was_made():
    for title in ("# 我的一天\n", "# A day\n"):
        assert merged("", joined(ONE), joined(TWO, title=title)) == joined(ONE, TWO, title=title)
    mine, yours = "# A day\n", "# B day\n"
    both = joined(ONE, TWO, title="# A day\n# B day\n")
    assert merged("", joined(ONE, title=mine), joined(TWO, title=yours)) == both


def test_a_section_put_between_others_stays_there():
    between = "## Session 4 - 10:05:00\n\nbetween\n\n---\n"

    assert merged(joined(ONE, TWO), joined(ONE, between, TWO), joined(ONE, TWO, THREE)) == joined(
        ONE, between, TWO, THREE
    )
    assert merged(joined(ONE), joined(between, ONE), joined(ONE, TWO)) == joined(between, ONE, TWO)


def test_a_section_without_a_time_stays_behind_the_one_above_it():
    bare = "## Session 2\n\nbare\n\n---\n"
    ours = joined(ONE, at(renumbered(TWO, 4), "9:50"), bare)

    outcome = merged(joined(ONE), ours, joined(ONE, THREE))

    assert outcome == joined(ONE, bare, at(renumbered(TWO, 4), "9:50"), THREE)


def test_the_highest_number_of_all_is_followed_by_the_lowest_free_one():
    highest = renumbered(TWO, 999_999_999)
    other = highest.replace("two", "other")

    assert merged(joined(ONE), joined(ONE, highest), joined(ONE, other)) == joined(
        ONE, other, renumbered(TWO, 2)
    )


# ---------------------------------------------------------------------------- changes


def test_an_edit_wins_over_what_is_unchanged():
    edited = ONE.replace("- b", "- b\n- 新的")

    assert merged(joined(ONE), joined(edited), joined(ONE, TWO)) == joined(edited, TWO)


def test_what_one_side_took_out_is_gone():
    assert merged(joined(ONE, TWO), joined(TWO), joined(ONE, TWO, THREE)) == joined(TWO, THREE)
    assert merged(joined(ONE, TWO), joined(TWO), joined(ONE)) == TITLE + "\n"


def test_an_edit_wins_over_taking_out():
    edited = ONE.replace("一", "一二")

    assert merged(joined(ONE, TWO), joined(TWO), joined(edited, TWO)) == joined(edited, TWO)


def test_text_written_below_a_section_keeps_it_as_an_edit_does():
    noted = ONE + "\na note by hand\n"

    assert merged(joined(ONE, TWO), joined(TWO), joined(noted, TWO)) == joined(noted, TWO)


def test_a_new_number_alone_is_no_edit():
    assert merged(joined(ONE, TWO), joined(ONE), joined(ONE, renumbered(TWO, 7))) == joined(ONE)


def test_two_edits_of_one_section_go_together():
    ours = ONE.replace("一", "一（改）").replace("- b", "- b\n- ours")
    theirs = ONE.replace("- a", "- A").replace("- b", "- b\n- theirs").replace("#x", "#x #y")

    outcome = merged(joined(ONE), joined(ours), joined(theirs))

    assert outcome == joined(
        ONE.replace("一", "一（改）")
        .replace("- a", "- A")
        .replace("- b", "- b\n- ours\n- theirs")
        .replace("#x", "#x #y")
    )


def test_items_and_tags_that_either_side_took_out_are_gone_and_those_changed_by_both_stay():
    base = ONE.replace("- b", "- b\n- c").replace("#x", "#x #y")
    ours = base.replace("- a\n- b\n- c", "- A\n- b").replace("#x #y", "#y #ours")
    theirs = base.replace("- a\n- b\n- c", "- aa\n  more\n- c").replace("#x #y", "#x #theirs")

    outcome = merged(joined(base), joined(ours), joined(theirs))

    assert outcome == joined(
        ONE.replace("- a\n- b", "- A\n- aa\n  more").replace("#x", "#ours #theirs")
    )


def test_further_lines_stay_with_their_item_where_both_sides_changed_a_list():
    base = joined(ONE)
    ours = base.replace("- a\n- b", "- A\n- B\n  more\n  of it")

    outcome = merged(base, ours, base.replace("- a", "- aa"))

    assert "- A\n- B\n  more\n  of it\n- aa\n" in outcome


def test_edits_that_do_not_go_together_are_two_sections_of_which_the_second_names_the_first():
    ours, theirs = ONE.replace("一", "乙"), ONE.replace("一", "甲")

    outcome = merged(joined(ONE, TWO), joined(ours, TWO), joined(theirs, TWO))

    named = theirs.replace("\n\n", '\n<!-- memory {"continues":"2026-01-29#1"} -->\n\n', 1)
    assert outcome == joined(ours, renumbered(named, 3), TWO)
    assert merged(joined(ONE, TWO), joined(ours, TWO), outcome) == outcome
    # The other branch goes on with its own version: it is found again under its new number.
    further = merged(joined(theirs, TWO), outcome, joined(theirs.replace("- b", "- B"), TWO))
    assert further == outcome.replace(
        "甲\n\n### 关键信息\n- a\n- b", "甲\n\n### 关键信息\n- a\n- B"
    )


def test_two_headings_for_one_section_do_not_go_together():
    ours, theirs = at(ONE, "10:01:00"), at(ONE, "10:02:00")

    outcome = merged(joined(ONE), joined(ours), joined(theirs))

    assert [part.time for part in parse_document(outcome).parts] == ["10:01:00", "10:02:00"]


def test_edits_that_would_tear_the_section_together_do_not_go_together():
    base = "## Session 1 - 10:00\n\n一\n\n二\n\n---\n"
    never_closed, rule_in_code = base.replace("一", "```py"), base.replace("二", "```\n---\n```")

    outcome = merged(joined(base), joined(never_closed), joined(rule_in_code))

    assert [part.number for part in parse_document(outcome).parts] == [1, 2]
    assert "\n```\n---\n```\n\n---" in outcome


def test_an_item_of_a_list_without_the_line_above_it_is_no_item():
    ours, theirs = ONE.replace("- b\n", "  more\n- b\n"), ONE.replace("- b\n", "  other\n- b\n")

    outcome = merged(joined(ONE), joined(ours), joined(theirs))

    assert len(parse_document(outcome).parts) == 2


def test_a_section_that_one_side_edited_and_moved_in_time_takes_the_place_of_the_other():
    moved = at(TWO, "10:15:00").replace("- c", "- c\n- d")

    assert merged(joined(TWO), joined(moved), joined(TWO, THREE)) == joined(moved, THREE)
    outcome = merged(joined(TWO), joined(moved), joined(TWO.replace("- c", "- C")))
    assert [part.time for part in parse_document(outcome).parts] == ["10:10:00", "10:15:00"]


def test_another_section_with_the_number_or_time_of_one_that_is_gone_is_another_section():
    other = renumbered(TWO, 3).replace("two", "other")
    edited = TWO.replace("- c", "- C")

    assert merged(joined(ONE, TWO), joined(ONE, other), joined(ONE, edited)) == joined(
        ONE, edited, other
    )


def test_a_section_that_both_renumbered_has_the_higher_number():
    ours, theirs = joined(ONE, renumbered(TWO, 3)), joined(ONE, renumbered(TWO, 4))

    assert merged(joined(ONE, TWO), ours, theirs) == theirs


def test_two_that_were_given_one_number_on_two_sides_get_two():
    base = joined(ONE, renumbered(TWO, 1), THREE)
    ours = joined(ONE, renumbered(TWO, 4), THREE)
    theirs = joined(renumbered(ONE, 4), renumbered(TWO, 1), THREE)

    outcome = merged(base, ours, theirs)

    assert outcome == joined(renumbered(ONE, 4), renumbered(TWO, 5), THREE)


def test_one_number_twice_in_all_versions_is_left_to_the_doctor():
    doubled = (ONE, renumbered(TWO, 1))

    assert merged(joined(*doubled), joined(*doubled, THREE), joined(*doubled) + "\nend\n") == (
        joined(*doubled) + "\nend\n\n" + THREE
    )


def with_facts(section: str, facts: str) -> str:
    return section.replace("\n", f"\n<!-- memory {facts} -->\n", 1)


def test_facts_that_different_sides_changed_go_together():
    base = with_facts(ONE, '{"conversation":"c","digest":"d","later":1}')
    ours = with_facts(ONE, '{"conversation":"c","digest":"e","later":1,"project":"应用"}')
    theirs = with_facts(ONE, '{"conversation":"c","digest":"f","origin":"import"}')

    outcome = merged(joined(base), joined(ours), joined(theirs))

    facts = '{"conversation":"c","origin":"import","project":"应用"}'
    assert outcome == joined(with_facts(ONE, facts))


def test_facts_that_only_one_side_has_are_kept_and_taken_out():
    facts = with_facts(ONE, '{"source":"cursor"}')
    edited = ONE.replace("- a", "- A")

    assert merged(joined(ONE), joined(facts), joined(edited)) == joined(
        with_facts(edited, '{"source":"cursor"}')
    )
    assert merged(
        joined(facts),
        joined(ONE.replace("- b", "- B")),
        joined(with_facts(edited, '{"source":"cursor"}')),
    ) == joined(edited.replace("- b", "- B"))
    digest = with_facts(ONE, '{"digest":"a"}')
    outcome = merged(
        joined(digest),
        joined(with_facts(ONE, '{"digest":"b"}')),
        joined(with_facts(ONE, '{"digest":"c"}')),
    )
    assert outcome == joined(ONE)


def test_one_fact_that_both_changed_makes_two_sections():
    ours, theirs = (with_facts(ONE, f'{{"project":"{name}"}}') for name in "ab")

    outcome = merged(joined(ONE), joined(ours), joined(theirs))

    assert len(parse_document(outcome).parts) == 2


def test_what_a_section_continues_is_named_by_its_new_number():
    first = TWO.replace("two", "first")
    next_one = with_facts(THREE, '{"conversation":"c","continues":"2026-01-29#2"}')
    earlier = at(TWO, "10:05:00").replace("two", "earlier")
    theirs = joined(ONE, first, next_one)

    outcome = merged(joined(ONE), joined(ONE, earlier), theirs)

    renamed = next_one.replace("2026-01-29#2", "2026-01-29#4")
    assert outcome == joined(ONE, earlier, renumbered(first, 4), renamed)
    assert merged(theirs, outcome, theirs + "\nend\n") == outcome + "\nend\n"
    versions = (joined(ONE).encode(), joined(ONE, earlier).encode(), theirs.encode())
    assert b"#2" in merge_days(*versions), "without a day it can't be told what is named"


def test_what_continues_a_copy_of_a_number_is_followed_too():
    copy = renumbered(TWO, 1)
    next_one = with_facts(THREE, '{"continues":"2026-01-29#1~2"}')
    base = joined(ONE, copy)

    outcome = merged(base, joined(ONE, renumbered(copy, 2)), joined(ONE, copy, next_one))

    assert outcome == joined(ONE, TWO, with_facts(THREE, '{"continues":"2026-01-29#2"}'))


def test_what_continues_one_of_two_versions_names_the_one_of_its_side():
    ours, theirs = ONE.replace("一", "乙"), ONE.replace("一", "甲")
    fact = '{"continues":"2026-01-29#1"}'
    additions = with_facts(TWO, fact), with_facts(THREE, fact)

    outcome = merged(joined(ONE), joined(ours, additions[0]), joined(theirs, additions[1]))

    sections = parse_day(outcome, date(2026, 1, 29)).sections
    assert [(s.session.number, s.session.continues) for s in sections] == [
        (1, ""),
        (4, "2026-01-29#1"),
        (2, "2026-01-29#1"),
        (3, "2026-01-29#4"),
    ]


def test_what_one_side_says_that_a_section_continues_wins_over_what_was():
    fact = '{"continues":"2026-01-29#1"}'
    base = joined(ONE, with_facts(TWO, fact))
    other = with_facts(TWO, fact.replace("#1", "#7"))

    outcome = merged(base, joined(ONE, other), joined(ONE, with_facts(TWO, fact), THREE))

    assert outcome == joined(ONE, other, THREE)


# ---------------------------------------------------------------------------- outside of sections


def test_text_outside_of_sections_is_merged_and_none_is_lost():
    ours = joined(ONE, "after one, ours\n", TWO)
    theirs = joined(ONE, "after one, theirs\n", TWO, "at the end\n", title=TITLE + "\nintro 前言\n")

    assert merged(joined(ONE, TWO), ours, theirs) == joined(
        ONE,
        "after one, ours\nafter one, theirs\n",
        TWO,
        "at the end\n",
        title=TITLE + "\nintro 前言\n",
    )


def test_front_matter_of_both_sides_is_one():
    ours, theirs = "---\nproject: app\n---\n", "---\nlanguage: zh\n---\n"

    outcome = merged(
        joined(ONE), joined(ONE, title=ours + TITLE), joined(ONE, title=theirs + TITLE)
    )

    assert outcome == joined(ONE, title="---\nlanguage: zh\nproject: app\n---\n" + TITLE)


def test_a_day_without_sections_keeps_the_lines_of_both():
    assert merged("# a\n", "# a\nours\n", "# a\ntheirs\n") == "# a\nours\ntheirs\n"


def test_blank_lines_alone_are_no_edit():
    tight = TITLE + ONE + TWO

    assert merged(tight, tight + "\n\n", tight + "\n") == tight + "\n\n"
    assert merged(tight, tight.replace("二", "二"), tight + "\n" + THREE) == tight + "\n" + THREE
    assert merged(tight, TITLE + ONE + TWO.replace("- c", "- C"), tight + "\n" + THREE) == (
        TITLE + ONE + TWO.replace("- c", "- C") + "\n" + THREE
    )


def test_a_missing_line_end_is_made_up_only_where_something_follows():
    last = at(TWO, "11:00:00").rstrip("\n")

    assert merged(joined(ONE), joined(ONE, last), joined(ONE, THREE)) == joined(ONE, THREE, last)
    early = at(TWO, "09:00:00").rstrip("\n")
    assert merged("", early, at(THREE, "10:00:00")) == f"{early}\n\n{at(THREE, '10:00:00')}"


def test_sections_that_are_never_closed_stay_apart():
    open_one, open_two = "## Session 1\none", "## 会话 2\n二"

    assert merged("", open_one, open_two) == f"{open_one}\n\n{open_two}"


def test_a_section_that_is_last_now_brings_no_blank_lines_with_it():
    outcome = merged(joined(ONE, TWO, THREE), joined(ONE, TWO), joined(ONE, THREE))

    assert outcome == joined(ONE)


# ---------------------------------------------------------------------------- bytes


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_windows_line_ends_and_a_byte_order_mark_stay(mark):
    def windows(text: str) -> str:
        lines = text.replace("\n", "\r\n")
        return f"{mark}{lines}"

    late = at(TWO, "11:00:00").replace("two", "late")
    outcome = merged(windows(joined(ONE)), windows(joined(ONE, TWO)), windows(joined(ONE, late)))

    assert outcome == windows(joined(ONE, TWO, renumbered(late, 3)))


def test_new_line_ends_on_one_side_are_no_edit():
    windows = joined(ONE).replace("\n", "\r\n")

    outcome = merged(joined(ONE), windows, joined(ONE, TWO))

    assert outcome == joined(ONE, TWO).replace("\n", "\r\n")
    assert merged("", windows, "## Session 2 - 11:00") == windows + "\r\n## Session 2 - 11:00"


def test_mixed_line_ends_stay_where_they_are():
    mixed = joined(ONE).replace("\n", "\r\n") + "\nby hand\n"

    outcome = merged(mixed, mixed + "\n" + TWO, mixed.replace("by hand", "手写"))

    assert outcome == mixed.replace("by hand", "手写") + "\n" + TWO


def test_bytes_that_are_no_text_stay():
    base, ours = joined(ONE).encode(), joined(ONE, TWO).encode()
    theirs = joined(ONE.replace("- a", "- a\n- \ud800")).encode("utf-8", "surrogatepass")

    outcome = merge_days(base, ours, theirs, DAY)

    assert outcome == theirs + b"\n" + TWO.encode()


def test_a_fence_that_never_closes_swallows_nothing_that_comes_to_stand_below_it():
    broken = "## Session 2 - 10:10:00\n\n```python\nprint(1)\n\n---\n"

    outcome = merged(joined(ONE), joined(ONE, broken), joined(ONE, THREE))

    assert outcome == joined(ONE, broken.replace("```python", "\\```python"), THREE)
    above, below = (parse_day(text, date(2026, 1, 29)) for text in (joined(ONE, broken), outcome))
    assert below.sections[1] == above.sections[1]
    assert merged(joined(ONE), joined(ONE, broken), joined(ONE, TWO.replace("10:10", "10:05"))) == (
        joined(ONE, TWO.replace("10:10", "10:05"), renumbered(broken, 3))
    ), "where nothing can close it, it stays as it is"


def test_a_marker_without_an_end_swallows_nothing_that_comes_to_stand_below_it():
    stray = "## Session 2 - 10:10:00（上午）\n\n<<<<<<< a\n||||||| b\nx\n\n---\n"
    quoting = THREE.replace("print(3)", "print(3)\n```\n=======\n```")

    outcome = merged(joined(ONE), joined(ONE, stray), joined(ONE, quoting))

    assert outcome == joined(ONE, stray.replace("<<<<<<<", "\\<<<<<<<"), quoting)


def test_a_quoted_heading_whose_fence_would_be_taken_apart_stays_quoted():
    base = "# day\n\n```\nquoted\n```\n"
    ours, theirs = base.replace("quoted", "## Session 9"), "# day\n\nquoted\n"

    outcome = merged(base, ours, theirs)

    assert not has_sections(outcome.encode())
    assert outcome == f"{ours}\n{theirs}"


# ---------------------------------------------------------------------------- conflict markers


def conflict(ours: str, theirs: str, base: str | None = None) -> str:
    middle = "" if base is None else f"||||||| 3f2a1bc\n{base}"
    return f"<<<<<<< HEAD\n{ours}{middle}=======\n{theirs}>>>>>>> feature\n"


@pytest.mark.parametrize("base", [None, ""])
def test_what_git_left_in_conflict_is_merged(base):
    late = at(TWO, "11:00:00").replace("two", "late")
    text = f"{joined(ONE)}\n{conflict(TWO, late, base)}\n{renumbered(THREE, 5)}"

    resolved = resolve_conflicts(text.encode(), DAY).decode()

    assert resolved == joined(ONE, TWO, renumbered(late, 6), renumbered(THREE, 5))
    assert resolve_conflicts(resolved.encode(), DAY).decode() == resolved


def test_what_only_one_side_of_a_conflict_has_stays():
    for text in (conflict(TWO, ""), conflict("", TWO)):
        assert resolve_conflicts(f"{joined(ONE)}\n{text}".encode(), DAY).decode() == joined(
            ONE, TWO
        )


def test_with_its_base_what_one_side_took_out_is_gone():
    text = (
        f"{TITLE}\n{conflict(TWO, ONE + chr(10) + TWO.replace('- c', '- C'), ONE + chr(10) + TWO)}"
    )

    assert resolve_conflicts(text.encode(), DAY).decode() == joined(TWO.replace("- c", "- C"))


def test_a_torn_conflict_is_put_together_again():
    """Lines that both new sections share stand outside of git's markers."""
    text = (
        f"{joined(ONE)}\n"
        + conflict("## Session 2 - 10:10:00\n", "## Session 2 - 10:11:00\n")
        + "\n### 主题\n"
        + conflict("甲\n", "乙\n")
        + "\n### 代码/配置\n```json\n{\n"
        + conflict('"a": 1\n', '"b": 2\n')
        + "}\n```\n\n---\n"
    )

    resolved = resolve_conflicts(text.encode(), DAY).decode()

    def section(number: int, minute: int, topic: str, line: str) -> str:
        return (
            f"## Session {number} - 10:{minute}:00\n\n### 主题\n{topic}\n\n"
            f"### 代码/配置\n```json\n{{\n{line}\n}}\n```\n\n---\n"
        )

    assert resolved == joined(ONE, section(2, 10, "甲", '"a": 1'), section(3, 11, "乙", '"b": 2'))


def test_a_conflict_inside_a_conflict_is_merged_too():
    inner = conflict(TWO, THREE)
    text = f"\ufeff{joined(ONE)}\n{conflict(inner, renumbered(THREE, 4).replace('三', '四'))}"

    resolved = resolve_conflicts(text.encode(), DAY).decode()

    assert resolved == "\ufeff" + joined(ONE, TWO, THREE, renumbered(THREE, 4).replace("三", "四"))


def test_a_conflict_nested_too_deep_keeps_its_markers_and_its_lines():
    text = conflict(conflict(conflict(conflict("a\n", "b\n"), "c\n"), "d\n"), "e\n")

    resolved = resolve_conflicts(text.encode(), DAY).decode()

    assert [letter for letter in "abcde" if letter in resolved.split("\n")] == list("abcde")
    assert resolved.count("<<<<<<<") == 1


def test_conflicts_in_a_version_are_resolved_before_it_is_merged():
    late = at(TWO, "11:00:00").replace("two", "late")
    ours = f"{joined(ONE)}\n{conflict(TWO, late)}"

    outcome = merged(joined(ONE), ours, joined(ONE, renumbered(THREE, 4)))

    assert outcome == joined(ONE, TWO, renumbered(THREE, 4), renumbered(late, 3))


def test_a_quoted_conflict_stays_unless_git_says_that_it_is_one():
    quoted = joined(f"## Session 1\n\n```\n{conflict('a' + chr(10), 'b' + chr(10))}```\n\n---\n")

    assert resolve_conflicts(quoted.encode(), DAY).decode() == quoted
    assert b"<<<<" not in resolve_conflicts(quoted.encode(), DAY, with_quoted=True)


def test_a_file_has_sections_or_not():
    assert has_sections("\ufeff## 会话 1\n".encode())
    assert not has_sections(b"# title\n## Sessions\n")
    assert not has_sections(joined(ONE).encode("utf-16"))


# ---------------------------------------------------------------------------- properties


def numbers(text: str) -> list[int]:
    return [block.number for block in day_scan.scan(text.split("\n")).blocks]


def edits(branch: Branch, section: Made) -> list[Made]:
    return [s for s in branch.sections if s.mark == section.mark and s != section]


@given(st.data())
def test_any_two_branches_merge_without_loss_and_both_ways_alike(data):
    base = data.draw(bases())
    ours, theirs = data.draw(branches(base)), data.draw(branches(base))

    outcome = merged(day(base), day([*ours.sections]), day([*theirs.sections]))

    assert len(numbers(outcome)) == len(set(numbers(outcome)))
    for section in (*ours.added, *theirs.added):
        assert outcome.count(section.core) == 1
    for section in base:
        edited = [*edits(ours, section), *edits(theirs, section)]
        if len(edited) == 1:
            assert outcome.count(edited[0].text) == 1
        elif edited:
            assert all(
                outcome.count(mark) == 1 for mark in (edited[0].lines[-1], edited[1].lines[-1])
            )
        elif section.mark in ours.kept and section.mark in theirs.kept:
            assert outcome.count(section.text) == 1
        else:
            assert section.mark not in outcome


@given(st.data())
def test_any_three_branches_merge_in_any_order(data):
    base = data.draw(bases(2))
    sides = [data.draw(branches(base)) for _ in range(3)]
    texts = [day([*side.sections]) for side in sides]

    for first, second, third in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        outcome = merged(day(base), texts[first], texts[second])
        outcome = merged(day(base), outcome, texts[third])

        assert len(numbers(outcome)) == len(set(numbers(outcome)))
        for side in sides:
            assert all(outcome.count(section.core) == 1 for section in side.added)
            assert all(mark in outcome for mark in side.edited)


@given(st.data())
def test_merging_what_was_merged_changes_nothing(data):
    base = data.draw(bases(3))
    ours, theirs = (day([*data.draw(branches(base)).sections]) for _ in range(2))

    outcome = merged(day(base), ours, theirs)

    assert merged(ours, outcome, ours) == outcome
    assert merged(day(base), ours, ours) == ours
    assert merged(day(base), ours, day(base)) == ours


@given(*[st.lists(LINES, max_size=14).map("\n".join)] * 3)
def test_whatever_people_make_of_a_file_no_line_of_text_is_lost(base, ours, theirs):
    marked = ours.replace("text 文", "text ours"), theirs.replace("text 文", "text theirs")

    outcome = merged(base, *marked)

    for text, mark in zip(marked, ("ours", "theirs"), strict=True):
        assert outcome.count(mark) >= (mark in text) or mark in base
