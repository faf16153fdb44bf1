"""A report as text: its numbers. The page has the pictures."""

from __future__ import annotations

from collections.abc import Iterator

from daily_memory.core.pages.report import Counts
from daily_memory.core.pages.report_sections import WORDS, sections, totals

_NAME_CHARS = 60


def lines(counts: Counts) -> Iterator[str]:
    """Yield the report line by line, in the language of the counts."""
    words = WORDS[counts.language]
    yield words["range"].format(first=counts.first, last=counts.last)
    numbers = [f"{words[key]} {number}" for key, number in totals(counts).items()]
    yield ", ".join(numbers[:3])
    yield ", ".join(numbers[3:])
    for section in sections(counts, counts.language):
        if not section.bars and not section.notes:
            continue
        yield ""
        if section.title:
            yield section.title
        width = max((len(bar.text) for bar in section.bars), default=0)
        for bar in section.bars:
            yield f"  {bar.text.rjust(width)}  {' '.join(bar.name.split())[:_NAME_CHARS]}"
        for note in section.notes:
            yield f"  {note}"
