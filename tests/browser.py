"""Fixtures for tests of pages: a page in headless Chromium, and what it logged and asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests import components

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page


# One a module, not one a session: Playwright's event loop would keep tests that run one from it.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The Chromium that is installed; Playwright downloads none."""
    from playwright.sync_api import sync_playwright  # only page tests need it

    path = components.require("chromium")
    with sync_playwright() as playwright:
        # root can't have the sandbox.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page with its own cookies and storage."""
    with chromium.new_context() as context:
        yield context.new_page()


@pytest.fixture
def page_errors(page: Page) -> list[str]:
    """What the page logs: errors of scripts, and what its policy blocked."""
    lines: list[str] = []

    def add(message: ConsoleMessage) -> None:
        lines.append(message.text)

    page.on("console", add)
    page.on("pageerror", lambda error: lines.append(str(error)))
    return lines


@pytest.fixture
def page_requests(page: Page) -> list[str]:
    """The addresses that the page asks for."""
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    return urls
