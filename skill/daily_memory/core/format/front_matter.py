"""Reads the optional YAML at the top of a day file; it is never written.

A day file may come from anyone. So aliases, which let a few hundred bytes expand without end, are
rejected, all values are read as text, and all sizes are bounded.
"""

from __future__ import annotations

from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml
    from yaml.error import Mark

_FENCE = "---"
_MOST_CHARS = 64 * 1024
# A value may be a mapping, as other programs write it, but not a deeper one.
_MOST_DEPTH = 10
_NOTHING = frozenset(("~", "null", "Null", "NULL"))


class FrontMatter(NamedTuple):
    """`values` by key, texts and lists of texts; `line_count` lines at the top of the file belong
    to it. `fault` says why its values are not read, and `fault_line` where, counted from 1.
    """

    values: dict[str, object]
    line_count: int
    fault: str = ""
    fault_line: int = 0


NO_FRONT_MATTER = FrontMatter({}, 0)


class _UnsafeYamlError(Exception):
    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what, self.line = what, line


def parse_front_matter(lines: list[str]) -> FrontMatter:
    """Return the metadata at the top of a file, if there is any.

    A file may well begin with a rule or a broken header. python-frontmatter would then drop
    the first session, so it is only given a closed block, and anything but a mapping is text.

    >>> parse_front_matter(["---", "project: app", "---", "# day"]).values
    {'project': 'app'}
    """
    if lines[0].lstrip("\ufeff").rstrip() != _FENCE:
        return NO_FRONT_MATTER
    end = _closing_line(lines)
    if not end:
        return NO_FRONT_MATTER
    block = "\n".join(lines[1:end])
    try:
        if len(block) > _MOST_CHARS:
            raise _UnsafeYamlError(filled("is larger than {} KB", _MOST_CHARS // 1024), 1)
        values = _load(block)
    except _UnsafeYamlError as refused:
        fault = filled("the front matter is not read: it {}", refused.what)
        return FrontMatter({}, end + 1, fault, refused.line)
    return FrontMatter(values, end + 1) if values else NO_FRONT_MATTER


def _closing_line(lines: list[str]) -> int:
    """Return the index of the closing line, 0 for none before a heading."""
    for index in range(1, len(lines)):
        line = lines[index].rstrip()
        if line == _FENCE:
            return index
        if line.startswith("## "):
            return 0
    return 0


def _load(block: str) -> dict[str, object]:
    # Loaded here: PyYAML costs 20 ms, and hardly any day file has front matter.
    import yaml
    from frontmatter import default_handlers, parse

    class Handler(default_handlers.YAMLHandler):
        """Reads YAML as texts, without dates and numbers."""

        def split(self, text: str) -> tuple[str, str]:
            # Its own pattern takes minutes for a block of empty lines.
            return text[len(_FENCE) + 1 : -len(_FENCE)], ""

        def load(self, fm: str, **_: object) -> dict[str, object]:
            # The C reader, where there is one, takes a hundredth of the time.
            loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
            _check(yaml.parse(fm, Loader=loader))
            values = yaml.load(fm, Loader=loader)  # noqa: S506  # it makes texts only
            if not isinstance(values, dict):
                return {}
            return {str(key): _flat(value) for key, value in values.items()}

    try:
        return parse(f"{_FENCE}\n{block}\n{_FENCE}", handler=Handler())[0]
    except yaml.YAMLError:
        # To a reader of memories a bad header is text like any other.
        return {}


def _check(events: Iterator[yaml.Event]) -> None:
    """Reject YAML that could expand or execute."""
    import yaml  # loaded by now

    depth = 0
    for event in events:
        mark: Mark = event.start_mark  # type: ignore[assignment]  # the readers give each event one
        line = mark.line + 2  # one for the fence, and lines are counted from 1
        if getattr(event, "anchor", None) is not None:
            raise _UnsafeYamlError("has an anchor or an alias (`&`, `*`)", line)
        if getattr(event, "tag", None) is not None:
            raise _UnsafeYamlError("has a tag (`!`)", line)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH:
            raise _UnsafeYamlError(filled("is nested deeper than {} levels", _MOST_DEPTH), line)


def _flat(value: object) -> object:
    """Return a text or a list of texts; nobody asks for what is nested deeper."""
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return value if isinstance(value, str) and value not in _NOTHING else ""
