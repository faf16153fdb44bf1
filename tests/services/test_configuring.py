"""One setting changed in `config.json`: all else in it is the user's and stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory.errors import InvalidInputError

WRITTEN = """{
  // 我的设置
  "retrieval": {
    "max_results": 7, // seven
    "method": "keyword"
  },
  "recall": {},
}
"""


@pytest.fixture
def config(memory):
    path = Path(memory.project_root.config)
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITTEN.encode())
    return path


def text(path):
    return path.read_bytes().decode()


def test_a_value_is_put_in_the_place_of_another(memory, config):
    memory.set("retrieval.max_results", 9)

    assert text(config) == WRITTEN.replace("7, // seven", "9, // seven")
    assert memory.settings.retrieval.max_results == 9


def test_a_value_is_added_to_its_section(memory, config):
    memory.set("recall.max_chars", 900)

    assert text(config) == WRITTEN.replace('"recall": {}', '"recall": {\n    "max_chars": 900\n  }')


def test_a_section_is_added(memory, config):
    memory.set("recording.redact_allow", ["例子", "x+"])

    assert memory.settings.recording.redact_allow == ("例子", "x+")
    assert text(config).startswith(WRITTEN[: WRITTEN.index("}")])


def test_a_file_is_made_where_there_is_none(memory):
    memory.set("recall.at_start", False)

    assert memory.settings.recall.at_start is False
    assert memory.settings_problems == ()


def test_the_same_value_changes_nothing(memory, config):
    before = config.stat().st_mtime_ns

    memory.set("retrieval.max_results", 7)

    assert config.stat().st_mtime_ns == before


def test_a_value_is_taken_away(memory, config):
    memory.unset("retrieval.max_results")
    memory.unset("recall.max_chars")
    memory.unset("storage.location")

    assert memory.settings.retrieval.max_results == 5
    assert "我的设置" in text(config)
    assert '"method": "keyword"' in text(config)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("colour", 1, "no setting 'colour'"),
        ("retrieval", {}, "no setting 'retrieval'"),
        ("retrieval.max_results", 0, "0 is not between 1 and 100"),
        ("retrieval.max_results", "5", "'5' is not a number"),
        ("retrieval.method", "guess", "'guess' is not one of"),
        ("recall.at_start", "yes", "'yes' is not true or false"),
        ("recording.redact_allow", "x", "'x' is not a list of texts"),
        ("recording.redact_allow", ["(", 3], "is not a regular expression"),
        ("recording.summarizer_url", "ftp://x", "not an address"),
    ],
)
def test_what_can_not_be_is_refused(memory, config, name, value, message):
    with pytest.raises(InvalidInputError, match=message.replace("(", r"\(")):
        memory.set(name, value)

    assert text(config) == WRITTEN


@pytest.mark.parametrize("broken", ["{", "[]", '{"recall": 3}'])
def test_a_file_that_is_broken_is_left_alone(memory, config, broken):
    config.write_text(broken, encoding="utf-8")

    with pytest.raises(InvalidInputError, match="is not JSON that can be changed"):
        memory.set("recall.max_chars", 900)

    assert text(config) == broken
