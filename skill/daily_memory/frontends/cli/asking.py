"""Asking before something is destroyed: what it is and how much comes first."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import screen

# More lines than a person reads before an answer.
_MOST_LINES = 20
_YES = ("y", "yes", "是", "好", "确定")


def is_terminal() -> bool:
    """Tell whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def show_some(lines: Sequence[str]) -> None:
    """Show the first of some lines on stderr, and how many more there are."""
    for line in lines[:_MOST_LINES]:
        screen.talk(line)
    if len(lines) > _MOST_LINES:
        screen.talk(f"… and {len(lines) - _MOST_LINES} more; --dry-run shows them all")


def confirm(question: str, *, answer: str = "") -> None:
    """Wait for a yes, or for just this answer.

    Raises:
        InvalidInputError: somebody answered something else.
    """
    screen.talk(f"{question} [{answer or 'y/N'}]")
    said = sys.stdin.readline().strip().casefold()
    if said not in ((answer.casefold(),) if answer else _YES):
        hint = f"answer {answer or 'y'}, or give --yes"
        raise InvalidInputError("nothing was deleted", hint=hint)


def refuse(what: str) -> InvalidInputError:
    """Return the error for what nobody is there to be asked about."""
    hint = "look with --dry-run, then say --yes"
    return InvalidInputError(f"{what}: nothing was deleted without a yes", hint=hint)
