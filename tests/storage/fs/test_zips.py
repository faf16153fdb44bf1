"""Zips: the same each time, and nothing in one can do harm."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.errors import InvalidInputError
from daily_memory.storage.fs import zips

DAY = "daily/2026-01-29.md"
TEXT = "## Session 1\n\n### 主题\n缓存方案\n".encode()


def made(*members: tuple[str, bytes], **changes: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for key, value in changes.items():
                setattr(info, key, value)
            archive.writestr(info, data)
    return written.getvalue()


def refused(data: bytes) -> str:
    with pytest.raises(InvalidInputError) as caught:
        zips.unpack(data, "x.zip")
    assert "\n" not in caught.value.message
    return caught.value.message


names = st.text(st.sampled_from("abc缓存-._"), min_size=1, max_size=8).filter(
    lambda name: name.strip(".") and not name.startswith(".")
)


@given(st.dictionaries(names, st.binary(max_size=200), max_size=5))
def test_what_is_packed_is_unpacked_and_packed_again_the_same(members):
    members = {f"d/{place}-{name}": data for place, (name, data) in enumerate(members.items())}
    members = {name: data for name, data in members.items() if not zips.is_zip(data)}

    packed = zips.pack(members.items())

    assert zips.is_zip(packed)
    assert zips.unpack(packed, "x.zip") == members
    assert zips.pack(reversed(list(members.items()))) == packed


def test_what_is_packed_tells_no_time_and_is_its_owners_alone():
    with zipfile.ZipFile(io.BytesIO(zips.pack([("a.md", b"a" * 100)]))) as archive:
        (info,) = archive.infolist()

    assert info.date_time == (1980, 1, 1, 0, 0, 0)
    assert (info.create_system, info.external_attr >> 16) == (3, 0o100600)
    assert info.compress_size < 20


@pytest.mark.parametrize(
    "name",
    [
        *("../evil.md", "daily/../../evil.md", "/etc/passwd", "daily//x.md", "./x.md", "a/./b"),
        *("C:/evil.md", "c:evil.md", "..\\evil.md", "daily\\..\\evil.md", "\\\\host\\share\\x"),
        *("daily/\x1b[2J.md", "daily/a\nb.md", "..", "../"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name):
    assert "leads elsewhere" in refused(made((DAY, TEXT), (name, b"x")))


def test_a_name_that_is_cut_at_a_nul_is_refused():
    data = made((DAY, TEXT), ("daily/2026-01-30.mdX.sh", b"x"))

    assert "leads elsewhere" in refused(data.replace(b".mdX.sh", b".md\0.sh"))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(kind):
    data = made((DAY, b"/etc/passwd"), external_attr=(kind | 0o777) << 16, create_system=3)

    assert "is a link" in refused(data)


def test_the_attributes_of_another_system_are_no_link():
    data = made((DAY, TEXT), external_attr=stat.S_IFLNK << 16, create_system=0)

    assert zips.unpack(data, "x.zip") == {DAY: TEXT}


def test_folders_are_passed_over():
    assert zips.unpack(made(("daily/", b""), (DAY, TEXT)), "x.zip") == {DAY: TEXT}


def test_encrypted_ones_are_refused():
    data = bytearray(made((DAY, TEXT)))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1

    assert refused(bytes(data)) == "'x.zip' is encrypted"


def test_zips_in_zips_are_refused():
    inner = made((DAY, TEXT))

    assert "packed file itself" in refused(made(("inner.ZIP", b"")))
    assert "packed file itself" in refused(made(("daily/2026-01-29.md", inner)))


def test_two_files_of_one_name_are_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = made((DAY, TEXT), (DAY, b"other"))
    assert "two files of one name" in refused(data)
    assert "two files of one name" in refused(made(("summary.md", b""), ("Summary.MD", b"")))


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    assert "times its size" in refused(made((DAY, bytes(60_000_000))))
    assert "too large" in refused(made((DAY, bytes(zips.MOST_FILE_BYTES + 1))))
    monkeypatch.setattr(zips, "MOST_BYTES", len(TEXT))
    monkeypatch.setattr(zips, "MOST_FILES", 1)
    assert zips.unpack(made((DAY, TEXT)), "x.zip") == {DAY: TEXT}
    assert "too large" in refused(made((DAY, TEXT + b"x")))
    assert "2 files" in refused(made((DAY, TEXT), ("summary.md", b"")))


@pytest.mark.parametrize(
    ("noise", "blanks", "is_read"),
    [
        # Small files may be all blanks, large ones may shrink to a fiftieth.
        (0, 10_000_000, True),
        (0, 10_000_001, False),
        (250_000, 12_000_000, True),
        (200_000, 12_000_000, False),
    ],
)
def test_what_grows_beyond_measure_is_refused(noise, blanks, is_read):
    text = random.Random(1).randbytes(noise) + b" " * blanks
    data = made((DAY, text))

    if is_read:
        assert zips.unpack(data, "x.zip") == {DAY: text}
    else:
        assert f"would grow to {len(text) // len(data)} times its size" in refused(data)


@pytest.mark.parametrize(("length", "told"), [(80, f"../{'x' * 77}"), (81, f"../{'x' * 77}…")])
def test_a_long_name_is_cut_where_it_is_told(length, told):
    assert repr(told) in refused(made((f"../{'x' * (length - 3)}", b"")))


def test_a_size_that_is_a_lie_does_not_get_more_out_of_it():
    data = bytearray(made((DAY, bytes(5_000_000))))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(mark) + place, 10)

    assert "not a complete zip" in refused(bytes(data))


def test_a_damaged_one_is_refused():
    data = made((DAY, TEXT * 50), ("summary.md", b"x" * 500))

    assert "not a complete zip" in refused(b"PK\x03\x04 and nothing more")
    for cut in range(5, len(data), 7):
        assert "not a complete zip" in refused(data[:cut])


def test_no_flipped_byte_gives_another_text():
    members = {DAY: TEXT * 20, "summary.md": b"standing facts"}
    data = zips.pack(members.items())
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 0x10
        try:
            found = zips.unpack(bytes(flipped), "x.zip")
        except InvalidInputError:
            continue
        assert set(found.values()) <= set(members.values())


def test_a_way_of_packing_that_is_not_known_is_refused():
    data = bytearray(made((DAY, TEXT)))
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", data, data.index(mark) + place, 99)

    assert "compression that is not supported" in refused(bytes(data))


def test_folders_may_be_parted_as_old_programs_of_windows_do():
    data = made(("记忆\\daily\\2026-01-29.md", TEXT), ("记忆\\empty\\", b""))

    assert zips.unpack(data, "x.zip") == {"记忆/daily/2026-01-29.md": TEXT}
