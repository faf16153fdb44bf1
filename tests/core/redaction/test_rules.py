"""A pattern is searched for where one of its triggers occurs, and nowhere else."""

from __future__ import annotations

import re

from daily_memory.core.redaction.rules import Rules
from daily_memory.core.redaction.view import view_of
from daily_memory.core.triggers import Batch

RULES = Rules(
    [(("curl", "wget"), "<tool> -u"), (("mysql",), "["), (("ssh", "curl"), r"\w+")],
    re.IGNORECASE,
    before=r"\b",
    parts=(("<tool>", "(?:curl|wget)"),),
)


def test_rows_keep_their_number_and_the_triggers_that_are_present():
    assert RULES.present(Batch(["a", "curl -u a:b"]), 1) == [(0, ["curl"]), (2, ["curl"])]


def test_a_pattern_is_found_near_its_trigger_and_not_far_from_it():
    view = view_of("far away\nCurl -U\n\n\n\nfar away")

    found = [(number, match.group()) for number, match in RULES.matches(view)]

    assert found == [(0, "Curl -U"), (2, "Curl"), (2, "U")]
