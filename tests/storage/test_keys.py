"""The user's keys: where they are, and how a passphrase is got."""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import date
from pathlib import Path

import pytest

from daily_memory.errors import InvalidInputError, LockedError
from daily_memory.storage import keys
from tests.encryption import PASSPHRASE, PROTECTED_KEY, PROTECTED_PUBLIC_KEY

TODAY = date(2026, 1, 29)


@pytest.fixture(autouse=True)
def forgetful():
    keys.forget_opened()


def ring(home: Path, environment=None, ask=None, **storage: str) -> keys.Ring:
    if storage:
        config = home / ".cursor" / "skills" / "memories" / "config.json"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(json.dumps({"storage": storage}), encoding="utf-8")
    return keys.ring(str(home), environment or {}, ask)


def put(found: keys.Ring, data: bytes) -> None:
    path = Path(found.key_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def public_keys(found: keys.Ring) -> list[str]:
    return [str(identity.to_public()) for identity in keys.load_identities(found)]


def test_the_key_is_in_the_users_own_folder_unless_they_say_otherwise(tmp_path):
    assert ring(tmp_path).key_file == str(tmp_path / ".config/daily-memory/key.txt")
    found = ring(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert found.recipients_file == str(tmp_path / "xdg/daily-memory/recipients.txt")
    assert ring(tmp_path, key_file="~/usb/key").key_file == str(tmp_path / "usb/key")
    assert ring(tmp_path, key_file="/media/key").key_file == "/media/key"


def test_a_key_is_kept_so_that_nobody_else_reads_it(tmp_path):
    found = ring(tmp_path)
    keys.store_identities(found, [keys.make_identity()], TODAY)

    assert os.stat(found.key_file).st_mode & 0o777 == 0o600
    assert not keys.is_seen_by_others(found)
    os.chmod(found.key_file, 0o644)
    assert keys.is_seen_by_others(found)
    os.unlink(found.key_file)
    assert not keys.is_seen_by_others(found)


def test_the_passphrase_comes_from_the_environment(tmp_path):
    found = ring(tmp_path, {"MEMORY_PASSPHRASE": PASSPHRASE})
    put(found, PROTECTED_KEY)

    assert public_keys(found) == [PROTECTED_PUBLIC_KEY]
    assert keys.load_key(found).passphrase == PASSPHRASE


def test_the_passphrase_comes_from_a_command(tmp_path):
    (tmp_path / "pass.txt").write_text(f"{PASSPHRASE}\r\nnot this\n", encoding="utf-8")
    command = (
        f"{sys.executable} -c \"import sys; sys.stdout.buffer.write(open('pass.txt','rb').read())\""
    )
    command = command.replace("pass.txt", str(tmp_path / "pass.txt"))
    found = ring(tmp_path, passphrase_command=command)
    put(found, PROTECTED_KEY)

    assert public_keys(found) == [PROTECTED_PUBLIC_KEY]


@pytest.mark.parametrize("command", ["/no/such/program", "false", "'unclosed"])
def test_a_command_that_fails_says_so_and_not_what_it_printed(tmp_path, command):
    found = ring(tmp_path, passphrase_command=command)
    put(found, PROTECTED_KEY)

    with pytest.raises(LockedError, match="gave no passphrase"):
        keys.load_identities(found)


def test_the_passphrase_is_asked_for_again_where_it_was_wrong(tmp_path):
    answers = iter(["wrong", PASSPHRASE])
    found = ring(tmp_path, ask=lambda: next(answers))
    put(found, PROTECTED_KEY)

    assert public_keys(found) == [PROTECTED_PUBLIC_KEY]
    assert public_keys(found) == [PROTECTED_PUBLIC_KEY]  # and not asked again


def test_a_passphrase_that_fails_is_fetched_once_in_a_process(tmp_path):
    calls = tmp_path / "calls"
    code = f"open({str(calls)!r}, 'a').write('x'); print('wrong')"
    found = ring(tmp_path, passphrase_command=shlex.join([sys.executable, "-c", code]))
    put(found, PROTECTED_KEY)

    for _ in range(2):
        with pytest.raises(LockedError, match="does not open"):
            keys.load_identities(found)

    assert calls.read_text() == "x"


def test_who_can_be_asked_is_asked_again_by_the_next_reader(tmp_path):
    answers = iter(["wrong"] * 3 + [PASSPHRASE])
    found = ring(tmp_path, ask=lambda: next(answers))
    put(found, PROTECTED_KEY)

    with pytest.raises(LockedError, match="does not open"):
        keys.load_identities(found)
    assert keys.load_identities(found)


def test_without_any_way_to_the_passphrase_the_error_names_them(tmp_path):
    found = ring(tmp_path)
    put(found, PROTECTED_KEY)

    with pytest.raises(LockedError, match="needs a passphrase") as caught:
        keys.load_identities(found)
    assert "MEMORY_PASSPHRASE" in caught.value.hint
    assert keys.is_protected(found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"# nothing\n", "there is no key in"),
        (b"AGE-SECRET-KEY-1QQQQ\n", "is damaged"),
        (b"\xff\xfe", "is damaged"),
    ],
)
def test_a_key_file_that_is_none_is_named(tmp_path, data, message):
    found = ring(tmp_path)
    put(found, data)

    with pytest.raises(LockedError, match=message) as caught:
        keys.load_identities(found)
    assert found.key_file in caught.value.message


def test_a_key_file_that_is_a_folder_is_no_crash(tmp_path):
    found = ring(tmp_path)
    Path(found.key_file).mkdir(parents=True)

    with pytest.raises(LockedError, match=r"not a regular file|directory"):
        keys.load_identities(found)


def test_another_key_file_is_seen_at_once(tmp_path):
    found = ring(tmp_path)
    for _ in range(2):
        made = keys.make_identity()
        put(found, f"{made}\n".encode())
        assert [str(one) for one in keys.load_identities(found)] == [str(made)]


def test_recipients_are_public_keys(tmp_path):
    found = ring(tmp_path)
    assert keys.load_recipients(found) == ()
    names = [str(keys.make_identity().to_public()) for _ in range(2)]

    keys.store_recipients(found, names)

    assert keys.load_recipients(found) == tuple(names)
    assert len(keys.parse_recipients(names)) == 2
    with pytest.raises(InvalidInputError, match="'ssh-ed25519 AAAA' is not an age public key"):
        keys.parse_recipients(["ssh-ed25519 AAAA"])


def test_a_copy_never_takes_the_place_of_another(tmp_path):
    found = ring(tmp_path)
    put(found, b"one")
    first = keys.keep_copy(found, TODAY)
    put(found, b"two")
    second = keys.keep_copy(found, TODAY)

    assert (Path(first).read_bytes(), Path(second).read_bytes()) == (b"one", b"two")


def test_what_was_left_of_a_key_goes_and_what_is_anothers_stays(tmp_path):
    found = ring(tmp_path)
    keys.remove_leftovers(found)  # not even a folder
    put(found, b"")
    folder = Path(found.key_file).parent
    for name in ("key.txt.tmp-123", "other.tmp-123", "key.txt.tmp-x"):
        (folder / name).touch()

    keys.remove_leftovers(found)

    left = sorted(path.name for path in folder.iterdir())
    assert left == ["key.txt", "key.txt.tmp-x", "other.tmp-123"]
