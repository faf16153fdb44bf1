"""What of a session is embedded."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import chunks
from daily_memory.model import Session

DAY = date(2026, 1, 29)


def test_a_short_session_is_one_piece_led_by_its_topic():
    session = Session(DAY, topic="Redis", key_points=("TTL 300", "one node"), tags=("cache",))

    assert chunks.chunks(session) == ["Redis\ncache\nTTL 300\none node"]


def test_each_piece_of_a_long_session_begins_with_the_topic():
    points = tuple(f"point {number} " + "x" * 200 for number in range(10))

    pieces = chunks.chunks(Session(DAY, topic="Long", key_points=points))

    assert len(pieces) == 3
    assert all(piece.startswith("Long\npoint") for piece in pieces)


@pytest.mark.parametrize(("second", "pieces"), [(497, 1), (498, 2)])
def test_a_piece_has_900_characters(second, pieces):
    session = Session(DAY, topic="T", summary="a" * 400, key_points=("b" * second,))

    found = chunks.chunks(session)

    assert len(found) == pieces
    assert found[-1].endswith("b" * second)


def test_of_a_very_long_session_the_beginning_is_embedded():
    points = tuple(f"{number} " + "x" * 600 for number in range(40))

    found = chunks.chunks(Session(DAY, topic="题" * 300, key_points=points))

    assert [piece[:203] for piece in found] == ["题" * 200 + f"\n{n} "[:3] for n in range(32)]


def test_flags_are_no_content():
    marked = Session(DAY, topic="Redis", tags=("important", "过时", "cache"))

    assert chunks.chunks(marked) == ["Redis\ncache"]


def test_an_empty_session_has_no_piece():
    assert chunks.chunks(Session(DAY)) == []


@given(st.text(), st.lists(st.text()))
def test_no_piece_is_too_long_and_no_statement_lost(topic, points):
    pieces = chunks.chunks(Session(DAY, topic=topic, key_points=tuple(points)))

    assert all(len(piece) <= chunks.CHUNK_CHARS for piece in pieces)
    joined = "".join(pieces)
    assert all(point.strip() in joined for point in points if len(point) < 100)
