"""Text that the user edits: in an editor at a terminal, or else given on stdin."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError
from daily_memory.frontends.cli import endings, terminal
from daily_memory.text import filled

_DEFAULT_EDITOR = "notepad" if os.name == "nt" else "vi"
# Stores a text that could not be used, and returns its path.
Keep = Callable[[str], str]


@contextlib.contextmanager
def new_text(before: str, suffix: str = ".md", keep: Keep | None = None) -> Iterator[str]:
    """Yield the text as the user changed it.

    What was written in the editor is kept where it can't be used, and the error says where: by
    `keep` where it is to be encrypted; the file that the editor had then goes in any case.
    """
    if not sys.stdin.isatty():
        yield terminal.read_input()
        return
    if keep:
        with _private_folder() as folder:
            yield from _kept_by(keep, _Draft(before, suffix, folder))
        return
    draft = _Draft(before, suffix)
    text = draft.edited()
    try:
        yield text
    except DailyMemoryError as error:
        if text.strip():
            error.hint = filled("what you wrote is in {!r}; {}", draft.path, error.hint)
        else:
            draft.remove()
        raise
    draft.remove()


def _kept_by(keep: Keep, draft: _Draft) -> Iterator[str]:
    text = ""
    try:
        text = draft.edited()
        yield text
    except DailyMemoryError as error:
        written = text or draft.rescue()
        error.hint = "nothing was changed"
        if written not in ("", draft.before):
            error.hint = filled("what you wrote is kept, encrypted, in {!r}", keep(written))
        raise


@contextlib.contextmanager
def _private_folder() -> Iterator[str]:
    """Give a folder for text in the clear; it goes with all that an editor left in it.

    In memory, where the system has a folder for that. Signals remove it too.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    place = runtime if os.path.isdir(runtime) and os.access(runtime, os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="memory-", dir=place)
    with endings.unwound():
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class _Draft:
    """A file of the user's own with a text to edit; it stays until it is removed."""

    def __init__(self, text: str, suffix: str, folder: str | None = None) -> None:
        self.before = text
        handle, self.path = tempfile.mkstemp(prefix="memory-", suffix=suffix, dir=folder)
        with open(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)

    def edited(self) -> str:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT_EDITOR
        words = [editor] if os.name == "nt" else shlex.split(editor)
        try:
            status = subprocess.run([*words, self.path], check=False).returncode  # noqa: S603  # theirs
        except OSError as error:
            self.remove()
            hint = "set EDITOR to an installed editor"
            raise BackendError("can't run the editor {!r}", editor, hint=hint) from error
        text = self.read(editor)
        if status:
            hint = filled("what you wrote is in {!r}", self.path)
            # Don't leave a copy of a memory that nobody changed.
            if text == self.before:
                self.remove()
                hint = "nothing was changed"
            raise BackendError("the editor {!r} ended with status {}", editor, status, hint=hint)
        return text

    def read(self, editor: str) -> str:
        """Return the text as the editor left it in the file; it raises as `edited` does."""
        try:
            data = self._data()
        except FileNotFoundError as error:
            hint = "nothing was changed"
            raise BackendError("the editor {!r} removed its file", editor, hint=hint) from error
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            hint = filled(
                "what you wrote is in {!r}; save it as UTF-8, and give it on stdin", self.path
            )
            raise InvalidInputError("what the editor wrote is not UTF-8", hint=hint) from error

    def rescue(self) -> str:
        """Return what can be read of the file; "" where there is none."""
        with contextlib.suppress(FileNotFoundError):
            return self._data().decode("utf-8", "replace")
        return ""

    def _data(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read()

    def remove(self) -> None:
        os.unlink(self.path)
