"""The frame of an HTML page that runs and loads only what is inside it.

Memory text may be hostile. It is escaped, none of it becomes a link, and the policy in the head
allows only the page's own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from html import escape
from typing import NamedTuple

# Characters that hide or reverse others. Joiners stay: emoji and Persian need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


class Assets(NamedTuple):
    """The stylesheet and the search script of the pages."""

    style: str
    script: str


def load_assets() -> Assets:
    """Return the stylesheet and the script, which are files beside this module."""
    return Assets(_read("page.css"), _read("sessions.js"))


def _read(name: str) -> str:
    with open(__file__.removesuffix("html.py") + name, encoding="utf-8", newline="") as file:
        return file.read()


def shown(text: str) -> str:
    """Return text as HTML: escaped, with invisible characters made visible.

    >>> shown("<b>\\u202e")
    '&lt;b&gt;<i>U+202E</i>'
    """
    return _HIDDEN.sub(lambda match: f"<i>U+{ord(match.group()):04X}</i>", escape(text))


def marker(terms: Iterable[str]) -> Callable[[str], str]:
    """Return `shown` with what a search looked for in `<mark>`; `terms` are of `core.search.text`.

    A term begins a word, since it may be a stem. Of Chinese, pairs count and single characters
    only where nothing longer was looked for.

    >>> marker(["cach", "缓存"])("Caches 缓存")
    '<mark>Caches</mark> <mark>缓存</mark>'
    """
    unique = {*terms}
    wide = [term for term in unique if term > "\u2e7f"]
    pairs = [term for term in wide if len(term) > 1]
    narrow = [term for term in unique if term.isascii() and (len(term) > 2 or term.isdigit())]
    parts = [re.escape(term) for term in pairs or wide]
    parts += [rf"(?<![a-zA-Z0-9]){re.escape(term)}[a-zA-Z0-9]*" for term in narrow]
    if not parts:
        return shown
    pattern = re.compile(f"({'|'.join(sorted(parts, key=len, reverse=True))})+", re.IGNORECASE)

    def show(text: str) -> str:
        pieces, end = [], 0
        for match in pattern.finditer(text):
            pieces += [shown(text[end : match.start()]), f"<mark>{shown(match.group())}</mark>"]
            end = match.end()
        return "".join((*pieces, shown(text[end:])))

    return show


def opening(title: str, language: str, style: str, script: str = "", *, kind: str = "") -> str:
    """Return a page up to its `<body>`; `title` is HTML, `kind` the class of the body."""
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    return f"""<!doctype html>
<html lang="{"zh-CN" if language == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {scripts}\
style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="{kind}">
"""


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
