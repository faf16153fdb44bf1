"""Who wrote the lines of a day file, or of `summary.md`, read from its git history.

A section is by others if a line of its text was committed by somebody else and never by the user.
The heading decides only if no line does: a merge may give a section another number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daily_memory.core.format.markdown import field_of

# What `parse_log` reads: address, the one `.mailmap` has for it, name, and marks of the commit.
LOG_FORMAT = "%x01%ae%x00%aE%x00%an%x00%D"
MAX_NAME_CHARS = 60

_FILE = re.compile(rb'^\+\+\+ .*/(?:daily/([0-9]{4}-[0-9]{2}-[0-9]{2}\.md)|(summary\.md))"?\s*$')
# Lines that every section has. What our comment holds is short and has no blanks: it tells nothing.
_FRAME = re.compile(
    rb"^(?:-{3,}|`{3,}[\w+.#-]{0,32}|~{3,}[\w+.#-]{0,32}|#\S+(?:\s+#\S+)*"
    rb'|<!-- memory \{(?:"\w{1,32}":"[\w.:#-]{0,64}",?)*\} -->)?$'
)


class Lines(NamedTuple):
    """The lines ever committed to a file: the user's own, and those of others with their author."""

    own: set[bytes]
    others: dict[bytes, str]


def parse_log(output: Iterable[bytes], address: str) -> dict[str, Lines]:
    """Return who committed which lines, by file.

    `output` are the lines that `git log --cc -U0 --format=LOG_FORMAT` prints, `address` the user's
    own e-mail address; "" is nobody's. Of a merge only the lines count that no parent has.
    """
    found: dict[str, Lines] = {}
    author, name, added = "", "", b""
    is_cut = False
    for line in output:
        # Lines of a file have a sign before them: they can't be taken for these.
        if line.startswith(b"\x01"):
            author, is_cut = _parse_commit(line, address)
            name = ""
        elif line.startswith(b"diff "):
            name, added = "", b""
        elif line.startswith(b"@@"):
            # One sign for each parent.
            added = b"+" * (len(line) - len(line.lstrip(b"@")) - 1)
        elif not added:
            match = _FILE.match(line)
            name = (match[1] or match[2]).decode() if match else name
        elif name and not is_cut and line.startswith(added):
            lines = found.setdefault(name, Lines(set(), {}))
            text = line[len(added) :].strip()
            if author:
                lines.others[text] = author  # the log goes back: the first author stays
            else:
                lines.own.add(text)
    return found


def _parse_commit(line: bytes, address: str) -> tuple[str, bool]:
    """Return the author of a commit, "" for the user, and whether a shallow clone ends there.

    Such a commit seems to have written all that was before it.
    """
    raw, mapped, name, marks = line[1:].rstrip(b"\n").split(b"\0")
    addresses = {value.decode("utf-8", "replace").casefold() for value in (raw, mapped)}
    is_own = bool(address) and address.casefold() in addresses
    shown = (name or mapped or b"?").decode("utf-8", "replace")[:MAX_NAME_CHARS]
    return "" if is_own else shown, b"grafted" in marks.split(b", ")


def author_of(section: Sequence[bytes], lines: Lines) -> str:
    """Return the author of most lines of a section, "" for the user."""
    heading, *body = [line.strip() for line in section]
    telling = [line for line in body if not _is_frame(line)]
    author = author_of_lines(telling, lines)
    if author or heading in lines.own or not lines.own.isdisjoint(telling):
        return author
    return lines.others.get(heading, "")


def author_of_lines(telling: Iterable[bytes], lines: Lines) -> str:
    """Return the author of most lines that the user never committed, "" for none."""
    authors = Counter(
        lines.others[line] for line in telling if line in lines.others and line not in lines.own
    )
    return authors.most_common(1)[0][0] if authors else ""


def _is_frame(line: bytes) -> bool:
    is_heading = line.startswith(b"### ") and field_of(line[4:].decode("utf-8", "replace"))
    return bool(is_heading or _FRAME.match(line))
