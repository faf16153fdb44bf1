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


def turned_to(page: Browser, view: str, condition: str) -> None:
    page.run(f"document.getElementById('view-{view}').click()")
    until(page, condition)


def panel(page: Browser) -> str:
    return text_of(page, "panel")


SETTING = "document.getElementById('set-{}')"


def test_settings_are_looked_at_and_changed(page, memory):
    turned_to(page, "settings", SETTING.format("mirror.enabled"))
    assert panel(page).count("storage.") >= 8
    assert page.run(SETTING.format("storage.key_file") + ".disabled") is True
    assert page.run(SETTING.format("semantic.enabled") + ".disabled") is True

    for name, change, value in (
        ("retrieval.max_results", ".value = '8'", 8),
        ("recording.auto_save", ".checked = false", False),
        ("recording.language", ".value = 'zh'", "zh"),
        (
            "recording.redact_patterns",
            ".value = '工号 [0-9]+\\n\\nE-[0-9]+'",
            ["工号 [0-9]+", "E-[0-9]+"],
        ),
    ):
        field = SETTING.format(name)
        page.run(f"{field}{change}; {field}.dispatchEvent(new Event('change'))")
        until(page, f"document.getElementById('told').textContent.endsWith('{name}')")
        (row,) = [
            one
            for one in memory.in_folder(memory.project).described_settings()
            if one.key.name == name
        ]
        assert (list(row.value) if isinstance(row.value, tuple) else row.value) == value
    assert page.faults() == []


def test_a_setting_that_can_not_be_is_told_and_gets_its_default_again(page, memory):
    memory.set("retrieval.max_results", 9)
    field = SETTING.format("retrieval.max_results")
    turned_to(page, "settings", field)
    page.run(f"{field}.value = '9999'; {field}.dispatchEvent(new Event('change'))")
    until(page, "document.getElementById('told').className === 'error'")
    assert "is not between 1 and 100" in text_of(page, "told")
    assert page.run(f"{field}.value") == "9999"

    page.run(f"{field}.parentElement.querySelector('button').click()")
    until(page, f"document.getElementById('told').className === 'note' && {field}.value === '5'")
    assert memory.in_folder(memory.project).settings.retrieval.max_results == 5


def test_the_report_has_its_pictures(page, memory):
    memory.save({"topic": "缓存", "date": "2026-01-12", "tags": ["<b>redis", "缓存"]})
    memory.save({"topic": "部署", "date": "2026-01-13", "tags": ["缓存"]})

    turned_to(page, "report", "document.querySelector('#panel svg rect.heat4')")

    assert "#<b>redis" in panel(page)
    assert page.run("document.querySelectorAll('#panel table.bars rect.bar').length") >= 5
    assert page.run("document.querySelector('#panel rect.heat4 title').textContent").endswith(": 1")
    assert page.faults() == []


def test_what_should_be_looked_at_is_shown_read_and_mended(page, memory):
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save(
        {"topic": "<i>新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]}
    )

    turned_to(page, "review", "document.querySelector('#panel li button.link')")
    until(page, "document.querySelector('#panel').textContent.includes('memory cleanup --archive')")
    assert "<i>新框架" in panel(page)
    assert "memory mark 2025-10-01#1 --outdated" in panel(page)
    page.run("document.querySelector('#panel li > button').click()")
    until(page, "!document.querySelector('#panel').textContent.includes('2025-10-01#1  框架')")
    (old,) = [one.session for one in memory.sessions() if one.session.topic == "框架"]
    assert old.is_outdated
    assert page.faults() == []


def test_a_finding_opens_its_session(page, memory):
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save({"topic": "新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]})
    turned_to(page, "review", "document.querySelector('#panel li button.link')")

    opened(page, "#panel li button.link")

    assert "Flask" in text_of(page, "text")
    assert page.run("document.getElementById('panel').hidden") is True
    page.run("document.getElementById('view-sessions').click()")
    until(page, "!document.getElementById('hits').hidden")
    assert page.faults() == []
