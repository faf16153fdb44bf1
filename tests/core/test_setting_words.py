"""The words that people read for settings: none is missing, in either language."""

from __future__ import annotations

from daily_memory.core import setting_words
from daily_memory.core.settings import KEYS, SECTIONS


def test_each_setting_and_section_has_words_in_both_languages():
    names = {key.name for key in KEYS}

    assert set(setting_words.TITLES["en"]) == set(setting_words.TITLES["zh"]) == names
    assert set(setting_words.TITLES["zh"]) == names
    for language in ("en", "zh"):
        assert set(setting_words.SECTION_TITLES[language]) == set(SECTIONS)


def test_only_names_of_products_have_no_words_as_choices():
    choices = {choice for key in KEYS for choice in key.choices}

    assert choices - set(setting_words.CHOICES["zh"]) == {"anthropic", "openai", "ollama"}
