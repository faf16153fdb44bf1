"""Holds the lock of a memory until it is told to let go; run as a program by the tests.

python -m tests.reliability.holder LOCK_FILE [stop]
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys


def main(path: str, action: str = "") -> None:
    """Take the kernel's lock, say so, and wait; with `stop`, like a process that was suspended."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    sys.stdout.write("held\n")
    sys.stdout.flush()
    if action == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
