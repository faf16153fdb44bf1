"""Sets and removes flags in the tags of a section; no other line changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from daily_memory.core.format import day_scan
from daily_memory.core.format.day_scan import Block
from daily_memory.core.format.markdown import HASHTAG, HEADINGS, field_of, hashtags, parse_tags
from daily_memory.errors import InvalidInputError
from daily_memory.model import IMPORTANT_TAGS, OUTDATED_TAGS, PRIVATE_TAGS

# Flag → the tags that mean it, in lower case. The flag's own name is what we write.
FLAGS = {"important": IMPORTANT_TAGS, "outdated": OUTDATED_TAGS, "private": PRIVATE_TAGS}

# A word with the separators around it.
_WORDS = re.compile(r"[\s,，、;；]*[^\s,，、;；]+[\s,，、;；]*")


def marked(text: str, flags: Mapping[str, bool], *, language: str) -> str:
    """Return the lines of a section with these flags set or removed.

    >>> marked("## Session 1\\n### Tags\\n#redis\\n---", {"important": True}, language="en")
    '## Session 1\\n### Tags\\n#redis #important\\n---'
    """
    lines = text.split("\n")
    scan = day_scan.scan(lines)
    blocks = scan.blocks or scan.loose
    if len(blocks) != 1:
        raise InvalidInputError("its lines are not one section", hint="mend it with an editor")
    unwanted = {tag for flag, is_set in flags.items() if not is_set for tag in FLAGS[flag]}
    places = [place for _, body in _tag_parts(lines, blocks[0]) for place in body]
    for place in places:
        lines[place] = _without(lines[place], unwanted)
    present = {tag.casefold() for tag in parse_tags([lines[place] for place in places])}
    if not scan.blocks:
        # What people wrote outside of a section has its tags anywhere.
        lines = [_without_hashtags(line, unwanted) for line in lines]
        present.update(tag.casefold() for line in lines for tag in hashtags(line))
    added = [flag for flag, is_set in flags.items() if is_set and not present & FLAGS[flag]]
    return "\n".join(_with(lines, blocks[0], [f"#{flag}" for flag in added], language))


def _tag_parts(lines: list[str], block: Block) -> list[tuple[int, list[int]]]:
    """Return the line of each heading of tags, and the lines under it."""
    return [
        (start, [place for place in range(start + 1, stop) if place not in block.skipped])
        for start, stop in pairwise((*block.parts, block.end))
        if field_of(lines[start].rstrip()[4:].strip()) == "tags"
    ]


def _without(line: str, unwanted: set[str]) -> str:
    words = _WORDS.findall(line)
    kept = [word for word in words if unwanted.isdisjoint(map(str.casefold, parse_tags([word])))]
    return line if len(kept) == len(words) else "".join(kept).rstrip()


def _without_hashtags(line: str, unwanted: set[str]) -> str:
    found = [
        match for match in HASHTAG.finditer(line) if hashtags(match[0])[0].casefold() in unwanted
    ]
    for match in reversed(found):
        before = line[: match.start()].rstrip(" \t")
        line = before + line[match.start() + 1 + len(hashtags(match[0])[0]) :]
    return line


def _with(lines: list[str], block: Block, tags: list[str], language: str) -> list[str]:
    if not tags:
        return lines
    added = " ".join(tags)
    parts = _tag_parts(lines, block)
    with_tags = [place for _, body in parts for place in body if parse_tags([lines[place]])]
    if with_tags:
        last = with_tags[-1]
        return [*lines[:last], f"{lines[last].rstrip()} {added}", *lines[last + 1 :]]
    if parts:
        after = parts[-1][0] + 1
        return [*lines[:after], added, *lines[after:]]
    gap = [""] if lines[block.end - 1].strip() else []
    heading = HEADINGS["tags"][language == "en"]
    # Where the section has no rule, its last line may have its end already.
    below = [] if lines[block.end :] == [""] else [""]
    made = [*gap, f"### {heading}", added, *below]
    return [*lines[: block.end], *made, *lines[block.end :]]
