"""One setting changed in `config.json`: all else in it is the user's and stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.services.setup import config as configuring

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
    path = Path(memory.workspace.project_root.config)
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITTEN.encode())
    return path


def text(path):
    return path.read_bytes().decode()


def test_a_value_is_put_in_the_place_of_another(memory, config):
    memory.config.set("retrieval.max_results", 9)

    assert text(config) == WRITTEN.replace("7, // seven", "9, // seven")
    assert memory.settings.retrieval.max_results == 9


def test_a_value_is_added_to_its_section(memory, config):
    memory.config.set("recall.max_chars", 900)

    assert text(config) == WRITTEN.replace('"recall": {}', '"recall": {\n    "max_chars": 900\n  }')


def test_a_section_is_added(memory, config):
    memory.config.set("recording.redact_patterns", ["例子", "x+"])

    assert memory.settings.recording.redact_patterns == ("例子", "x+")
    assert text(config).startswith(WRITTEN[: WRITTEN.index("}")])


def test_a_file_is_made_where_there_is_none(memory):
    memory.config.set("recall.at_start", False)

    assert memory.settings.recall.at_start is False
    assert memory.settings_problems == ()


def test_the_same_value_changes_nothing(memory, config):
    before = config.stat().st_mtime_ns

    memory.config.set("retrieval.max_results", 7)

    assert config.stat().st_mtime_ns == before


def test_a_value_is_taken_away(memory, config):
    memory.config.unset("retrieval.max_results")
    memory.config.unset("recall.max_chars")
    memory.config.unset("storage.location")

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
        ("recording.redact_allow", ["(", 3], "not a regular expression"),
        ("recording.summarizer_url", "ftp://x", "not an address"),
    ],
)
def test_what_can_not_be_is_refused(memory, config, name, value, message):
    with pytest.raises(InvalidInputError, match=message.replace("(", r"\(")):
        memory.config.set(name, value)

    assert text(config) == WRITTEN


def test_a_file_that_is_made_is_that_of_the_template(memory):
    memory.config.unset("recall.max_chars")
    assert not Path(memory.config.path).exists()

    memory.config.set("retrieval.max_results", 5)

    assert "// Settings of this project." in Path(memory.config.path).read_text()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("max_results", "did you mean retrieval.max_results?"),
        ("retention", "did you mean storage.retention_days?"),
        ("retreival.max_result", "did you mean retrieval.max_results?"),
        ("完全不同", "run `memory config` to see them"),
    ],
)
def test_a_slip_in_a_name_gives_the_name_that_was_meant(memory, name, near):
    with pytest.raises(InvalidInputError) as caught:
        memory.config.set(name, 1)

    assert caught.value.hint == near


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("recall.at_start", "开", True),
        ("recall.at_start", "OFF", False),
        ("recall.at_start", "maybe", "maybe"),
        ("retrieval.method", "keyword", "keyword"),
        ("retrieval.method", '"keyword"', "keyword"),
        ("retrieval.max_results", "8", 8),
        ("retrieval.max_results", "八", "八"),
        ("recording.redact_allow", '["例子"]', ["例子"]),
        ("recording.redact_allow", "[" * 100_000, "[" * 100_000),
    ],
)
def test_what_is_typed_becomes_a_value(name, text, value):
    assert configuring.parse_value(name, text) == value


def sources(memory):
    return {one.key.name: one.source for one in memory.config.describe()}


def test_each_setting_says_where_it_comes_from(memory, config):
    found = sources(memory)

    assert found["retrieval.max_results"] == "project"
    assert found["recall.max_chars"] == "default"


def written(memory, text):
    own = Path(memory.workspace.global_root.config)
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text, encoding="utf-8")
    return own


def test_the_file_of_all_projects_holds_where_a_project_says_nothing(memory, config):
    everywhere = Memory("", home=memory.workspace.global_root.path.split("/.cursor")[0])

    everywhere.config.set("recall.max_chars", 800)
    everywhere.config.set("retrieval.max_results", 8)

    assert sources(memory)["recall.max_chars"] == "global"
    assert sources(memory)["retrieval.max_results"] == "project"
    assert sources(everywhere)["retrieval.max_results"] == "global"
    memory = memory.in_folder(memory.project)
    assert (memory.settings.recall.max_chars, memory.settings.retrieval.max_results) == (800, 7)


def test_each_setting_of_both_files_comes_from_the_one_that_counts(memory, config):
    written(
        memory,
        '{"recording": {"summarizer": "ollama", "summarizer_model": "qwen",'
        ' "redact_patterns": ["工号"]}}',
    )
    config.write_text(
        '{"recording": {"summarizer": "ollama", "redact_allow": ["例子"],'
        ' "redact_patterns": ["ACME"]}}',
        encoding="utf-8",
    )

    found = sources(memory)

    assert found["recording.summarizer"] == "project"
    assert found["recording.summarizer_model"] == "global"
    assert found["recording.redact_allow"] == "default"
    assert found["recording.redact_patterns"] == "both"


@pytest.mark.parametrize(
    ("own", "name", "value", "command"),
    [
        ("{}", "storage.location", "global-only", "storage.location global-only"),
        ("{}", "recording.redact_allow", ["例子 x"], "recording.redact_allow '[\"例子 x\"]'"),
        ("{}", "recording.sanitize_sensitive", False, "recording.sanitize_sensitive false"),
        ('{"recording": {"auto_save": false}}', "recording.auto_save", True, "auto_save true"),
        ("{}", "recording.summarizer", "ollama", "recording.summarizer ollama"),
    ],
)
def test_what_a_project_may_not_set_is_refused_with_the_command_that_does(
    memory, config, own, name, value, command
):
    written(memory, own)

    with pytest.raises(InvalidInputError, match="in a project's settings") as caught:
        memory.config.set(name, value)

    assert caught.value.hint.endswith(command)
    assert text(config) == WRITTEN


def test_what_protects_can_be_made_stricter_in_a_project_and_again_as_it_was(memory, config):
    memory.config.set("recording.auto_save", value=False)
    assert not memory.settings.recording.auto_save

    memory.config.set("recording.auto_save", value=True)
    assert memory.settings.recording.auto_save


@pytest.mark.parametrize("wrong", ["{", "[]", '{"retrieval": 5}', '{"retrieval": {"method": "?"}}'])
def test_what_can_not_be_used_comes_from_nowhere(memory, config, wrong):
    config.write_text(wrong)

    assert set(sources(memory).values()) == {"default"}


def test_a_whole_text_takes_the_place_of_another(memory, config):
    before = memory.config.text()

    assert memory.config.replace_text(before.replace("7", "8"), before)
    assert memory.settings.retrieval.max_results == 8
    assert not memory.config.replace_text(memory.config.text(), memory.config.text())


def test_the_template_is_edited_where_there_is_no_file(memory):
    before = memory.config.text()

    memory.config.replace_text(before, before)

    assert Path(memory.config.path).read_text() == before


@pytest.mark.parametrize("wrong", ["{", '{"recal": {}}', '{"recall": {"max_chars": 1}}'])
def test_a_text_with_a_new_fault_is_refused(memory, config, wrong):
    with pytest.raises(InvalidInputError):
        memory.config.replace_text(wrong, memory.config.text())

    assert text(config) == WRITTEN


def test_faults_that_were_there_are_let_be(memory, config):
    config.write_text('{"older": {}}')

    memory.config.replace_text('{"older": {}, "storage": {"retention_days": 5}}', '{"older": {}}')

    assert "retention_days" in text(config)


def test_a_text_made_from_an_older_one_is_refused(memory, config):
    before = memory.config.text()
    config.write_text("{}")

    with pytest.raises(ConflictError, match="changed meanwhile"):
        memory.config.replace_text(before.replace("7", "8"), before)


def test_a_file_that_is_not_utf_8_is_left_alone(memory, config):
    config.write_bytes(b'{"a": "\xff"}')

    with pytest.raises(InvalidInputError, match="is not UTF-8"):
        memory.config.set("recall.max_chars", 900)

    assert config.read_bytes() == b'{"a": "\xff"}'


@pytest.mark.parametrize("broken", ["{", "[]", '{"recall": 3}'])
def test_a_file_that_is_broken_is_left_alone(memory, config, broken):
    config.write_text(broken, encoding="utf-8")

    with pytest.raises(InvalidInputError, match="is not JSON that can be changed"):
        memory.config.set("recall.max_chars", 900)

    assert text(config) == broken
