"""Turns the k-th call that changes the disk into a death or an error, and writes down all of them.

It works inside the process of a command, on the names in `os`, `open` and `sqlite3.connect`, so
that it needs no tracer and works wherever there is `os.fork`. Only what touches the folder that is
watched counts. What SQLite writes below a commit is seen by `strace` alone: see `traced.py`.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import json
import os
import sqlite3
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

DEATH = 137
DEATHS = ("dies before", "dies after", "dies half way")
ERRORS = {
    "ENOSPC": errno.ENOSPC,
    "EIO": errno.EIO,
    "EROFS": errno.EROFS,
    "EACCES": errno.EACCES,
}
# From that call on, nothing can be written any more, as on a disk that is full for good.
LASTING = {"disk full": "ENOSPC", "disk broken": "EIO"}
KINDS = (*DEATHS, "short write", *ERRORS, *LASTING)
_SQLITE_ERRORS = {
    "ENOSPC": "database or disk is full",
    "EIO": "disk I/O error",
    "EROFS": "attempt to write a readonly database",
    "EACCES": "unable to open database file",
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_real_write = os.write


class Point(NamedTuple):
    """One call that changes something: `number` counts from 1; `mode` is that of what it made."""

    number: int
    call: str
    path: str
    target: str = ""
    mode: int = 0


class Injector:
    """Counts the calls below `folder`, logs them to `log`, and spoils the one numbered `at`."""

    def __init__(self, folder: str, log: int, kind: str = "", at: int = 0) -> None:
        self._folder = os.path.realpath(folder)
        self._log = log
        self._kind = kind
        self._at = at
        self._count = 0
        self._paths: dict[int, str] = {}

    def install(self) -> None:
        """Put ourselves before the system; there is no way back, the process is a fork."""
        self._real_open = os.open
        os.open = self._open
        for name in ("write", "fsync", "fdatasync", "fchmod"):
            self._wrap(name, lambda handle, *_: (self._paths.get(handle, ""), ""))
        for name in ("unlink", "remove", "mkdir", "rmdir", "chmod"):
            self._wrap(name, lambda path, *_: (self._absolute(path), ""))
        for name in ("replace", "rename", "link", "symlink"):
            self._wrap(name, lambda old, new, *_: (self._absolute(old), self._absolute(new)))
        self._wrap("ftruncate", self._where_truncated)
        self._wrap_open()
        self._wrap_sqlite()

    def said(self, text: str) -> None:
        """Write down that the command printed something."""
        self._note("print", text.strip())

    # ------------------------------------------------------------------ the calls

    def _wrap(self, name: str, where: Callable[..., tuple[str, str]]) -> None:
        real = getattr(os, name, None)
        if real is None:
            return

        def call(*values: Any, **options: Any) -> Any:
            path, target = where(*values)
            half = None
            if name == "write":
                half = self._half(values)
            return self.point(name, path, target, lambda: real(*values, **options), half)

        setattr(os, name, call)

    def _where_truncated(self, handle: int, *_: int) -> tuple[str, str]:
        return self._paths.get(handle, ""), ""

    @staticmethod
    def _half(values: Any) -> Callable[[], int]:
        handle, data = values
        return lambda: _real_write(handle, data[: max(1, len(data) // 2)])

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        absolute = self._absolute(path)
        is_new = not os.path.lexists(absolute)

        def act() -> int:
            return self._real_open(path, flags, mode, dir_fd=dir_fd)

        if flags & _WRITING:
            name = "create" if is_new else "open"
            handle: int = self.point(name, absolute, "", act)
        else:
            handle = act()
        self._paths[handle] = absolute
        return handle

    def _wrap_open(self) -> None:  # noqa: C901  # one thing: what `open` gives, wrapped
        """Count what is written through `open` as well: it writes without `os.write`."""
        real = builtins.open
        injector = self

        class Sink:
            def __init__(self, file: Any, path: str) -> None:
                self._file, self._path = file, path

            def write(self, data: Any) -> int:
                def half() -> int:
                    written: int = self._file.write(data[: max(1, len(data) // 2)])
                    self._file.flush()
                    return written

                def act() -> int:
                    written: int = self._file.write(data)
                    self._file.flush()
                    return written

                written: int = injector.point("write", self._path, "", act, half, is_whole=True)
                return written

            def __getattr__(self, name: str) -> Any:
                return getattr(self._file, name)

            def __enter__(self) -> Sink:
                self._file.__enter__()
                return self

            def __exit__(self, *details: Any) -> Any:
                return self._file.__exit__(*details)

        def opened(file: Any, mode: str = "r", *values: Any, **options: Any) -> Any:
            if not set(mode) & set("wax+"):
                return real(file, mode, *values, **options)
            path = self._paths.get(file, "") if isinstance(file, int) else self._absolute(file)
            if isinstance(file, int):
                return Sink(real(file, mode, *values, **options), path)
            made = self.point("create", path, "", lambda: real(file, mode, *values, **options))
            return Sink(made, path)

        builtins.open = opened

    def _wrap_sqlite(self) -> None:
        real: Callable[..., sqlite3.Connection] = sqlite3.connect
        injector = self

        def connect(path: Any, *values: Any, **options: Any) -> sqlite3.Connection:
            if path == ":memory:":
                return real(path, *values, **options)
            absolute = self._absolute(str(path).removeprefix("file:").partition("?")[0])

            class Connection(sqlite3.Connection):
                def commit(self) -> None:
                    injector.point("commit", absolute, "", super().commit)

                def executescript(self, script: str) -> Any:
                    act = super().executescript
                    return injector.point("commit", absolute, "", lambda: act(script))

            opened: sqlite3.Connection = real(path, *values, factory=Connection, **options)
            return opened

        sqlite3.connect = connect  # type: ignore[assignment]  # it has a signature for each case

    # ------------------------------------------------------------------ a point

    def point(
        self,
        call: str,
        path: str,
        target: str,
        act: Callable[[], Any],
        half: Callable[[], Any] | None = None,
        *,
        is_whole: bool = False,
    ) -> Any:
        if not path.startswith(self._folder):
            return act()
        self._count += 1
        is_lasting = self._kind in LASTING
        if self._count < self._at or (self._count > self._at and not is_lasting) or not self._at:
            return self._done(call, path, target, act)
        if self._count > self._at and call in ("unlink", "remove", "ftruncate", "rmdir"):
            # A disk that takes nothing more still lets go of what it has.
            return self._done(call, path, target, act)
        return self._spoil(call, path, target, act, None if is_whole else half, half)

    def _done(self, call: str, path: str, target: str, act: Callable[[], Any]) -> Any:
        result = act()
        mode = 0
        if call == "create" and isinstance(result, int):
            mode = stat.S_IMODE(os.fstat(result).st_mode)
        elif call == "mkdir":
            mode = stat.S_IMODE(os.stat(path).st_mode)
        self._note(call, path, target, mode)
        return result

    def _spoil(
        self,
        call: str,
        path: str,
        target: str,
        act: Callable[[], Any],
        short: Callable[[], Any] | None,
        half: Callable[[], Any] | None,
    ) -> Any:
        self._note(f"{call} {self._kind}", path, target)
        kind = self._kind
        if kind == "short write":
            # A short write is no error: whoever writes has to go on.
            return short() if short else act()
        if kind == "dies before":
            os._exit(DEATH)
        if kind == "dies after":
            act()
            os._exit(DEATH)
        if kind == "dies half way":
            (half or act)()
            os._exit(DEATH)
        if kind == "disk full" and self._count == self._at and short:
            return short()
        name = LASTING.get(kind, kind)
        if call == "commit":
            raise sqlite3.OperationalError(_SQLITE_ERRORS[name])
        raise OSError(ERRORS[name], os.strerror(ERRORS[name]), path)

    def _note(self, call: str, path: str, target: str = "", mode: int = 0) -> None:
        line = json.dumps([self._count, call, path, target, mode]) + "\n"
        _real_write(self._log, line.encode())

    def _absolute(self, path: Any) -> str:
        if isinstance(path, int):
            return self._paths.get(path, "")
        with contextlib.suppress(TypeError, ValueError):
            folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
            return os.path.join(os.path.realpath(folder), name)
        return ""


def parse_log(data: bytes) -> list[Point]:
    """Return what was written down, in order."""
    return [Point(*json.loads(line)) for line in data.split(b"\n") if line]
