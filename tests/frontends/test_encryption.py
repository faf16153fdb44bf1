"""`memory encrypt`, `decrypt`, `rekey` and `unlock`, and what a locked memory says."""

from __future__ import annotations

import io
import os
import signal
import sys
from pathlib import Path

import pytest

from daily_memory.frontends.cli import arguments, main
from daily_memory.frontends.cli.commands import encryption
from daily_memory.services.setup import encryption as encrypting
from daily_memory.storage.fs import files
from tests.encryption import PASSPHRASE, forget_keys, places_of_words

WORDS = ("缓存方案", "zebra")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr(files, "key_holders", {})
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    forget_keys()


@pytest.fixture
def saved(cli):
    """The command line in a project with a session of today."""
    assert cli("save", "--topic", "缓存方案 zebra", "--point", "TTL 300", "--tag", "x").status == 0
    return cli


@pytest.fixture
def encrypted(saved):
    assert saved("encrypt", "--yes").status == 0
    return saved


def on_terminal(monkeypatch, text: str = "") -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)


def root() -> Path:
    return Path.cwd() / ".cursor" / "skills" / "memories"


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
def test_a_dry_run_counts_and_does_nothing(saved, encrypted_first, command, tmp_path):
    before = places_of_words(tmp_path, words=WORDS)

    outcome = saved(command, "--dry-run", "--json")

    (plan,) = outcome.json()["plans"]
    assert len(plan["to_convert"]) == 3
    assert plan["to_remove"] == ["index/lookup.sqlite3"]
    assert "3 files" in outcome.err
    assert "dry run" in outcome.err
    assert "dry run" in saved(command, "--dry-run").err
    assert places_of_words(tmp_path, words=WORDS) == before


@pytest.fixture
def encrypted_first(saved, command):
    if command != "encrypt":
        assert saved("encrypt", "--yes").status == 0


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
def test_without_a_terminal_and_without_yes_nothing_is_done(
    saved, encrypted_first, command, tmp_path
):
    before = places_of_words(tmp_path, words=WORDS)

    outcome = saved(command)

    assert outcome.status == 2
    assert "--yes" in outcome.err
    assert places_of_words(tmp_path, words=WORDS) == before


def test_on_a_terminal_it_asks(saved, monkeypatch, capsys):
    on_terminal(monkeypatch, "n\n")
    assert main(["encrypt"]) == 2
    assert "nothing was done" in capsys.readouterr().err
    on_terminal(monkeypatch, "是\n")
    assert main(["encrypt"]) == 0
    assert files.is_sealed(next((root() / "daily").iterdir()).read_bytes())


def test_encrypting_says_where_the_key_is_and_what_it_is_worth(saved, tmp_path):
    outcome = saved("encrypt", "--yes", "--json")

    answer = outcome.json()
    assert answer["key_file"] == str(tmp_path / "home/.config/daily-memory/key.txt")
    assert (answer["converted"], answer["failed"], answer["new_key"]) == (3, [], True)
    assert "without it nobody can read" in outcome.err
    assert "AGE-SECRET-KEY" not in outcome.out + outcome.err
    # A `.git` that is no repository has no history.
    assert "git keeps" not in outcome.err
    assert places_of_words(tmp_path, words=WORDS) == []
    assert "缓存方案" in saved("search", "zebra").out


def test_a_memory_that_is_not_there_yet_can_be_encrypted(cli, tmp_path):
    assert cli("encrypt", "--dry-run", "--json").json()["plans"][0]["to_convert"] == []
    assert cli("encrypt", "--yes").status == 0

    assert cli("add", "zebra 缓存方案").status == 0
    assert places_of_words(tmp_path, words=WORDS) == []


def test_on_a_terminal_one_sees_how_far_it_is(saved, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    assert "files encrypted: 3/3" in saved("encrypt", "--yes").err


def test_other_memories_that_stay_in_the_clear_are_named(saved, tmp_path):
    assert saved("add", "for all", "--scope", "global").status == 0

    home = tmp_path / "home" / ".cursor" / "skills" / "memories"
    assert f"another memory stays unencrypted: {home}" in saved("encrypt", "--yes").err


def test_git_is_named_where_it_has_the_days_in_the_clear(saved):
    (Path.cwd() / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    assert "git keeps what was committed before in the clear" in saved("encrypt", "--yes").err


def test_decrypting_and_another_key_tell_what_they_did(encrypted, tmp_path):
    rekeyed = encrypted("rekey", "--yes", "--json")
    assert rekeyed.json()["memories"][0]["converted"] == 3
    assert rekeyed.json()["old_key"] in rekeyed.err
    assert "key.txt.old" in encrypted("rekey", "--yes").err

    decrypted = encrypted("decrypt", "--yes", "--json")
    assert decrypted.json()["converted"] == 3
    assert "decrypted 0 files" in encrypted("decrypt", "--yes").err
    assert places_of_words(tmp_path, words=WORDS)


def test_projects_that_are_not_there_are_named_with_another_key(encrypted, tmp_path):
    projects = tmp_path / "home" / ".cursor" / "skills" / "memories" / "projects.json"
    projects.write_text('{"version": "1.0", "projects": [{"path": "/gone", "id": "", "name": ""}]}')

    outcome = encrypted("rekey", "--yes", "--json")

    assert outcome.json()["not_there"] == ["/gone"]
    assert "still for the old key if it was encrypted: /gone" in outcome.err


def test_what_can_not_be_read_is_named_and_the_status_says_so(encrypted):
    day = next((root() / "daily").iterdir())
    day.write_bytes(day.read_bytes()[:-1])

    for command in ("rekey", "decrypt"):
        outcome = encrypted(command, "--yes")
        assert outcome.status == 5
        assert f"left as it is: {str(day)!r} is damaged" in outcome.err


def test_the_passphrase_is_typed_twice(saved, monkeypatch, capsys):
    answers = iter(["one", "two", PASSPHRASE, PASSPHRASE])
    monkeypatch.setattr("getpass.getpass", lambda _: next(answers))
    on_terminal(monkeypatch)
    assert main(["encrypt", "--yes", "--passphrase"]) == 2
    assert "not the same" in capsys.readouterr().err
    assert main(["encrypt", "--yes", "--passphrase"]) == 0
    assert "Without its passphrase" in capsys.readouterr().err


def test_without_a_terminal_the_passphrase_is_that_of_the_environment(saved, monkeypatch):
    assert "MEMORY_PASSPHRASE" in saved("encrypt", "--yes", "--passphrase").err
    monkeypatch.setenv("MEMORY_PASSPHRASE", PASSPHRASE)
    assert saved("encrypt", "--yes", "--passphrase", "--json").json()["passphrase"] is True
    assert saved("rekey", "--yes", "--passphrase", "--json").json()["passphrase"] is True
    forget_keys()
    assert "缓存方案" in saved("search", "zebra").out

    monkeypatch.delenv("MEMORY_PASSPHRASE")
    forget_keys()
    outcome = saved("search", "zebra", "--json")
    assert outcome.status == 6
    assert outcome.json()["error"]["code"] == "locked"
    assert "MEMORY_PASSPHRASE" in outcome.err


def test_who_sits_at_a_terminal_is_asked(monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda prompt: f"typed at {prompt!r}")
    on_terminal(monkeypatch)
    ask = arguments.find_asker()
    assert ask is not None
    assert ask() == 'typed at "passphrase of your memory\'s key: "'
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert arguments.find_asker() is None
    assert encryption.new_passphrase({"MEMORY_PASSPHRASE": "x"}) == "x"


# ---------------------------------------------------------------------------- a day, a session


def test_a_day_is_printed(encrypted):
    day = next((root() / "daily").iterdir())

    assert "缓存方案 zebra" in encrypted("unlock").out
    assert encrypted("unlock", day.stem).out == files.read_bytes(str(day)).decode()
    assert "`memory list` shows the days" in encrypted("unlock", "2031-01-01").err
    assert "YYYY-MM-DD" in encrypted("unlock", "昨天").err


def test_it_tells_that_a_file_on_stdin_is_not_read(encrypted, tmp_path):
    (tmp_path / "day.md").write_text("other", encoding="utf-8")
    with open(tmp_path / "day.md", encoding="utf-8") as file:
        outcome = encrypted("unlock", stdin=file)

    assert "缓存方案 zebra" in outcome.out
    assert outcome.err.startswith("stdin was not read:")
    assert not encrypted("unlock").err


@pytest.fixture
def id_(encrypted):
    """The id of the session."""
    return encrypted("list", "--json").json()["sessions"][0]["id"]


@pytest.fixture
def editing(id_, monkeypatch, tmp_path, capsys):
    """Return a function that edits with a script, as on a terminal; gives status and stderr."""
    drafts_folder = tmp_path / "drafts"
    drafts_folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(drafts_folder))
    monkeypatch.setattr("tempfile.tempdir", None)

    def run(script):
        editor = tmp_path / "editor.py"
        editor.write_text(
            "import sys, os\npath = sys.argv[-1]\n"
            'text = open(path, encoding="utf-8").read()\n'
            'def put(text): open(path, "w", encoding="utf-8").write(text)\n'
            # What an editor leaves beside the file goes as well.
            f'open(path + ".swp", "wb").close()\n{script}\n',
            encoding="utf-8",
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{editor}"')
        on_terminal(monkeypatch)
        status = main(["edit", id_])
        assert list(drafts_folder.iterdir()) == []
        return status, capsys.readouterr().err

    return run


def test_the_editor_gets_a_file_of_ones_own_that_goes(editing, encrypted, tmp_path):
    seen = tmp_path / "seen.txt"

    status, err = editing(
        f"put(text.replace('300', '600'))\n"
        f"modes = [os.stat(p).st_mode & 0o777 for p in (path, os.path.dirname(path))]\n"
        f"open({str(seen)!r}, 'w').write(repr(modes) + path)"
    )

    assert (status, "changed " in err) == (0, True)
    assert seen.read_text().startswith("[384, 448]" + str(tmp_path / "drafts"))
    assert "600" in encrypted("unlock").out


def test_it_lies_in_memory_where_the_system_has_a_folder_for_that(editing, monkeypatch, tmp_path):
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    seen = tmp_path / "seen.txt"

    editing(f"open({str(seen)!r}, 'w').write(path)")

    assert seen.read_text().startswith(str(runtime))
    assert list(runtime.iterdir()) == []


def test_what_was_written_is_kept_encrypted_where_the_session_changed(editing, id_):
    other = f"[sys.executable, '-m', 'daily_memory', 'edit', {id_!r}]"

    status, err = editing(
        "put(text.replace('300', '六百秒'))\nimport subprocess\n"
        f"subprocess.run({other}, input=text.replace('300', '301').encode(), check=True)"
    )

    assert status == 4
    (kept,) = (root() / "index" / "kept").iterdir()
    assert f"kept, encrypted, in {str(kept)!r}" in err
    assert "六百秒" in files.read_bytes(str(kept)).decode()
    assert places_of_words(root(), words=(*WORDS, "六百秒")) == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("sys.exit(3)", "nothing was changed"),
        ("put(text + '更多 more'); sys.exit(3)", "kept, encrypted"),
    ],
)
def test_an_editor_that_fails_leaves_nothing_in_the_clear(editing, script, message):
    status, err = editing(script)

    assert status in (2, 6)
    assert message in err
    assert places_of_words(root(), words=WORDS) == []


def test_an_editor_that_removes_the_file_changes_nothing(editing, encrypted):
    status, _ = editing("os.unlink(path)")

    assert status != 0
    assert "缓存方案" in encrypted("unlock").out


def test_an_editor_that_is_not_there_leaves_nothing(editing, id_, monkeypatch, capsys):
    editing("")
    monkeypatch.setenv("EDITOR", os.devnull)
    on_terminal(monkeypatch)

    assert main(["edit", id_]) == 6
    assert "can't run the editor" in capsys.readouterr().err


def test_to_be_told_to_end_is_no_reason_to_leave_it(editing, monkeypatch, tmp_path):
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(SystemExit):
        editing(f"os.kill({os.getpid()}, 15)\nimport time\ntime.sleep(1)")

    assert list((tmp_path / "drafts").iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_edit_leaves_nothing_in_the_clear(editing, encrypted, id_):
    assert editing("put(text.replace('300', '600'))")[0] == 0
    status, err = editing("put('no section')")

    assert status == 2
    assert "kept, encrypted, in" in err
    assert "600" in encrypted("show", id_).out
    assert (
        encrypting.plan(
            encrypting.EncryptionPlan(root=_root_of(encrypted)).root, encrypting.is_encrypted
        ).change
        == ()
    )


def _root_of(cli):
    from daily_memory import Memory

    return Memory(os.getcwd(), home=os.environ["HOME"]).workspace.save_root()
