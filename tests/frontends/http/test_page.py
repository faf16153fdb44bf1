"""The page of the memory, in a browser: what it shows, what it does not do, and what it gives."""

from __future__ import annotations

import json
import zipfile
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.embedding import SESSIONS, static_model, switch_on
from tests.frontends.http.conftest import TOKEN

pytestmark = pytest.mark.needs("chromium")


def opened(page: Page, served: Any) -> Page:
    page.goto(f"http://127.0.0.1:{served.port}/#token={TOKEN}")
    page.wait_for_selector("#hits li")
    return page


@pytest.fixture
def page(memory: Any, served: Any, page: Page) -> Page:
    memory.save(
        {
            "topic": "invoice \u202egnp.exe\u202c 缓存",
            "key_points": ["<img src=x onerror=window.hacked=1>", "\u200bהי"],
        }
    )
    return page


@pytest.fixture
def front(page: Page, page_errors: list[str], served: Any) -> Page:
    """The page with the session of the memory in its list."""
    return opened(page, served)


def test_characters_that_reverse_or_hide_others_are_shown_by_number(front, page_errors):
    assert front.text_content("#hits div") == "invoice [U+202E]gnp.exe[U+202C] 缓存"
    front.click("#hits button")
    front.wait_for_selector("#reading")
    text = front.text_content("#text")
    assert "[U+200B]הי" in text
    assert "<img src=x" in text
    assert "\u202e" not in front.text_content("body")
    assert front.evaluate("window.hacked") is None
    assert page_errors == []


@pytest.mark.parametrize("form", ["json", "zip"])
def test_a_memory_is_taken_along(front, page_errors, form):
    with front.expect_download() as download:
        front.click(f"#{form}")

    name, path = download.value.suggested_filename, download.value.path()
    assert name.startswith("memory-")
    assert name.endswith(f".{form}")
    assert front.text_content("#take") == "Export:"
    if form == "json":
        (session,) = json.loads(path.read_text(encoding="utf-8"))["sessions"]
        assert session["topic"].endswith("缓存")
    else:
        with zipfile.ZipFile(path) as archive:
            assert any(name.startswith("daily/") for name in archive.namelist())
    assert page_errors == []


@pytest.mark.usefixtures("alone")
def test_of_an_encrypted_memory_it_says_that_what_is_taken_is_plain(
    memory, serve, page, page_errors
):
    memory.encryption.encrypt()

    with serve() as served:
        expect(opened(page, served).locator("#take")).to_contain_text("not encrypted")
    assert page_errors == []


def test_a_session_is_marked_and_the_mark_taken_away(front, page_errors, memory):
    front.click("#hits button")
    for pressed in ("true", "false"):
        front.click("#important")
        expect(front.locator("#important")).to_have_attribute("aria-pressed", pressed)
        (found,) = memory.sessions()
        assert found.session.is_important is (pressed == "true")
    assert page_errors == []


def test_a_session_is_edited_unless_somebody_else_was_there(front, memory):
    draft = front.locator("#draft")
    front.click("#hits button")
    front.click("#edit")
    draft.fill(draft.input_value().replace("invoice", "改过的发票"))
    front.click("#keep")
    expect(front.locator("#editing")).to_be_hidden()
    expect(front.locator("#text")).to_contain_text("改过的发票")
    (found,) = memory.sessions()
    assert found.session.topic.startswith("改过的发票")

    front.click("#edit")
    memory.mark([str(found.session.id)], {"outdated": True})
    draft.fill(draft.input_value() + "mine")
    front.click("#keep")
    front.wait_for_selector("#told.error")
    assert "changed meanwhile" in front.text_content("#told")
    assert draft.input_value().endswith("mine")


def test_a_deletion_can_be_undone(front, page_errors, memory):
    front.click("#hits button")
    front.click("#delete")
    front.wait_for_selector("#undo")
    assert list(memory.sessions()) == []

    front.click("#undo")
    front.wait_for_selector("#hits li")
    assert front.locator("#undo").is_hidden()
    assert len(list(memory.sessions())) == 1
    assert page_errors == []


def setting(page: Page, name: str) -> Locator:
    return page.locator(f'[id="set-{name}"]')


def test_who_searches_by_meaning_chooses_how_to_search(memory, page, page_errors, serve, tmp_path):
    memory.import_sessions([*SESSIONS, {"topic": "css colour", "date": "2026-01-25"}])
    model = static_model(tmp_path / "model")
    switch_on(memory, provider="model2vec", model=str(model))
    memory.embedding.run()

    with serve() as served:
        front = opened(page, served)
        method, told = front.locator("#method"), front.locator("#told")
        expect(method).to_have_value("hybrid")
        expect(method.locator("option")).to_have_text(["by words", "by meaning", "by both"])
        front.fill("#words", "passport")
        front.click("#go")
        expect(front.locator("#hits div")).to_have_text(["The login page"])

        method.select_option("keyword")
        expect(told).to_have_text("Nothing relevant is stored.")
        method.select_option("semantic")
        expect(front.locator("#hits div")).to_have_text(["The login page"])

        memory.embedding.drop()
        method.select_option("hybrid")
        expect(told).to_contain_text("is embedded yet: `memory embed`")
    assert page_errors == []


def test_without_search_by_meaning_there_is_nothing_to_choose(front, page_requests):
    front.fill("#words", "invoice")
    front.click("#go")

    expect(front.locator("#told")).to_have_text("Found: 1")
    expect(front.locator("#method")).to_be_hidden()
    assert "method=&" in page_requests[-1]


def test_settings_are_looked_at_and_changed(front, page_errors, memory):
    front.click("#view-settings")
    setting(front, "mirror.enabled").wait_for()
    assert front.text_content("#panel").count("storage.") >= 8
    assert setting(front, "storage.key_file").is_disabled()
    assert setting(front, "semantic.enabled").is_disabled()

    for name, change, value in (
        ("retrieval.max_results", lambda field: field.fill("8"), 8),
        ("recording.auto_save", lambda field: field.uncheck(), False),
        ("recording.language", lambda field: field.select_option("zh"), "zh"),
        (
            "recording.redact_patterns",
            lambda field: field.fill("工号 [0-9]+\n\nE-[0-9]+"),
            ["工号 [0-9]+", "E-[0-9]+"],
        ),
    ):
        field = setting(front, name)
        change(field)
        field.blur()
        expect(front.locator("#told")).to_contain_text(name)
        (row,) = [
            row
            for row in memory.in_folder(memory.project).config.describe()
            if row.key.name == name
        ]
        assert (list(row.value) if isinstance(row.value, tuple) else row.value) == value
    assert page_errors == []


def test_a_setting_that_can_not_be_is_told_and_gets_its_default_again(front, memory):
    memory.config.set("retrieval.max_results", 9)
    field = setting(front, "retrieval.max_results")
    front.click("#view-settings")
    field.fill("9999")
    field.blur()
    front.wait_for_selector("#told.error")
    assert "is not between 1 and 100" in front.text_content("#told")
    assert field.input_value() == "9999"

    field.locator("xpath=..").locator("button").click()
    front.wait_for_selector("#told.note")
    expect(field).to_have_value("5")
    assert memory.in_folder(memory.project).settings.retrieval.max_results == 5


def test_the_report_has_its_pictures(front, page_errors, memory):
    memory.save({"topic": "缓存", "date": "2026-01-12", "tags": ["<b>redis", "缓存"]})
    memory.save({"topic": "部署", "date": "2026-01-13", "tags": ["缓存"]})

    front.click("#view-report")
    front.locator("#panel svg rect.heat4").first.wait_for()

    assert "#<b>redis" in front.text_content("#panel")
    assert front.locator("#panel table.bars rect.bar").count() >= 5
    assert front.locator("#panel rect.heat4 title").first.text_content().endswith(": 1")
    assert page_errors == []


def test_what_should_be_looked_at_is_shown_read_and_mended(front, page_errors, memory):
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save(
        {"topic": "<i>新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]}
    )
    panel = front.locator("#panel")

    front.click("#view-review")
    panel.locator("li button.link").first.wait_for()
    expect(panel).to_contain_text("memory cleanup --archive")
    expect(panel).to_contain_text("<i>新框架")
    expect(panel).to_contain_text("memory mark 2025-10-01#1 --outdated")
    panel.locator("li > button").first.click()
    expect(panel).not_to_contain_text("2025-10-01#1  框架")
    (old,) = [found.session for found in memory.sessions() if found.session.topic == "框架"]
    assert old.is_outdated
    assert page_errors == []


def test_a_finding_opens_its_session(front, page_errors, memory):
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save({"topic": "新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]})
    front.click("#view-review")

    front.locator("#panel li button.link").first.click()
    front.wait_for_selector("#reading")

    assert "Flask" in front.text_content("#text")
    assert front.locator("#panel").is_hidden()
    front.click("#view-sessions")
    front.wait_for_selector("#hits")
    assert page_errors == []
