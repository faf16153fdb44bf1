"""The commands that write, each with a memory in which it has work to do."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from daily_memory.storage import pending_saves
from daily_memory.storage.fs import files
from daily_memory.storage.roots import project_root
from daily_memory.storage.signatures import SignedModes
from tests.conversations import add_trae_mem, make_trae_mem
from tests.reliability.store import DAY, NOW, Store, witness

OTHER_DAY = "2026-01-30"
BY_HAND = "随手写的一行 by hand"
CONVERSATION = {"conversation": "talk-1", "topic": "talk 谈话", "tags": ["talk"]}


class Victim(NamedTuple):
    """A command, what it is given, and how its memory is made.

    `is_whole`: it does all or nothing. Others go step by step, each of which is whole.
    `can_repeat`: done twice it comes to the same, so that it may fail after it did what it should.
    `is_archiving`: sessions may be in the archive or in their day, each in one of them.
    """

    name: str
    prepare: Callable[[Store], None]
    argv: tuple[str, ...]
    stdin: str = ""
    program: str = ""
    is_whole: bool = True
    can_repeat: bool = False
    is_archiving: bool = False


def _done(store: Store, *argv: str, stdin: object = None) -> None:
    text = json.dumps(stdin, ensure_ascii=False) if stdin else ""
    done = store.run(*argv, stdin=text)
    assert done.status == 0, done.err


def nothing(store: Store) -> None:
    """Not even a memories folder."""


def two_sessions(store: Store) -> None:
    """Two sessions of a day, one of another; settings and a summary that people wrote."""
    for number in (1, 2):
        _done(store, "save", stdin=witness(number))
    _done(store, "save", stdin=witness(3, date=OTHER_DAY))
    (store.root / "config.json").write_text('{"recording": {"language": "zh"}}\n')
    (store.root / "summary.md").write_text("# 摘要\n\n手写的 by hand\n", encoding="utf-8")
    # By hand: text outside sections, and no line break at the end.
    with store.day().open("ab") as file:
        file.write(f"\n{BY_HAND}".encode())


def conversation(store: Store) -> None:
    """A conversation among other sessions, which will go on."""
    two_sessions(store)
    _done(store, "save", stdin=witness(4, **CONVERSATION))
    _done(store, "save", stdin=witness(5))


def live(store: Store) -> None:
    """A conversation with what was observed of it, mirrored, in the third section of its day."""
    two_sessions(store)
    config = '{"recording": {"language": "zh"}, "mirror": {"enabled": true}}\n'
    (store.root / "config.json").write_text(config)
    _done(store, "start", "talk-2")
    for kind, text in (("user", "木琴暗号 xylophonezz?"), ("decision", "xylophonezz 木琴暗号")):
        _done(store, "log", text, "--kind", kind, "--conversation", "talk-2")
    _done(store, "end", "talk-2")
    _done(store, "search", "xylophonezz", "--observations")


def deleted(store: Store) -> None:
    """Sessions of two days that were deleted at once, and a day that went on."""
    live(store)
    _done(store, *DELETION)
    _done(store, "save", stdin=witness(11))


def edited(store: Store) -> None:
    """A section that was marked, then edited."""
    live(store)
    _done(store, "mark", f"{DAY}#2", "--important")
    text = store.run("edit", f"{DAY}#2", "--print").out
    done = store.run("edit", f"{DAY}#2", stdin=text.replace("was whole", "was edited"))
    assert done.status == 0, done.err


DELETION = ("delete", "--tag", "见证", "--before", "2026-02-01", "--yes")


def import_file(store: Store) -> None:
    """A file with sessions of three days, of which one stands there already."""
    two_sessions(store)
    sessions = [
        witness(2),
        witness(6),
        witness(7, date="2026-01-31"),
        witness(8, date="2026-02-01"),
    ]
    text = json.dumps({"sessions": sessions}, ensure_ascii=False)
    (store.project / "in.json").write_text(text, encoding="utf-8")


def import_of_deleted(store: Store) -> None:
    """The same file, where the session that stands there was deleted."""
    import_file(store)
    _done(store, "delete", f"{DAY}#2")


def migration(store: Store) -> None:
    """A database of trae-mem: a session that was imported before, and two new ones."""
    two_sessions(store)
    folder = str(store.project)
    database = make_trae_mem(store.project / "trae.sqlite3")
    add_trae_mem(database, "old", folder, ("decision", "缓存 TTL 定为 300 秒"))
    _done(store, *MIGRATION)
    for name, day in (("new", 1), ("neu", 2)):
        add_trae_mem(database, name, folder, ("decision", f"用 Redis: {name}"), ("note", "x"))
        began = 1768870800 + 86400 * day
        database.execute("UPDATE sessions SET started_at = ? WHERE id = ?", (began, name))
    database.commit()
    database.close()


MIGRATION = ("import", "--from", "trae-mem", "trae.sqlite3", "--json")


def zip_alone(store: Store) -> None:
    """The zip of a memory with two days, settings and a summary, and no memory."""
    two_sessions(store)
    _done(store, "export", "--format", "zip", "-o", "in.zip")
    shutil.rmtree(store.root)


def zip_and_another(store: Store) -> None:
    """The zip of a memory, and another memory with one of its sessions and other ones."""
    zip_alone(store)
    _done(store, "save", stdin=witness(2))
    _done(store, "save", stdin=witness(6))


def zip_with_archive(store: Store) -> None:
    """The zip of a memory with an archive, in which a secret stands, and no memory."""
    archived_days(store)
    path = store.root / "archive" / "2025" / f"{OLD_DAYS[1]}.md.gz"
    said = gzip.decompress(path.read_bytes()) + "\n手写 password = hunter2-Zq8vR4\n".encode()
    path.write_bytes(gzip.compress(said, mtime=0))
    _done(store, "export", "--format", "zip", "--with-observations", "-o", "in.zip")
    shutil.rmtree(store.root)


def zip_and_another_archive(store: Store) -> None:
    """The same zip, and a memory with one of its sessions in its day, and an archive of its own."""
    zip_with_archive(store)
    _done(store, "save", stdin=witness(31, date=OLD_DAYS[1]))
    _done(store, "save", stdin=witness(60, date=OLD_DAYS[0]))
    _done(store, "cleanup", "--before", OLD_DAYS[1], "--yes")
    _done(store, "save", stdin=witness(6))


def notes(store: Store) -> None:
    """Notes: two that are there already, one of them edited here, and a new one."""
    two_sessions(store)
    folder = store.project / "notes"
    folder.mkdir()
    for name, created in (("old", DAY), ("edited", OTHER_DAY)):
        text = (
            f"---\ntitle: {name}\ncreated: {created}\n---\n- [fact] 第一行\n- [fact] {name} two\n"
        )
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    _done(store, *NOTES)
    day = store.day(OTHER_DAY)
    data = day.read_bytes()
    day.write_bytes(data.replace(b"edited two", b"edited by hand"))
    for path in folder.iterdir():
        with path.open("a", encoding="utf-8") as file:
            file.write("- [todo] 新的 more\n")
    text = "---\ntitle: new\ncreated: 2026-02-01\n---\n- [decision] 用 Redis\n"
    (folder / "new.md").write_text(text, encoding="utf-8")


NOTES = ("import", "--from", "notes", "notes", "--json")


def no_index(store: Store) -> None:
    """All that is derived is gone."""
    two_sessions(store)
    for name in ("keywords.json", "lookup.sqlite3"):
        (store.index / name).unlink()


def changed_day(store: Store) -> None:
    """A person inserted lines and a session."""
    two_sessions(store)
    data = store.day().read_bytes()
    added = "\n\n## Session 8 - 08:00:00\n\n### 主题\n手写会话 handmade\n\n---\n"
    store.day().write_bytes(b"\n\n" + data + added.encode())


def much_to_fix(store: Store) -> None:
    """A number twice, a broken index, a session that waits, and what a killed process left."""
    two_sessions(store)
    data = store.day(OTHER_DAY).read_bytes()
    store.day(OTHER_DAY).write_bytes(data + b"\n" + data.split(b"\n\n", 1)[1].replace(b"3x", b"9x"))
    (store.index / "keywords.json").write_text('{"version": "1.0", "entries": [')
    spool = store.index / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    waiting = json.dumps(witness(10, date=DAY), ensure_ascii=False)
    (spool / "20260129T103045000000-0000aaaa.json").write_text(waiting, encoding="utf-8")
    for path in (store.index / "keywords.json", store.day()):
        path.with_name(f"{path.name}.tmp-99999").write_text("half")


def much_that_waits(store: Store) -> None:
    """Processes wait for the lock with their sessions, two of them equal."""
    two_sessions(store)
    moment = datetime.fromisoformat(NOW)
    waiting = [witness(10, date=DAY)] * 2 + [witness(11, date=OTHER_DAY, **CONVERSATION)]
    for session in waiting:
        pending_saves.add(project_root(str(store.project)), session, moment, is_awaited=True)


def wiped_days(store: Store) -> None:
    """An editor wrote back old copies of two days."""
    two_sessions(store)
    data = store.day().read_bytes()
    cut = data.index(b"## Session 2")
    store.day().write_bytes(data[:cut])
    store.day(OTHER_DAY).unlink()


OLD_DAYS = ("2025-06-01", "2025-06-02")
BEFORE = ("--before", "2026-01-01", "--yes")


def old_days(store: Store) -> None:
    """Days past retention: one with an important session and words by hand, one without."""
    two_sessions(store)
    for number, day in enumerate(OLD_DAYS, 30):
        _done(store, "save", stdin=witness(number, date=day))
        _done(store, "save", stdin=witness(number + 10, date=day))
    _done(store, "mark", f"{OLD_DAYS[0]}#1", "--important")
    with store.day(OLD_DAYS[0]).open("ab") as file:
        file.write(f"\n{BY_HAND}".encode())
    folder = store.root / "observations" / OLD_DAYS[1]
    # As we would have made them.
    files.make_folder(str(folder), SignedModes(str(store.home)))
    live = folder / "talk.jsonl"
    live.write_text('{"session":{}}\n{"skipped":"short"}\n')
    live.chmod(0o600)


def archived_days(store: Store) -> None:
    """The same in the archive."""
    old_days(store)
    _done(store, "cleanup", *BEFORE)


def doubled(store: Store) -> None:
    """Two sessions that say the same but for a line."""
    two_sessions(store)
    said = witness(50)
    points = ["one more line", *said["key_points"]]  # type: ignore[misc]
    _done(store, "save", stdin={**said, "key_points": points})
    _done(store, "save", stdin={**said, "date": OTHER_DAY})


def secrets(store: Store) -> None:
    """A secret in a day, in the archive, in the summary and in a live session."""
    archived_days(store)
    secret = "password = hunter2-Zq8vR4"
    for path in (store.day(), store.root / "summary.md"):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{secret}\n")
    _done(store, "restore", OLD_DAYS[1])
    with store.day(OLD_DAYS[1]).open("a", encoding="utf-8") as file:
        file.write(f"\n{secret}\n")
    _done(store, "cleanup", *BEFORE)


def plain(store: Store) -> None:
    """A memory in the clear, with all kinds of files that `encrypt` converts."""
    two_sessions(store)
    _done(store, "start", "talk-9")
    for text in ("缓存 TTL 定为 300 秒", "the pool has 20 connections"):
        _done(store, "log", text, "--conversation", "talk-9")


def encrypted(store: Store) -> None:
    """The same, encrypted."""
    plain(store)
    _done(store, "encrypt", "--yes")


def half_rekeyed(store: Store) -> None:
    """One for which another key was made, and no more was done."""
    encrypted(store)
    code = "from daily_memory.memory import Memory"
    code += f"; m = Memory({str(store.project)!r}, home={str(store.home)!r})"
    code += "; m.encryption._add_key('', ())"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "HOME": "/"})


SPLICE = "tests.reliability.splice"
SAVED = json.dumps(witness(20), ensure_ascii=False)
VICTIMS = (
    Victim("the first save", nothing, ("save", "--json"), SAVED),
    Victim(
        "a save to a new day",
        two_sessions,
        ("save", "--json"),
        json.dumps(witness(20, date="2026-02-02"), ensure_ascii=False),
    ),
    Victim("a save to a day", two_sessions, ("save", "--json"), SAVED),
    Victim(
        "a conversation that goes on",
        conversation,
        ("save", "--json"),
        json.dumps(witness(20, **CONVERSATION), ensure_ascii=False),
        can_repeat=True,
    ),
    Victim("add", two_sessions, ("add", "缓存用 redis #tooling")),
    Victim("import", import_file, ("import", "in.json", "--json")),
    Victim("an import of what was deleted", import_of_deleted, ("import", "in.json", "--json")),
    Victim("an import of a zip", zip_alone, ("import", "in.zip", "--json")),
    Victim("a merge with a zip", zip_and_another, ("import", "in.zip", "--json")),
    Victim(
        "an import of a zip with an archive",
        zip_with_archive,
        ("import", "in.zip", "--json"),
        is_archiving=True,
    ),
    Victim(
        "a merge with a zip with an archive",
        zip_and_another_archive,
        ("import", "in.zip", "--json"),
        is_archiving=True,
    ),
    Victim("an import of notes", notes, NOTES),
    # The new ones come all or none, and then each that went on.
    Victim("an import from trae-mem", migration, MIGRATION, is_whole=False, can_repeat=True),
    Victim("reindex without an index", no_index, ("reindex",), can_repeat=True),
    Victim("reindex after an edit", changed_day, ("reindex",), can_repeat=True),
    Victim(
        "saving for all who wait", much_that_waits, ("doctor", "--fix", "--json"), is_whole=False
    ),
    Victim("doctor --fix", much_to_fix, ("doctor", "--fix"), is_whole=False, can_repeat=True),
    Victim(
        "doctor --restore", wiped_days, ("doctor", "--restore"), is_whole=False, can_repeat=True
    ),
    Victim(
        "a search after an edit", changed_day, ("search", "handmade", "--json"), can_repeat=True
    ),
    Victim("init", nothing, ("init",), can_repeat=True),
    Victim("delete", conversation, ("delete", f"{DAY}#2")),
    Victim("delete of several days", live, DELETION, is_whole=False),
    Victim("undo of a deletion", deleted, ("undo",), is_whole=False),
    Victim("undo of an edit", edited, ("undo", "2"), can_repeat=False),
    Victim("mark", conversation, ("mark", f"{DAY}#2", "--important"), can_repeat=True),
    Victim("an edit", conversation, ("edit", f"{DAY}#3"), program=SPLICE),
    Victim("a deletion", conversation, ("delete", f"{DAY}#3"), program=SPLICE),
    Victim("encrypt", plain, ("encrypt", "--yes"), can_repeat=True),
    Victim("decrypt", encrypted, ("decrypt", "--yes"), can_repeat=True),
    Victim("rekey", encrypted, ("rekey", "--yes"), can_repeat=True),
    Victim("rekey that goes on", half_rekeyed, ("rekey", "--yes"), can_repeat=True),
    Victim("a save to an encrypted day", encrypted, ("save", "--json"), SAVED),
    Victim("delete in an encrypted memory", encrypted, ("delete", f"{DAY}#2")),
    Victim("a new number", conversation, ("renumber", f"{DAY}#3"), program=SPLICE),
    Victim("an archive", old_days, ("cleanup", *BEFORE), can_repeat=True, is_archiving=True),
    Victim(
        "a restore",
        archived_days,
        ("restore", "--all", "--yes"),
        can_repeat=True,
        is_archiving=True,
    ),
    Victim(
        "a deletion of old days",
        old_days,
        ("cleanup", "--delete", *BEFORE),
        is_whole=False,
        can_repeat=True,
    ),
    Victim(
        "a merge of two that are alike",
        doubled,
        ("cleanup", "--dedupe", "--yes"),
        is_whole=False,
        can_repeat=True,
    ),
    Victim("secrets hidden", secrets, ("cleanup", "--sanitize", "--yes"), can_repeat=True),
)
