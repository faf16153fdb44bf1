from __future__ import annotations

import pytest

from tests import components


def test_without_a_program_its_tests_are_skipped(monkeypatch):
    monkeypatch.delenv(components.REQUIRED, raising=False)

    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        components.require("no-such-program")


def test_without_a_required_program_its_tests_fail(monkeypatch):
    monkeypatch.setenv(components.REQUIRED, "1")

    with pytest.raises(pytest.fail.Exception, match="no-such-program is not installed"):
        components.require("no-such-program")


def test_a_program_is_found_by_its_other_names(monkeypatch, tmp_path):
    chrome = tmp_path / "google-chrome"
    chrome.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert components.find("chromium") == str(chrome)
