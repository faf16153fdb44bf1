"""Asking before something is done that can't simply be done again: what it is comes first."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import screen

_YES = ("y", "yes", "是", "好", "确定")
_LOOK = "look with --dry-run, then say --yes"
_NO = ("n", "no", "否", "不", "不要", "取消")


def show_some(lines: Sequence[str]) -> None:
    """Show the first of some lines on stderr, and how many more there are."""
    for line in lines[: screen.MOST_LINES]:
        screen.talk(line)
    if len(lines) > screen.MOST_LINES:
        screen.talk(f"… and {len(lines) - screen.MOST_LINES} more; --dry-run shows them all")


def confirm(question: str, *, is_sure: bool = False, answer: str = "") -> None:
    """Ask, unless the user is sure, and wait for a yes, or for just this answer.

    Raises:
        InvalidInputError: the answer is another one, or nobody is there who can be asked.
    """
    if is_sure:
        return
    if not screen.is_terminal():
        raise InvalidInputError(
            f"nothing was done: nobody is there to be asked: {question}",
            hint=_LOOK,
        )
    screen.talk(f"{question} To go on, type: {answer}" if answer else f"{question} [y/N]")
    said = sys.stdin.readline().strip().casefold()
    if said in _NO:
        raise InvalidInputError("nothing was done, as you said")
    if said not in ((answer.casefold(),) if answer else _YES):
        raise InvalidInputError("nothing was done", hint=f"answer {answer or 'y'}, or give --yes")
