"""Every error that Daily Memory raises on purpose.

    DailyMemoryError          code, message, hint            exit  HTTP
    ├─ InvalidInputError      the caller asked wrongly          2   400
    ├─ NotFoundError          no such session, day or root      3   404
    ├─ ConflictError          changed underneath; lock busy     4   409
    ├─ DamagedDataError       our own files can't be trusted    5   500
    ├─ BackendError           engine missing, refused, late     6   503
    └─ LockedError            encrypted, and no key at hand     6   503

Messages are one line, lower case, without a full stop, and never hold memory text.
"""

from __future__ import annotations

from daily_memory.text import filled


class DailyMemoryError(Exception):
    """The base of our errors: `message` says what happened, `hint` what to do about it.

    A message with values in it is given as for `filled`: `NotFoundError("no file {!r}", path)`.
    """

    code = "error"
    exit_status = 1

    def __init__(self, message: str, *values: object, hint: str = "") -> None:
        self.message = filled(message, *values) if values else message
        super().__init__(self.message)
        self.hint = hint


class InvalidInputError(DailyMemoryError):
    """The call, the options or the data handed in are not what they must be."""

    code = "invalid_input"
    exit_status = 2


class NotFoundError(DailyMemoryError):
    """What was named does not exist."""

    code = "not_found"
    exit_status = 3


class ConflictError(DailyMemoryError):
    """Something else changed the data, or holds the lock."""

    code = "conflict"
    exit_status = 4


class DamagedDataError(DailyMemoryError):
    """A file of ours is in a state that we must not build on."""

    code = "damaged_data"
    exit_status = 5


class BackendError(DailyMemoryError):
    """An engine or the operating system refused, is missing, or took too long."""

    code = "backend"
    exit_status = 6


class LockedError(DailyMemoryError):
    """Something is encrypted, and the key to it, or the passphrase of that, is not at hand."""

    code = "locked"
    exit_status = 6
