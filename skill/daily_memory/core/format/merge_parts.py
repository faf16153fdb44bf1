"""Splits a day file for merging: into its head, and sections with the text below them.

Joined again, the pieces are the file to the byte. `day_scan` finds the sections.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from daily_memory.core.format import day_scan, markdown
from daily_memory.core.format.escape import escape_structure
from daily_memory.core.format.front_matter import parse_front_matter

# More nested markers than people leave.
_ROUNDS = 20


class Part(NamedTuple):
    """A section: `text` is its lines without the last line end, `tail` all up to the next one."""

    number: int
    time: str
    text: str
    tail: str

    @property
    def heading(self) -> str:
        """The first line, with 0 for its number, as a merge may change it."""
        return markdown.renumbered(self.text.partition("\n")[0], 0)

    @property
    def facts_line(self) -> str:
        """Our comment right below the heading, "" for none."""
        line = self.text.partition("\n")[2].partition("\n")[0]
        return line if markdown.parse_facts(line) else ""

    @property
    def body(self) -> list[str]:
        """The lines below the heading and our comment."""
        return self.text.split("\n")[2 if self.facts_line else 1 :]

    @property
    def identity(self) -> tuple[str, str, str]:
        """What identifies a section: all but its number and what it continues."""
        facts = load_facts(self.facts_line)
        facts.pop("continues", None)
        return self.heading, json.dumps(facts, sort_keys=True), "\n".join(self.body)


class DayText(NamedTuple):
    """A day file: the text above the first section, and the sections in their order."""

    head: str
    parts: tuple[Part, ...]


def parse_document(text: str) -> DayText:
    """Split the text of a day file, without a byte order mark."""
    lines = text.split("\n")
    blocks = _scan(lines).blocks
    rows = [*(f"{line}\n" for line in lines[:-1]), lines[-1]]
    starts = [block.first for block in blocks] + [len(rows)]
    parts = []
    for block, stop in zip(blocks, starts[1:], strict=True):
        section = "".join(rows[block.first : block.last + 1])
        bare = section.removesuffix("\n")
        tail = section[len(bare) :] + "".join(rows[block.last + 1 : stop])
        parts.append(Part(block.number, block.time, bare, tail))
    return DayText("".join(rows[: starts[0]]), tuple(parts))


def is_one_section(text: str, open_fences: str) -> bool:
    """Tell whether the lines are exactly one section, which leaves no other fences open."""
    lines = text.split("\n")
    found = day_scan.scan(lines)
    spans = [(block.first, block.last) for block in found.blocks]
    return spans == [(0, len(lines) - 1)] and set(found.open_fences) <= set(open_fences)


def open_fences(text: str) -> str:
    """Return the fences that a section opens and never closes."""
    return day_scan.scan(text.split("\n")).open_fences


def contained(text: str) -> str:
    """Return the lines so that they can't absorb text below them.

    A fence that never closes, and a conflict without an end, are text to every reader, until
    other lines below give them an end. They get the backslash that marks text.
    """
    lines = text.split("\n")
    # A marker may hide others below it, which show only when it is gone.
    for _ in range(_ROUNDS):
        before = lines.copy()
        for line in [fault.line - 1 for fault in _scan(lines).faults]:
            if not lines[line].startswith("## "):
                lines[line] = escape_structure(lines[line])
        if lines == before:
            break
    return "\n".join(lines)


def _scan(lines: list[str]) -> day_scan.Scan:
    count = parse_front_matter(lines).line_count
    return day_scan.scan([""] * count + lines[count:])


def load_facts(line: str) -> dict[str, object]:
    """Return everything in our comment, including unknown facts."""
    if not line:
        return {}
    facts: dict[str, object] = json.loads(line[line.index("{") : line.rindex("}") + 1])
    return facts


def format_facts_line(facts: dict[str, object], like: str = "") -> str:
    """Return our comment with these facts, with the line end of another line."""
    return f"<!-- memory {markdown.format_fact(facts)} -->" + like[len(like.rstrip("\r")) :]


def with_fact(text: str, name: str, value: str) -> str:
    """Return a section with another fact in its comment."""
    heading, *lines = text.split("\n")
    facts: dict[str, object] = {}
    if lines and markdown.parse_facts(lines[0]):
        facts = load_facts(lines.pop(0))
    comment = format_facts_line({**facts, name: value}, like=heading)
    return "\n".join([heading, comment, *lines])
