"""Who wrote the lines of a day file, or of `summary.md`, as the patches of its git history tell.

A section is by others where a line of its text was committed by somebody else and never by the
user. The heading alone decides only where the text tells nothing: a merge may give a section
another number, and whoever merges would then seem to be its author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daily_memory.core.format.markdown import is_known_heading

# What `parse_log` reads, of `git log -m -p`: address, the one `.mailmap` has for it, name,
# parents, and the marks of the commit.
LOG_FORMAT = "%x01%H%x00%ae%x00%aE%x00%an%x00%P%x00%D"
MAX_NAME_CHARS = 60

_FILE = re.compile(rb'^\+\+\+ .*/(?:daily/([0-9]{4}-[0-9]{2}-[0-9]{2}\.md)|(summary\.md))"?\s*$')
# What nobody can be told by, since everybody's sections have it.
_FRAME = re.compile(rb"^(?:-{3,}|`{3,}[\w+.#-]{0,32}|~{3,}[\w+.#-]{0,32}|#\S+(?:\s+#\S+)*)?$")


class Lines(NamedTuple):
    """The lines that were ever committed to a file: those of the user, and others by author."""

    own: set[bytes]
    others: dict[bytes, str]


class _Commit(NamedTuple):
    id: bytes
    author: str  # "" for the user
    parents: int
    is_cut: bool  # where a shallow clone ends: it seems to have written all that was before


_NO_COMMIT = _Commit(b"", "", 1, is_cut=True)


def parse_log(output: Iterable[bytes], address: str) -> dict[str, Lines]:
    """Return who committed which lines, by the name of the file.

    `output` are the lines that `git log -m -p -U0 --format=LOG_FORMAT` prints, `address` the
    user's own e-mail address; "" is nobody's.
    """
    found: dict[str, Lines] = {}
    commit, added = _NO_COMMIT, Counter[tuple[str, bytes]]()
    name, is_header = "", False
    patch: set[bytes] = set()
    for line in output:
        # What stands in a file has a sign before it: nothing of it can be taken for these.
        if line.startswith(b"\x01"):
            added.update((name, text) for text in patch)
            name, patch = "", set()
            following = _parse_commit(line, address)
            if following.id != commit.id:
                _note(found, commit, added)
                commit, added = following, Counter()
        elif line.startswith(b"diff "):
            added.update((name, text) for text in patch)
            name, patch, is_header = "", set(), True
        elif line.startswith(b"@@"):
            is_header = False
        elif is_header:
            match = _FILE.match(line)
            name = (match[1] or match[2]).decode() if match else name
        elif line.startswith(b"+") and name:
            patch.add(line[1:].strip())
    added.update((name, text) for text in patch)
    _note(found, commit, added)
    return found


def _parse_commit(line: bytes, address: str) -> _Commit:
    values = line[1:].rstrip(b"\n").split(b"\0")
    id_, raw, mapped, name, parents, marks = values
    addresses = {value.decode("utf-8", "replace").casefold() for value in (raw, mapped)}
    is_own = bool(address) and address.casefold() in addresses
    shown = (name or mapped or b"?").decode("utf-8", "replace")[:MAX_NAME_CHARS]
    is_cut = b"grafted" in marks.split(b", ")
    return _Commit(id_, "" if is_own else shown, max(1, len(parents.split())), is_cut)


def _note(found: dict[str, Lines], commit: _Commit, added: Counter[tuple[str, bytes]]) -> None:
    """Note what a commit brought; of a merge, what none of its parents had."""
    if commit.is_cut:
        return
    for (name, text), count in added.items():
        if count == commit.parents:
            lines = found.setdefault(name, Lines(set(), {}))
            if commit.author:
                lines.others[text] = commit.author  # the log goes back: the first author stays
            else:
                lines.own.add(text)


def author_of(section: Sequence[bytes], lines: Lines) -> str:
    """Return who else wrote of a section, "" for nobody: the one of whom most of it is."""
    heading, *body = [line.strip() for line in section]
    telling = [line for line in body if not _is_frame(line)]
    author = author_of_lines(telling, lines)
    if author or heading in lines.own or not lines.own.isdisjoint(telling):
        return author
    return lines.others.get(heading, "")


def author_of_lines(telling: Iterable[bytes], lines: Lines) -> str:
    """Return who else wrote of some lines and the user did not, "" for nobody: of several the one
    of whom most of it is.
    """
    authors = Counter(
        lines.others[line] for line in telling if line in lines.others and line not in lines.own
    )
    return authors.most_common(1)[0][0] if authors else ""


def _is_frame(line: bytes) -> bool:
    is_heading = line.startswith(b"### ") and is_known_heading(line[4:].decode("utf-8", "replace"))
    return is_heading or bool(_FRAME.match(line))
