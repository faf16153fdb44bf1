"""`memory hook [HOST]`: an event of a host comes in as JSON, one JSON object goes out.

A hook never holds up its host and never fails it: the answer is always an object, the exit status
always 0, and what went wrong stands in `index/hook.log`, which `memory doctor` reads. Each event
starts a process, so that whatever only some of them need is loaded where they need it.
"""

import json
import os
import sys
from collections.abc import Mapping
from datetime import datetime

from daily_memory.core import hosts
from daily_memory.core.hosts import Event
from daily_memory.memory import Memory
from daily_memory.storage import files, roots

# Set in what we start ourselves: it must not record itself.
_OURS = "DAILY_MEMORY_HOOK"
_MOST_LOG_BYTES = 200_000


def main(words: list[str]) -> int:
    """Handle one event. `words` are the host and, for the reader's sake, the event."""
    answer: dict[str, object] = {}
    try:
        answer = _answer(sys.stdin.buffer.read(), words[0] if words else "", dict(os.environ))
    except Exception as error:  # the hook door: no fault of ours may become one of the host
        _note(None, f"{type(error).__name__}: {error}")
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _answer(data: bytes, named: str, environment: Mapping[str, str]) -> dict[str, object]:
    if environment.get(_OURS):
        return {}
    payload = _payload(data)
    event = hosts.parse_event(payload, environment, named)
    memory = _memory(event, environment)
    if event.meaning == hosts.OTHER or _is_doubled(event, named):
        return {}
    try:
        handled = memory.handle(event)
        if handled.ended or handled.unfinished:
            _settle(memory, handled.ended, environment)
        return hosts.format_answer(event, handled.context)
    except Exception as error:  # as above; here it is known whose log it belongs to
        _note(memory, f"{event.host} {event.raw_name}: {type(error).__name__}: {error}")
        return {}


def _payload(data: bytes) -> Mapping[str, object]:
    """Return the payload. On Windows it begins with a mark, and may be in the system's encoding."""
    payload = json.loads(data.decode("utf-8-sig", "replace") or "{}")
    return payload if isinstance(payload, dict) else {}


def _memory(event: Event, environment: Mapping[str, str]) -> Memory:
    """Return the memory of the project that the host names."""
    if not environment.get("MEMORY_PROJECT") and os.path.isdir(event.folder):
        home = roots.home_folder(environment)
        if os.path.realpath(event.folder) != os.path.realpath(home):
            project = roots.find_project(event.folder, environment) or event.folder
            return Memory(project, environment=environment)
    return Memory(environment=environment)


def _is_doubled(event: Event, named: str) -> bool:
    """Tell whether this is the hook of Claude Code, run by Cursor beside Cursor's own."""
    if event.host != hosts.CURSOR or named in ("", hosts.CURSOR):
        return False
    folders = (event.folder, os.path.expanduser("~"))
    return any(
        b"hook cursor" in (files.find_bytes(os.path.join(folder, ".cursor", "hooks.json")) or b"")
        for folder in folders
    )


def _settle(memory: Memory, ended: str, environment: Mapping[str, str]) -> None:
    """Start a process that makes sections of conversations: the host waits for no digest."""
    import subprocess  # few events end something

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = (
        f"import sys; sys.path.insert(0, {package!r}); import daily_memory.__main__ as m; m.main()"
    )
    command = [sys.executable, "-c", code, "end"]
    command += ["--conversation", ended] if ended else ["--all"]
    options: dict[str, object] = {"start_new_session": True}
    if os.name == "nt":  # pragma: no cover  # no window may flash up
        options = {"creationflags": 0x08000000 | 0x00000200}
    subprocess.Popen(  # noqa: S603  # our own interpreter, and nothing that memory says
        command,
        cwd=memory.project or os.path.expanduser("~"),
        env={**environment, _OURS: "1", "MEMORY_PROJECT": memory.project or ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,  # type: ignore[call-overload]
    )


def _note(memory: Memory | None, message: str) -> None:
    """Write down what went wrong where `memory doctor` looks; nothing can be said to the host."""
    import contextlib  # hardly ever

    with contextlib.suppress(Exception):
        root = (memory or Memory()).save_root()
        path = os.path.join(root.index_folder, "hook.log")
        files.make_folder(root.index_folder, root.modes)
        if files.stamp(path)[0] > _MOST_LOG_BYTES:
            files.remove(path)
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        files.append_line(path, f"{at} {message}\n".encode("utf-8", "replace"), root.modes)
