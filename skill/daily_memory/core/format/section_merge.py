"""Three-way merge of a section, or of text between sections."""

from __future__ import annotations

import re

from daily_memory.core.format import markdown
from daily_memory.core.format.line_merge import Lines, common_ends, merge_lines
from daily_memory.core.format.merge_parts import (
    Part,
    contained,
    format_facts_line,
    is_one_section,
    load_facts,
    open_fences,
    parse_document,
)

_TITLES = "|".join(markdown.TITLES.values())
_OWN_TITLE = re.compile(rf"^# [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} (?:{_TITLES})\s*$")
# Facts about how a section was written; after merging two edits they are wrong.
_PASSING_FACTS = ("digest", "continues")


def merge_section(base: Part, ours: Part, theirs: Part) -> str:
    """Return the section with the edits of both sides, with its number in the base.

    "" where both changed the same thing in it, or where the result would not be one section.
    """
    heading = _changed(base.heading, ours.heading, theirs.heading)
    facts = _merged_facts(base, ours, theirs)
    body = merge_lines(base.body, ours.body, theirs.body, _settle)
    if not heading or facts is None or body is None:
        return ""
    lines = [markdown.renumbered(heading, base.number), *facts, *body]
    text = "\n".join(lines)
    fences = open_fences(ours.text) + open_fences(theirs.text)
    return text if is_one_section(text, fences) else ""


def merge_prose(base: str, ours: str, theirs: str) -> str:
    """Merge the text outside of sections; in doubt, keep both.

    >>> merge_prose("# day", "# day\\nours", "# day\\ntheirs").split("\\n")
    ['# day', 'ours', 'theirs']
    """
    if ours == theirs or base in (ours, theirs):
        return theirs if ours == base else ours
    if not (ours + theirs).strip():
        return max(ours, theirs, key=lambda text: (len(text), text))
    lines = merge_lines(base.split("\n"), ours.split("\n"), theirs.split("\n"), _keep_both)
    text = "\n".join(lines or [])
    if parse_document(text).parts:
        # The merge broke a fence around a quoted heading.
        return "\n".join(contained(side) for side in sorted((ours, theirs)))
    return text


def _changed(base: str, ours: str, theirs: str) -> str:
    """Return the line of the side that changed it, "" if both did."""
    if ours == base:
        return theirs
    return ours if theirs in (base, ours) else ""


def _merged_facts(base: Part, ours: Part, theirs: Part) -> Lines | None:
    """Return our comment merged, or no line; None if both sides changed one fact."""
    lines = [part.facts_line for part in (base, ours, theirs)]
    line = _changed(*lines)
    if line or lines[0] in lines[1:] or lines[1] == lines[2]:
        return [line] if line else []
    old, *new = (load_facts(line) for line in lines)
    facts = {}
    for name in (*old, *sorted({*new[0], *new[1]} - set(old))):
        was, *now = (known.get(name) for known in (old, *new))
        if was in now or now[0] == now[1]:
            value = now[1] if now[0] == was else now[0]
        elif name in _PASSING_FACTS:
            value = None
        else:
            return None
        if value is not None:
            facts[name] = value
    return [format_facts_line(facts, like=ours.text.partition("\n")[0])] if facts else []


def _settle(before: Lines, base: Lines, ours: Lines, theirs: Lines) -> Lines | None:
    """Unite tags or list items; nothing else can be kept beside its replacement."""
    above = next((line for line in reversed(before) if line.strip()), "")
    if above.startswith("### ") and markdown.field_of(above[4:].strip()) == "tags":
        words = [" ".join(lines).split() for lines in (base, ours, theirs)]
        return [" ".join(_united(*words))]
    items = [_items(lines) for lines in (base, ours, theirs)]
    if all(items[side] or not lines for side, lines in enumerate((base, ours, theirs))):
        return [line for item in _united(*items) for line in item.split("\n")]
    return None


def _items(lines: Lines) -> Lines:
    """Return list items with their continuation lines; none if it is not just a list."""
    items: Lines = []
    for line in lines:
        if line.startswith("- "):
            items.append(line)
        elif items and line.startswith("  "):
            items[-1] += f"\n{line}"
        else:
            return []
    return items


def _united(base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Return the items that neither side removed, and those that either added."""
    kept = [item for item in base if item in ours and item in theirs]
    first, second = sorted(
        [item for item in dict.fromkeys(side) if item not in base] for side in (ours, theirs)
    )
    return [*kept, *first, *(item for item in second if item not in first)]


def _keep_both(_before: Lines, _base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Return the lines of both, with one title of the day."""
    first, second = sorted((ours, theirs))
    head, tail = common_ends(first, second)
    one, other = first[head : len(first) - tail], second[head : len(second) - tail]
    if _has_title(one) and _has_title(other):
        other = _without_own_title(other)
        one = _without_own_title(one) if _has_title(other) else one
    return [*first[:head], *one, *other, *first[len(first) - tail :]]


def _has_title(lines: Lines) -> bool:
    return any(line.startswith("# ") for line in lines)


def _without_own_title(lines: Lines) -> Lines:
    return [line for line in lines if not _OWN_TITLE.match(line)]
