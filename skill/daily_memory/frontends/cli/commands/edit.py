"""`memory edit`"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory

EXAMPLES = """examples:
  memory edit 2026-01-29#1                       opens $VISUAL or $EDITOR
  memory edit 2026-01-29#1 < section.md          takes the new text of the section
  memory edit 2026-01-29#1 --print > section.md  prints the text as it is

The text is that of the whole section, from its heading on, whose number stays. Where the section
changed meanwhile nothing is written, and what you wrote is kept."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a session, as `memory list` shows it")
    parser.add_argument("--print", action="store_true", help="print the text, and change nothing")
    add_scope(parser, choices=("project", "global", "all"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    opened = memory.open(options.id, scope=options.scope)
    if options.print:
        screen.write(opened.text)
        return 0
    draft = Draft(opened.text) if sys.stdin.isatty() else None
    text = draft.edited() if draft else screen.read_input()
    try:
        edited = memory.edit(options.id, text, digest=opened.digest, scope=options.scope)
    except DailyMemoryError as error:
        if draft:
            error.hint = f"what you wrote is in {draft.path!r}; {error.hint}"
        raise
    if draft:
        draft.remove()
    screen.warn(edited.warnings)
    if options.json:
        screen.show_json(
            {
                "id": str(opened.found.session.id),
                "changed": bool(edited.sections),
                "warnings": list(edited.warnings),
            }
        )
    elif edited.sections:
        screen.talk(f"changed {opened.found.path}:{opened.found.span.first}")
    else:
        screen.talk("nothing changed")
    return 0


class Draft:
    """A file of the user's own with a text to edit; it stays until it is removed."""

    def __init__(self, text: str, suffix: str = ".md") -> None:
        self._text = text
        handle, self.path = tempfile.mkstemp(prefix="memory-", suffix=suffix)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def edited(self) -> str:
        """Return the text as the user leaves it.

        Raises:
            BackendError: there is no such editor, or it failed.
        """
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT_EDITOR
        words = [editor] if os.name == "nt" else shlex.split(editor)
        try:
            status = subprocess.run([*words, self.path], check=False).returncode  # noqa: S603  # theirs
        except OSError as error:
            self.remove()
            hint = "set EDITOR to one that is there"
            raise BackendError(f"can't run the editor {editor!r}", hint=hint) from error
        with open(self.path, encoding="utf-8", errors="replace", newline="") as file:
            text = file.read()
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


_DEFAULT_EDITOR = "notepad" if os.name == "nt" else "vi"
