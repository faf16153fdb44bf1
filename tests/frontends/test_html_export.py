"""The HTML export in a browser: hostile texts do nothing, and what is looked for is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from daily_memory.core.pages import sessions_page
from daily_memory.storage import page_files
from tests.browser import PROGRAM, Browser
from tests.core.hostile_sessions import hostile_sessions

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")

INJECTED = Path(__file__).parents[3] / "shared" / "reliability" / "injected_memories.jsonl"
WAIT = "new Promise((done) => setTimeout(done, 300))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


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
        "".join(sessions_page.page(sessions, head, page_files.load())), encoding="utf-8"
    )
    return path


def test_no_text_of_a_memory_does_anything(browser, tmp_path):
    path = written(tmp_path)

    browser.open(path)
    browser.run(WAIT)

    assert browser.faults() == []
    assert browser.requests() == [path.as_uri()]
    assert browser.run("window.hacked") is None
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.querySelectorAll('img, iframe, svg, object, base').length") == 0
    links = browser.run("[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))")
    assert {link[0] for link in links} == {"#"}
    assert browser.run("document.querySelector('h1').textContent") == "<b>商店</b> 记忆"


def test_the_policy_stops_what_got_in_all_the_same(browser, tmp_path):
    path = written(tmp_path)
    text = path.read_text(encoding="utf-8")
    bad = (
        "<img src=https://evil.example/x onerror='window.hacked=1'><script>window.hacked=1</script>"
    )
    path.write_text(text.replace("<main>", f"<main>{bad}"), encoding="utf-8")

    browser.open(path)
    browser.run(WAIT)

    assert browser.run("window.hacked") is None
    blocked = [one for one in browser.faults() if "Content Security Policy" in json.dumps(one)]
    assert len(blocked) >= 2


def shown(browser: Browser, query: str) -> list[str]:
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
    return list(browser.run(script))


def test_words_are_found_in_both_languages(browser, tmp_path):
    browser.open(written(tmp_path))

    assert len(shown(browser, "")) >= 300
    assert shown(browser, "缓存方案讨论 298") == ["缓存方案讨论 298"]
    assert len(shown(browser, "REDIS ttl")) == 150
    assert shown(browser, "nowhere-to-be-found") == []
    assert browser.run("document.getElementById('found').textContent") == "找到 0 个"
    assert len(shown(browser, "onerror")) > 10
    shown(browser, "缓存")
    assert browser.run("CSS.highlights.get('found').size") >= 150
    browser.run("document.getElementById('important').click()")
    assert len(shown(browser, "")) == 30
    assert browser.faults() == []


def test_a_link_leads_to_a_session_that_the_search_had_hidden(browser, tmp_path):
    browser.open(written(tmp_path, "en"))
    shown(browser, "nowhere-to-be-found")

    browser.run("location.hash = '#d2025-10-02'")
    browser.run(WAIT)

    assert browser.run("document.getElementById('d2025-10-02').checkVisibility()")
    assert browser.run("document.getElementById('q').value") == ""
