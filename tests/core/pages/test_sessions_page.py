"""The HTML export, as text: what a page says, and that no text becomes markup."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import date
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.pages import html
from daily_memory.core.pages.sessions_page import Head, page
from daily_memory.model import Code, Note, Session
from tests.core.format.test_markdown import sessions
from tests.core.hostile_sessions import TEXTS, hostile_sessions

HEAD = Head("商店", "zh", "2026-01-29")
# What the page itself is made of, in any order.
OWN_TAGS = set(
    "html head meta title style body header h1 small p form input label output noscript nav a main "
    "section h2 article h3 h4 b bdi ul li figure figcaption pre code i script".split()
)
OWN_ATTRIBUTES = set(
    "lang charset http-equiv content name role hidden type id placeholder aria-label autocomplete "
    "spellcheck aria-live data-text href class dir tabindex".split()
)


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def text_of(sessions: list[Session], head: Head = HEAD) -> str:
    return "".join(page(sessions, head, html.load_assets()))


def check(text: str) -> Reader:
    read = Reader(text)
    assert set(read.tags) <= OWN_TAGS
    assert {name for name, _ in read.attributes} <= OWN_ATTRIBUTES
    assert all(str(value).startswith("#") for name, value in read.attributes if name == "href")
    assert read.tags.count("script") == read.tags.count("style") == read.tags.count("main") == 1
    return read


@given(st.lists(sessions, max_size=3))
def test_no_text_becomes_markup(several):
    check(text_of(several, HEAD._replace(title="</title><script>1</script>")))


def test_hostile_texts_are_shown_as_they_are():
    read = check(text_of(hostile_sessions(3 * len(TEXTS))))

    assert "<script>window.hacked = 1</script>" in read.texts
    assert "U+202E" in read.texts


def test_the_policy_names_what_stands_in_the_page_and_nothing_else():
    text = text_of([])
    for kind in ("script", "style"):
        (inner,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        known = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{known}'" in text
    assert "default-src 'none'" in text
    assert "unsafe" not in text
    assert "http:" not in text
    assert "https:" not in text


def test_everything_of_a_session_is_on_the_page():
    session = Session(
        date(2026, 1, 29),
        2,
        "10:30",
        topic="缓存 方案",
        summary="摘要在此",
        key_points=("a point",),
        decisions=("use Redis",),
        code=(Code("json", "{\n}"), Code("", "plain")),
        open_questions=("why?",),
        next_steps=("do",),
        files=("src/a.py",),
        tags=("redis", "重要", "outdated"),
        notes=(Note("", "above"), Note("备注", "below"), Note("empty", "")),
        project="shop",
        source="cursor",
        origin="git: Ann",
        continues="2026-01-28#1",
    )
    earlier = Session(date(2026, 1, 28), 1, topic="earlier")

    text = text_of([earlier, session])

    for said in (
        *(
            "摘要在此",
            "a point",
            "use Redis",
            '<pre tabindex="0">\n{\n}</pre>',
            '<pre tabindex="0">\nplain</pre>',
            "why?",
        ),
        *("src/a.py", "#redis", "above", "备注", "below", "shop", "cursor", "来自 git: Ann"),
        *("重要", "过时", '接着 <a href="#s2026-01-28-1">2026-01-28#1</a>', "决策"),
        *('class="important outdated"', "2 条会话，2 天；导出于 2026-01-29"),
    ):
        assert said in text, said
    assert text.index("2026-01-29#2") < text.index("earlier")


def test_a_page_in_english_counts_what_it_leaves_out():
    text = text_of([Session(date(2026, 1, 29), 1)], Head("shop", "en", "2026-01-29", 3))

    assert "private sessions left out: 3" in text
    assert "(no topic)" in text
    assert '<html lang="en">' in text


def test_what_is_between_backticks_is_code():
    session = Session(date(2026, 1, 29), 1, key_points=("run `a < b` and ` alone",))

    assert '<li dir="auto">run <code>a &lt; b</code> and ` alone</li>' in "".join(
        page([session], HEAD, html.load_assets())
    )
