"""`config.json` on disk: whatever lies there, and never too much of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from daily_memory.core.config_file import MOST_BYTES
from daily_memory.core.settings import DEFAULTS
from daily_memory.storage.roots import global_root, project_root
from daily_memory.storage.settings_file import is_encrypted, load_config, load_settings


@pytest.fixture
def root(tmp_path):
    root = project_root(str(tmp_path))
    os.makedirs(root.path)
    return root


def test_no_file_says_nothing(root, tmp_path):
    own = global_root(str(tmp_path / "home"))

    assert load_settings(own, root).settings == load_settings(own).settings == DEFAULTS


@pytest.mark.parametrize("owner", ["user", "project"])
def test_a_memory_is_encrypted_if_its_own_file_or_the_users_says_so(root, tmp_path, owner):
    own = global_root(str(tmp_path / "home"))
    os.makedirs(own.path)
    assert not is_encrypted(own, root)

    config = Path((own if owner == "user" else root).config)
    config.write_text(json.dumps({"storage": {"encryption": "age"}}))

    assert is_encrypted(own, root)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"{}" + b" " * MOST_BYTES, 0, "larger than 64 KB"),
        (b'{\n"recording": "\xff"}', 2, "not UTF-8"),
        ('{"recording": {}}'.encode("utf-16"), 1, "not UTF-8"),
    ],
)
def test_a_file_that_can_not_be_read_as_text_may_have_said_anything(root, data, line, message):
    Path(root.config).write_bytes(data)

    file = load_config(root)

    assert file.fault
    assert (file.fault.line, file.fault.message) == (line, message)
    assert "recording.redact_patterns" in file.unusable


@pytest.mark.parametrize("kind", ["folder", "link", "dangling", "fifo"])
def test_what_is_no_file_is_not_followed_and_not_waited_for(root, tmp_path, kind):
    target = tmp_path / "other.json"
    if kind == "folder":
        os.mkdir(root.config)
    elif kind == "fifo":
        os.mkfifo(root.config)
    else:
        if kind == "link":
            target.write_text(json.dumps({"retrieval": {"max_results": 9}}))
        os.symlink(target, root.config)

    file = load_config(root)

    assert file.fault
    assert file.fault.message.startswith("can't be read")
    assert file.values == {}
