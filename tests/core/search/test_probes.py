"""Whether a model knows the languages of a memory, by its own texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

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
