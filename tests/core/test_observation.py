"""Observations: a line comes back as it was written, and a line that is none harms nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.observation import Observation, format_observation, parse_observation
from daily_memory.model import KINDS

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
LISTS = st.lists(TEXTS).map(tuple)
OBSERVATIONS = st.builds(
    Observation,
    TEXTS,
    st.sampled_from(KINDS),
    TEXTS,
    TEXTS,
    LISTS,
    LISTS,
    TEXTS,
    TEXTS,
    st.booleans(),
)


@given(OBSERVATIONS)
def test_a_line_comes_back(observation):
    line = format_observation(observation)

    assert parse_observation(line) == observation
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "null", '{"at":"x"}', '{"kind":"other"}', '{"at":"2026', "[" * 100_000],
)
def test_what_is_no_observation_is_none(line):
    assert parse_observation(line) is None


def test_fields_of_a_wrong_type_are_empty():
    line = '{"at": 5, "kind": "tool", "text": null, "files": "a", "tags": ["b", 1], "private": 1}'

    assert parse_observation(line) == Observation("", "tool", "", tags=("b",))
