"""Our messages as templates with gaps: finds the template and the values of a message.

The frontends translate messages, and reports leave out the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

GAP = "{}"
# A gap as `filled` takes it.
FORMATTED_GAP = re.compile(r"\{(?:![rsa])?(?::[^{}]*)?\}")


def without_formats(template: str) -> str:
    """Return a template of `filled` with bare gaps.

    >>> without_formats("can't {} {!r} in {:g} s")
    "can't {} {} in {} s"
    """
    return FORMATTED_GAP.sub(GAP, template).replace("{{", "{").replace("}}", "}")


def match(template: str, text: str) -> tuple[str, ...] | None:
    """Return the values of a text in a template's gaps, None if it doesn't match.

    >>> match("no session {} on {}", "no session 3 on 2026-01-29")
    ('3', '2026-01-29')
    >>> match("as it was{}{}", "as it was: x")
    ('', ': x')
    >>> match("no session {}", "no day 3")
    """
    first, *middle = template.split(GAP)
    if not middle:
        return () if text == template else None
    last = middle.pop()
    if not text.startswith(first) or not text.endswith(last):
        return None
    rest = text[len(first) : len(text) - len(last)]
    if len(first) + len(last) > len(text):
        return None
    values = []
    for piece in middle:
        # Of two gaps side by side, the second has it all.
        value, separator, rest = rest.partition(piece) if piece else ("", " ", rest)
        if not separator:
            return None
        values.append(value)
    return (*values, rest)


def best_match(templates: Iterable[str], text: str) -> tuple[str, tuple[str, ...]]:
    """Return the most specific template that a text matches, with its values.

    ("", ()) if there is none.
    """
    matches = ((template, match(template, text)) for template in templates)
    made = [(template, values) for template, values in matches if values is not None]
    return max(made, key=lambda match: sum(map(str.isalpha, match[0])), default=("", ()))
