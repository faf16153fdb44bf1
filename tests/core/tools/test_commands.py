"""The part of a command line that does something."""

from __future__ import annotations

import pytest

from daily_memory.core.tools.commands import bare_command


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
