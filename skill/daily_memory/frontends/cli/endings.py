"""Signals that end the process."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

_NUMBERS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def unwound() -> Iterator[None]:
    """Let them leave as an error does, which takes back what is half done.

    What the caller has the process ignore, as `nohup` does, stays ignored.
    """
    ending = [number for number in _NUMBERS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
