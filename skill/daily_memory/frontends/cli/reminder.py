"""What a person at a terminal is reminded of, now and then, after what they asked for."""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import screen
from daily_memory.memory import Memory


def remind(memory: Memory, options: argparse.Namespace) -> None:
    """Say that it is time for a review, if somebody is there who reads it."""
    if screen.is_terminal() and not options.json:
        text = memory.background.review_reminder()
        if text:
            screen.talk(text)
