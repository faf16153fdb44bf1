"""The commands that write, each with a memory in which it has work to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

from tests.conversations import add_observation, add_trae_mem, make_trae_mem
from tests.reliability.store import DAY, Store, witness

OTHER_DAY = "2026-01-30"
CONVERSATION = {"conversation": "talk-1", "topic": "talk 谈话", "tags": ["talk"]}


class Victim(NamedTuple):
    """A command, what it is given, and how its memory is made.

    `is_whole`: it does all or nothing. Others go step by step, each of which is whole.
    `can_repeat`: done twice it comes to the same, so that it may fail after it did what it should.
    """

    name: str
    prepare: Callable[[Store], None]
    argv: tuple[str, ...]
    stdin: str = ""
    program: str = ""
    is_whole: bool = True
    can_repeat: bool = False


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
        file.write("\n随手写的一行 by hand".encode())


def conversation(store: Store) -> None:
    """A conversation among other sessions, which will go on."""
    two_sessions(store)
    _done(store, "save", stdin=witness(4, **CONVERSATION))
    _done(store, "save", stdin=witness(5))


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


def migration(store: Store) -> None:
    """A database of trae-mem: a session that went on since it was imported, and two new ones."""
    two_sessions(store)
    folder = str(store.project)
    database = make_trae_mem(store.project / "trae.sqlite3")
    add_trae_mem(database, "went-on", folder, ("decision", "缓存 TTL 定为 300 秒"))
    _done(store, *MIGRATION)
    add_observation(database, "more", "went-on", "decision", "the pool has 20 connections")
    for name, day in (("new", 1), ("neu", 2)):
        add_trae_mem(database, name, folder, ("decision", f"用 Redis: {name}"), ("note", "x"))
        began = 1768870800 + 86400 * day
        database.execute("UPDATE sessions SET started_at = ? WHERE id = ?", (began, name))
    database.commit()
    database.close()


MIGRATION = ("import", "--from", "trae-mem", "trae.sqlite3", "--json")


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


def wiped_days(store: Store) -> None:
    """An editor wrote back old copies of two days."""
    two_sessions(store)
    data = store.day().read_bytes()
    cut = data.index(b"## Session 2")
    store.day().write_bytes(data[:cut])
    store.day(OTHER_DAY).unlink()


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
    code = (
        "from daily_memory.memory import Memory; from daily_memory.services import encrypting as e"
    )
    code += f"; m = Memory({str(store.project)!r}, home={str(store.home)!r})"
    code += "; e.begin_rekey(m._ring(), m.global_root, m.today(), '', ())"
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
    Victim("an import from trae-mem", migration, MIGRATION),
    Victim("reindex without an index", no_index, ("reindex",), can_repeat=True),
    Victim("reindex after an edit", changed_day, ("reindex",), can_repeat=True),
    Victim("doctor --fix", much_to_fix, ("doctor", "--fix"), is_whole=False, can_repeat=True),
    Victim(
        "doctor --restore", wiped_days, ("doctor", "--restore"), is_whole=False, can_repeat=True
    ),
    Victim(
        "a search after an edit", changed_day, ("search", "handmade", "--json"), can_repeat=True
    ),
    Victim("init", nothing, ("init",), can_repeat=True),
    Victim("delete", conversation, ("delete", f"{DAY}#2")),
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
)
