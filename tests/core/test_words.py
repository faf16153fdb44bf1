"""The words of pages and settings: none is missing, in either language."""

from __future__ import annotations

import pytest

from daily_memory.core.setting_keys import KEYS, SECTIONS
from daily_memory.core.words import load_words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_setting_and_section_has_words(language):
    assert set(load_words("setting")[language]) == {key.name for key in KEYS}
    assert set(load_words("section")[language]) == set(SECTIONS)


def test_only_names_of_products_have_no_words_as_choices():
    choices = {choice for key in KEYS for choice in key.choices}

    assert choices - set(load_words("choice")["zh"]) == {"anthropic", "openai", "ollama"}


@pytest.mark.parametrize("section", ["page", "export", "report", "setting", "choice", "section"])
def test_both_languages_have_the_same_keys_and_gaps(section):
    words = load_words(section)

    assert words["en"].keys() == words["zh"].keys()
    for key, english in words["en"].items():
        assert english.count("{") == words["zh"][key].count("{"), key
