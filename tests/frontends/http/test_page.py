"""The page of the memory, in a browser: what it shows, what it does not do, and what it gives."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import PROGRAM, Browser
from tests.frontends.http.conftest import TOKEN

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")

# Until the page has its answer, for ten seconds at the most.
_UNTIL = """new Promise((done) => {
  let tries = 0;
  const look = () => (CONDITION) || ++tries > 200 ? done(tries <= 200) : setTimeout(look, 50);
  look();
})"""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    opened = Browser(tmp_path / "profile")
    yield opened
    opened.close()


def until(browser: Browser, condition: str) -> None:
    assert browser.run(_UNTIL.replace("CONDITION", condition)), condition


@pytest.fixture
def page(memory: Any, served: Any, browser: Browser) -> Browser:
    memory.save(
        {
            "topic": "invoice \u202egnp.exe\u202c 缓存",
            "key_points": ["<img src=x onerror=window.hacked=1>", "\u200bהי"],
        }
    )
    browser.open(f"http://127.0.0.1:{served.port}/#token={TOKEN}")
    until(browser, "document.querySelector('#hits li')")
    return browser


def test_characters_that_reverse_or_hide_others_are_shown_by_number(page):
    assert page.run("document.querySelector('#hits div').textContent") == (
        "invoice [U+202E]gnp.exe[U+202C] 缓存"
    )
    page.run("document.querySelector('#hits button').click()")
    until(page, "!document.getElementById('reading').hidden")
    text = page.run("document.getElementById('text').textContent")
    assert "[U+200B]הי" in text
    assert "<img src=x" in text
    assert "\u202e" not in page.run("document.body.textContent")
    assert page.run("window.hacked") is None
    assert page.faults() == []


def is_done(event: dict[str, Any]) -> bool:
    return bool(event.get("params", {}).get("state") == "completed")


@pytest.mark.parametrize("form", ["json", "zip"])
def test_a_memory_is_taken_along(page, tmp_path, form):
    folder = tmp_path / "taken"
    folder.mkdir()
    page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    page.run(f"document.getElementById('{form}').click()")

    for _ in range(100):
        if any(is_done(event) for event in page.events):
            break
        page.run("new Promise((done) => setTimeout(done, 50))")
    assert text_of(page, "take") == "Export:"
    (path,) = folder.glob(f"memory-*.{form}")
    if form == "json":
        (session,) = json.loads(path.read_text(encoding="utf-8"))["sessions"]
        assert session["topic"].endswith("缓存")
    else:
        with zipfile.ZipFile(path) as archive:
            assert any(name.startswith("daily/") for name in archive.namelist())
    assert page.faults() == []


@pytest.mark.usefixtures("alone")
def test_of_an_encrypted_memory_it_says_that_what_is_taken_is_plain(memory, serve, browser):
    memory.save({"topic": "缓存"})
    memory.encrypt()

    with serve() as served:
        browser.open(f"http://127.0.0.1:{served.port}/#token={TOKEN}")
        until(browser, "document.querySelector('#hits li')")

        assert "not encrypted" in text_of(browser, "take")
    assert browser.faults() == []


def opened(page: Browser, name: str = "") -> None:
    page.run(f"document.querySelector('{name or '#hits button'}').click()")
    until(page, "!document.getElementById('reading').hidden")


def text_of(page: Browser, name: str) -> str:
    return str(page.run(f"document.getElementById('{name}').textContent"))


def test_a_session_is_marked_and_the_mark_taken_away(page, memory):
    opened(page)
    for pressed in ("true", "false"):
        page.run("document.getElementById('important').click()")
        state = "document.getElementById('important').getAttribute('aria-pressed')"
        until(page, f"{state} === '{pressed}'")
        (found,) = memory.sessions()
        assert found.session.is_important is (pressed == "true")
    assert page.faults() == []


def test_a_session_is_edited_unless_somebody_else_was_there(page, memory):
    opened(page)
    page.run("document.getElementById('edit').click()")
    page.run(
        "{ const it = document.getElementById('draft');"
        " it.value = it.value.replace('invoice', '改过的发票') }"
    )
    page.run("document.getElementById('keep').click()")
    until(page, "document.getElementById('editing').hidden")
    assert "改过的发票" in text_of(page, "text")
    (found,) = memory.sessions()
    assert found.session.topic.startswith("改过的发票")

    page.run("document.getElementById('edit').click()")
    memory.mark([str(found.session.id)], {"outdated": True})
    page.run("document.getElementById('draft').value += 'mine'")
    page.run("document.getElementById('keep').click()")
    until(page, "document.getElementById('told').className === 'error'")
    assert "changed meanwhile" in text_of(page, "told")
    assert page.run("document.getElementById('draft').value").endswith("mine")


def test_a_deletion_can_be_undone(page, memory):
    opened(page)
    page.run("document.getElementById('delete').click()")
    until(page, "!document.getElementById('undo').hidden")
    assert list(memory.sessions()) == []

    page.run("document.getElementById('undo').click()")
    until(page, "document.querySelector('#hits li')")
    assert page.run("document.getElementById('undo').hidden") is True
    assert len(list(memory.sessions())) == 1
    assert page.faults() == []
