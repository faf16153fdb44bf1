"""The optional YAML at the top of a day file: read for its values, never written back."""

from __future__ import annotations

from daily_memory.named_tuples import NamedTuple

_FENCE = "---"


class FrontMatter(NamedTuple):
    """`values` by key; `line_count` lines at the top of the file belong to it."""

    values: dict[str, object]
    line_count: int


NO_FRONT_MATTER = FrontMatter({}, 0)


def parse_front_matter(lines: list[str]) -> FrontMatter:
    """Return the metadata of a file, or none where its head is anything else.

    A file may well begin with a rule or a broken header. python-frontmatter would then drop
    the first session, so it is only given a closed block, and anything but a mapping is text.

    >>> parse_front_matter(["---", "project: app", "---", "# day"])
    FrontMatter(values={'project': 'app'}, line_count=3)
    """
    if not lines or lines[0].lstrip("\ufeff").rstrip() != _FENCE:
        return NO_FRONT_MATTER
    end = _closing_line(lines)
    values = _load("\n".join(lines[1:end])) if end else {}
    return FrontMatter(values, end + 1) if values else NO_FRONT_MATTER


def _closing_line(lines: list[str]) -> int:
    """Return the index of the line that closes the block; 0 if a heading comes first."""
    for index in range(1, len(lines)):
        line = lines[index].rstrip()
        if line == _FENCE:
            return index
        if line.startswith("## "):
            return 0
    return 0


def _load(block: str) -> dict[str, object]:
    # Loaded here: PyYAML costs 20 ms, and hardly any day file has front matter.
    import frontmatter
    import yaml

    try:
        values = frontmatter.loads(f"{_FENCE}\n{block}\n{_FENCE}\n").metadata
    except (yaml.YAMLError, TypeError, ValueError):
        # The library raises TypeError for keys such as `1:` or `content:`. To a reader of
        # memories a bad header is text like any other.
        return {}
    return {str(key): value for key, value in values.items()}
