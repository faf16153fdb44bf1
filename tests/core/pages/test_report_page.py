"""The report as a page: what it says, and that nothing in it runs or is loaded."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from daily_memory.core.pages import html, report_page
from daily_memory.core.pages.report import Counts, Judged, Recall, Recalled, Topics
from tests.core.pages.test_report import FULL, LAST, NOTHING

HOSTILE = "</title></text></svg><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"


class Outline(HTMLParser):
    """Which elements a page has, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # as the base has it
        self.elements.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # as above
        self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def made(counts: Counts, language: str = "en") -> str:
    counts = counts._replace(title="商店", language=language)
    return report_page.page(counts, html.load_assets().style)


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def hostile() -> Counts:
    named = {f"{HOSTILE}{number}": number + 1 for number in range(20)}
    return FULL._replace(
        tags=named,
        projects=named,
        hosts=named,
        topics=Topics("month", (LAST,), {HOSTILE: (1,)}),
        recall=Recall(1, 1, 1, 0, 0, (Recalled("2026-01-05#1", HOSTILE, 1, 0),)),
        quality=Judged(1, 0.0, 0, 0, 1, {HOSTILE: 1}),
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_says_what_was_counted(language):
    page = made(FULL, language)
    found = outline(page)

    assert found.elements.count("progress") > 10
    for told in ("商店", "redis", "缓存", "cursor", "api_key", "2026-01-05#1", "2.4 MB"):
        assert told in found.text
    reason = "没有任何内容" if language == "zh" else "it says nothing"
    assert reason in found.text
    assert ("记忆报告" in page) == (language == "zh")
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page


def test_an_empty_memory_has_a_page():
    assert "Nothing is stored for these days." in outline(made(NOTHING)).text
    assert "这些天没有记录" in made(NOTHING, "zh")


def test_parts_without_anything_to_tell_are_left_out():
    counts = NOTHING._replace(observations={LAST: 1})

    text = outline(made(counts)).text

    assert "Sessions by day" in text
    assert not any(title in text for title in ("Quality", "Recall", "Programs", "each tag"))
    assert "Injected most" not in made(counts._replace(recall=Recall(1)))


def test_each_day_from_the_first_session_on_has_a_cell():
    sessions = {date(2024, 2, 29): 1, date(2026, 1, 2): 3}
    counts = FULL._replace(first=date(2023, 1, 1), sessions=sessions)

    page = made(counts)

    assert re.findall(r"<th colspan=.{3,4}>(\d{4})</th>", page) == ["2024", "2025", "2026"]
    assert '<td class="h2" title="2024-02-29: 1"></td>' in page
    assert '<td class="h4" title="2026-01-02: 3"></td>' in page
    assert "2024-02-28: " not in page


def test_hostile_names_are_text():
    page = made(hostile())
    found = outline(page)

    assert not {"script", "img", "a", "link", "iframe"} & set(found.elements)
    assert "U+202E" in found.text
    assert "8 more" in found.text
    assert not re.search(r'(?:src|href|style)\s*=\s*"', page)


# ---------------------------------------------------------------------------- in a browser


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_browser_runs_nothing_and_loads_nothing(
    page, page_errors, page_requests, tmp_path, language
):
    path = Path(tmp_path / "report.html")
    path.write_text(made(hostile(), language), encoding="utf-8")

    page.goto(path.as_uri())

    assert page_errors == []
    assert page_requests == [path.as_uri()]
    assert page.locator("script, img").count() == 0
    assert page.locator("main > section").count() == 10
    # Wide pictures scroll in their own frame, not the page.
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
