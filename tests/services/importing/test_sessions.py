"""Import and export: all or nothing, nothing twice, and the same sessions at the other end."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory import BackendError, InvalidInputError, Memory, NotFoundError
from daily_memory.core.progress import progress_to
from daily_memory.model import Problem
from daily_memory.services.importing import sessions
from daily_memory.storage import archive_files
from daily_memory.storage.fs import files
from tests.conftest import NOW

SESSIONS = [
    {
        "topic": "缓存方案",
        "key_points": ["TTL 300 秒"],
        "date": "2026-01-28",
        "time": "10:00",
        "tags": ["a"],
    },
    {"topic": "second", "date": "2026-01-28", "time": "11:00", "tags": ["b"], "code": "print(1)"},
    {"topic": "other day", "date": "2025-12-31", "time": "09:00", "tags": ["c"]},
]


def topics(memory: Memory) -> list[tuple[str, str]]:
    return [(str(found.session.id), found.session.topic) for found in memory.sessions()]


ALL = [("2025-12-31#1", "other day"), ("2026-01-28#1", "缓存方案"), ("2026-01-28#2", "second")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", "\n".join(json.dumps(session) for session in SESSIONS) + "\n\n"),
        ("a.json", json.dumps(SESSIONS)),
        ("a.json", json.dumps({"sessions": SESSIONS})),
        ("a.txt", "\ufeff" + json.dumps(SESSIONS)),
    ],
)
def test_every_form_is_read(memory, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    result = memory.import_files(str(path))

    assert (len(result.ids), result.present) == (3, 0)
    assert topics(memory) == ALL
    assert memory.search("缓存").hits


def test_each_session_of_a_day_has_headings_in_its_own_language(memory):
    memory.import_sessions(SESSIONS)

    day = (Path(memory.workspace.project_root.daily_folder) / "2026-01-28.md").read_text(
        encoding="utf-8"
    )
    assert day.count("### 主题\n缓存方案") == day.count("### Topic\nsecond") == 1


def test_a_single_object_is_one_session(memory, tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"topic": "x"}')

    assert memory.import_files(str(path)).ids == ("2026-01-29#1",)


def test_importing_again_adds_nothing(memory):
    memory.import_sessions(SESSIONS)
    done: list[tuple[int, int]] = []

    with progress_to(lambda *at: done.append(at)):
        result = memory.import_sessions([*SESSIONS, SESSIONS[0]])

    assert (result.ids, result.present) == ((), 4)
    assert done[-1] == (4, 4)
    assert topics(memory) == ALL


def test_of_a_long_file_the_same_is_imported(memory, tmp_path, monkeypatch):
    days = [f"2026-01-{number % 28 + 1:02}" for number in range(100)]
    lines = [json.dumps({"topic": f"主题 {n}", "date": day}) for n, day in enumerate(days)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n".join(lines) + "\n")
    whole = memory.import_files(str(path), dry_run=True)
    monkeypatch.setattr(sessions, "LONG_BYTES", 100)

    result = memory.import_files(str(path))
    again = memory.import_files(str(path))

    assert result == whole
    assert (len(result.ids), again.ids, again.present) == (100, (), 100)
    found = dict(topics(memory))
    assert {int(found[id_].split()[1]) for id_ in result.ids} == set(range(100))
    assert [int(found[f"2026-01-01#{n}"].split()[1]) for n in range(1, 5)] == [0, 28, 56, 84]


@pytest.mark.parametrize("long_bytes", [10, 1000])
def test_one_bad_line_and_nothing_is_imported(memory, tmp_path, monkeypatch, long_bytes):
    monkeypatch.setattr(sessions, "LONG_BYTES", long_bytes)
    path = tmp_path / "a.jsonl"
    path.write_text('{"topic": "x"}\n{"topic": 5}\n')

    with pytest.raises(InvalidInputError) as caught:
        memory.import_files(str(path))

    assert "line 2: topic: 5 is not a text" in caught.value.message
    assert topics(memory) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"topic": "x"}\nnonsense', "line 2: not JSON"),
        (b"[1]", "session 1: not a JSON object"),
        ("缓存".encode("gbk"), "is not UTF-8"),
        (b"\xff\xfe{", "is not UTF-8"),
        (b'{"messages": []}', "session 1: not a session"),
    ],
)
def test_a_file_of_another_kind_is_refused(memory, tmp_path, text, message):
    path = tmp_path / "a.json"
    path.write_bytes(text)

    with pytest.raises(InvalidInputError) as caught:
        memory.import_files(str(path))

    assert message in caught.value.message


def test_a_missing_file_is_not_found(memory, tmp_path):
    with pytest.raises(NotFoundError):
        memory.import_files(str(tmp_path / "none.json"))


def test_a_day_file_of_another_memory_is_read(memory, tmp_path):
    path = tmp_path / "2026-01-27.md"
    path.write_text("## Session 4 - 10:00\n\n### Topic\nfrom a day file\n")

    assert memory.import_files(str(path)).ids == ("2026-01-27#4",)


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_exported_and_imported_is_the_same(memory, tmp_path, form):
    memory.import_sessions(SESSIONS)
    path = tmp_path / "backup"
    path.write_text("".join(memory.export(form)), encoding="utf-8")
    (tmp_path / "other").mkdir()
    other = memory.in_folder(tmp_path / "other")

    other.import_files(str(path))

    assert [found.session for found in other.sessions(scope="project")] == [
        found.session._replace(origin="import") for found in memory.sessions(scope="project")
    ]


def test_an_empty_memory_is_exported_as_json(memory):
    memory.setup.init()

    assert json.loads("".join(memory.export("json"))) == {"sessions": []}


def test_markdown_is_the_days_one_below_the_other(memory, day_file):
    day_file("# a\nno end", "2026-01-27.md")
    day_file("# b\n", "2026-01-28.md")

    assert "".join(memory.export("md")) == "# a\nno end\n\n# b\n\n"


def test_an_unknown_format_is_refused(memory):
    with pytest.raises(InvalidInputError):
        memory.export("pdf")


def test_secrets_are_counted_and_hidden(memory):
    key = "AKIA" + "QWERTYUIOPASDFGH"

    result = memory.import_sessions([{"topic": f"a {key}"}, {"topic": f"b {key}"}])

    assert sum(count for _, count in result.redactions) == 2
    assert all(key not in topic for _, topic in topics(memory))


def test_an_index_that_can_not_be_written_is_a_warning(memory, monkeypatch):
    from daily_memory.errors import BackendError
    from daily_memory.storage.index import indexer

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("no space left on device")

    monkeypatch.setattr(indexer, "update", refuse)

    result = memory.import_sessions(SESSIONS)

    assert result.warnings == (
        "saved, but the index was not brought up to date: no space left on device",
    )
    assert len(result.ids) == 3


def test_a_folder_is_refused(memory, tmp_path):
    with pytest.raises(InvalidInputError):
        memory.import_files(str(tmp_path))


def test_what_a_person_wrote_is_not_doubled_by_its_own_export(memory, day_file, tmp_path):
    day_file(
        "## Session 1 - 10:00\n\n### Key points\n- ask bob@corp-mail.com\n\n---\n\n## Session 2\n"
    )
    path = tmp_path / "x.json"
    path.write_text("".join(memory.export()), encoding="utf-8")

    result = memory.import_files(str(path))

    assert (result.ids, result.present) == ((), 2)


def test_an_import_that_can_not_be_finished_leaves_nothing(memory, day_file, monkeypatch):
    memory.save({"topic": "mine", "date": "2026-01-28"})
    before = day_file(name="2026-01-28.md").read_bytes()
    day_file(name="2026-02-01.md").mkdir()  # a folder where a day should be written

    with pytest.raises(BackendError):
        memory.import_sessions([*SESSIONS, {"topic": "last", "date": "2026-02-01"}])

    assert day_file(name="2026-01-28.md").read_bytes() == before
    assert not day_file(name="2025-12-31.md").exists()
    assert [found.session.topic for found in memory.sessions()] == ["mine"]


def test_what_somebody_wrote_behind_an_import_is_not_taken_back(memory, day_file, monkeypatch):
    real = files.append

    def append(path, data, modes):
        if "2026-" in path:
            with day_file(name="2025-12-31.md").open("a") as file:
                file.write("by hand\n")
            raise BackendError("disk full")
        return real(path, data, modes)

    monkeypatch.setattr(files, "append", append)
    with pytest.raises(BackendError):
        memory.import_sessions(SESSIONS)

    assert day_file(name="2025-12-31.md").read_text().endswith("by hand\n")


def test_what_was_imported_comes_back_when_an_editor_wiped_it_out(memory, day_file):
    memory.import_sessions(SESSIONS)
    day_file("# day\n", name="2026-01-28.md")

    (report,) = memory.doctor(scope="project", restore=True).values()

    assert len(report.mended) == 2
    assert topics(memory) == ALL


def test_an_imported_conversation_is_still_known(memory, tmp_path):
    memory.save({"topic": "one", "conversation": "c"})
    path = tmp_path / "all.json"
    path.write_text("".join(memory.export("json", scope="project")))
    other = Memory(tmp_path / "home", home=tmp_path / "home", clock=lambda: NOW)
    other.import_files(str(path), scope="project")

    assert (
        other.save({"topic": "two", "conversation": "c"}, scope="project").id
        == "global:2026-01-29#1"
    )


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_what_windows_wrote_is_read(memory, tmp_path, coding):
    """PowerShell sends `memory export > x.json` as UTF-16, with Windows line ends."""
    mark = "\ufeff" if coding == "utf-16-le" else ""
    for name, text in (
        ("a.json", '{"sessions": [\r\n{"topic": "缓存方案", "date": "2026-01-20"}\r\n]}'),
        ("2026-01-21.md", "## Session 1 - 10:00\r\n\r\n### 主题\r\n连接池\r\n"),
    ):
        (tmp_path / name).write_bytes((mark + text).encode(coding))
        memory.import_files(str(tmp_path / name))

    assert [topic for _, topic in topics(memory)] == ["缓存方案", "连接池"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("2026-01-21.md", "## Session 1\n\n### 主题\n缓存\n".encode("gbk"), "is not UTF-8"),
        ("notes.md", b"# notes\n", "is not named like a day"),
    ],
)
def test_a_file_that_would_lose_something_is_refused(memory, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)

    with pytest.raises(InvalidInputError) as caught:
        memory.import_files(str(tmp_path / name))

    assert message in caught.value.message
    assert caught.value.hint


def test_only_what_comes_in_counts_as_hidden(memory, day_file):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    given = [{"topic": f"缓存 {key}", "session": 1}]
    memory.import_sessions(given)

    again = memory.import_sessions(given)
    own = memory.import_sessions([*memory_json(memory), {"topic": "new", "session": 1}])

    assert (again.ids, again.present, again.redactions) == ((), 1, ())
    assert (own.present, own.redactions, len(own.ids)) == (1, (), 1)


def memory_json(memory: Memory) -> list[dict[str, object]]:
    sessions: list[dict[str, object]] = json.loads("".join(memory.export()))["sessions"]
    return sessions


def test_what_a_person_wrote_with_a_secret_is_the_same_without_it(memory, day_file):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    day_file(f"## Session 1 - 10:00\n\n### Topic\n缓存 {key}\n\n---\n")
    (given,) = memory_json(memory)
    text, _ = memory.redact(str(given["topic"]))

    result = memory.import_sessions([{**given, "topic": text}])

    assert (result.ids, result.present) == ((), 1)


def test_an_export_without_anybody_to_be_warned_passes_over_what_it_can_not_read(memory):
    memory.save({"topic": "缓存", "date": "2026-01-28"})
    memory.save({"topic": "login", "date": "2026-01-29"})
    path = Path(archive_files.day_path(memory.workspace.save_root(), date(2026, 1, 27)))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no gzip")

    exported = "".join(memory.export("jsonl", archived=True))

    assert [json.loads(line)["topic"] for line in exported.splitlines()] == ["缓存", "login"]


def test_a_fault_within_a_day_costs_the_export_none_of_its_sessions(memory, day_file):
    memory.save({"topic": "缓存"})
    path = day_file()
    path.write_bytes(path.read_bytes() + b"\n\xff\n")
    warned: list[Problem] = []

    exported = "".join(memory.export("jsonl", warn=warned.append))

    assert (exported.count("\n"), warned) == (2, [])


def test_an_edit_while_other_days_are_imported_keeps_its_line(memory, monkeypatch):
    memory.save({"topic": "by hand", "date": "2026-01-28"})
    daily = Path(memory.workspace.project_root.daily_folder)
    real, edited = os.fsync, daily / "2026-01-28.md"

    def edit(handle: int) -> None:
        real(handle)
        text = edited.read_text(encoding="utf-8")
        if (daily / "2025-12-31.md").exists() and " and more" not in text:
            edited.write_text(text.rstrip() + " and more", encoding="utf-8")

    monkeypatch.setattr(os, "fsync", edit)

    memory.import_sessions(SESSIONS)

    assert topics(memory) == [
        ("2025-12-31#1", "other day"),
        ("2026-01-28#1", "by hand"),
        ("2026-01-28#2", "缓存方案"),
        ("2026-01-28#3", "second"),
    ]
    assert " and more\n\n## " in edited.read_text(encoding="utf-8")
