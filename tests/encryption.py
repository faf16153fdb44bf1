"""What tests of encryption share: a memory with every kind of file, and ways to look at it."""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Iterator
from pathlib import Path

from daily_memory import Memory
from daily_memory.storage import keys
from daily_memory.storage.fs import files
from daily_memory.storage.index import lookup

SECRET_WORDS = ("zebrafish", "斑马鱼", "quokkacode", "短尾矮袋鼠")
PASSPHRASE = "correct 马 battery"
# A key file under that passphrase. Its work factor is the lowest: the ones that we write take a
# second to open.
PROTECTED_KEY = base64.b64decode(
    b"YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBoc3VqYitvaWVsM0NJTXZXZUhtdXB3IDQKRllFWThvL1RHS2"
    b"dPcjMyWFR0RmVTTkJUaEJ2U0dFTXFoY1NtMGI2bUNSbwotLS0gWTJRL0Fzb0E5TllManZXU3lSdFVjbEhsZHFDY1F5"
    b"VE1oekV4QUtQMGFqWQprraXXDusuDF/bLaLf3J70gV4Vje44TomcoyZNA4oPQ5CUeXKObWkT55sMUAvLkZTSotEq/P"
    b"EclZfgbWUx4f382f/+rByj/imvBjqaFSvghvRjhzO4Yr41mppH8GMjVZENeLv5s5bELZ1cpsD3460Cz2KHMzLUhA=="
)
PROTECTED_PUBLIC_KEY = "age18cmkxwq5hkl77qwhun4zsqghgpkcnreahlz7zhm28d74ffrsu46ssfxvmw"


def fill(memory: Memory) -> None:
    """Put sessions, a live session and a summary in a memory, all with the words."""
    for number, day in enumerate(("2026-01-27", "2026-01-28", "2026-01-29")):
        memory.save(
            {
                "topic": f"zebrafish 斑马鱼 {number}",
                "key_points": ["quokkacode is 300", "短尾矮袋鼠的缓存"],
                "date": day,
                "time": f"10:0{number}:00",
            }
        )
    memory.start("talk")
    for text in ("zebrafish log", "斑马鱼记录", "quokkacode", "短尾矮袋鼠"):
        memory.log(text, kind="decision", conversation="talk")
    root = folder(memory)
    (root / "summary.md").write_text("# 摘要\n\nzebrafish 斑马鱼\n", encoding="utf-8")
    (root / "archive" / "2025").mkdir(parents=True)
    archived = b"# 2025-10-29\n\n## Session 1 - 10:00:00\n\n### Topic\nquokkacode\n"
    # Stored and not squeezed, so that the words can be looked for in the bytes of the file.
    packed = gzip.compress(archived, compresslevel=0, mtime=0)
    (root / "archive" / "2025" / "2025-10-29.md.gz").write_bytes(packed)


def folder(memory: Memory) -> Path:
    """Return the project's root."""
    assert memory.workspace.project_root is not None
    return Path(memory.workspace.project_root.path)


def key_file(memory: Memory) -> Path:
    """Return where the key of the user is."""
    return Path(memory.workspace.key_ring().key_file)


def forget_keys() -> None:
    """Let the next reader open the key file again, as another process would."""
    keys.forget_opened()


def each_file(*tops: Path) -> Iterator[Path]:
    """Yield every regular file below some folders."""
    for top in tops:
        for parent, _, names in os.walk(top):
            yield from (Path(parent, name) for name in names if Path(parent, name).is_file())


def places_of_words(*tops: Path, words: tuple[str, ...] = SECRET_WORDS) -> list[str]:
    """Return which files have one of the words in the clear."""
    return [
        f"{path}: {word}"
        for path in each_file(*tops)
        for word in words
        if word.encode() in path.read_bytes() or word in path.name
    ]


def sealed_kinds(memory: Memory) -> dict[str, Path]:
    """Return one encrypted file of each kind, by its name."""
    root = folder(memory)
    found = {
        "a day": root / "daily" / "2026-01-29.md",
        "the keywords": root / "index" / "keywords.json",
        "the journal": root / "index" / "journal.jsonl",
        "the summary": root / "summary.md",
        "the archive": root / "archive" / "2025" / "2025-10-29.md.gz",
    }
    if lookup.CAN_SEAL:
        found["the cache"] = root / "index" / "lookup.sqlite3"
    assert all(files.is_sealed(path.read_bytes()) for path in found.values())
    return found
