"""`memory hook [HOST]`: an event of a host comes in as JSON, one JSON object goes out.

A hook never holds up its host and never fails it: the answer is always an object, the exit status
always 0, and what went wrong stands in `index/hook.log`, which `memory doctor` reads. Each event
starts a process, so that whatever only some of them need is loaded where they need it.
"""

import json
import os
import sys
from collections.abc import Mapping

from daily_memory.core import hosts
from daily_memory.core.hosts import Event
from daily_memory.memory import Memory
from daily_memory.storage import files, roots

# Set in what we start ourselves: it must not record itself.
_OURS = "DAILY_MEMORY_HOOK"
# What Windows puts before UTF-8.
_MARK = b"\xef\xbb\xbf"
_NO_EVENT = Event("", hosts.OTHER, "", "")


def main(words: list[str]) -> int:
    """Handle one event. `words` are the host and, for the reader's sake, the event."""
    environment = dict(os.environ)
    named = words[0] if words else ""
    answer: dict[str, object] = {}
    event, memory = _NO_EVENT, None
    try:
        payload = _payload(sys.stdin.buffer.read())
        event = hosts.parse_event(payload, environment, named)
        memory = _memory(event, environment)
        if not environment.get(_OURS) and not _is_doubled(event, named):
            answer = _answer(memory, event, environment)
    except Exception as error:  # noqa: BLE001  # the hook door: our faults are none of the host
        _note(memory, event, error)
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _payload(data: bytes) -> Mapping[str, object]:
    payload = json.loads(data.removeprefix(_MARK).decode("utf-8", "replace").strip() or "{}")
    return payload if isinstance(payload, dict) else {}


def _memory(event: Event, environment: Mapping[str, str]) -> Memory:
    """Return the memory of the project that the host names; the working directory says nothing."""
    if environment.get("MEMORY_PROJECT"):
        return Memory(environment=environment)
    home = roots.home_folder(environment)
    is_project = os.path.isdir(event.folder) and not os.path.samefile(event.folder, home)
    project = roots.find_project(event.folder, environment) or event.folder if is_project else ""
    return Memory(project, environment=environment)


def _is_doubled(event: Event, named: str) -> bool:
    """Tell whether this is the hook of Claude Code, run by Cursor beside Cursor's own."""
    if event.host != hosts.CURSOR or named in ("", hosts.CURSOR):
        return False
    paths = (
        os.path.join(folder, ".cursor", "hooks.json")
        for folder in (event.folder, os.path.expanduser("~"))
    )
    return any(b"hook cursor" in (files.find_bytes(path) or b"") for path in paths)


def _answer(memory: Memory, event: Event, environment: Mapping[str, str]) -> dict[str, object]:
    if event.meaning == hosts.OTHER:
        return {}
    handled = memory.handle(event)
    if handled.ended:
        _settle(memory, ["--conversation", handled.ended], environment)
    elif handled.so_far:
        _settle(memory, ["--conversation", handled.so_far, "--so-far"], environment)
    elif handled.unfinished:
        _settle(memory, ["--all"], environment)
    return hosts.format_answer(event, handled.context)


def _settle(memory: Memory, which: list[str], environment: Mapping[str, str]) -> None:
    """Start a process that makes sections of conversations: the host waits for no digest."""
    import subprocess  # few events end something

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = f"import sys; sys.path.insert(0, {package!r})"
    code = f"{path}; from daily_memory.__main__ import main; main()"
    # On Windows: no window may flash up, and the host's end is not ours.
    flags = 0x08000000 | 0x00000200 if os.name == "nt" else 0
    subprocess.Popen(  # noqa: S603  # our own interpreter, and nothing that memory says
        [sys.executable, "-c", code, "end", *which],
        cwd=memory.project or roots.home_folder(environment),
        env={**environment, _OURS: "1", "MEMORY_PROJECT": memory.project},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=flags,
    )


def _note(memory: Memory | None, event: Event, error: Exception) -> None:
    """Write down what went wrong; where even that can't be done, nobody can be told."""
    import contextlib  # hardly ever

    with contextlib.suppress(Exception):
        (memory or Memory()).note_missed(event, error)
