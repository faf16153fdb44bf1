"""Who else wrote the sections that are new to the index, and `summary.md`.

Git is asked once for all sections, and only where something is new that this machine did not
write. If that fails, sections have no author, and `doctor` says so.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from daily_memory.core.format import markdown
from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.model import Session
from daily_memory.storage import journal
from daily_memory.storage.fs import files
from daily_memory.storage.index.lookup import Indexed
from daily_memory.storage.roots import Root

ORIGIN = "git: "
_SUMMARY = "summary.md"
# Of whom the summary is where git does not say.
_UNKNOWN = "?"


class Authors:
    """The authors of the sections of some days; git is asked at the first new one.

    `names` are the day files; `data` has the bytes of those in work. `fault` says why git did not
    answer.
    """

    def __init__(self, root: Root, data: Mapping[str, bytes], names: Sequence[str]) -> None:
        self._root = root
        self._data = data
        self._names = names
        # Git has no lines of encrypted files.
        self._is_versioned = not root.modes.is_sealed and has_repository(root.path)
        self._written: dict[str, list[bytes]] | None = None
        self._lines: dict[str, Lines] | None = None
        self.fault = ""

    def marked(self, added: Sequence[Indexed]) -> list[Indexed]:
        """Return sections, those by others with their origin."""
        if not self._is_versioned:
            return list(added)
        foreign = [indexed for indexed in added if not self._is_in_journal(indexed.session)]
        origins = self._origins(foreign) if foreign else {}
        return [indexed._replace(origin=origins.get(indexed.digest, "")) for indexed in added]

    def _is_in_journal(self, session: Session) -> bool:
        """Tell whether this machine wrote the section, unchanged, in the last two weeks."""
        if self._written is None:
            self._written = journal.lines_by_id(self._root)
        for line in self._written.get(str(session.id), []):
            text = journal.parse_record(line).text
            for section in markdown.parse_day(text, session.date).all_sections:
                # What the file around it adds to a section is not in its own lines.
                if section.session._replace(project=session.project) == session:
                    return True
        return False

    def _origins(self, added: Sequence[Indexed]) -> dict[bytes, str]:
        if self._lines is None:
            self._lines = self._ask()
        name = f"{added[0].session.date.isoformat()}.md"
        lines = self._lines.get(name)
        if lines is None:
            return {}
        from daily_memory.core.format import authorship  # loaded by now

        text = self._data[name].split(b"\n")
        authors = {
            indexed.digest: authorship.author_of(
                text[indexed.current.first - 1 : indexed.current.last], lines
            )
            for indexed in added
        }
        return {digest: f"{ORIGIN}{author}" for digest, author in authors.items() if author}

    def _ask(self) -> dict[str, Lines]:
        # Loaded here: running another program takes modules that no save should wait for.
        from daily_memory.storage.git import history

        paths = [f"daily/{name}" for name in sorted(self._names)]
        try:
            return history.load_authors(self._root, paths)
        except BackendError as error:
            self.fault = error.message
            return {}


def of_summary(root: Root, lines: Sequence[str]) -> str:
    """Return the origin of these lines of `summary.md`, "" for the user's own.

    Git is asked once for each text. Without an answer the user does not count as the author: each
    conversation reads the summary first.
    """
    if not has_repository(root.path):
        return ""
    text = files.to_bytes("\n".join(lines))
    known = files.digest(text)
    path = root.in_index("summary-origin")
    with contextlib.suppress(DailyMemoryError):
        noted = files.to_text(files.find_bytes(path) or b"")
        if noted.startswith(known):
            return noted[len(known) :]
    author = _author_of_summary(root, text)
    origin = f"{ORIGIN}{author}" if author else ""
    with contextlib.suppress(DailyMemoryError):
        files.make_folder(root.index_folder, root.modes)
        files.overwrite(path, f"{known}{origin}".encode(), root.modes)
    return origin


def _author_of_summary(root: Root, text: bytes) -> str:
    from daily_memory.core.format import authorship
    from daily_memory.storage.git import history  # as above

    try:
        committed = history.load_authors(root, [_SUMMARY]).get(_SUMMARY)
    except BackendError:
        return _UNKNOWN
    telling = [line.strip() for line in text.split(b"\n")]
    return authorship.author_of_lines(telling, committed) if committed else ""


def has_repository(folder: str) -> bool:
    """Tell whether a folder is in a git working tree, with a few stats.

    In a worktree and in a submodule `.git` is a file.
    """
    above, folder = "", os.path.abspath(folder)
    while folder != above:
        mark = os.path.join(folder, ".git")
        if os.path.isfile(mark) or os.path.isfile(os.path.join(mark, "HEAD")):
            return True
        above, folder = folder, os.path.dirname(folder)
    return False


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.format.authorship import Lines
