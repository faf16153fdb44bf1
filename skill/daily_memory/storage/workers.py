"""Work on many files in several processes: what a function returns of each file alone.

They are new processes, which get the function and what it is asked, and nothing else of this one:
no lock, no thread, no key. They only read. What they can't do is done here, so that the results
are the same with any number of them (docs/decisions/0042).
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from daily_memory.errors import DailyMemoryError
from daily_memory.storage import processes
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Modes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from queue import Queue
    from subprocess import Popen
    from typing import NoReturn, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

# Where a container on Linux finds its own limits.
_QUOTA = "/sys/fs/cgroup/cpu.max"
# Less takes one process less time than others take to start.
LEAST_BYTES = 2_000_000
# More processes would wait for the one that takes their results.
_MOST = 4
# What is handed back at a time, in bytes of files, and how many of these a process is ahead.
CHUNK_BYTES = 250_000
_AHEAD = 16


def each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    sizes: Sequence[int],
    *,
    modes: Modes = files.PRIVATE,
    most: int = 0,
) -> Iterator[Result]:
    """Yield what a function of a module returns of each item, in order.

    `sizes` are those of the files that it reads, `modes` those of their root: what is encrypted
    stays in the process that was given the key. `most` is the number of processes; 0 chooses.
    """
    chunks = list(_chunks(items, sizes))
    is_alone = modes.is_sealed or sum(sizes) < LEAST_BYTES
    count = most or (1 if is_alone else cores())
    done = 0
    for answers in _answers(function, chunks, min(count, len(chunks))):
        for item, answer in zip(chunks[done], answers, strict=True):
            yield answer[0] if answer else function(item)
        done += 1
    yield from map(function, chain.from_iterable(chunks[done:]))


def cores() -> int:
    """Return how many processes to use: one for work in the background."""
    if processes.OURS in os.environ or getattr(sys, "frozen", False):
        return 1
    ours = getattr(os, "sched_getaffinity", None)
    count = len(ours(0)) if ours else os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError), open(_QUOTA, encoding="ascii") as limit:
        count = min(count, share(limit.read()) or count)
    return min(count, _MOST)


def share(quota: str) -> int:
    """Return how many cores `cpu.max` of a container allows, 0 for all.

    >>> share("150000 100000"), share("50000 100000"), share("max 100000")
    (2, 1, 0)
    """
    time, _, period = quota.partition(" ")
    return -(-int(time) // int(period)) if time.isdigit() else 0


def _chunks(items: Sequence[Item], sizes: Sequence[int]) -> Iterator[list[Item]]:
    chunk: list[Item] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        chunk.append(item)
        total += size
        if total >= CHUNK_BYTES:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def _answers(
    function: Callable[[Item], Result], chunks: Sequence[Sequence[Item]], count: int
) -> Iterator[list[tuple[Result, ...]]]:
    """Yield the results for each chunk, nothing for an item that can't be done elsewhere.

    It ends early where a process can't be started, or is killed.
    """
    if count < 2:
        return
    import pickle  # most commands do without
    import subprocess

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # As in `processes`: no file of a project may pass for a module.
    path = f"import sys; sys.path[:] = [{package!r}, *filter(None, sys.path)]"
    code = f"{path}; from daily_memory.storage import workers; workers.serve()"
    pipe, silent = subprocess.PIPE, subprocess.DEVNULL
    # Start-up hooks of Python may print too, so unpickling may fail in any way.
    with contextlib.ExitStack() as started, contextlib.suppress(Exception):
        pool = []
        for _ in range(count):
            process = subprocess.Popen(  # noqa: S603  # our own interpreter, and our own code
                [sys.executable, "-c", code],
                stdin=pipe,
                stdout=pipe,
                stderr=silent,
                # No Ctrl-C and no window of its own: it ends with us.
                start_new_session=True,
                creationflags=0x08000000 | 0x00000200 if os.name == "nt" else 0,
            )
            started.callback(_end, process)
            pool.append(process)
        for place, process in enumerate(pool):
            # It reads all of this before it answers: neither waits for the other.
            process.stdin.write(pickle.dumps((function, chunks[place::count])))  # type: ignore[union-attr]  # a pipe
            process.stdin.close()  # type: ignore[union-attr]  # a pipe
        for place in range(len(chunks)):
            yield pickle.load(pool[place % count].stdout)  # type: ignore[arg-type]  # noqa: S301  # a pipe from our own code


def _end(process: Popen[bytes]) -> None:
    process.kill()
    for pipe in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(OSError):  # what is not yet written
            pipe.close()
    process.wait()


def serve() -> None:
    """Compute what `each` asks this process for."""
    import pickle  # as above
    from queue import Queue
    from threading import Thread

    gc.disable()
    files.opener = _leave
    function, chunks = pickle.load(sys.stdin.buffer)  # noqa: S301  # as above
    answers: Queue[bytes] = Queue(_AHEAD)
    writing = Thread(target=_write, args=(answers,), daemon=True)
    writing.start()
    for chunk in chunks:
        answers.put(pickle.dumps([_tried(function, item) for item in chunk]))
    answers.put(b"")
    writing.join()


def _tried(function: Callable[[Item], Result], item: Item) -> tuple[Result, ...]:
    try:
        return (function(item),)
    except (DailyMemoryError, _LeftError):  # whatever else ends the process
        return ()


def _write(answers: Queue[bytes]) -> None:
    try:
        while data := answers.get():
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    except OSError:  # nobody takes it any more
        os._exit(1)


class _LeftError(Exception):
    """A file that only the process with the key can read; no reader takes it for a fault."""


def _leave(path: str, _data: bytes) -> NoReturn:
    raise _LeftError(path)
