"""Whole memories: into an empty root as they are, into another one merged, all or nothing."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from daily_memory import BackendError, InvalidInputError, Memory, NotFoundError
from daily_memory.core.format import section_text
from daily_memory.core.progress import progress_to
from daily_memory.model import SessionId
from daily_memory.storage import days
from daily_memory.storage.fs import append, files, zips
from tests.conftest import NOW

KEY = "AKIA" + "QWERTYUIOPASDFGH"
SESSIONS = [
    {"topic": "缓存方案", "key_points": ["TTL 300 秒"], "date": "2026-01-28", "tags": ["a"]},
    {"topic": "second", "date": "2026-01-28", "tags": ["b"], "conversation": "c1"},
    {"topic": "other day", "date": "2025-12-31", "tags": ["c"], "code": "print(1)"},
]


def root_of(memory: Memory) -> Path:
    assert memory.workspace.project_root
    return Path(memory.workspace.project_root.path)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != "index"
        if path.parent.name != "observations"
    }


@pytest.fixture
def full(memory: Memory) -> Memory:
    """A memory with something of everything, part of it written by hand."""
    memory.setup.init()
    for session in SESSIONS:
        memory.save(session)
    root = root_of(memory)
    (root / "summary.md").write_text("# 摘要\n- 用 pnpm\n", encoding="utf-8")
    (root / "config.json").write_text('{"retrieval": {"max_results": 7}}')
    (root / "daily" / "2026-01-27.md").write_bytes(b"by hand\r\n\r\n## Session 3\r\n\r\nno end")
    (root / "archive" / "2024").mkdir(parents=True)
    (root / "archive" / "2024" / "01.md").write_text("## Session 1\n")
    (root / "archive" / "2024.png").write_bytes(b"\x89PNG\0\0")
    (root / "observations" / "2026-01-28").mkdir(parents=True)
    (root / "observations" / "2026-01-28" / "c1.jsonl").write_text('{"kind":"user","text":"嗨"}\n')
    (root / "observations" / "2026-01-28" / "notes.txt").write_text("no observations")
    return memory


@pytest.fixture
def empty(tmp_path: Path) -> Memory:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    return Memory(tmp_path / "other", home=tmp_path / "home2", clock=lambda: NOW)


def zip_of(memory: Memory, folder: Path, *, with_observations: bool = True) -> str:
    path = folder / "memory.zip"
    path.write_bytes(memory.export_zip(with_observations=with_observations))
    return str(path)


def topics(memory: Memory) -> list[tuple[str, str]]:
    return [(str(f.session.id), f.session.topic) for f in memory.sessions(scope="project")]


def test_a_zip_in_an_empty_memory_gives_the_same_bytes(full, empty, tmp_path):
    path = zip_of(full, tmp_path)

    done: list[tuple[int, int]] = []
    with progress_to(lambda *at: done.append(at)):
        result = empty.import_files(path)

    assert done[0] == (1, 8)
    here, there = files_in(root_of(full)), files_in(root_of(empty))
    assert there == {name: data for name, data in here.items() if name in there}
    assert set(here) - set(there) <= {
        ".gitattributes",
        "daily/.gitkeep",
        "observations/2026-01-28/notes.txt",
    }
    assert empty.export_zip(with_observations=True) == Path(path).read_bytes()
    assert len(result.ids) == 4
    assert "summary.md" in result.restored
    assert result.warnings == ("1 file of archive/ taken unread: no text",)
    assert empty.search("缓存").hits
    assert [f.origin for f in empty.sessions(scope="project")] == [""] * 5


def test_importing_a_zip_again_does_nothing(full, empty, tmp_path):
    path = zip_of(full, tmp_path)
    empty.import_files(path)
    before = files_in(root_of(empty))

    result = empty.import_files(path)

    assert (result.ids, result.present, result.restored) == ((), 4, ())
    assert files_in(root_of(empty)) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(full, empty, tmp_path):
    path = zip_of(full, tmp_path)

    told = empty.import_files([path], dry_run=True)

    assert not root_of(empty).exists()
    done = empty.import_files(path)
    assert (told.ids, told.restored, told.present) == (done.ids, done.restored, done.present)


def test_what_a_kill_left_is_made_whole_with_the_same_bytes(full, empty, tmp_path):
    path = zip_of(full, tmp_path, with_observations=False)
    empty.import_files(path)
    (root_of(empty) / "daily" / "2026-01-28.md").unlink()
    (root_of(empty) / "summary.md").unlink()

    result = empty.import_files(path)

    assert result.ids == ("2026-01-28#1", "2026-01-28#2")
    assert empty.export_zip() == Path(path).read_bytes()


def test_an_import_that_is_refused_in_the_middle_leaves_nothing(full, empty, tmp_path, monkeypatch):
    path = zip_of(full, tmp_path)
    real = files.replace

    def refuse(target, *rest, **options):
        if str(target).endswith("summary.md"):
            raise BackendError("no space left on device")
        real(target, *rest, **options)

    monkeypatch.setattr(files, "replace", refuse)
    with pytest.raises(BackendError):
        empty.import_files(path)

    assert set(files_in(root_of(empty))) <= {".gitignore"}


def test_a_memory_in_a_zip_is_merged_with_another(full, empty, tmp_path):
    empty.save({"topic": "mine", "date": "2026-01-28", "session": 1, "tags": ["x"]})
    empty.save({**SESSIONS[2]})

    told = empty.import_files([zip_of(full, tmp_path)], dry_run=True)
    result = empty.import_files(str(tmp_path / "memory.zip"))

    assert (told.ids, told.renumbered) == (result.ids, result.renumbered)
    assert result.present == 1
    assert result.renumbered == (("2026-01-28#1", "2026-01-28#3"),)
    assert ("2026-01-28#1", "mine") in topics(empty)
    assert ("2026-01-28#3", "缓存方案") in topics(empty)
    assert "observations/2026-01-28/c1.jsonl" in result.restored
    origins = {f.session.topic: f.origin for f in empty.sessions(scope="project")}
    assert origins["缓存方案"] == "import"
    again = empty.import_files(str(tmp_path / "memory.zip"))
    # Four sections, and what a person wrote above one of them.
    assert (again.ids, again.present, again.restored) == ((), 5, ())


def observed(memory: Memory, said: str) -> None:
    path = root_of(memory) / "observations" / "2026-01-28" / "c7.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = '{"session":{"conversation":"c7","host":"","project":"","began":"2026-01-28T09:00:00"}}'
    line = {"at": "2026-01-28T09:00:01", "kind": "decision", "text": said}
    text = f"{head}\n{json.dumps(line)}\n"
    path.write_text(text + '{"ended":"ended"}\n', encoding="utf-8")


@pytest.mark.parametrize("is_empty", [True, False])
def test_what_is_made_of_an_imported_recording_has_the_origin_import(
    full, empty, tmp_path, is_empty
):
    observed(full, "决定用 Redis 存 sessions")
    if not is_empty:
        empty.save({"topic": "mine"})
    empty.import_files(zip_of(full, tmp_path))
    empty.start("mine")
    empty.log("We use Node 22", kind="decision")

    empty.end("c7")
    empty.end("mine")

    found = {one.session.conversation: one.origin for one in empty.sessions(scope="project")}
    assert (found["c7"], found["mine"]) == ("import", "")


def test_where_it_is_not_known_whose_a_recording_is_it_is_not_the_users(memory):
    memory.start("c1")
    memory.log("We use Node 22", kind="decision")
    (root_of(memory) / "index" / "imported.jsonl").mkdir(parents=True)

    memory.end("c1")

    assert [one.origin for one in memory.sessions(scope="project")] == ["import"]


def test_another_summary_stays_and_is_named(full, empty, tmp_path):
    empty.setup.init()
    empty.save({"topic": "mine", "date": "2026-01-28"})
    (root_of(empty) / "summary.md").write_text("mine")

    result = empty.import_files(zip_of(full, tmp_path))

    assert "summary.md is another one here, and stays as it is" in result.warnings
    assert (root_of(empty) / "summary.md").read_text() == "mine"
    # What `memory init` had made is no setting of anybody's.
    assert (root_of(empty) / "config.json").read_bytes() == (
        root_of(full) / "config.json"
    ).read_bytes()


def test_a_merge_that_can_not_be_finished_leaves_nothing(full, empty, tmp_path, monkeypatch):
    empty.save({"topic": "mine", "date": "2026-01-28"})
    before = files_in(root_of(empty))

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("no space left on device")

    monkeypatch.setattr(files, "append", refuse)
    with pytest.raises(BackendError):
        empty.import_files(zip_of(full, tmp_path))

    assert files_in(root_of(empty)) == before


def test_the_folder_of_a_project_is_the_memory_in_it(full, empty):
    assert full.project is not None

    result = empty.import_files(full.project)

    assert len(result.ids) == 4
    assert (root_of(empty) / "summary.md").exists()


def test_a_folder_of_days_gives_its_sessions(full, empty):
    result = empty.import_files(str(root_of(full) / "daily"))

    # What a person wrote above the section of a day gets a number behind it.
    assert len(result.ids) == 5
    assert "2026-01-27#4" in result.ids
    assert not (root_of(empty) / "summary.md").exists()


def test_a_folder_of_something_else_is_refused(empty, tmp_path):
    (tmp_path / "x").mkdir()
    with pytest.raises(InvalidInputError, match="without a memory"):
        empty.import_files(str(tmp_path / "x"))


def test_files_are_imported_together_or_not_at_all(empty, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(SESSIONS))
    (tmp_path / "b.json").write_text('{"topic": 5}')

    with pytest.raises(InvalidInputError):
        empty.import_files([str(tmp_path / "a.json"), str(tmp_path / "b.json")])
    with pytest.raises(NotFoundError):
        empty.import_files([str(tmp_path / "a.json"), str(tmp_path / "c.json")])

    assert topics(empty) == []
    assert len(empty.import_files([str(tmp_path / "a.json")] * 2).ids) == 3


def zipped(folder: Path, **members: bytes) -> str:
    path = folder / "made.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return str(path)


DAY = b"# d\n\n## Session 1\n\n### Topic\nfrom a zip\n\n---\n"


def test_a_zip_made_by_hand_may_have_a_folder_on_top_and_more_in_it(empty, tmp_path):
    path = zipped(
        tmp_path,
        **{
            "memories/daily/2026-01-29.md": DAY,
            "memories/index/keywords.json": b"{}",
            "memories/index/backup/2026-01-29.md": b"old",
            "memories/daily/notes.md": b"x",
            "memories/.ssh/authorized_keys": b"x",
            "__MACOSX/memories/._x": b"x",
            "elsewhere/x": b"x",
        },
    )

    result = empty.import_files(path)

    assert result.warnings == ("2 files skipped: not part of a memory",)
    assert set(files_in(root_of(empty))) == {".gitignore", "daily/2026-01-29.md"}


@pytest.mark.parametrize("names", [["a/daily/2026-01-29.md", "b/daily/2026-01-29.md"], ["x.txt"]])
def test_a_zip_without_one_memory_is_refused(empty, tmp_path, names):
    with pytest.raises(InvalidInputError, match="holds"):
        empty.import_files(zipped(tmp_path, **dict.fromkeys(names, DAY)))


def test_a_zip_of_observations_alone_is_a_memory(empty, tmp_path):
    path = zipped(tmp_path, **{"observations/2026-01-29/a.jsonl": b"{}\n"})

    assert empty.import_files(path).restored == ("observations/2026-01-29/a.jsonl",)


def test_secrets_are_hidden_on_the_way_in_and_nothing_else_moves(empty, tmp_path):
    day = (
        f"secret outside {KEY}\r\n\r\n## Session 1\r\n\r\n### Topic\r\nkey {KEY}\r\n\r\n---\r\n\r\n"
        "## Session 2\r\n\r\n###   Topic\r\n干净\r\n\r\n---\r\ntail"
    )
    lines = (
        f'{{"kind":"user","text":"{KEY}","files":["a"],"n":1}}\n{{"text": "ok"}}\nbroken {KEY}\n'
    )
    path = zipped(
        tmp_path,
        **{
            "daily/2026-01-29.md": day.encode(),
            "observations/2026-01-29/c.jsonl": lines.encode(),
            "summary.md": f"- {KEY}\n".encode(),
            "archive/2024.md": KEY.encode(),
        },
    )

    result = empty.import_files(path)

    written = files_in(root_of(empty))
    assert not any(KEY.encode() in data for data in written.values())
    assert sum(count for _, count in result.redactions) == 6
    text = written["daily/2026-01-29.md"].decode()
    assert text.endswith("## Session 2\r\n\r\n###   Topic\r\n干净\r\n\r\n---\r\ntail")
    assert "\n" not in text.replace("\r\n", "")
    observed = written["observations/2026-01-29/c.jsonl"].decode().split("\n")
    assert json.loads(observed[0])["n"] == 1
    assert observed[1] == '{"text": "ok"}'


def test_a_session_of_ours_is_still_known_as_ours_when_a_secret_was_hidden(empty, full, tmp_path):
    day = root_of(full) / "daily" / "2026-01-28.md"
    from daily_memory.services.writing import save
    from daily_memory.storage.days import find_section

    assert full.workspace.project_root
    wanted = SessionId(NOW.date().replace(day=28), 2)
    section = find_section(full.workspace.project_root, wanted)
    assert section
    session = section.session._replace(topic=f"second {KEY}")
    text = section_text.format_signed(session, language="en", open_fences="")
    data = day.read_bytes()
    day.write_bytes(days.splice(data, section.span, text.encode()))

    empty.import_files(zip_of(full, tmp_path))

    assert empty.workspace.project_root
    found = find_section(empty.workspace.project_root, wanted)
    assert found
    assert KEY not in found.session.topic
    assert save.is_untouched(empty.workspace.project_root, found)


def test_a_link_in_the_root_does_not_choose_where_is_written(empty, full, tmp_path):
    target = tmp_path / "outside"
    target.mkdir()
    root_of(empty).mkdir(parents=True)
    (root_of(empty) / "archive").symlink_to(target)

    with pytest.raises(BackendError, match="is a link"):
        empty.import_files(zip_of(full, tmp_path))

    assert list(target.iterdir()) == []


def test_links_in_a_memory_are_not_packed(full, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("not ours")
    root = root_of(full)
    (root / "summary.md").unlink()
    (root / "summary.md").symlink_to(outside)
    (root / "archive" / "link.md").symlink_to(outside)
    (root / "index" / "token").write_text("secret of this machine")

    data = full.export_zip(with_observations=True)

    assert b"not ours" not in b"".join(zips.unpack(data, "x").values())
    assert not any("index" in name or "link" in name for name in zips.unpack(data, "x"))
    (root / "archive").rename(tmp_path / "moved")
    (root / "archive").symlink_to(tmp_path / "moved")
    assert not any("archive" in name for name in zips.unpack(full.export_zip(), "x"))


def test_settings_become_the_users_own_only_when_asked_for(full, empty, tmp_path):
    path = zip_of(full, tmp_path)

    result = empty.import_files([path], scope="global")

    assert "--with-config" in result.warnings[-1]
    config = Path(empty.workspace.global_root.path) / "config.json"
    assert not config.exists()
    empty.import_files([path], scope="global", with_config=True)
    assert json.loads(config.read_text()) == {"retrieval": {"max_results": 7}}


def test_of_settings_that_become_the_users_own_what_only_the_user_may_set_is_left_out(
    full, empty, tmp_path
):
    Path(full.workspace.project_root.config).write_text(
        '{"retrieval": {"max_results": 7}, "storage": {"passphrase_command": "touch /evil"},\n'
        ' "recording": {"redact_allow": [".*"], "sanitize_sensitive": false, "auto_save": false,'
        ' "redact_patterns": ["工号"]}}',
        encoding="utf-8",
    )
    path = zip_of(full, tmp_path)

    result = empty.import_files([path], scope="global", with_config=True)

    assert result.warnings[-1].startswith(
        "left out of config.json, since only you may set it: storage.passphrase_command,"
        " recording.sanitize_sensitive, recording.redact_allow;"
    )
    config = Path(empty.workspace.global_root.path) / "config.json"
    assert json.loads(config.read_text(encoding="utf-8")) == {
        "retrieval": {"max_results": 7},
        "storage": {},
        "recording": {"auto_save": False, "redact_patterns": ["工号"]},
    }


def test_settings_that_can_not_be_used_do_not_become_the_users_own(full, empty, tmp_path):
    Path(full.workspace.project_root.config).write_text('{"recording": {"redact_patterns": ["("]}}')
    path = zip_of(full, tmp_path)

    result = empty.import_files([path], scope="global", with_config=True)

    assert "config.json was left out: config.json:1: recording.redact_patterns" in str(
        result.warnings
    )
    assert not (Path(empty.workspace.global_root.path) / "config.json").exists()


def test_a_page_is_not_imported(full, empty, tmp_path):
    path = tmp_path / "memory.html"
    path.write_text("".join(full.export("html")), encoding="utf-8")

    with pytest.raises(InvalidInputError, match="made to be read"):
        empty.import_files(str(path))


def killed_at(number: int, memory: Memory, path: str) -> bool:
    """Import in a process that is killed at its so-manieth write; tell whether it came so far."""
    child = os.fork()
    if child:
        return bool(os.waitpid(child, 0)[1])
    left = [number]

    def dying(real: Callable[..., None]) -> Callable[..., None]:
        def write(*rest: object, **options: object) -> None:
            if not left[0]:
                os._exit(9)
            left[0] -= 1
            real(*rest, **options)

        return write

    for name in ("replace", "append", "overwrite"):
        setattr(files, name, dying(getattr(files, name)))
    try:
        memory.import_files(path)
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
@pytest.mark.parametrize("is_merge", [False, True])
def test_after_a_kill_at_any_write_the_same_import_makes_it_whole(
    full, tmp_path, is_merge, monkeypatch
):
    path = zip_of(full, tmp_path)
    for number in range(100):
        folder = tmp_path / str(number)
        (folder / ".git").mkdir(parents=True)
        memory = Memory(folder, home=folder / "home", clock=lambda: NOW)
        if is_merge:
            memory.save({"topic": "mine", "date": "2026-01-28", "tags": ["x"]})
        is_killed = killed_at(number, memory, path)

        memory.import_files(path)

        assert len(topics(memory)) == (6 if is_merge else 5)
        if not is_merge:
            assert memory.export_zip(with_observations=True) == Path(path).read_bytes()
        if not is_killed:
            break
    assert number > 5


def test_an_export_leaves_out_the_half_that_a_kill_left(full):
    day = root_of(full) / "daily" / "2026-01-28.md"
    whole = day.read_bytes()
    before = full.export_zip()
    half = b"\n## Session 3 - 10:00\n\n### Topic\nha"
    note = append.format_note(day.name, len(whole), half + b"lf\n\n---\n")
    for export in (full.export_zip, lambda: "".join(full.export())):
        day.write_bytes(whole + half)
        (root_of(full) / "index" / "appending").write_bytes(note)

        exported = export()

        assert exported == before if isinstance(exported, bytes) else "ha\n" not in exported
        assert day.read_bytes() == whole


def test_an_export_of_nothing_makes_nothing(empty):
    assert zips.unpack(empty.export_zip(), "x") == {}
    assert "".join(empty.export("md")) == ""
    assert not root_of(empty).exists()
