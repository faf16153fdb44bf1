from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import vectors as vectors_module
from daily_memory.core.search.vectors import LaneVectors, NumpyVectors
from tests.embedding import need

ROWS = [[127, 0, -3, 1], [0, -127, 0, 5], [-1, -2, -128, 4], [5, 5, 5, 127]]
VECTOR = [0.5, -0.5, 0.1, 0.7]


def norm(row: list[int]) -> float:
    return sum(value * value for value in row) ** 0.5 or 1.0


def cosine(row: list[int], vector: list[float]) -> float:
    return sum(a * b for a, b in zip(row, vector, strict=True)) / norm(row)


@pytest.fixture(params=[LaneVectors, NumpyVectors])
def vectors(request: pytest.FixtureRequest) -> LaneVectors | NumpyVectors:
    if request.param is NumpyVectors:
        need("numpy")
    made: LaneVectors | NumpyVectors = request.param(packed(ROWS), 4, list(map(norm, ROWS)))
    return made


def packed(rows: list[list[int]]) -> bytes:
    return b"".join(array("b", row).tobytes() for row in rows)


def test_cosines_are_those_of_the_definition(vectors):
    expected = [cosine(row, VECTOR) for row in ROWS]

    assert list(vectors.cosines(VECTOR)) == pytest.approx(expected, abs=1e-3)


def test_mean_and_deviation_are_of_the_rows_asked_for(vectors):
    cosines = vectors.cosines(VECTOR)
    first, third = cosine(ROWS[0], VECTOR), cosine(ROWS[2], VECTOR)

    mean, deviation = vectors.moments(cosines, array("i", [0, 2]))

    assert mean == pytest.approx((first + third) / 2, abs=1e-3)
    assert deviation == pytest.approx(abs(first - third) / 2, abs=1e-3)


def test_the_closest_rows_come_first(vectors):
    cosines = vectors.cosines(VECTOR)

    assert vectors.closest(cosines, range(4), 2) == [3, 1]
    assert len(vectors.closest(cosines, range(4), 100)) == 4
    assert vectors.closest(cosines, [0, 1, 2], 1) == [1]


def test_what_all_vectors_have_in_common_is_taken_out():
    rows = [[10, 0], [8, 6], [8, -6]]
    common = vectors_module.mean(packed(rows), [10.0] * 3, [1, 2])

    assert common == pytest.approx([0.8, 0.0])
    assert vectors_module.without([0.6, 0.8], common, 0.75) == pytest.approx([0.0, 1.0])
    assert vectors_module.without([0.8, 0.0], common, 1.0) == [0.0, 0.0]


def test_many_vectors_are_in_their_order():
    rows = [[place % 100, 1] for place in range(10_000)]
    found = LaneVectors(packed(rows), 2, [1.0] * len(rows)).cosines([1.0, 0.0])

    assert found == pytest.approx([row[0] for row in rows], abs=1e-3)


def test_a_question_of_nothing_is_close_to_nothing(vectors):
    assert list(vectors.cosines([0.0] * 4)) == [0.0] * 4


byte = st.integers(-128, 127)


@given(
    st.integers(1, 40).flatmap(
        lambda size: st.tuples(
            st.lists(st.lists(byte, min_size=size, max_size=size), min_size=1, max_size=9),
            st.lists(st.floats(-1, 1), min_size=size, max_size=size),
        )
    )
)
def test_no_lane_runs_into_the_next(case):
    rows, vector = case
    found = LaneVectors(packed(rows), len(vector), list(map(norm, rows))).cosines(vector)

    # What is rounded away of each value of the vector, of which none is larger than 1.
    lost = len(vector) * sum(map(abs, vector)) / (1 << 22)
    expected = [cosine(row, vector) for row in rows]
    assert found == pytest.approx(expected, abs=lost + 1e-9)


def test_the_largest_values_of_a_thousand_dimensions_fit_into_a_lane():
    row = [-128] * 2048

    (found,) = LaneVectors(packed([row]), 2048, [1.0]).cosines([1.0] * 2048)

    assert found == pytest.approx(-128 * 2048, rel=1e-3)
