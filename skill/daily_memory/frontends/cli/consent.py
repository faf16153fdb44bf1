"""The question before something is done that can't simply be done again."""

from __future__ import annotations

import sys

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import screen

_YES = ("y", "yes", "是", "好", "确定")


def is_terminal() -> bool:
    """Tell whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def confirm(question: str, *, is_sure: bool) -> None:
    """Ask, unless the user is sure; where nobody can be asked, the answer is no.

    Raises:
        InvalidInputError: it is no.
    """
    if is_sure:
        return
    if not is_terminal():
        message = f"nothing was done: nobody is there to be asked: {question}"
        raise InvalidInputError(message, hint="give --yes")
    screen.talk(f"{question} [y/N]")
    if sys.stdin.readline().strip().casefold() not in _YES:
        raise InvalidInputError("nothing was done", hint="answer y, or give --yes")
