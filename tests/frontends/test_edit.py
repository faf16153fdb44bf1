"""`memory edit`: in an editor, or from stdin."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest


@pytest.fixture
def one(cli):
    """The id of a session that is there."""
    saved = cli(
        "save", "--topic", "缓存方案", "--point", "TTL 定为 300 秒", "--tag", "redis", "--json"
    )
    return saved.json()["id"]


def test_the_text_is_printed_changed_and_taken(cli, one):
    text = cli("edit", one, "--print").out

    outcome = cli("edit", one, stdin=text.replace("300", "600"))

    assert "changed " in outcome.err
    assert cli("edit", one, "--print").out == text.replace("300", "600")
    assert one in cli("search", "600 秒").out


def test_the_outcome_comes_as_json(cli, one):
    text = cli("edit", one, "--print").out

    same = cli("edit", one, "--json", stdin=text)
    other = cli("edit", one, "--json", stdin=text.replace("300", "600"))

    assert same.json() == {"id": one, "changed": False, "undo": None, "warnings": []}
    assert other.json() == {"id": one, "changed": True, "undo": "1", "warnings": []}


def test_the_same_text_changes_nothing(cli, one):
    assert "nothing changed" in cli("edit", one, stdin=cli("edit", one, "--print").out).err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def editing(monkeypatch, tmp_path):
    """Return a function that edits with a script, as on a terminal; give status and what it saw."""
    from daily_memory.frontends.cli import main

    def run(id_, script, variable="EDITOR"):
        editor = tmp_path / "editor.py"
        editor.write_text(f"import sys, os\npath = sys.argv[-1]\n{script}\n", encoding="utf-8")
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv(variable, f'"{sys.executable}" "{editor}" --wait')
        monkeypatch.setenv("TMPDIR", str(tmp_path / "drafts"))
        (tmp_path / "drafts").mkdir(exist_ok=True)
        monkeypatch.setattr("tempfile.tempdir", None)
        monkeypatch.setattr(sys, "stdin", Terminal())
        return main(["edit", id_])

    return run


REPLACE = """text = open(path, encoding="utf-8").read()
open(path, "w", encoding="utf-8").write(text.replace("300", "600"))"""


@pytest.mark.parametrize("variable", ["EDITOR", "VISUAL"])
def test_the_user_edits_with_their_own_editor(cli, one, editing, tmp_path, variable):
    status = editing(one, REPLACE, variable)

    assert status == 0
    assert "TTL 定为 600 秒" in cli("edit", one, "--print").out
    assert list((tmp_path / "drafts").iterdir()) == []


def test_what_was_written_is_kept_where_the_section_changed_meanwhile(
    cli, one, editing, tmp_path, capsys
):
    day = Path(cli("show", one, "--json").json()["sessions"][0]["path"])
    day = Path.cwd() / ".cursor/skills/memories" / day
    meanwhile = f"""
day = {str(day)!r}
text = open(day, encoding="utf-8").read()
open(day, "w", encoding="utf-8").write(text.replace("300", "900"))
"""

    status = editing(one, f"{REPLACE}{meanwhile}")

    assert status == 4
    (draft,) = (tmp_path / "drafts").iterdir()
    assert "600" in draft.read_text(encoding="utf-8")
    assert f"what you wrote is in {str(draft)!r}" in capsys.readouterr().err
    assert "900" in day.read_text(encoding="utf-8")


def test_an_editor_that_fails_changes_nothing(one, editing, capsys, tmp_path):
    assert editing(one, "sys.exit(3)") == 6
    assert "ended with status 3" in capsys.readouterr().err
    assert list((tmp_path / "drafts").iterdir()) == []


def test_what_was_written_is_kept_where_the_editor_fails(one, editing, capsys, tmp_path):
    assert editing(one, f"{REPLACE}\nsys.exit(1)") == 6
    (draft,) = (tmp_path / "drafts").iterdir()
    assert f"what you wrote is in {str(draft)!r}" in capsys.readouterr().err
    assert "600" in draft.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("script", "status", "said", "kept"),
    [
        ("open(path, 'w').close()", 2, "the text is empty: nothing was changed", 0),
        ("os.unlink(path)", 6, "removed its file\nhint: nothing was changed", 0),
        ("open(path, 'wb').write('## 会话 1'.encode('gb18030'))", 2, "is not UTF-8", 1),
    ],
)
def test_what_an_editor_leaves_may_be_no_text(
    cli, one, editing, capsys, tmp_path, script, status, said, kept
):
    before = cli("edit", one, "--print").out

    assert editing(one, script) == status
    assert said in capsys.readouterr().err
    assert len(list((tmp_path / "drafts").iterdir())) == kept
    assert cli("edit", one, "--print").out == before


def test_line_ends_and_the_mark_of_another_system_are_no_change(cli, one, editing):
    script = r"""text = open(path, "rb").read()
open(path, "wb").write(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))"""

    assert editing(one, script) == 0
    assert "TTL 定为 300 秒" in cli("edit", one, "--print").out
    assert cli("undo", "--list").err == "nothing to undo\n"


def test_an_empty_text_is_no_deletion(cli, one):
    outcome = cli("edit", one, stdin=" \n")

    assert outcome.status == 2
    assert f"`memory delete {one}` takes the session out" in outcome.err


def test_an_editor_that_is_not_there_is_told(one, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "drafts"))
    (tmp_path / "drafts").mkdir()
    monkeypatch.setenv("VISUAL", os.devnull)
    from daily_memory.frontends.cli import main

    monkeypatch.setattr(sys, "stdin", Terminal())

    assert main(["edit", one]) == 6
    assert "can't run the editor" in capsys.readouterr().err
    assert list((tmp_path / "drafts").iterdir()) == []


def test_a_text_that_is_no_section_is_refused(cli, one):
    outcome = cli("edit", one, stdin="just words")

    assert outcome.status == 2
    assert "is not just the section" in outcome.err
    assert "## Session 1" in outcome.err
