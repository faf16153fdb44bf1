"""What is told of a session: the lines that answer, of its section and of its record."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core import context
from daily_memory.core.context import ContextItem
from daily_memory.core.recall import (
    RecalledSession,
    ShownItem,
    Step,
    pick_pieces,
    shown_places,
    split_passages,
)

TODAY = date(2026, 1, 29)
NONCE = "0" * 24


def source(statements=(), said=(), *, topic="报表", id_="2026-01-29#1", score=1.0, is_known=False):
    steps = [
        Step(ContextItem(f"2026-01-29/c:{place}", flags=(kind,)), "2026-01-29", text)
        for place, (kind, text) in enumerate(said, 1)
    ]
    item = ContextItem(id_, "2026-01-29", title=topic)
    return RecalledSession(item, tuple(statements), tuple(steps), score, is_known)


def told(question, *sources, max_chars=2000, terms=(), known=()):
    return pick_pieces(sources, question, terms, TODAY, max_chars, shown_places(known))


def lines(items):
    return [line for each in items for line in each.item.lines]


def test_of_a_long_section_the_lines_that_answer_are_told_in_their_order():
    section = source([*(f"第 {n} 步：整理目录" for n in range(90)), "端口 8080", "缓存 300 秒"])

    shown = lines(told("缓存多久过期，端口是多少", section, max_chars=200))

    assert shown[-2:] == ["端口 8080", "缓存 300 秒"]
    assert "第 0 步：整理目录" in shown


def test_what_was_said_is_told_where_the_section_lacks_it():
    said = [("user", "why is the export slow?"), ("assistant", "The pool holds 5 connections.")]

    items = told("pool connections", source(["export is slow"], said))

    assert [each.item.id for each in items] == ["2026-01-29#1", "2026-01-29/c:2"]
    assert items[1].item.lines == ("The pool holds 5 connections.",)


def test_a_statement_and_what_it_was_made_of_are_told_once():
    fact = "Raise the pool of the export service to 20 connections"
    said = [("assistant", f"{fact}.")]

    assert lines(told("pool connections", source([fact], said))) == [fact]


def test_no_step_repeats_the_statements_that_the_conversation_knows():
    said = [
        ("assistant", "Done. The cache is Redis. Its TTL is 300 s."),
        ("assistant", "Redis listens on port 6380."),
    ]
    known = source((), said, is_known=True)._replace(
        former=("the cache is Redis", "its TTL is 300 s", "done: cache.py")
    )

    assert lines(told("which TTL and port has Redis", known)) == ["Redis listens on port 6380."]


def test_beside_a_statement_that_the_conversation_knows_no_step_is_told_that_answers_far_less():
    said = [
        ("tool", "$ ls -la && cat app.py"),
        ("user", "run the tests"),
        ("assistant", "The TTL of the report cache is 60 s in the tests."),
    ]
    known = source((), said, is_known=True)._replace(
        former=("decided: Redis, the TTL of the report cache is 300 s", "next: monitor the hits")
    )

    assert lines(told("TTL of the report cache", known)) == [said[2][1]]
    assert told("TTL of the report cache", known._replace(steps=known.steps[:2])) == []


def test_each_session_is_told_before_any_of_them_twice():
    long = source([f"redis 缓存 {n}：{'长' * 60}" for n in range(40)])
    other = source(["redis 队列"], topic="other", id_="2026-01-28#1", score=0.2)

    assert [each.item.id for each in told("redis", long, other, max_chars=500)] == [
        "2026-01-29#1",
        "2026-01-28#1",
    ]


def test_a_session_without_room_is_at_the_end_so_that_the_block_can_count_it():
    section = source(["redis " * 20])

    items = told("redis", section, source(["redis"], id_="2026-01-28#1"), max_chars=200)

    assert [(each.item.id, each.item.lines != ()) for each in items] == [
        ("2026-01-29#1", True),
        ("2026-01-28#1", False),
    ]


def test_what_was_told_before_is_not_told_again():
    section = source(["redis 缓存 300 秒", "redis 用 6379 端口"], is_known=True)

    items = told("redis", section, known=["2026-01-29#1@0"])

    assert lines(items) == ["redis 用 6379 端口"]
    assert items[0].mark == "2026-01-29#1@1"
    assert told("redis", section, known=["2026-01-29#1@0.1"]) == []


def test_a_session_that_nobody_chose_lines_of_is_marked_as_a_whole():
    assert ShownItem(ContextItem("2026-01-29#1")).mark == "2026-01-29#1"
    assert shown_places(["2026-01-29#1@"]) == {"2026-01-29#1": frozenset()}


def test_a_word_that_the_search_corrected_is_looked_for_in_the_record():
    said = [("assistant", f"step {n}: nothing here to see") for n in range(99)]
    said[50] = ("assistant", "RabbitMQ took its place")

    shown = lines(told("rabitmq", source(["queue"], said), terms=["rabbitmq"]))

    assert "RabbitMQ took its place" in shown


def test_what_only_led_to_an_answer_is_worth_less():
    steps = [
        Step(ContextItem("2026-01-29/c:1"), "", "redis cache pool: run the check", worth=0.5),
        Step(ContextItem("2026-01-29/c:2"), "", "redis cache pool: set it to 20"),
    ]
    section = source()._replace(steps=tuple(steps))

    assert lines(told("redis cache pool", section, max_chars=120)) == [steps[1].text]


def test_sentences_of_a_long_line_stay_apart():
    rules = [f"Rule {n} is short." for n in range(80)]

    shown = " ".join(lines(told("rule 7", source([" ".join(rules)]))))

    assert "Rule 7 is short. Rule 8 is short." in shown


def test_a_long_line_is_told_by_the_sentences_that_answer():
    line = "".join(f"第 {n} 步整理了目录结构和文档内容。" for n in range(80)) + "缓存改成 300 秒。"

    assert any("缓存改成 300 秒" in said for said in lines(told("缓存", source([line]))))


@given(st.text(max_size=3000))
def test_passages_hold_all_that_is_said_in_lines_that_can_be_shown(said):
    pieces = split_passages(said)

    assert "".join("".join(pieces).split()) == "".join(said.split())
    assert all(
        len(line) <= context.MAX_LINE_CHARS for piece in pieces for line in piece.split("\n")
    )


@given(
    st.lists(
        st.builds(
            source,
            st.lists(st.text(max_size=200), max_size=5),
            st.lists(st.tuples(st.just("user"), st.text(max_size=200)), max_size=5),
        ),
        min_size=1,
        max_size=4,
    ),
    st.text(max_size=20),
    st.integers(500, 3000),
)
def test_what_is_picked_fits_into_the_block(sources, question, max_chars):
    numbered = [
        each._replace(item=each.item._replace(id=f"2026-01-29#{n}"))
        for n, each in enumerate(sources)
    ]
    free = context.free_chars([], nonce=NONCE, max_chars=max_chars)

    picked = told(question, *numbered, max_chars=free)
    block = context.format_context([one.item for one in picked], nonce=NONCE, max_chars=max_chars)

    assert len(block) <= max_chars
    assert context.CUT_MARK not in block


def dated(day, *statements, origin=""):
    item = ContextItem(f"{day}#1", day, origin=origin, title="rules")
    return RecalledSession(item, statements, (), 1.0)


def test_of_statements_that_contradict_the_older_names_the_newer():
    new = dated("2026-01-20", "logs are kept for 90 days", "周五不要部署")
    old = dated("2026-01-05", "logs are kept for 30 days", "每周五部署")

    assert lines(told("logs", new, old)) == [
        "logs are kept for 90 days (since 2026-01-20)",
        "周五不要部署 (since 2026-01-20)",
        "logs are kept for 30 days (until 2026-01-20, now: 2026-01-20#1)",
        "每周五部署 (until 2026-01-20, now: 2026-01-20#1)",
    ]


def test_what_others_wrote_replaces_nothing_of_the_users():
    theirs = dated("2026-01-20", "logs are kept for 9 days", origin="git: Eve")
    own = dated("2026-01-05", "logs are kept for 30 days")

    assert "logs are kept for 30 days" in lines(told("logs", own, theirs))
