"""The page of the memory in a browser: what it shows, what it changes, and whom it shuts out."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from daily_memory.frontends.http import render
from tests.embedding import SESSIONS, static_model, switch_on
from tests.frontends.http.conftest import TOKEN

pytestmark = pytest.mark.needs("chromium")

PAGES = ("", "?q=redis&kind=all", "day/2026-01-29", "session/2026-01-29%231", "calendar", "live",
         "live/2026-01-29/login-bug", "recall", "review", "cleanup", "changes", "report",
         "settings", "session/2026-01-29%231?edit=true", "docs")  # fmt: skip
# Made of the same parts as others: the rules take a second a page.
SIMILAR = ("?q=redis&kind=all", "day/2026-01-29", "live", "cleanup", "changes", "docs")
# All that a browser loads, of which the pages themselves are the smaller part.
MOST_BYTES = 150_000
RULES = """axe.run({
  resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
})"""


class Front:
    """The page in a browser, and what a user does there."""

    def __init__(self, page: Page, port: int) -> None:
        self.page = page
        self.base = f"http://127.0.0.1:{port}/"
        page.goto(f"{self.base}#token={TOKEN}")
        expect(page.locator("#views")).to_be_visible()

    def show(self, path: str) -> Page:
        self.page.goto(self.base + path)
        expect(self.page.locator("#unlock")).to_have_count(0)
        return self.page

    def search(self, words: str) -> None:
        self.page.locator("#q").fill(words)
        expect(self.page).to_have_url(re.compile(r"[?&]q="))

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).first.click()

    def toast(self, text: str) -> None:
        expect(self.page.locator("#toast")).to_contain_text(text)


@pytest.fixture
def front(page: Page, filled: Any, served: Any) -> Front:
    return Front(page, served.port)


def test_text_of_a_memory_is_shown_and_does_nothing(page, page_errors, memory, served):
    hostile = "<img src=x onerror=window.hacked=1>"
    talk = {"topic": "invoice \u202egnp.exe\u202c 缓存", "key_points": [hostile, "\u200bהי"]}
    memory.save({**talk, "tags": ['"><b>x'], "code": [{"text": "</pre><script>1</script>"}]})
    memory.start("talk", host=hostile)
    memory.log(hostile, kind="user", conversation="talk")
    front = Front(page, served.port)

    for path in ("", "?q=invoice", "?q=img&kind=all", "session/2026-01-29%231", "calendar",
                 "session/2026-01-29%231?edit=true", "live", "live/2026-01-29/talk", "report",
                 "review", "day/2026-01-29", "?tag=%3Cscript%3E"):  # fmt: skip
        page.goto(front.base + path)
        page.wait_for_timeout(50)
        assert page.locator("#main :is(img, script)").count() == 0
        assert page.evaluate("window.hacked") is None
    front.show("session/2026-01-29%231")
    text = page.inner_text("article")
    assert "invoice U+202Egnp.exeU+202C 缓存" in text
    assert f"{hostile}\nU+200Bהי" in text
    assert [line for line in page_errors if "404" not in line and "401" not in line] == []


def test_a_search_answers_while_the_user_types_and_has_an_address(front, page_errors):
    page = front.page
    front.search("缓存 ttl")
    # What is asked for by its kind is found by its name.
    expect(page.locator("#results .topic mark")).to_have_text(["Redis", "缓存"])
    expect(page.locator("#results .topic")).to_have_text(["Redis 缓存方案"])

    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("article h3 mark")).to_have_text("缓存")
    page.keyboard.press("Escape")
    expect(page.locator("#results .topic")).to_have_text(["Redis 缓存方案"])
    assert page.input_value("#q") == "缓存 ttl"

    page.go_forward()
    page.locator("article .tags a").click()
    expect(page).to_have_url(f"{front.base}?tag=redis")
    expect(page.locator("#results .topic")).to_have_text(["Redis 缓存方案"])
    page.select_option("select[name=kind]", "decision")
    front.search("token")
    page.fill("input[name=tag]", "")
    page.locator("input[name=tag]").press("Enter")
    page.locator("#results .topic").click()
    expect(page.locator(".step.target")).to_contain_text("登录接口报 401")
    assert page_errors == []


def test_a_tag_is_one_in_the_calendar_however_it_is_written(front, memory):
    memory.save({"topic": "集群", "tags": ["Redis"]})

    front.show("calendar")
    expect(front.page.locator(".cloud").first).to_contain_text("#redis 2")


def test_all_days_are_there_page_by_page_and_in_the_calendar(front, memory):
    page = front.page
    days = [f"2025-{number // 28 + 1:02}-{number % 28 + 1:02}" for number in range(60)]
    memory.import_sessions(
        [{"topic": f"第 {number} 天", "date": day} for number, day in enumerate(days)]
    )
    front.show("")
    assert page.locator("#results .topic").count() == 40
    page.click("a[rel=next]")
    expect(page.locator("#results .topic").last).to_have_text("第 0 天")

    front.show("calendar")
    page.click("a[aria-label^='3, 2025-02-03:']")
    expect(page.locator("article h3")).to_have_text("第 30 天")
    page.click("a[rel=prev]")
    expect(page.locator("article h3")).to_have_text("第 29 天")


def test_a_session_is_marked_edited_and_deleted_and_each_can_be_undone(front, page_errors, memory):
    page, name = front.page, "2026-01-29#1"
    front.show("session/2026-01-29%231")
    front.press("Private")
    expect(page.locator("article .flag")).to_have_text("private")
    assert memory.get(name).session.is_private
    front.press("Undo")
    front.toast("Undone")
    assert not memory.get(name).session.is_private

    page.get_by_role("link", name="Edit").click()
    draft = page.locator("#draft")
    draft.fill(draft.input_value().replace("缓存方案", "改过的方案"))
    front.press("Save")
    expect(page.locator("article h3")).to_contain_text("改过的方案")

    page.get_by_role("link", name="Edit").click()
    expect(draft).to_have_value(re.compile("改过的方案"))  # it is loaded before the mark
    memory.mark([name], {"outdated": True})
    draft.fill(draft.input_value() + "mine")
    front.press("Save")
    front.toast("changed meanwhile")
    assert draft.input_value().endswith("mine")

    page.get_by_role("link", name="Cancel").click()
    front.press("Delete")
    front.toast("Deleted")
    assert name not in [found.id for found in memory.sessions()]
    front.press("Undo")
    expect(page.locator("article h3")).to_contain_text("改过的方案")
    assert [line for line in page_errors if "412" not in line] == []


def test_a_review_is_done_with_buttons(front, memory):
    page = front.page
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save({"topic": "新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]})
    front.show("review")
    front.press("Mark the older as outdated")
    front.toast("Changed")
    assert memory.get("2025-10-01#1").session.is_outdated

    page.get_by_role("link", name="Clean up").click()
    front.press("Archive them")
    front.toast("Done")
    assert "2025-10-01#1" not in [found.id for found in memory.sessions()]
    page.locator(".tabs").get_by_role("link", name="Undo").click()
    front.press("Undo")
    front.toast("Undone")
    assert memory.get("2025-10-01#1").session.is_outdated


def test_settings_are_changed_by_their_controls(front, memory):
    page = front.page

    def field(name: str) -> Any:
        return page.locator(f'[id="set-{name}"]')

    def stored(name: str) -> object:
        described = memory.in_folder(memory.project).config.describe()
        return next(setting.value for setting in described if setting.key.name == name)

    front.show("settings")
    assert page.locator(".setting label").first.inner_text() == "Where sessions are saved"
    assert field("storage.key_file").is_disabled()
    assert field("semantic.enabled").is_disabled()
    field("retrieval.max_results").fill("8")
    field("retrieval.max_results").blur()
    front.toast("Number of results")
    field("recording.auto_save").uncheck()
    front.toast("Record conversations")
    field("recording.redact_patterns").fill("工号 [0-9]+\n\nE-[0-9]+")
    field("recording.redact_patterns").blur()
    front.toast("Hide these too")
    assert stored("retrieval.max_results") == 8
    assert stored("recording.auto_save") is False
    assert stored("recording.redact_patterns") == ("工号 [0-9]+", "E-[0-9]+")

    field("retrieval.max_results").fill("7.5")
    field("retrieval.max_results").blur()
    front.toast("is not a whole number")
    page.locator("form", has=field("retrieval.max_results")).get_by_role("button").click()
    expect(field("retrieval.max_results")).to_have_value("5")
    assert stored("retrieval.max_results") == 5


def test_a_conversation_shows_what_it_received_and_why(front, memory):
    path = Path(memory.observations.live("login-bug").path)
    marks = {"recalled": ["2026-01-29#1@0", "2026-01-01#9"]}
    question = {
        "at": "2026-01-29T11:00:00+08:00",
        "kind": "user",
        "text": "Redis 缓存的 TTL 是多少",
    }
    lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (question, marks))
    path.write_text(path.read_text(encoding="utf-8") + lines, encoding="utf-8")

    page = front.show("recall")

    expect(page.locator("q")).to_have_text("Redis 缓存的 TTL 是多少")
    expect(page.locator(".card mark")).to_have_text(["Redis", "缓存", "TTL"])
    expect(page.locator(".card li").first).to_contain_text("缓存 TTL 定为 300 秒")
    expect(page.locator(".card li").last).to_contain_text("deleted or private since")
    page.locator(".card h2 a").click()
    expect(page.locator(".step")).to_have_count(5)
    assert page.url.endswith("/live/2026-01-29/login-bug")


def test_no_page_has_a_barrier_or_is_wider_than_a_phone(
    front, page_errors, memory, tmp_path, served
):
    page = front.page
    package = find_spec("axe_playwright_python")
    assert package
    assert package.origin
    axe = (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    memory.save({"topic": "框架", "date": "2025-10-01", "decisions": ["用 Flask 写后端接口"]})
    memory.save({"topic": "新框架", "date": "2025-11-01", "decisions": ["把 Flask 换成 FastAPI"]})
    page.set_viewport_size({"width": 390, "height": 844})
    barriers = []
    heaviest = 0

    for path in PAGES:
        front.show(path)
        if path == "calendar":  # from here on in Chinese and dark
            front.press("中文")
            expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
            page.click("#theme")
            page.click("#theme")
            expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        if path not in SIMILAR:
            page.evaluate(axe)
            rules = page.evaluate(RULES)["violations"]
            barriers += [(path, rule["id"], rule["nodes"][0]["html"]) for rule in rules]
        heaviest = max(heaviest, len(served.ask("GET", f"/{path}").content))

    assert barriers == []
    assert page_errors == []
    loaded = [
        *Path(render.FOLDER).glob("app.*"),
        Path(render.FOLDER, "../../../core/pages/page.css"),
    ]
    assert sum(path.stat().st_size for path in loaded) + heaviest < MOST_BYTES


def test_without_the_token_it_asks_for_it_and_a_new_tab_gets_it_from_the_other(front):
    stranger = front.page.context.browser.new_context().new_page()
    stranger.goto(f"{front.base}settings")
    stranger.get_by_label("Token").fill("wrong")
    stranger.get_by_role("button", name="Open").click()
    stranger.get_by_label("Token").fill(TOKEN)
    stranger.get_by_role("button", name="Open").click()
    expect(stranger.locator("h1")).to_have_text("Settings")

    with front.page.context.expect_page() as opened:
        front.page.locator("#results .topic").first.click(modifiers=["Control"])
    expect(opened.value.locator("article")).to_be_visible()
    assert TOKEN not in opened.value.url
    stranger.context.close()


@pytest.mark.usefixtures("alone")
def test_a_memory_is_taken_along_and_an_encrypted_one_says_that_it_is_plain(memory, serve, page):
    memory.save({"topic": "缓存"})
    memory.encryption.encrypt()

    with serve() as served:
        front = Front(page, served.port)
        expect(page.locator("footer")).to_contain_text("not encrypted")
        with page.expect_download() as download:
            page.get_by_role("link", name="JSON").click()

    assert download.value.suggested_filename.endswith("-not-encrypted.json")
    (session,) = json.loads(download.value.path().read_text(encoding="utf-8"))["sessions"]
    assert session["topic"] == "缓存"
    assert front.page.url == front.base


def test_who_searches_by_meaning_chooses_how_to_search(memory, page, serve, tmp_path):
    memory.import_sessions([*SESSIONS, {"topic": "css colour", "date": "2026-01-25"}])
    model = static_model(tmp_path / "model")
    switch_on(memory, provider="model2vec", model=str(model))
    memory.embedding.run()

    with serve() as served:
        front = Front(page, served.port)
        front.search("passport")
        expect(page.locator("#results .topic")).to_have_text(["The login page"])
        page.click(".filters summary")
        page.select_option("select[name=method]", "keyword")
        expect(page.locator("#results")).to_contain_text("Nothing relevant is stored.")
        page.select_option("select[name=method]", "semantic")
        expect(page.locator("#results .topic")).to_have_text(["The login page"])
        memory.embedding.drop()
        page.select_option("select[name=method]", "hybrid")
        expect(page.locator("#results")).to_contain_text("is embedded yet: `memory embed`")
