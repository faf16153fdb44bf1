"""Text that the user edits: in an editor at a terminal, else what stands on stdin."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError
from daily_memory.frontends.cli import screen

_DEFAULT_EDITOR = "notepad" if os.name == "nt" else "vi"


@contextlib.contextmanager
def new_text(before: str, suffix: str = ".md") -> Iterator[str]:
    """Give the new text in place of the one before.

    What was written in the editor is kept where it can't be used, and the error says where.

    Raises:
        BackendError: there is no such editor, or it failed.
        InvalidInputError: stdin, or what the editor wrote, is not UTF-8.
    """
    if not sys.stdin.isatty():
        yield screen.read_input()
        return
    draft = _Draft(before, suffix)
    text = draft.edited()
    try:
        yield text
    except DailyMemoryError as error:
        if text.strip():
            error.hint = f"what you wrote is in {draft.path!r}; {error.hint}"
        else:
            draft.remove()
        raise
    draft.remove()


class _Draft:
    """A file of the user's own with a text to edit; it stays until it is removed."""

    def __init__(self, text: str, suffix: str) -> None:
        self._text = text
        handle, self.path = tempfile.mkstemp(prefix="memory-", suffix=suffix)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def edited(self) -> str:
        """Return the text as the user leaves it.

        Raises:
            BackendError: there is no such editor, or it failed.
            InvalidInputError: what it wrote is not UTF-8.
        """
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT_EDITOR
        words = [editor] if os.name == "nt" else shlex.split(editor)
        try:
            status = subprocess.run([*words, self.path], check=False).returncode  # noqa: S603  # theirs
        except OSError as error:
            self.remove()
            hint = "set EDITOR to one that is there"
            raise BackendError(f"can't run the editor {editor!r}", hint=hint) from error
        try:
            with open(self.path, "rb") as file:
                data = file.read()
        except FileNotFoundError as error:
            hint = "nothing was changed"
            raise BackendError(f"the editor {editor!r} removed its file", hint=hint) from error
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            hint = f"what you wrote is in {self.path!r}; save it as UTF-8, and give it on stdin"
            raise InvalidInputError("what the editor wrote is not UTF-8", hint=hint) from error
        if status:
            hint = f"what you wrote is in {self.path!r}"
            # No copy of a memory shall lie about that nobody wrote in.
            if text == self._text:
                self.remove()
                hint = "nothing was changed"
            raise BackendError(f"the editor {editor!r} ended with status {status}", hint=hint)
        return text

    def remove(self) -> None:
        os.unlink(self.path)
