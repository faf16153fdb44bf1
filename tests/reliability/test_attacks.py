"""Ids, questions and texts of attackers: nothing is opened, sent, forged or shown raw."""

# ruff: noqa: E501  # patterns and clocks read best in one line

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys

import pytest

from tests.reliability import attacks
from tests.reliability.store import (
    CAN_FORK,
    DAY,
    NOW,
    REPOSITORY,
    Store,
    is_polite,
    lines_of,
    witness,
)
from tests.reliability.victims import VICTIMS, two_sessions

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
# What a terminal acts on, and what makes text look like other text.
RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
CORPORA = [
    ("ids", attacks.IDS),
    ("shared ids", attacks.shared_json("hostile_ids.json")),
    ("queries", attacks.QUERIES),
    ("shared queries", attacks.shared_json("hostile_queries.json")),
]


def corpus(texts):
    if not texts:
        pytest.skip("the corpus does not lie beside this checkout")
    # The system takes no NUL in an argument.
    return [text for text in texts if "\0" not in text]


def strayed(done, store: Store) -> list[str]:
    """Return what a command opened, wrote, sent or started outside the memory."""
    readable = (sys.prefix, sys.base_prefix, str(REPOSITORY), "/usr/", "/lib", "/etc/localtime")
    found = []
    for point in done.points:
        path = os.path.join(store.project, point.path)
        is_within = os.path.realpath(path).startswith(str(store.folder))
        is_write = point.target == "w" or point.call not in ("open",)
        is_known = point.path.startswith(readable)
        if is_within or (is_known and not is_write) or _is_harmless(point.path):
            continue
        found.append(f"{point.call} {point.path}")
    return found


def _is_harmless(path: str) -> bool:
    """Tell whether this tells nothing of the user, or was opened by its number: a path came first."""
    # By the id of this boot the library of the lock knows locks of before.
    return (
        path in ("/dev/null", "/dev/urandom", "/proc/sys/kernel/random/boot_id") or path.isdigit()
    )


# ---------------------------------------------------------------------------- ids and questions


@pytest.mark.parametrize(("name", "texts"), CORPORA, ids=[name for name, _ in CORPORA])
def test_no_id_and_no_question_leads_out_of_the_memory(name, texts, store):
    two_sessions(store)
    before = store.day_bytes()
    faults = []
    texts = corpus(texts)
    lines = lines_of([{"query": text} for text in texts])
    done = store.run("search", "--jsonl", stdin=lines, audited=True)
    assert done.out.count("\n") == len(texts)
    assert [is_polite(done), strayed(done, store), RAW.findall(done.err)] == ["", [], []]

    for place, text in enumerate(texts):
        asked = [("inject", "--json", "--", text), ("search", "--json", "--", text)]
        named = [("show", text), ("show", "--json", "--", text), ("search", "--", text)]
        named += [("inject", text), ("list", "--since", text)]
        named += [("search", "x", "--now", text), ("search", text, "--project", text)]
        # All were searched for above, in one process: as arguments, each third is.
        argvs, count = (asked, 1) if "queries" in name else (named, 2)
        for argv in argvs if place % 3 == 0 else argvs[:count]:
            done = store.run(*argv, audited=True)
            wrong = is_polite(done) or strayed(done, store) or RAW.findall(done.err)
            if wrong:
                faults.append(f"{argv!r:.80}: {wrong}")

    assert faults == []
    assert store.day_bytes() == before
    assert not list(store.folder.rglob("hacked"))


def test_questions_find_the_literal_words(store):
    for word in ("C++", "C#", ".NET", "foo.bar()", "src/a.py:12", "user@host", "播放器 预加载"):
        done = store.run("save", stdin=json.dumps({"topic": f"about {word} 关于", "date": DAY}))
        assert done.status == 0

        found = store.run("search", "--json", "--", word).json["results"]

        assert word in found[0]["topic"]


def test_no_date_and_no_name_leads_a_save_or_an_import_out_of_the_memory(store):
    two_sessions(store)
    files = {path for path in store.folder.rglob("*") if path.is_file()}
    faults = []

    for number, text in enumerate(attacks.IDS):
        session = {"topic": f"t{number}", "date": text}
        named = {"topic": f"n{number} 名", "project": text, "source": text, "conversation": text}
        (store.project / "in.jsonl").write_text(lines_of([session]))
        for argv, stdin in (
            (("save",), json.dumps(session)),
            (("import", "in.jsonl"), ""),
            (("save",), json.dumps({**named, "tags": [text], "files": [text], "date": DAY})),
        ):
            done = store.run(*argv, stdin=stdin, audited=True)
            if is_polite(done) or strayed(done, store):
                faults.append(f"{argv} {text!r:.60}: {is_polite(done)} {strayed(done, store)}")

    assert faults == []
    made = {path for path in store.folder.rglob("*") if path.is_file()} - files
    assert {path.name for path in made} <= {
        *(f"{day}.md" for day in ("0001-01-01", "9999-12-31", DAY)),
        "in.jsonl",
        "2026-02-03.md",
    }
    assert store.run("doctor").status == 0


def test_no_command_connects_to_anything(store):
    two_sessions(store)
    faults = {}

    for victim in VICTIMS:
        done = store.run(*victim.argv, stdin=victim.stdin, program=victim.program, audited=True)
        faults[victim.name] = [
            point
            for point in done.points
            if point.call.startswith(("socket", "subprocess", "os.exec"))
            # It asks git where the repository begins, which is the project for some hosts.
            and not (victim.argv[0] == "doctor" and point.path == "git")
        ]
        assert done.points

    assert not any(faults.values()), faults


# ---------------------------------------------------------------------------- texts that speak


def injected(store: Store, texts) -> list[str]:
    """Save each text in every field, and return the ids."""
    ids = []
    for number, text in enumerate(texts):
        word = f"lure{number}x"
        parts = text.split("\n")[:50] or [text]
        data = {
            "topic": f"{word} {text[:300]}",
            "summary": text,
            "key_points": [text, *parts[:3]],
            "decisions": [text],
            "next_steps": [text],
            "open_questions": [text],
            "code": [{"language": text[:20], "text": text}],
            "files": [text[:200]],
            "tags": [text[:40], word],
            "project": text[:100],
            "source": text[:100],
            "date": DAY,
        }
        done = store.run("save", "--json", stdin=json.dumps(data))
        assert done.status == 0, (text[:80], done.err)
        ids.append(done.json["id"])
    return ids


def block_faults(block: str, ids: list[str]) -> list[str]:
    """Return where a context block could be left, entered or mistaken for another."""
    lines = block.split("\n")
    opening = re.fullmatch(r"<daily-memory-([0-9a-f]{16,})>", lines[0])
    if not opening or lines[-2:] != [f"</daily-memory-{opening[1]}>", ""]:
        return [f"no markers: {lines[0]!r} … {lines[-2:]!r}"]
    faults = []
    body = lines[3:-2]
    if opening[1] in "\n".join(body):
        faults.append("the nonce stands in the body")
    headers = []
    for line in body:
        header = re.fullmatch(r"\[memory (\S+?)(?: \|[^\[\]]*)?\]", line)
        if header:
            headers.append(header[1])
        elif (
            not line.startswith("| ")
            and line != "|"
            and not re.fullmatch(r"\[memory: [0-9]+ more left out\]", line)
        ):
            faults.append(f"a line without our mark: {line[:80]!r}")
        if RAW.search(line):
            faults.append(f"a raw character: {line[:80]!r}")
        if re.search(
            r"<\|im_|<｜|\[INST\]|<</?SYS>>|<system>|<tool_call>|^\| (Human|Assistant|用户|助手)[:：]",
            line,
        ):
            faults.append(f"a token that acts: {line[:80]!r}")
    if len(set(headers)) != len(headers):
        faults.append(f"an id is there twice: {headers}")
    if set(headers) - {*ids, "summary"}:
        faults.append(f"forged: {set(headers) - set(ids)}")
    return faults


@pytest.mark.parametrize(
    "texts",
    [attacks.TEXTS, attacks.shared_texts("injected_memories.jsonl")],
    ids=["texts", "shared texts"],
)
def test_no_memory_text_leaves_its_place_in_any_outlet(texts, store):
    ids = injected(store, corpus(texts))
    faults = []
    nonces = set()

    for number in range(len(ids)):
        word = f"lure{number}x"
        for max_chars in (4000, 100_000):
            argv: tuple[str, ...] = ("inject", "--max-chars", str(max_chars), word)
            is_json = max_chars == 4000
            done = store.run(*argv, *(["--json"] if is_json else []))
            block = done.json["context"] if is_json else done.out
            faults += [f"{number}: {fault}" for fault in block_faults(block, ids)]
            nonces |= set(re.findall(r"^<daily-memory-([0-9a-f]+)>$", block, re.MULTILINE))
            if is_json and len(set(done.json["ids"])) != len(done.json["ids"]):
                faults.append(f"{number}: an id is there twice")
            if len(block) > max_chars:
                faults.append(f"{number}: the block is {len(block)} long")
        for argv in (("search", word), ("show", ids[number])):
            if RAW.search(store.run(*argv).out):
                faults.append(f"{number}: {argv[0]} shows a raw character")

    assert faults == []
    # Two outlets: a nonce is never used again.
    assert len(nonces) == 2 * len(ids)
    listed = store.run("list", "--json").json["sessions"]
    assert [session["id"] for session in listed] == ids
    exported = store.run("export").json["sessions"]
    assert [session["summary"] for session in exported] == [one["summary"] for one in listed]
    assert [session["summary"] for session in listed] == [text.strip() for text in corpus(texts)]
    assert not RAW.search(store.run("list").out)
    assert store.run("doctor").status == 0


def test_a_day_that_is_exported_holds_the_same_sessions_elsewhere(store, tmp_folder, zygote):
    ids = injected(store, [text for text in attacks.TEXTS if len(text) < 1000])
    day = store.run("export", "--format", "md").out
    other = Store(tmp_folder / "other", zygote)
    (other.project / f"{DAY}.md").write_text(day, encoding="utf-8")

    done = other.run("import", f"{DAY}.md", "--json")

    assert done.json["imported"] == len(ids)
    assert [session["key_points"] for session in other.sessions()] == [
        session["key_points"] for session in store.sessions()
    ]


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_no_control_characters_from_a_memory(store):
    injected(store, [text for text in attacks.TEXTS if len(text) < 1000])
    raw = []

    for argv in (
        ("list",),
        ("show", DAY),
        ("search", "lure3x"),
        ("search", "lure24x", "--explain"),
        ("doctor",),
        ("show", "\x1b[2J\u202e"),
    ):
        text = on_a_terminal(store, *argv)
        raw += [f"{argv}: {one!r}" for one in RAW.findall(text)]
        assert text

    assert raw == []


def on_a_terminal(store: Store, *argv: str) -> str:
    """Return what a command shows where a person looks, stdout and stderr together."""
    import pty

    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "daily_memory", *argv],
        cwd=store.project,
        env={**store.environment, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that the last program has gone
        while piece := os.read(outer, 65536):
            shown += piece
    os.close(outer)
    process.wait()
    text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
    # A line that shows how far it is begins at the left again: that is ours.
    return re.sub(r"\r[a-z ]+: [0-9]+/[0-9]+", "", text)


# ---------------------------------------------------------------------------- the clock


CLOCKS = (
    "2026-01-29T23:59:59+08:00", "2026-01-30T00:00:00+08:00", "2026-01-29T23:59:58+08:00",
    "2026-01-29T23:59:59+08:00", "2020-02-29T12:00:00+00:00", "2026-10-25T02:30:00+02:00",
    "2026-10-25T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-01-29T23:30:00-11:00",
    "2026-01-30T13:30:00+14:00", "1970-01-01T00:00:00+00:00", "1969-12-31T23:59:59-05:00",
    "2038-01-19T03:14:08+00:00", "9999-12-31T12:00:00+00:00", "9999-12-31T23:59:59-12:00",
    "0001-01-02T00:00:00+14:00", NOW,
)  # fmt: skip


def test_no_clock_makes_a_save_overwrite_another(store):
    ids = []
    for round_ in range(2):
        for number, now in enumerate(CLOCKS if not round_ else reversed(CLOCKS)):
            before = store.day_bytes()

            data = {"topic": f"clock {round_} {number} 时钟"}
            done = store.run("save", "--json", stdin=json.dumps(data), now=now)

            assert done.status == 0, (now, done.err)
            ids.append(done.json["id"])
            assert ids[-1].startswith(now[:10])
            after = store.day_bytes()
            assert all(after[name].startswith(data) for name, data in before.items())

    listed = [session["id"] for session in store.sessions()]
    assert sorted(listed) == sorted(set(ids))
    for day in {name[:10] for name in ids}:
        numbers = [int(name.split("#")[1]) for name in listed if name.startswith(day)]
        assert numbers == list(range(1, len(numbers) + 1))
    assert store.index_faults() == []
    for now in CLOCKS:
        for argv in (("search", "clock 时钟"), ("inject",), ("today",), ("list", "--days", "3")):
            done = store.run(*argv, now=now)
            assert (done.status, done.err[:6]) in ((0, done.err[:6]), (3, "error:")), (
                now,
                done.err,
            )


@pytest.mark.parametrize(
    "zone",
    [
        "UTC",
        "Asia/Shanghai",
        "Pacific/Kiritimati",
        "Pacific/Niue",
        "America/St_Johns",
        "Nowhere/At_All",
    ],
)
def test_any_time_zone_will_do(zone, store):
    done = store.run("add", "时区 zone", "--json", now="", environment={"TZ": zone})

    assert done.status == 0
    assert done.json["id"].endswith("#1")


def test_a_conversation_stays_in_the_day_where_it_began(store):
    talk = {"conversation": "night-1", "topic": "night 夜谈"}
    times = (
        "2026-01-29T23:58:00+08:00",
        "2026-01-30T00:03:00+08:00",
        "2026-01-28T12:00:00+08:00",
        "2026-02-02T09:00:00+08:00",
    )

    ids = [
        store.run("save", "--json", stdin=json.dumps({**talk, "summary": now}), now=now).json["id"]
        for now in times
    ]

    assert ids == [f"{DAY}#1"] * len(times)
    assert [session["summary"] for session in store.sessions()] == [times[-1]]


# ---------------------------------------------------------------------------- folders that go away


def test_a_daily_folder_that_is_away_for_a_moment_costs_nothing(store):
    two_sessions(store)
    before = store.day_bytes()
    others = {path.name for path in store.root.iterdir()}
    away = store.root / "daily.away"
    store.daily.rename(away)

    for argv in (
        ("search", "witness1x"),
        ("list",),
        ("reindex",),
        ("doctor",),
        ("inject", "witness1x"),
    ):
        assert is_polite(store.run(*argv)) == "", argv
    assert {path.name for path in store.root.iterdir()} - {"daily.away"} == others - {"daily"}
    away.rename(store.daily)

    assert store.day_bytes() == before
    for number in (1, 2, 3):
        assert store.run("search", f"witness{number}x", "--json").json["results"]
    assert store.run("doctor").status == 0
    assert store.index_faults() == []


def test_another_branch_takes_only_entries_away(store):
    def git(*words: str) -> None:
        identity = (
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "core.autocrlf=false",
        )
        command = ["git", *identity, "-C", str(store.project), *words]
        subprocess.run(command, check=True, capture_output=True, env=store.environment)

    git("init", "-b", "main")
    git("commit", "--allow-empty", "-m", "empty")
    two_sessions(store)
    git("checkout", "-b", "memories")
    assert store.run("init", "--git").status == 0
    git("add", "-A")
    git("commit", "-m", "memories")
    before = store.day_bytes()
    git("checkout", "main")

    assert store.run("search", "witness1x", "--json").json["results"] == []
    assert store.run("doctor").status == 0
    git("checkout", "memories")

    assert store.day_bytes() == before
    assert store.run("search", "witness1x", "--json").json["results"][0]["id"] == f"{DAY}#1"
    assert store.index_faults() == []
    assert store.run("doctor").status == 0


def test_a_save_while_the_folder_is_away_makes_a_new_one(store):
    two_sessions(store)
    store.daily.rename(store.root / "daily.away")

    done = store.run("save", "--json", stdin=json.dumps(witness(5)))

    # The journal remembers the numbers that were given: when the days are back, none is there twice.
    assert done.json["id"] == f"{DAY}#3"
