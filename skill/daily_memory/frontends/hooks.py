"""`memory hook [HOST]`: an event of a host comes in as JSON, one JSON object goes out.

A hook never holds up its host and never fails it: the answer is an object or nothing, the exit
status always 0, and what went wrong stands in `index/hook.log`, which `memory doctor` reads. Each
event starts a process, so that whatever only some of them need is loaded where they need it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from daily_memory.core.hosts import events, names
from daily_memory.core.hosts.events import Event
from daily_memory.errors import BackendError
from daily_memory.memory import Memory
from daily_memory.text import filled

# Hosts that run the hooks of Claude Code beside their own, and the files that hold the latter.
_OWN_FILES = {
    names.CURSOR: (".cursor/hooks.json",),
    names.TRAE: (".trae/hooks.json", ".trae-cn/hooks.json"),
    names.COPILOT: (".github/hooks/daily-memory.json", ".copilot/hooks/daily-memory.json"),
}
# What Windows puts before UTF-8.
_MARK = b"\xef\xbb\xbf"
# What follows the recording of an event is broken off so long after the hook began; where disks are
# slow, this variable allows more.
_DEADLINE_S, _MOST_S = 1.8, 60
DEADLINE = "MEMORY_HOOK_SECONDS"
# So much of that is left for recall after other conversations were saved, and so often we look.
_RECALL_S, _POLL_S = 0.5, 0.01
# A host that wrote so much of its JSON, and then nothing for so long, writes no more.
SILENT_S = 2.0
# So long it may take to write its transcript.
_WRITING_S = 0.5
_CHUNK_BYTES = 1_000_000
# A file of hooks is never larger, nor what is read of a transcript.
_MOST_BYTES = 1_000_000
_NO_EVENT = Event("", events.OTHER, "", "")


class LateError(Exception):
    """The deadline of an event passed."""


def main(words: list[str]) -> int:
    """Handle one event. `words` are the host and, where its JSON lacks that, the event."""
    environment = dict(os.environ)
    named, name = [*words, "", ""][:2]
    answer: dict[str, object] = {}
    event, memory = _NO_EVENT, None
    end = time.monotonic() + _allowed_s(environment)
    try:
        data = _read_event(sys.stdin.fileno())
        payload = _payload(data)
        event = events.parse_event(payload, environment, named, name, _end_of)
        memory = _memory(event, environment)
        is_ours = memory.background.is_ours or event.meaning == events.OTHER
        is_doubled = is_ours or _is_doubled(event, named, memory.home)
        if not is_doubled and memory.background.claim(data):
            answer = respond(memory, event, end)
    except Exception as error:  # noqa: BLE001  # the hook door: our faults are none of the host
        _note(memory, event, error)
    # What is printed before a compaction, be it `{}`, Claude Code takes for instructions.
    if event.meaning != events.COMPACT:
        _say(answer)
    return 0


def settle(*work: str) -> None:
    """Do the work that an event left, in a process of its own; see `memory.background.run`.

    Nobody sees what it prints: what went wrong is noted as it is for an event.
    """
    memory = Memory(environment=dict(os.environ))
    try:
        for warning in memory.background.run(*work):
            memory.background.note_error(warning)
    except Exception as error:  # noqa: BLE001  # as above
        _note(memory, _NO_EVENT._replace(raw_name="digest", meaning=events.END), error)


def _say(answer: Mapping[str, object]) -> None:
    """Print the answer, if anybody still wants it."""
    if getattr(sys.stdout, "buffer", None) is None:
        return  # started without one
    try:
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        # The host went away. What is left of it would be tried again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _read_event(file: int) -> bytes:
    """Return what the host wrote: all of an object, though it may never close its end."""
    data = b""
    while _is_readable(file):
        part = os.read(file, _CHUNK_BYTES)
        data += part
        if not part or (part.rstrip().endswith(b"}") and _is_whole(data)):
            break
    return data


def _is_readable(file: int) -> bool:
    """Wait for a host that is writing; tell whether it goes on, or has ended."""
    if os.name == "nt":  # it can't wait for a pipe
        return True
    import select

    return bool(select.select([file], [], [], SILENT_S)[0])


def _is_whole(data: bytes) -> bool:
    try:
        _payload(data)
    except ValueError:
        return False
    return True


def _payload(data: bytes) -> Mapping[str, object]:
    payload = json.loads(data.removeprefix(_MARK).decode("utf-8", "replace").strip() or "{}")
    return payload if isinstance(payload, dict) else {}


def _memory(event: Event, environment: Mapping[str, str]) -> Memory:
    """Return the memory of the project that the host names; the working directory says nothing."""
    if environment.get("MEMORY_PROJECT"):
        return Memory(environment=environment)
    folder = event.folder
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return Memory("", environment=environment)
    return Memory(around=folder, is_named=False, environment=environment)


def _is_doubled(event: Event, named: str, home: str) -> bool:
    """Tell whether this is the hook of Claude Code, run by a host beside the host's own."""
    if event.host not in _OWN_FILES or named in ("", event.host):
        return False
    own = f"hook {event.host}".encode()
    return any(
        own in _bytes_of(os.path.join(folder, name))
        for folder in (event.folder, home)
        for name in _OWN_FILES[event.host]
    )


def _bytes_of(path: str) -> bytes:
    """Return what is in a file of the host; empty if there is none, or it can't be read."""
    if not os.path.isfile(path):
        return b""  # a pipe would never end
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _end_of(path: str, is_whole: Callable[[bytes], bool]) -> bytes:
    """Return the last bytes of a transcript of the host; empty if it can't be read.

    A host may write it while the hook runs, and may not even have begun.
    """
    data, end = b"", time.monotonic() + _WRITING_S
    while True:
        if os.path.exists(path):
            if not os.path.isfile(path):
                return data  # a pipe would never end
            try:
                with open(path, "rb") as file:
                    file.seek(max(os.fstat(file.fileno()).st_size - _MOST_BYTES, 0))
                    data = file.read(_MOST_BYTES)
            except OSError:
                return data
        if is_whole(data) or time.monotonic() > end:
            return data
        time.sleep(_POLL_S)


def respond(memory: Memory, event: Event, end: float) -> dict[str, object]:
    """Handle an event, and return the answer for the host; work that would pass `end` is left."""
    if event.meaning == events.OTHER:
        return {}

    def settle() -> None:
        try:
            is_done = memory.background.start("all")
            while not is_done() and time.monotonic() < end - _RECALL_S:
                time.sleep(_POLL_S)
        except OSError as error:
            _note(memory, event, error)

    try:
        handled = memory.handle(event, in_time=in_time(end), settle=settle)
    except LateError:
        allowed_s = _allowed_s(memory.workspace.environment)
        late = BackendError("took longer than {:g} s: the conversation got nothing", allowed_s)
        _note(memory, event, late)
        # Mostly it is the index; whoever builds it has the time.
        memory.background.start("index")
        return {}
    if handled.missed:
        _note(memory, event, handled.missed)
    try:
        for work in handled.work:
            memory.background.start(*work)
    except OSError as error:
        # What was recalled counts as told: it is told, and the next start settles.
        _note(memory, event, error)
    told = [handled.reminder] if handled.reminder else []
    if event.meaning == events.START:
        told += [filled("{}; see `memory doctor`", warning) for warning in memory.warnings]
    return events.format_answer(event, handled.context, "\n".join(told), handled.request)


def _allowed_s(environment: Mapping[str, str]) -> float:
    try:
        seconds = float(environment.get(DEADLINE, ""))
    except ValueError:
        return _DEADLINE_S
    return seconds if 0 < seconds <= _MOST_S else _DEADLINE_S


@contextlib.contextmanager
def in_time(end: float) -> Iterator[None]:
    """Interrupt work that takes too long, such as a search that hangs, where the system can."""
    import signal

    if time.monotonic() >= end:
        raise LateError
    if not hasattr(signal, "setitimer"):  # Windows has none
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(end - time.monotonic(), 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _note(memory: Memory | None, event: Event, error: Exception) -> None:
    """Log an error; where even that fails, there is nothing left to do."""
    with contextlib.suppress(Exception):
        (memory or Memory("")).background.note_event_error(event, error)
