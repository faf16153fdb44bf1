"""Bounds for what runs with nobody watching: a process that a hook started and left."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

from daily_memory.errors import BackendError

# To digest a long conversation takes seconds and some 100 MB; a language model may answer slowly.
_TIME_S = 30 * 60
_CPU_S = 10 * 60
_MEMORY_BYTES = 2 * 1024**3


def bounded(
    run: Callable[[], None], time_s: int = _TIME_S, memory_bytes: int = _MEMORY_BYTES
) -> None:
    """Run something for a limited time, in limited memory, where the system can limit them.

    The time ends with an error, which is noted like any other. Code that lets no signal in is
    ended by the system, after so much time of the processor.
    """
    _limit("RLIMIT_AS", memory_bytes)
    _limit("RLIMIT_CPU", _CPU_S)
    if not hasattr(signal, "alarm"):  # Windows has none
        run()
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise BackendError("took longer than {} minutes and was stopped", time_s // 60)

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(time_s)
    run()


def _limit(name: str, most: int) -> None:
    """Lower one of the limits of this process, never raise it."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    kind = getattr(resource, name)
    soft, hard = resource.getrlimit(kind)
    lower = [bound for bound in (soft, hard, most) if bound != resource.RLIM_INFINITY]
    try:
        resource.setrlimit(kind, (min(lower), hard))
    except (OSError, ValueError):  # macOS has no limit of memory
        return
