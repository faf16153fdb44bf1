"""Whether a model knows the languages of a memory, by its own texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from daily_memory.core.search import probes
from daily_memory.core.search.probes import Probe
from daily_memory.model import Session

WORDS = "apple bridge castle dragon engine forest garden harbour island jungle".split()
ENGLISH = [
    Session(date(2026, 1, 1), topic=f"the {word}", key_points=(f"{word} is here", f"no {word}"))
    for word in WORDS
]
CHINESE = [Session(date(2026, 1, 1), topic="连接池调大", key_points=("接口变慢了",))]


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


def vector(text: str) -> list[float]:
    return [float(word in text) for word in WORDS]


def score(probe: Probe, make: object) -> float:
    vectors = [make(text) for text in (*probe.firsts, *probe.seconds)]  # type: ignore[operator]
    return probes.known(probe, vectors, cosine)


def test_there_is_a_probe_for_each_script_and_one_across():
    found = probes.probes([*ENGLISH, *CHINESE])

    assert [probe.script for probe in found] == ["latin", "han", "across"]
    assert len(found[0].firsts) == len(WORDS)
    assert all(len(probe.seconds) >= len(probe.firsts) for probe in found)
    assert [probe.script for probe in probes.probes(CHINESE)] == ["han", "across"]


def test_what_has_no_two_halves_is_no_probe_and_some_are_enough():
    short = Session(date(2026, 1, 1), topic="a")

    assert [probe.script for probe in probes.probes([short])] == ["across"]
    assert len(probes.probes(ENGLISH * 20)[0].firsts) == probes.PAIRS


def test_a_model_that_knows_the_words_is_right():
    assert score(probes.probes(ENGLISH)[0], vector) > 0.9


def test_a_model_that_knows_as_much_as_the_words_is_as_good():
    firsts = ("apple pie", "bridge toll", "old", "new")
    probe = Probe("latin", firsts, ("apple tree", "bridge pier", "red", "blue"))

    assert score(probe, vector) > 0.99


def test_a_model_to_which_all_texts_are_alike_is_worth_nothing():
    for probe in probes.probes([*ENGLISH, *CHINESE]):
        assert score(probe, lambda _: [1.0, 1.0]) < 1e-9


def test_translations_are_compared_across_scripts():
    across = probes.probes([])[0]
    places = {
        text: place
        for pair in zip(across.firsts, across.seconds, strict=True)
        for place, text in [(across.firsts.index(pair[0]), each) for each in pair]
    }

    def one_hot(text: str) -> list[float]:
        return [float(places[text] == place) for place in range(len(across.firsts))]

    assert score(across, one_hot) == 1.0
    assert all(
        first.isascii() and not second.isascii()
        for first, second in zip(across.firsts, across.seconds, strict=True)
    )


@pytest.mark.parametrize(
    ("session", "first", "second"),
    [
        ({"topic": "one", "key_points": ("two", "three")}, "one\nthree", "two"),
        ({"topic": "one", "tags": ("tag",), "summary": "two"}, "one", "two"),
        ({"summary": "abcdef"}, "abc", "def"),
        ({"topic": "a" * 301, "summary": "b" * 301}, "a" * 300, "b" * 300),
    ],
)
def test_what_a_session_says_is_halved(session, first, second):
    probe, _ = probes.probes([Session(date(2026, 1, 1), **session)])

    assert (probe.firsts, probe.seconds[0]) == ((first,), second)


def test_a_half_could_be_confused_with_terms_of_its_script():
    latin, han, _ = probes.probes([*ENGLISH, *CHINESE])

    assert all(text.isascii() and len(text) > 4 for text in latin.seconds[len(WORDS) :])
    assert not any(text.isascii() or len(text) < 2 for text in han.seconds[1:])
    assert len(latin.seconds) - len(WORDS) == len(han.seconds) - 1 == probes.PAIRS
    assert len(set(han.seconds)) == len(han.seconds)


NO_WORDS = Probe("latin", ("ab", "cd", "ef", "gh"), ("ij", "kl", "mn", "op"))
HALF_OF_WORDS = Probe("latin", ("ab", "cd", "ef", "gh"), ("ab", "cd", "mn", "op"))


@pytest.mark.parametrize(
    ("probe", "cosines", "share"),
    [
        # Right twice, and once by half of a chance: beyond chance that is a half.
        (NO_WORDS._replace(script="across"), ["9000", "0900", "0099", "9000"], 0.5),
        (NO_WORDS._replace(script="across"), ["9000", "0900", "0090", "0009"], 1.0),
        (NO_WORDS._replace(script="across"), ["0009", "0090", "0900", "9000"], 0.0),
        # Where words tell nothing, a model that tells anything is as good.
        (NO_WORDS, ["9000", "0900", "0099", "9000"], 1.0),
        (NO_WORDS, ["9999", "9999", "9999", "9999"], 0.0),
        # Where words tell half of it, it is compared with them.
        (HALF_OF_WORDS, ["9000", "0900", "0090", "0009"], 1.0),
        (HALF_OF_WORDS, ["9000", "0900", "9000", "9000"], 2 / 3),
    ],
)
def test_how_well_a_model_knows_a_script(probe, cosines, share):
    places = [[float(place)] for place in range(4)]

    known = probes.known(
        probe, [*places, *places], lambda a, b: int(cosines[int(a[0])][int(b[0])]) / 10
    )

    assert known == pytest.approx(share)
