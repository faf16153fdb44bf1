"""Sessions as one HTML page, to read and search offline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from daily_memory.core.format.markdown import HEADINGS
from daily_memory.core.pages import html
from daily_memory.core.pages.html import Assets, shown
from daily_memory.core.words import load_words
from daily_memory.model import FLAG_TAGS, Session

WORDS = load_words("export")
_MARKS = ("important", "outdated", "private")
_FIELDS = ("summary", "key_points", "decisions", "code", "open_questions", "next_steps", "files")


def _nowhere(_: str) -> str:
    return ""


class Links(NamedTuple):
    """Addresses of sessions and tags in an article, "" for no link."""

    session: Callable[[str], str] = _nowhere
    tag: Callable[[str], str] = _nowhere


_NO_LINKS = Links()
_CODE_SPAN = re.compile(r"`([^`\n]+)`")


class Head(NamedTuple):
    """The head of the page; `left_out` counts private sessions that it does not show."""

    title: str
    language: str
    made: str
    left_out: int = 0


def page(sessions: Sequence[Session], head: Head, assets: Assets) -> Iterator[str]:
    """Yield the page in pieces, the newest day first; `sessions` come oldest first."""
    words = WORDS[head.language]
    yield _header(sessions, head, words, assets)
    names = _names(sessions)
    anchors = frozenset(names)

    def address(id_: str) -> str:
        return f"#{_name(id_)}" if _name(id_) in anchors else ""

    by_day = groupby(zip(sessions, names, strict=True), key=lambda pair: pair[0].date)
    for day, pairs in reversed([(day, list(group)) for day, group in by_day]):
        yield f'<section class="day" id="d{day}"><h2>{day}</h2>\n'
        for session, name in pairs:
            id_link = f'<a href="#{name}">{session.id}</a>'
            yield article(session, head.language, id_link, Links(address), name=name)
        yield "</section>\n"
    yield f"</main>\n<script>{assets.script}</script>\n</body>\n</html>\n"


def _header(sessions: Sequence[Session], head: Head, words: dict[str, str], assets: Assets) -> str:
    days = len({session.date for session in sessions})
    counts = words["counts"].format(sessions=len(sessions), days=days, made=head.made)
    if head.left_out:
        counts += words["left_out"].format(count=head.left_out)
    # Each month links to its newest day.
    newest = {session.date.strftime("%Y-%m"): session.date for session in sessions}
    months = "".join(
        f'<a href="#d{day}">{month}</a> ' for month, day in sorted(newest.items(), reverse=True)
    )
    title = shown(head.title)
    opening = html.opening(
        f"{title} · {words['memory']}", head.language, assets.style, assets.script, kind="export"
    )
    return f"""{opening}<header>
<h1 dir="auto">{title} <small>{words["memory"]}</small></h1>
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


def _names(sessions: Sequence[Session]) -> list[str]:
    """Return a unique name for each session: two memories may have the same id."""
    names: list[str] = []
    times: Counter[str] = Counter()
    for session in sessions:
        name = _name(str(session.id))
        times[name] += 1
        names.append(name if times[name] == 1 else f"{name}.{times[name]}")
    return names


def _name(id_: str) -> str:
    return "s" + id_.replace("#", "-").replace("~", "-")


def article(
    session: Session,
    language: str,
    id_link: str,
    links: Links = _NO_LINKS,
    *,
    name: str = "",
    show: Callable[[str], str] = shown,
) -> str:
    """Return a session as an `<article>`, escaped.

    `id_link` is the HTML of its id, `name` the id of the element, `show` makes HTML of text.
    """
    words = WORDS[language]
    marks = [mark for mark in _MARKS if getattr(session, f"is_{mark}")]
    topic = show(" ".join(session.topic.split())) or words["untitled"]
    flags = "".join(f' <b class="flag">{words[mark]}</b>' for mark in marks)
    anchor = f' id="{name}"' if name else ""
    parts = [
        f'<article{anchor} class="{" ".join(marks)}">\n<h3 dir="auto">{topic}{flags}</h3>\n'
        f'<p class="facts">{_facts(session, id_link, links, words)}</p>\n',
        *(_text(note.text, show) for note in session.notes if not note.heading),
    ]
    for field in _FIELDS:
        value = getattr(session, field)
        if value:
            heading = HEADINGS[field][0 if language == "zh" else 1]
            parts.append(f"<h4>{heading}</h4>\n{_body(field, value, show)}")
    for note in session.notes:
        if note.heading:
            parts.append(f'<h4 dir="auto">{show(note.heading)}</h4>\n{_text(note.text, show)}')
    tags = [tag for tag in session.tags if tag.casefold() not in FLAG_TAGS]
    if tags:
        listed = " ".join(_linked(f"<bdi>#{shown(tag)}</bdi>", links.tag(tag)) for tag in tags)
        parts.append(f'<p class="tags">{listed}</p>\n')
    return "".join(parts) + "</article>\n"


def _facts(session: Session, id_link: str, links: Links, words: dict[str, str]) -> str:
    facts = [id_link, session.time, shown(session.project), shown(session.source)]
    if session.origin:
        facts.append(f"{words['origin']} {shown(session.origin)}")
    if session.continues:
        earlier = _linked(shown(session.continues), links.session(session.continues))
        facts.append(f"{words['continues']} {earlier}")
    return " · ".join(f"<bdi>{fact}</bdi>" for fact in facts if fact)


def _linked(text: str, address: str) -> str:
    return f'<a href="{escape(address)}">{text}</a>' if address else text


def _body(field: str, value: Any, show: Callable[[str], str]) -> str:
    if field == "summary":
        return _text(value, show)
    if field == "code":
        return "".join(_code(language, text, show) for language, text in value)
    items = "".join(f'<li dir="auto">{_inline(item, show)}</li>\n' for item in value)
    return f"<ul>\n{items}</ul>\n"


def _text(text: str, show: Callable[[str], str]) -> str:
    return f'<p class="text" dir="auto">{_inline(text, show)}</p>\n' if text else ""


def _inline(text: str, show: Callable[[str], str]) -> str:
    parts = _CODE_SPAN.split(text)
    return "".join(
        f"<code>{show(part)}</code>" if place % 2 else show(part)
        for place, part in enumerate(parts)
    )


def _code(language: str, text: str, show: Callable[[str], str]) -> str:
    caption = f"<figcaption>{shown(language)}</figcaption>" if language else ""
    # A browser drops the first line break of a <pre>.
    return f'<figure>{caption}<pre tabindex="0">\n{show(text)}</pre></figure>\n'
