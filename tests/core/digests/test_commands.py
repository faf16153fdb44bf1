"""The part of a command line that does something, and a run read back from its text."""

from __future__ import annotations

import pytest

from daily_memory.core.digests.commands import Ran, bare_command, parse_ran


@pytest.mark.parametrize(
    ("command", "bare"),
    [
        ("cd /work/app && CI=1 npm test 2>&1 | tail -20", "npm test"),
        ("for i in 1 2; do pytest -q; done", "pytest -q"),
        ("ls; cat a.txt", "cat a.txt"),
        ('git commit -m "a; b"', 'git commit -m "a; b"'),
        ("sudo make install", "make install"),
        ("", ""),
    ],
)
def test_the_bare_command_is_the_part_that_does_something(command, bare):
    assert bare_command(command) == bare


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("$ make\nexit 0\nok", Ran("make", 0, False, ("ok",))),
        ("$ make\nexit -9", Ran("make", -9, True, ())),
        ("$ make\nfailed\nx", Ran("make", None, True, ("x",))),
        ("$ make\nbuilt", Ran("make", None, False, ("built",))),
        ("$ make", Ran("make", None, False, ())),
        ("src/a.py\n- x", Ran("", None, False, ("- x",))),
    ],
)
def test_a_command_is_read_back_from_its_text(text, ran):
    assert parse_ran(text) == ran
