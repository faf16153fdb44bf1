"""Settings: every key in one table, and no way to write a file that stops anything."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.jsonc import line_of_key, parse_jsonc, strip_comments
from daily_memory.core.settings import (
    DEFAULTS,
    KEYS,
    Settings,
    check_value,
    names_summarizer,
    parse_settings,
    setting_values,
    with_consent,
)
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


def test_every_field_stands_in_the_table_with_a_meaning():
    fields = [
        f"{section}.{field}"
        for section, values in DEFAULTS._asdict().items()
        for field in values._fields
    ]

    assert [key.name for key in KEYS] == fields
    assert all(key.meaning for key in KEYS)


def test_every_default_passes_its_own_check():
    assert [check_value(key, _as_json(key.default)) for key in KEYS] == [
        (key.default, "") for key in KEYS
    ]


def test_comments_and_trailing_commas_are_allowed():
    settings, problems = parse_settings(SEED)

    assert settings.retrieval.time_decay_rate == 0.95
    assert settings.retrieval.search_scope_days == 30
    assert problems == ()


def test_an_absent_key_has_its_default():
    assert parse_settings("{}") == (DEFAULTS, ())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "storage.location",
            '"../.."',
            "'../..' is not one of project-first, project-only, global-only",
        ),
        ("storage.location", "1", "1 is not a text"),
        ("recording.auto_save", '"yes"', "'yes' is not true or false"),
        ("retrieval.max_results", "0", "0 is not between 1 and 100"),
        ("retrieval.max_results", "2.5", "2.5 is not a whole number"),
        ("retrieval.max_results", "true", "True is not a number"),
        ("retrieval.max_results", "1e308", "1e+308 is not between 1 and 100"),
        ("retrieval.time_decay_rate", "NaN", "nan is not between 0 and 1"),
        ("retrieval.time_decay_rate", '"nan"', "'nan' is not a number"),
        ("recording.redact_patterns", '"x"', "'x' is not a list of texts"),
    ],
)
def test_a_wrong_value_is_a_problem_with_key_line_and_default(name, value, message):
    section, _, field = name.partition(".")
    text = f'{{\n  "{section}": {{\n    "{field}": {value}\n  }}\n}}'

    settings, problems = parse_settings(text, "config.json")

    default = setting_values(DEFAULTS)[name]
    assert settings == DEFAULTS
    assert problems == (Problem("config.json", 3, f"{name}: {message}; {default!r} is used"),)


@pytest.mark.parametrize("bad", ['"("', '"a{99999999999999999999}"', "5"])
def test_a_pattern_that_is_wrong_is_left_out_and_the_others_hold(bad):
    text = f'{{"recording": {{"redact_patterns": ["ACME-[0-9]+", {bad}]}}}}'

    settings, problems = parse_settings(text)

    assert settings.recording.redact_patterns == ("ACME-[0-9]+",)
    assert problems[0].message.endswith("; left out")


def test_a_whole_number_may_be_written_with_a_point():
    settings, problems = parse_settings('{"retrieval": {"max_results": 5.0}}')

    assert repr(settings.retrieval.max_results) == "5"
    assert problems == ()


def test_lists_become_tuples():
    settings, problems = parse_settings('{"recording": {"redact_patterns": ["ACME-[0-9]+"]}}')

    assert settings.recording.redact_patterns == ("ACME-[0-9]+",)
    assert problems == ()


def test_unknown_keys_and_sections_are_named_with_their_line():
    text = '{\n"storage": {\n"colour": 1},\n"extra": {},\n"retrieval": 5}'

    settings, problems = parse_settings(text, "c")

    assert settings == DEFAULTS
    assert problems == (
        Problem("c", 3, "storage.colour: unknown key; ignored"),
        Problem("c", 4, "extra: unknown section; ignored"),
        Problem("c", 5, "retrieval: not an object; ignored"),
    )


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
    settings, problems = parse_settings(json.dumps({"recording": {"summarizer_url": address}}))

    assert (settings.recording.summarizer_url, problems) == (address, ())


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
    settings, problems = parse_settings(json.dumps({"recording": {"summarizer_url": address}}))

    assert settings == DEFAULTS
    assert problems[0].message.startswith(f"recording.summarizer_url: {fault}")
    assert "tulip42" not in problems[0].message


def test_a_projects_model_needs_the_users_consent():
    project, _ = parse_settings(
        '{"recording": {"summarizer": "openai", "summarizer_url": "http://evil.invalid",'
        ' "min_conversation_length": 1}}'
    )
    own, _ = parse_settings('{"recording": {"summarizer": "openai", "summarizer_model": "m"}}')

    agreed, refused = with_consent(project, own), with_consent(project, DEFAULTS)

    assert agreed.recording == own.recording._replace(min_conversation_length=1)
    assert refused.recording == DEFAULTS.recording._replace(min_conversation_length=1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"recording": {"summarizer": "heuristic"}}', True),
        ('{"recording": {"summarizer": 7}}', True),
        ('{"recording": {}}', False),
        ("// nothing\n{}", False),
        ('{"recording": []}', False),
        ("{", True),
        ("[]", True),
    ],
)
def test_a_project_that_does_not_speak_of_a_summarizer_is_told_apart(text, names):
    assert names_summarizer(text) == names


def test_a_project_that_is_silent_leaves_the_summarizer_to_the_user():
    own, _ = parse_settings('{"recording": {"summarizer": "openai", "summarizer_model": "m"}}')

    assert with_consent(DEFAULTS, own, is_silent=True).recording == own.recording


def test_a_key_without_effect_in_this_version_says_so():
    settings, problems = parse_settings('{"semantic": {"enabled": true}}')

    assert settings.semantic.enabled
    assert [problem.message for problem in problems] == [
        "semantic.enabled: has no effect in this version"
    ]


@pytest.mark.parametrize("text", ["", "{", "{// comment\n nope", "[1]", "null", "[" * 100_000])
def test_a_broken_file_gives_the_defaults_and_a_problem(text):
    settings, problems = parse_settings(text)

    assert settings == Settings()
    assert len(problems) == 1


def test_what_looks_like_a_comment_in_a_string_is_text():
    text = '{"a": "http://x/*y*/", "b": "\\"//", "c": ",}"}'

    assert parse_jsonc(text) == {"a": "http://x/*y*/", "b": '"//', "c": ",}"}


def test_lines_stay_lines_without_the_comments():
    assert strip_comments("{/* a\nb */\n}") == "{\n\n}"


def test_a_key_that_is_not_there_has_no_line():
    assert line_of_key('{"a": {"b": 1}}', "a", "c") == 0


def _as_json(value: object) -> object:
    return json.loads(json.dumps(value))
