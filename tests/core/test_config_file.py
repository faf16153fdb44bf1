"""One `config.json`: what it says, and what fails closed."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.config_file import MOST_BYTES, parse_config
from daily_memory.core.config_layers import STOPPED, EffectiveSettings, parse_settings
from daily_memory.core.setting_keys import KEY_OF, KEYS, setting_values
from daily_memory.core.settings import DEFAULTS
from daily_memory.model import Problem

SEED = """{
  "version": "1.0",
  "storage": {
    "location": "project-first",  // "project-only", "global-only", "project-first"
    "retention_days": 90,
    "max_file_size_mb": 10
  },
  "retrieval": {
    "method": "hybrid",
    "time_decay_rate": 0.95, /* the formula
                                of the seed */
    "search_scope_days": 30,
  },
}
"""


def changed(found: EffectiveSettings) -> dict[str, object]:
    """Return the settings that are not the defaults."""
    return {
        name: value
        for name, value in setting_values(found.settings).items()
        if value != KEY_OF[name].default
    }


def test_comments_and_trailing_commas_are_allowed():
    found = parse_settings(SEED)

    assert changed(found) == {
        "retrieval.time_decay_rate": 0.95,
        "retrieval.search_scope_days": 30,
    }
    assert found.problems == ()


def test_an_absent_key_has_its_default():
    found = parse_settings("{}")

    assert (found.settings, found.problems) == (DEFAULTS, ())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("storage.max_file_size_mb", '"10"', "'10' is not a number"),
        ("recording.language", '"fr"', "'fr' is not one of auto, zh, en"),
        ("retrieval.max_results", "0", "0 is not between 1 and 100"),
        ("retrieval.max_results", "2.5", "2.5 is not a whole number"),
        ("retrieval.max_results", "true", "True is not a number"),
        ("retrieval.max_results", "1e308", "1e+308 is not between 1 and 100"),
        ("retrieval.time_decay_rate", "NaN", "nan is not between 0 and 1"),
        ("retrieval.time_decay_rate", '"nan"', "'nan' is not a number"),
    ],
)
def test_a_wrong_value_is_a_problem_with_key_line_and_default(name, value, message):
    section, _, field = name.partition(".")
    text = f'{{\n  "{section}": {{\n    "{field}": {value}\n  }}\n}}'

    found = parse_settings(text, "config.json")

    default = KEY_OF[name].default
    assert found.settings == DEFAULTS
    assert found.faults == ()
    assert found.remarks == (Problem("config.json", 3, f"{name}: {message}; {default!r} is used"),)


@pytest.mark.parametrize("key", [key for key in KEYS if key.strict is not None])
def test_a_wrong_value_of_what_protects_has_the_strict_one_and_is_a_fault(key):
    text = json.dumps({key.section: {key.field: ["maybe"]}}, indent=1)

    found = parse_settings(text, "config.json")

    assert setting_values(found.settings)[key.name] == key.strict
    (fault,) = found.faults
    assert (fault.line, fault.message.partition(":")[0]) == (3, key.name)
    then = STOPPED if key.guards else f"{key.strict!r} is used"
    assert fault.message.endswith(f"; {then}")
    assert bool(found.settings.closed) == bool(key.guards)


@pytest.mark.parametrize(
    ("recording", "fault"),
    [
        ({"redact_patterns": ["ACME-[0-9]+", "("]}, "'(' can't be used: not a regular"),
        ({"redact_patterns": ["ACME-[0-9]+", "a{99999999999999999999}"]}, "not a regular"),
        ({"redact_patterns": ["ACME-[0-9]+", 5]}, "5 is not a text"),
        ({"redact_patterns": "ACME"}, "'ACME' is not a list of texts"),
        ({"redact_patterns": ["x"] * 101}, "more than 100 items"),
        ({"redact_patterns": ["x" * 4001, "y" * 4000]}, "or 8,000 characters"),
        ({"redact_patterns": ["(?i)" + "[Ā-\uffff]" * 20]}, "too wide"),
        ({"redact_patterns": ["[\\u0100-\\uffff]" * 20]}, "too wide"),
        ({"redact_patterns": ["(" * 3000]}, "longer than 500 characters"),
        ({"redact_paterns": ["ACME-[0-9]+"]}, "did you mean recording.redact_patterns?"),
    ],
)
def test_while_a_pattern_can_not_be_used_nothing_is_recorded(recording, fault):
    found = parse_settings(json.dumps({"recording": recording}, indent=1), "config.json")

    assert fault in found.settings.closed
    assert not found.settings.recording.auto_save
    assert [one.line for one in found.faults] == [3]
    assert found.faults[0].message.endswith(STOPPED)
    kept = ("ACME-[0-9]+",) if "ACME-[0-9]+" in recording.get("redact_patterns", "") else ()
    assert found.settings.recording.redact_patterns == kept


def test_patterns_as_people_write_them_are_taken():
    patterns = ["工号 ?[0-9]+", "[\u4e00-\u9fff]{2,4}先生", r"(?i)\bproj-\d+", "[^\x00-\x7f]+@corp"]

    found = parse_settings(json.dumps({"recording": {"redact_patterns": patterns * 9}}))

    assert found.settings.recording.redact_patterns == tuple(patterns * 9)
    assert found.problems == ()


def test_a_wrong_place_to_save_in_stops_recording_and_not_the_rest():
    found = parse_settings('{"storage": {"location": "gobal-only"}}')

    assert found.settings.closed.endswith("project-first, project-only, global-only")
    assert changed(found) == {"recording.auto_save": False}


@pytest.mark.parametrize(
    ("recording", "storage", "off"),
    [
        ({"summarizer": "openai", "summarizer_url": "localhost"}, {}, "recording.summarizer"),
        ({"summarizer": "openai", "summarizer_daily_calls": "5"}, {}, "recording.summarizer"),
        ({}, {"auto_archive": True, "retention_days": "3650"}, "storage.auto_archive"),
    ],
)
def test_what_a_setting_guards_is_off_while_it_can_not_be_used(recording, storage, off):
    found = parse_settings(json.dumps({"recording": recording, "storage": storage}))

    assert setting_values(found.settings)[off] == KEY_OF[off].default
    assert found.faults[0].message.endswith(
        f"; {off} is {KEY_OF[off].strict!r} until this is mended"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"recording": {"auto_sav": false}}',
        '{"recording": {"autoSave": false}}',
        '{"recordng": {"auto_save": false}}',
        '{"storage": {"auto_save": false}}',
        '{"auto_save": false}',
        '{"recording.auto_save": false}',
        '{"recording": false}',
        '{"recording": null}',
        '{"recording": {"auto_save": false,}, "recording": {}}',
        '{"recording": {"auto_save": false} "recall": {}}',
        '{"recording": {"auto\\u005fsave": false} "recall": {}}',
        '{"recording": {"auto_save": false',
    ],
)
def test_whatever_slip_is_made_recording_does_not_come_on_by_it(text):
    found = parse_settings(text)

    assert not found.settings.recording.auto_save
    assert found.faults


def test_a_slip_beside_the_right_name_changes_nothing():
    found = parse_settings('{"recording": {"auto_save": true, "auto_sav": false}}')

    assert (found.settings, found.faults) == (DEFAULTS, ())
    assert found.remarks[0].message == "recording.auto_sav: unknown key; ignored"


def test_what_a_broken_file_does_not_name_holds_as_before():
    found = parse_settings('{"retrieval": {"max_results": 9}', "config.json")

    assert found.settings == DEFAULTS
    assert [(one.line, one.message) for one in found.faults] == [
        (1, "not JSON (Expecting ',' delimiter); ignored")
    ]


@pytest.mark.parametrize("text", ["", "{", "{// comment\n nope", "[1]", "null", "[" * 60_000])
def test_a_broken_file_is_one_fault(text):
    found = parse_settings(text)

    assert found.settings == DEFAULTS
    assert len(found.problems) == len(found.faults) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"recording": {"language": "' + "zh" * MOST_BYTES + '"}}',
        "{" + '"x": 1,' * 20_000 + "}",
        '"' + '\\"' * 1_000_000,
        json.dumps({f"x{number}": {} for number in range(101)}) + '// "redact_patterns"',
    ],
)
def test_what_is_too_large_to_be_settings_is_not_read(text):
    found = parse_settings(text)

    assert found.settings.closed
    assert len(found.faults) == 1
    assert "than" in found.faults[0].message


def test_a_whole_number_may_be_written_with_a_point():
    found = parse_settings('{"retrieval": {"max_results": 5.0}}')

    assert repr(found.settings.retrieval.max_results) == "5"
    assert found.problems == ()


def test_lists_become_tuples_and_of_what_is_allowed_a_wrong_one_is_left_out():
    found = parse_settings('{"recording": {"redact_allow": ["例子", "("]}}')

    assert found.settings.recording.redact_allow == ("例子",)
    assert found.settings.closed == ""
    assert found.remarks[0].message.endswith("; left out")


def test_unknown_keys_and_sections_are_named_with_their_line():
    text = '{\n"storage": {\n"colour": 1},\n"extra\x07": {"a": 1},\n"retrieval": 5}'

    found = parse_settings(text.replace("\x07", "\\u0007"), "c")

    assert found.settings == DEFAULTS
    assert set(found.remarks) == {
        Problem("c", 3, "storage.colour: unknown key; ignored"),
        Problem("c", 0, '"extra\\u0007": unknown section; ignored'),
        Problem("c", 5, "retrieval: not an object; ignored"),
    }


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:11434",
        "https://api.deepseek.com/v1",
        "http://[::1]:8000/v1",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "",
    ],
)
def test_an_address_begins_with_http(address):
    found = parse_settings(json.dumps({"recording": {"summarizer_url": address}}))

    assert (found.settings.recording.summarizer_url, found.problems) == (address, ())


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("api.deepseek.com", "not an address that begins with"),
        ("file:///etc/passwd", "not an address that begins with"),
        ("HTTPS//x", "not an address that begins with"),
        ("https://", "an address without a host"),
        ("http://[]:80", "an address without a host"),
        ("http://:80/v1", "an address without a host"),
        ("https://me:tulip42@example.com", "an address with a user, a password"),
        ("https://example.com/?key=tulip42", "an address with a user, a password"),
        ("https://example.com/#tulip42", "an address with a user, a password"),
        ("https://exa mple.com/tulip42", "an address without a host, or with characters"),
        ("https://example.com/tulip42\r\nx: y", "an address without a host, or with"),
        ("https://例子.com/tulip42", "an address without a host, or with"),
    ],
)
def test_another_address_is_refused_and_not_shown(address, fault):
    found = parse_settings(json.dumps({"recording": {"summarizer_url": address}}))

    assert found.settings == DEFAULTS
    assert found.problems[0].message.startswith(f"recording.summarizer_url: {fault}")
    assert "tulip42" not in found.problems[0].message


def test_a_setting_is_found_on_its_line():
    file = parse_config('{\n"recall": {\n"max_chars": 900}}')

    assert file.line(KEY_OF["recall.max_chars"]) == 3
