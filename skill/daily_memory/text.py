"""Texts of ours that people read: in English, and with what it takes to say them in Chinese."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Text(str):
    """A text that knows the template it was made from, and the values in it."""

    __slots__ = ("template", "values")
    template: str
    values: tuple[object, ...]


def filled(template: str, *values: object) -> str:
    """Return a text with values in its gaps, which are written as for `str.format`.

    >>> filled("no file {!r}", "/x/a.md")
    "no file '/x/a.md'"
    """
    return _text(template.format(*values), template, values)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "secret"), counted(2, "session")
    ('1 secret', '2 sessions')
    """
    shown = f"{number} {noun}" if number == 1 else f"{number} {noun}s"
    return _text(shown, f"{{}} {noun}", (number,))


def joined(separator: str, texts: Iterable[str]) -> str:
    """Return texts with a separator between them, as `str.join` does.

    >>> joined("; ", ["2 sessions", "1 day"])
    '2 sessions; 1 day'
    """
    values = tuple(texts)
    return _text(separator.join(values), separator.join("{}" for _ in values), values)


def _text(shown: str, template: str, values: tuple[object, ...]) -> Text:
    text = Text(shown)
    text.template, text.values = template, values
    return text
