"""The user's own file and the project's: each setting by its rule."""

from __future__ import annotations

import json

import pytest

from daily_memory.core.config_file import ConfigFile, parse_config
from daily_memory.core.config_layers import STOPPED, effective
from daily_memory.core.setting_keys import FREE, KEYS, OWN, TIGHTEN, Key, setting_values
from daily_memory.core.settings import DEFAULTS
from daily_memory.model import Problem


def config(path: str = "config.json", **sections: object) -> ConfigFile:
    return parse_config(json.dumps(sections, indent=1, ensure_ascii=False), path)


def stating(key: Key, value: object, path: str = "config.json") -> ConfigFile:
    return parse_config(json.dumps({key.section: {key.field: value}}, indent=1), path)


def another(key: Key) -> object:
    """Return a value that a setting may have, neither its default nor its strict one."""
    default = key.default
    if isinstance(default, bool):
        return not default
    if isinstance(default, tuple):
        return ["/srv/例子"]
    if isinstance(default, str):
        others = [one for one in key.choices if one not in (default, key.strict)]
        scheme = "postgresql" if key.name == "mirror.url" else "https"
        return [*others, f"{scheme}://example.com", default][0]
    return key.low + 1 if default != key.low + 1 else key.low


@pytest.mark.parametrize("key", [key for key in KEYS if key.rule == FREE])
def test_of_what_is_free_the_projects_value_comes_first_and_the_users_next(key):
    value = another(key)
    stated = stating(key, value)
    other = stating(key, key.default)

    for own, project, wanted, source in (
        (stated, ConfigFile(""), value, "global"),
        (other, stated, value, "project"),
        (stated, other, key.default, "project"),
    ):
        found = effective(own, project)
        assert setting_values(found.settings)[key.name] == wanted
        assert (found.sources[key.name], found.refused) == (source, ())


@pytest.mark.parametrize("key", [key for key in KEYS if key.rule == OWN])
def test_what_is_the_users_own_no_project_sets(key):
    value = another(key)
    stated = stating(key, value, "c")

    found = effective(ConfigFile(""), stated)

    assert found.settings == DEFAULTS
    (refused,) = found.refused or (Problem("c", 3, f"{key.name}: "),)  # of a file name, the default
    assert (refused.line, refused.message.partition(":")[0]) == (3, key.name)
    mine = setting_values(effective(stated, ConfigFile("")).settings)[key.name]
    assert mine == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    "key", [key for key in KEYS if key.rule == TIGHTEN and key.strict is not None]
)
def test_what_protects_a_project_can_switch_on_and_never_off(key):
    lax = [one for one in (*key.choices, True, False) if one not in (key.strict, None)]
    lax = [one for one in lax if isinstance(one, type(key.default))]
    strict = stating(key, key.strict)
    for value in lax:
        loose = stating(key, value)

        assert setting_values(effective(strict, loose).settings)[key.name] == key.strict
        assert setting_values(effective(loose, strict).settings)[key.name] == key.strict
        assert setting_values(effective(loose, loose).settings)[key.name] == value
        refused = effective(strict, loose).refused
        assert bool(refused) == (value != key.default)


def test_the_patterns_of_both_are_united():
    own = config(recording={"redact_patterns": ["工号 ?[0-9]+", "ACME"]})
    project = config(recording={"redact_patterns": ["ACME", "PROJ"]})

    for project_file, source in ((project, "both"), (ConfigFile(""), "global")):
        found = effective(own, project_file)
        assert found.sources["recording.redact_patterns"] == source
    assert effective(own, project).settings.recording.redact_patterns == (
        "工号 ?[0-9]+",
        "ACME",
        "PROJ",
    )
    assert effective(ConfigFile(""), project).sources["recording.redact_patterns"] == "project"


def test_a_repositorys_attempt_to_open_what_is_hidden_is_refused_with_its_line():
    project = config("p", recording={"redact_allow": [".*"], "redact_private_addresses": False})

    found = effective(ConfigFile(""), project)

    assert found.settings == DEFAULTS
    assert [(one.path, one.line, one.message) for one in found.refused] == [
        (
            "p",
            6,
            "recording.redact_private_addresses: ignored, a project's file can only make this"
            " stricter; use `memory config set --global recording.redact_private_addresses …`",
        ),
        (
            "p",
            3,
            "recording.redact_allow: ignored, a project's file can't set this;"
            " use `memory config set --global recording.redact_allow …`",
        ),
    ]


def test_a_project_without_a_say_can_break_nothing_of_it():
    found = effective(
        ConfigFile(""), config(storage={"location": 5}, recording={"redact_allow": 5})
    )

    assert found == effective(ConfigFile(""), ConfigFile(""))


@pytest.mark.parametrize("is_own", [True, False])
def test_a_file_that_is_broken_stops_recording_whosever_it_is(is_own):
    broken = parse_config('{"recording": {"redact_patterns": ["工号"] "auto_save": true}}', "c")
    files = (broken, ConfigFile("")) if is_own else (ConfigFile(""), broken)

    found = effective(*files)

    assert found.settings.closed == "c:1: not JSON (Expecting ',' delimiter)"
    assert [one.message for one in found.faults] == [
        f"not JSON (Expecting ',' delimiter); {STOPPED}"
    ]


def test_a_section_that_is_none_is_one_fault():
    found = effective(config(recording=[], mirror=[]))

    assert [one.message for one in found.problems] == [
        f"recording: not an object; {STOPPED}",
        "mirror: not an object; ignored",
    ]
