"""Fit the weights of the signs of a line (core/digests/signs.py) to lines that people judged.

    python scripts/bench/fit_digest.py [--real DIR …] [--labels LABELS.jsonl …]

A line is worth keeping if a reader labelled it `keep`, or, where nobody judged it, if it holds a
fact that a reader wrote down. `--real` are folders as of `digests.py`; the conversations of
tests/data/conversations come with them. Printed: the weights, and how often a line worth keeping
has more than one that is not (AUC), in conversations that the weights were not fitted to.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import digests as bench  # type: ignore[import-not-found]  # beside it
import numpy as np
from tests.core import conversations

from daily_memory.core.digests import signs
from daily_memory.core.digests.candidates import Candidate
from daily_memory.core.digests.digest import said_lines
from daily_memory.core.observation import Observation

HEADINGS = dict(zip(("point", "decision", "question", "next"), bench.HEADINGS, strict=False))
FOLDS = 20
RIDGE = 3.0
# The score of an even chance.
EVEN = 2.5
# What one line counts: judged by eye, holding a fact, neither.
JUDGED, HOLDS, OTHER = 1.5, 1.0, 0.5


Table = np.ndarray[Any, np.dtype[np.float64]]


class Line(NamedTuple):
    """A line that a digest may hold, with what it shows and whether it is worth its place."""

    group: str
    source: str
    signs: signs.LineSigns
    is_worth: bool
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--real", type=Path, nargs="*", default=[], metavar="DIR")
    parser.add_argument("--labels", type=Path, nargs="*", default=[], metavar="LABELS.jsonl")
    given = parser.parse_args()
    known = bench.labels_in(given.labels)
    lines = [*_made_up(), *(line for folder in given.real for line in _real(folder, known))]
    table = np.array([line.signs for line in lines], float)
    worth = np.array([line.is_worth for line in lines], float)
    weight = np.array([line.weight for line in lines])
    folds = _folds([line.group for line in lines])
    unseen = np.zeros(len(lines))
    for fold in set(folds.tolist()):
        own = folds != fold
        fitted = fit(table[own], worth[own], weight[own])
        unseen[~own] = table[~own] @ fitted[1:] + fitted[0]
    for source in sorted({line.source for line in lines}):
        own = np.array([line.source == source for line in lines])
        area = auc(worth[own], unseen[own])
        print(f"{source}: {own.sum()} lines, {worth[own].mean():.2f} worth it, AUC {area:.3f}")
    fitted = fit(table, worth, weight)
    print(f"_PLAIN = {EVEN + fitted[0]:.2f}")
    for name, value in zip(signs.LineSigns._fields, fitted[1:], strict=True):
        print(f"    {name}={value:.2f},")


def _made_up() -> Iterator[Line]:
    for folder, source in (
        (conversations.FOLDER, "worked on"),
        (conversations.HELD_BACK, "held back"),
    ):
        for one in conversations.load_all(folder):
            for line in _candidates(one.observations):
                fields = (HEADINGS[line.kind], "any")
                holds = any(
                    fact.field in fields
                    and any(
                        all(w.casefold() in line.text.casefold() for w in words)
                        for words in fact.alternatives
                    )
                    for fact in one.facts
                )
                is_noise = any(text.casefold() in line.text.casefold() for text in one.noise)
                label = "noise" if is_noise else ""
                yield _line(one.name, source, line, label, holds=holds)


def _real(folder: Path, known: dict[tuple[str, str, str], str]) -> Iterator[Line]:
    replay, score = bench.programs_of(folder)
    facts = {row["id"]: row for row in score.read_rows(folder / "facts.jsonl")}
    for row in score.read_rows(folder / "conversations.jsonl"):
        for line in _candidates(bench.by_hook(replay, row)):
            heading = HEADINGS[line.kind]
            holds = any(
                heading in fact["headings"] and score.holds([line.text], fact["patterns"])
                for fact in facts[row["id"]]["facts"]
            )
            label = known.get((row["id"], heading, line.text), "")
            yield _line(row["id"], folder.name, line, label, holds=holds)


def _candidates(observations: Sequence[Observation]) -> Iterable[Candidate]:
    return (line for line in said_lines(observations) if line.signs)


def _line(group: str, source: str, line: Candidate, label: str, *, holds: bool) -> Line:
    assert line.signs
    is_worth = label == "keep" or (holds and not label)
    return Line(group, source, line.signs, is_worth, JUDGED if label else HOLDS if holds else OTHER)


def _folds(groups: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return for each line the part of the data that it is in: a conversation is in one part."""
    numbers: dict[str, int] = defaultdict(lambda: len(numbers))
    parts: np.ndarray[Any, np.dtype[np.int64]] = np.array([numbers[x] % FOLDS for x in groups])
    return parts


def fit(table: Table, worth: Table, weight: Table) -> Table:
    """Return the bias and the weights of a logistic regression, by Newton's method."""
    spread = table.std(axis=0) + 1e-9
    rows = np.hstack([np.ones((len(table), 1)), table / spread])
    ridge: Table = np.diag([0.0] + [RIDGE] * table.shape[1]) * 10
    fitted: Table = np.zeros(rows.shape[1])
    for _ in range(20):
        chance = 1 / (1 + np.exp(-rows @ fitted))
        slope = rows.T @ (weight * (worth - chance)) - ridge @ fitted
        curve = (rows * (weight * chance * (1 - chance))[:, None]).T @ rows + ridge
        fitted = fitted + np.linalg.solve(curve, slope)
    fitted[1:] /= spread
    return fitted


def auc(worth: Table, scores: Table) -> float:
    """Return how often a line worth keeping has a higher score than one that is not."""
    good, bad = scores[worth == 1], scores[worth == 0]
    return float((good[:, None] > bad).mean() + 0.5 * (good[:, None] == bad).mean())


if __name__ == "__main__":
    main()
