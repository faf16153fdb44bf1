"""Fit the weights of the features of a line (core/digests/features.py) to lines that people judged.

    python scripts/bench/fit_digest.py --real DIR … --judged LINES.jsonl

`--real` are folders as of `digests.py`. `--judged` has all lines that may be kept of their
conversations, each judged by a reader of the whole conversation: `id`, `text`, `worth` from 0
(noise, or not true any more) to 3, and `as`, the headings under which it would be right ("k" key
points, "d" decisions, "q" open questions, "n" next steps). A line is worth keeping from 2 on. The
conversations of tests/data/conversations come with them, with half the weight; there a line is
worth it that holds a fact. Printed: the weights, and how often a line worth keeping has more than
one that is not (AUC), in conversations that the weights were not fitted to.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import digests as bench  # type: ignore[import-not-found]  # beside it
import numpy as np
from tests.core import conversations

from daily_memory.core.digests import features
from daily_memory.core.digests.candidates import Candidate
from daily_memory.core.digests.digest import scored_lines
from daily_memory.core.observation import Observation

HEADINGS = {"point": "k", "decision": "d", "question": "q", "next": "n"}
FIELDS = dict(zip("kdqn", bench.HEADINGS, strict=False))
FOLDS = 12
RIDGE = 3.0
# The score of an even chance.
EVEN = 3.2
WORTH = 2
MADE_UP = 0.5


Table = np.ndarray[Any, np.dtype[np.float64]]


class Line(NamedTuple):
    """A line that a digest may hold, with what it shows and whether it is worth its place."""

    group: str
    source: str
    role: str
    features: features.LineFeatures
    is_worth: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--real", type=Path, nargs="*", default=[], metavar="DIR")
    parser.add_argument("--judged", type=Path, nargs="*", default=[], metavar="LINES.jsonl")
    given = parser.parse_args()
    rows = [json.loads(line) for path in given.judged for line in path.open(encoding="utf-8")]
    judged = {(row["id"], row["text"]): row for row in rows}
    every = [*_made_up(), *(line for folder in given.real for line in _real(folder, judged))]
    for role in ("user", "assistant"):
        lines = [line for line in every if line.role == role]
        names = [name for name, weight in zip(*_weights(role), strict=True) if weight]
        table = np.array(
            [[getattr(line.features, name) for name in names] for line in lines], float
        )
        worth = np.array([line.is_worth for line in lines], float)
        weight = np.array([MADE_UP if line.source == "made up" else 1.0 for line in lines])
        folds = _folds([line.group for line in lines])
        unseen = np.zeros(len(lines))
        for fold in set(folds.tolist()):
            own = folds != fold
            fitted = fit(table[own], worth[own], weight[own])
            unseen[~own] = table[~own] @ fitted[1:] + fitted[0]
        for source in sorted({line.source for line in lines}):
            own = np.array([line.source == source for line in lines])
            area = auc(worth[own], unseen[own])
            print(f"{role}, {source}: {own.sum()} lines, {worth[own].mean():.2f}, AUC {area:.3f}")
        fitted = fit(table, worth, weight)
        print(f"_PLAIN {EVEN + fitted[0]:.2f}")
        for name, value in zip(names, fitted[1:], strict=True):
            print(f"    {name}={value:.2f},")


def _weights(role: str) -> tuple[tuple[str, ...], features.LineFeatures]:
    return features.LineFeatures._fields, features.WEIGHTS[role]


def _made_up() -> Iterator[Line]:
    for folder in (conversations.FOLDER, conversations.HELD_BACK):
        for one in conversations.load_all(folder):
            for role, line in _candidates(one.observations):
                fields = (FIELDS[HEADINGS[line.kind]], "any")
                text = line.text.casefold()
                holds = any(
                    fact.field in fields
                    and any(
                        all(str(word).casefold() in text for word in words)
                        for words in fact.alternatives
                    )
                    for fact in one.facts
                )
                is_noise = any(noise.casefold() in text for noise in one.noise)
                assert line.features
                yield Line(one.name, "made up", role, line.features, holds and not is_noise)


def _real(folder: Path, judged: dict[tuple[str, str], dict[str, Any]]) -> Iterator[Line]:
    replay, score = bench.programs_of(folder)
    for row in score.read_rows(folder / "conversations.jsonl"):
        for role, line in _candidates(bench.by_hook(replay, row)):
            found = judged.get((row["id"], line.text))
            if found:
                assert line.features
                is_worth = found["worth"] >= WORTH and HEADINGS[line.kind] in found["as"]
                yield Line(row["id"], folder.name, role, line.features, is_worth)


def _candidates(observations: Sequence[Observation]) -> Iterable[tuple[str, Candidate]]:
    return ((line.role, line) for line in scored_lines(observations) if line.features)


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
