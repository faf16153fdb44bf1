"""The sync key: what one version writes another must read, on any machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError
from daily_memory.storage import sync_key
from daily_memory.storage.deleted import Deleted

KEY = bytes(range(32))
SHOWN = f"memory-sync-{KEY.hex()}"


def test_a_key_is_kept_where_only_the_user_reads_it(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert sync_key.find(home) == b""

    sync_key.store(home, KEY)
    sync_key.store(home, KEY)

    path = tmp_path / ".config" / "daily-memory" / "sync-key"
    assert path.read_text() == f"{sync_key.format_key(KEY)}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert sync_key.find(home) == KEY
    with pytest.raises(ConflictError, match="another sync key"):
        sync_key.store(home, sync_key.new())
    path.write_text("nothing")
    with pytest.raises(DamagedDataError, match="is not a sync key"):
        sync_key.find(home)


def test_a_key_is_shown_with_four_digits_against_typing_errors() -> None:
    shown = sync_key.format_key(KEY)

    assert shown == f"{SHOWN}48fa"
    assert sync_key.parse_key(f" {shown[:20]} {shown[20:]}\n") == KEY
    assert len(sync_key.new()) == len(KEY)
    for wrong in ("", SHOWN, shown[:-1], shown.replace("48fa", "48f0"), shown.replace("f", "e")):
        with pytest.raises(InvalidInputError, match="not a complete sync key"):
            sync_key.parse_key(wrong)


def test_what_a_key_signs_and_hides_is_the_same_everywhere() -> None:
    entry = Deleted("2026-01-29T10:30:45Z", "2026-01-29#1", "10c7" * 8, ("5e" * 32, "no hash"))

    veiled = sync_key.hide_hashes(KEY, entry)

    assert sync_key.name_of(KEY) == "96aa3abf02ff8568"
    assert sync_key.sign(KEY, b"data") == (
        "0d71bdafae0a28d6bf606d8f61e31ea8f6778cc53278b777d6b22dd95dbf525d"
    )
    assert sync_key.is_signed(KEY, b"data", sync_key.sign(KEY, b"data"))
    assert not sync_key.is_signed(KEY, b"date", sync_key.sign(KEY, b"data"))
    assert (veiled.conversation, veiled.digests) == (
        "54b008ce354d5bf7bd8a3fb0b7245914",
        ("db6b4d4d8fa9c3c08d970972affaaf73c34b382e01631f210510773dcbc3e4c7",),
    )
    assert sync_key.hide_hashes(KEY, veiled) == entry._replace(digests=entry.digests[:1])
