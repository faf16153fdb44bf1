"""The HTML export in a browser: hostile texts do nothing, and what is looked for is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from daily_memory.core.pages import html, sessions_page
from tests.core.hostile_sessions import hostile_sessions

pytestmark = pytest.mark.needs("chromium")

INJECTED = Path(__file__).parents[3] / "shared" / "reliability" / "injected_memories.jsonl"
WAIT = "new Promise((done) => setTimeout(done, 300))"


def written(folder: Path, language: str = "zh") -> Path:
    sessions = hostile_sessions(300)
    if INJECTED.exists():
        texts = [json.loads(line)["text"] for line in INJECTED.read_text().splitlines()]
        last = sessions[-1]
        sessions += [
            last._replace(number=number, topic=text, summary=text)
            for number, text in enumerate(texts, 10)
        ]
    path = folder / "memory.html"
    head = sessions_page.Head("<b>商店</b>", language, "2026-01-29", 2)
    path.write_text(
        "".join(sessions_page.page(sessions, head, html.load_assets())), encoding="utf-8"
    )
    return path


def test_no_text_of_a_memory_does_anything(page, page_errors, page_requests, tmp_path):
    path = written(tmp_path)

    page.goto(path.as_uri())
    page.wait_for_timeout(300)

    assert page_errors == []
    assert page_requests == [path.as_uri()]
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, svg, object, base").count() == 0
    links = page.evaluate("[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))")
    assert {link[0] for link in links} == {"#"}
    assert page.text_content("h1") == "<b>商店</b> 记忆"


def test_the_policy_stops_what_got_in_all_the_same(page, page_errors, tmp_path):
    path = written(tmp_path)
    text = path.read_text(encoding="utf-8")
    bad = (
        "<img src=https://evil.example/x onerror='window.hacked=1'><script>window.hacked=1</script>"
    )
    path.write_text(text.replace("<main>", f"<main>{bad}"), encoding="utf-8")

    page.goto(path.as_uri())
    page.wait_for_timeout(300)

    assert page.evaluate("window.hacked") is None
    blocked = [line for line in page_errors if "Content Security Policy" in line]
    assert len(blocked) >= 2


def shown(page: Page, query: str) -> list[str]:
    """Return the topics that a search leaves on the page."""
    script = f"""
    (async () => {{
      const input = document.getElementById('q');
      input.value = {json.dumps(query)};
      input.dispatchEvent(new Event('input'));
      await {WAIT};
      return [...document.querySelectorAll('article')].filter((a) => a.checkVisibility())
        .map((a) => a.querySelector('h3').firstChild.data);
    }})()"""
    return list(page.evaluate(script))


def test_words_are_found_in_both_languages(page, page_errors, tmp_path):
    page.goto(written(tmp_path).as_uri())

    assert len(shown(page, "")) >= 300
    assert shown(page, "缓存方案讨论 298") == ["缓存方案讨论 298"]
    assert len(shown(page, "REDIS ttl")) == 150
    assert shown(page, "nowhere-to-be-found") == []
    assert page.text_content("#found") == "找到 0 个"
    assert len(shown(page, "onerror")) > 10
    shown(page, "缓存")
    assert page.evaluate("CSS.highlights.get('found').size") >= 150
    page.click("#important")
    assert len(shown(page, "")) == 30
    assert page_errors == []


def test_a_link_leads_to_a_session_that_the_search_had_hidden(page, tmp_path):
    page.goto(written(tmp_path, "en").as_uri())
    shown(page, "nowhere-to-be-found")

    page.evaluate("location.hash = '#d2025-10-02'")
    page.wait_for_timeout(300)

    assert page.evaluate("document.getElementById('d2025-10-02').checkVisibility()")
    assert page.input_value("#q") == ""
