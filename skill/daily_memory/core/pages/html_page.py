"""Sessions as one HTML page, to be read and searched in a browser without a network.

Memory text may be hostile. It is escaped, none of it becomes a link, and the policy in the head of
the page lets the browser run and load nothing but the script and the style that stand in it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.format.markdown import HEADINGS
from daily_memory.core.pages import html_parts
from daily_memory.model import FLAG_TAGS, Session

# What hides, or reverses what stands behind it. The joiners stay: emoji and Persian need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_FIELDS = ("summary", "key_points", "decisions", "code", "open_questions", "next_steps", "files")


class Head(NamedTuple):
    """What the page says of itself: `left_out` counts the private sessions that it does not show.

    `language` is `zh` or `en`, `made` the day of the export.
    """

    title: str
    language: str
    made: str
    left_out: int = 0


def page(sessions: Sequence[Session], head: Head) -> Iterator[str]:
    """Yield the page piece by piece; `sessions` are in order, oldest first.

    The newest day comes first on the page.
    """
    words = html_parts.WORDS[head.language]
    yield _opening(sessions, head, words)
    anchors = _anchors(sessions)
    links = _links(sessions, anchors)
    named = groupby(zip(sessions, anchors, strict=True), key=lambda one: one[0].date)
    days = [(day, list(group)) for day, group in named]
    for day, several in reversed(days):
        yield f'<section class="day" id="d{day}"><h2>{day}</h2>\n'
        for session, anchor in several:
            yield _article(session, anchor, links, head.language, words)
        yield "</section>\n"
    yield f"</main>\n<script>{html_parts.SCRIPT}</script>\n</body>\n</html>\n"


def shown(text: str) -> str:
    """Return text as HTML: escaped, and characters that hide or reverse others made visible.

    >>> shown("<b>\\u202e")
    '&lt;b&gt;<i>U+202E</i>'
    """
    return _HIDDEN.sub(lambda match: f"<i>U+{ord(match.group()):04X}</i>", escape(text))


# ---------------------------------------------------------------------------- head


def _opening(sessions: Sequence[Session], head: Head, words: dict[str, str]) -> str:
    days = len({session.date for session in sessions})
    counts = words["counts"].format(sessions=len(sessions), days=days, made=head.made)
    if head.left_out:
        counts += words["left_out"].format(count=head.left_out)
    language = "zh-CN" if head.language == "zh" else "en"
    months = "".join(_months(sessions))
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy()}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{shown(head.title)} · {words["memory"]}</title>
<style>{html_parts.STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">{shown(head.title)} <small>{words["memory"]}</small></h1>
<p>{counts}</p>
<form role="search" hidden>
<input type="search" id="q" placeholder="{words["search"]}" aria-label="{words["search"]}" \
autocomplete="off" spellcheck="false">
<label><input type="checkbox" id="important"> {words["important"]}</label>
<output id="found" aria-live="polite" data-text="{words["found"]}"></output>
</form>
<noscript><p>{words["noscript"]}</p></noscript>
<nav aria-label="{words["months"]}">{months}</nav>
</header>
<main>
"""


def _policy() -> str:
    """Return the policy of the page: nothing but its script and style, known by hash."""
    return (
        f"default-src 'none'; script-src 'sha256-{_hash(html_parts.SCRIPT)}'; "
        f"style-src 'sha256-{_hash(html_parts.STYLE)}'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _months(sessions: Sequence[Session]) -> Iterator[str]:
    """Yield a link to the newest day of each month, newest first."""
    newest = {session.date.strftime("%Y-%m"): session.date for session in sessions}
    for month, day in sorted(newest.items(), reverse=True):
        yield f'<a href="#d{day}">{month}</a> '


# ---------------------------------------------------------------------------- a session


Links = Mapping[tuple[str, str], str]


def _anchors(sessions: Sequence[Session]) -> list[str]:
    """Return the name of each session on the page: of several memories, ids may be alike."""
    anchors: list[str] = []
    times: Counter[str] = Counter()
    for session in sessions:
        name = "s" + str(session.id).replace("#", "-").replace("~", "-")
        times[name] += 1
        anchors.append(name if times[name] == 1 else f"{name}.{times[name]}")
    return anchors


def _links(sessions: Sequence[Session], anchors: Sequence[str]) -> Links:
    """Return the names of sessions by project and id, and by id alone where one has it."""
    links: dict[tuple[str, str], str] = {}
    times = Counter(str(session.id) for session in sessions)
    for session, anchor in zip(sessions, anchors, strict=True):
        links.setdefault((session.project, str(session.id)), anchor)
        if times[str(session.id)] == 1:
            links["", str(session.id)] = anchor
    return links


def _article(
    session: Session, anchor: str, links: Links, language: str, words: dict[str, str]
) -> str:
    flags = "".join(_flags(session, words))
    topic = shown(" ".join(session.topic.split())) or words["untitled"]
    parts = [
        f'<article id="{anchor}"{_marks(session)}>\n'
        f'<h3 dir="auto">{topic}{flags}</h3>\n'
        f'<p class="facts">{_facts(session, anchor, links, words)}</p>\n'
    ]
    place = 0 if language == "zh" else 1
    above = [note for note in session.notes if not note.heading]
    parts += [_text(note.text) for note in above]
    for field in _FIELDS:
        value = getattr(session, field)
        if value:
            parts.append(f"<h4>{HEADINGS[field][place]}</h4>\n{_BODIES[field](value)}")
    for note in session.notes:
        if note.heading:
            parts.append(f'<h4 dir="auto">{shown(note.heading)}</h4>\n{_text(note.text)}')
    return "".join(parts) + f"{_tags(session)}</article>\n"


def _marks(session: Session) -> str:
    marked = (("important", session.is_important), ("outdated", session.is_outdated))
    names = " ".join(name for name, is_set in marked if is_set)
    return f' class="{names}"' if names else ""


def _flags(session: Session, words: dict[str, str]) -> Iterator[str]:
    if session.is_important:
        yield f' <b class="flag">{words["important"]}</b>'
    if session.is_outdated:
        yield f' <b class="flag">{words["outdated"]}</b>'


def _facts(session: Session, anchor: str, links: Links, words: dict[str, str]) -> str:
    own = [f'<a href="#{anchor}">{session.id}</a>', session.time]
    own += [shown(text) for text in (session.project, session.source) if text]
    if session.origin:
        own.append(f"{words['origin']} {shown(session.origin)}")
    if session.continues:
        earlier = shown(session.continues)
        at = links.get((session.project, session.continues)) or links.get(("", session.continues))
        if at:
            earlier = f'<a href="#{at}">{earlier}</a>'
        own.append(f"{words['continues']} {earlier}")
    return " · ".join(f"<bdi>{part}</bdi>" for part in own if part)


def _text(text: str) -> str:
    return f'<p class="text" dir="auto">{shown(text)}</p>\n' if text else ""


def _items(items: Sequence[str]) -> str:
    listed = "".join(f'<li dir="auto">{shown(item)}</li>\n' for item in items)
    return f"<ul>\n{listed}</ul>\n"


def _code(blocks: Sequence[tuple[str, str]]) -> str:
    # A browser drops the first line break of a <pre>.
    return "".join(
        f"<figure>{f'<figcaption>{shown(language)}</figcaption>' if language else ''}"
        f"<pre>\n{shown(text)}</pre></figure>\n"
        for language, text in blocks
    )


def _tags(session: Session) -> str:
    tags = [tag for tag in session.tags if tag.casefold() not in FLAG_TAGS]
    listed = " ".join(f"<bdi>#{shown(tag)}</bdi>" for tag in tags)
    return f'<p class="tags">{listed}</p>\n' if tags else ""


_BODIES: dict[str, Callable[..., str]] = {
    "summary": _text,
    "key_points": _items,
    "decisions": _items,
    "code": _code,
    "open_questions": _items,
    "next_steps": _items,
    "files": _items,
}
