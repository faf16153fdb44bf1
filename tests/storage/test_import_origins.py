"""What came in a file is marked by the hash of its name."""

from __future__ import annotations

import os
from pathlib import Path

from daily_memory.storage import import_origins
from daily_memory.storage.roots import project_root


def test_what_is_noted_has_the_origin_of_an_import(tmp_path):
    root = project_root(str(tmp_path))
    path = os.path.join(root.path, "observations", "a.jsonl")

    assert import_origins.origin_of(root, path) == ""
    import_origins.note(root, ["observations/a.jsonl", "observations/b.jsonl"])

    assert import_origins.origin_of(root, path) == "import"
    assert import_origins.origin_of(root, os.path.join(root.path, "a.jsonl")) == ""


def test_nothing_is_written_for_nothing(tmp_path):
    root = project_root(str(tmp_path))

    import_origins.note(root, [])

    assert not os.path.exists(root.index_folder)


def test_each_name_is_one_hash_in_quotes(tmp_path):
    root = project_root(str(tmp_path))

    import_origins.note(root, ["a"])
    import_origins.note(root, ["b"])

    assert Path(root.index_folder, "imported.jsonl").read_bytes() == (
        b'"27c35e6e9373877f29e562464e46497e"\n"96172b4c53372cd10faddc821bfe0318"\n'
    )


def test_what_cannot_be_read_may_have_come_in_a_file(tmp_path):
    root = project_root(str(tmp_path))
    Path(root.index_folder, "imported.jsonl").mkdir(parents=True)

    assert import_origins.origin_of(root, os.path.join(root.path, "a")) == "import"
