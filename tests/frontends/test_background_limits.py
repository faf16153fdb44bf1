"""What a process that nobody watches may use."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from daily_memory.errors import BackendError
from daily_memory.frontends import background_limits

resource = pytest.importorskip("resource")  # Windows has none
KINDS = (resource.RLIMIT_AS, resource.RLIMIT_CPU)


@pytest.fixture(autouse=True)
def unbounded_afterwards() -> Iterator[None]:
    """Give this process back what it may use."""
    before = [(kind, resource.getrlimit(kind)) for kind in KINDS]
    handler = signal.getsignal(signal.SIGALRM)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, handler)
    for kind, limit in before:
        resource.setrlimit(kind, limit)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no limit of memory")
def test_it_gets_no_more_memory_than_it_may():
    code = (
        "from daily_memory.frontends.background_limits import bounded;"
        "bounded(lambda: bytearray(3 * 1024**3))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr.strip().rpartition("\n")[2] == "MemoryError"


def test_its_time_ends_with_an_error_that_says_so():
    with pytest.raises(BackendError, match="took longer than 30 minutes and was stopped"):
        background_limits.bounded(lambda: signal.raise_signal(signal.SIGALRM))


def test_a_limit_that_is_lower_already_stays():
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (300, hard))
    found = []

    background_limits.bounded(lambda: found.append(resource.getrlimit(resource.RLIMIT_CPU)))

    assert found == [(300, hard)]
