"""How many of the facts that matter a digest holds, and how much noise: docs/benchmarks.md.

The conversations are those of tests/data/conversations, each with its facts and its noise: those
that the rules were worked out on, and those held back, which show what to expect of others.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "skill"), str(CHECKOUT)]

from tests.core import conversations  # noqa: E402
from tests.core.conversations import Conversation  # noqa: E402

from daily_memory.core.digests.digest import digest_observations  # noqa: E402  # the path comes first


def main() -> None:
    print("| conversations | form | facts held | noise let in |")
    print("| --- | --- | --- | --- |")
    _print_rows(conversations.load_all(), "worked on")
    _print_rows(conversations.load_all(conversations.HELD_BACK), "held back")


def _print_rows(every: list[Conversation], kind: str) -> None:
    for language, name in (("zh", "Chinese"), ("en", "English"), ("mixed", "mixed"), ("", "all")):
        chosen = [one for one in every if one.name.startswith(language)]
        for detailed in (False, True):
            found = [
                (one, digest_observations(one.observations, date(2026, 1, 29), detailed=detailed))
                for one in chosen
            ]
            recall = conversations.recall(found, detailed=detailed)
            noise = conversations.noise(found)
            form = "detailed" if detailed else "brief"
            print(f"| {kind}: {len(chosen)} {name} | {form} | {recall:.2f} | {noise:.2f} |")


if __name__ == "__main__":
    main()
