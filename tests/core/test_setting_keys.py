"""The table of settings: a default, a meaning and a rule for each."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.setting_keys import (
    FREE,
    KEY_OF,
    KEYS,
    OWN,
    TIGHTEN,
    make_settings,
    setting_values,
    usable_value,
    value_fault,
)
from daily_memory.core.settings import DEFAULTS, Settings


def test_every_field_stands_in_the_table_with_a_meaning():
    fields = [
        f"{section}.{field}"
        for section in Settings._fields
        if section != "closed"
        for field in getattr(DEFAULTS, section)._fields
    ]

    assert [key.name for key in KEYS] == fields
    assert all(key.meaning for key in KEYS)


def test_every_default_passes_its_own_check():
    for key in KEYS:
        given = json.loads(json.dumps(key.default))
        assert (usable_value(key, given), value_fault(key, given)) == (key.default, "")


def test_every_rule_can_be_followed():
    for key in KEYS:
        assert key.rule in (FREE, TIGHTEN, OWN)
        assert key.strict is None or value_fault(key, key.strict) == ""
        assert key.rule != TIGHTEN or key.strict is not None or key.default == ()
        assert not key.guards or KEY_OF[key.guards].strict is not None


def test_a_stranger_may_set_freely_what_neither_leaks_nor_runs_nor_moves_anything():
    """Whoever adds a setting has to say what a project's file may do to it."""
    assert [key.name for key in KEYS if key.rule == FREE] == [
        "storage.retention_days",
        "storage.max_file_size_mb",
        "storage.worktrees",
        "recording.min_conversation_length",
        "recording.language",
        "recording.digest",
        "recording.agent_digest",
        "recall.max_chars",
        "recall.review_days",
        "retrieval.method",
        "retrieval.max_results",
        "retrieval.time_decay_rate",
        "retrieval.time_decay_floor",
        "retrieval.search_scope_days",
        "retrieval.keyword_weight",
        "retrieval.translation_weight",
        "retrieval.semantic_weight",
        "mirror.enabled",
    ]


def test_settings_are_made_of_values_and_give_them_again():
    values = {**setting_values(DEFAULTS), "retrieval.max_results": 9}

    settings = make_settings(values, "a reason")

    assert setting_values(settings) == values
    assert settings.closed == "a reason"


@pytest.mark.parametrize("value", [["x" * 100_000], "x" * 100_000])
def test_a_long_value_is_not_shown_in_full(value):
    assert len(value_fault(KEY_OF["retrieval.max_results"], value)) < 120
