"""Secrets that stand in a memory already are hidden wherever words of it are kept."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from daily_memory import ConflictError, Memory
from daily_memory.core.progress import progress_to
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import DEFAULTS
from daily_memory.services.changing import sanitize
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.storage import archive_files, journal, mirror_db, scan_cache
from daily_memory.storage.fs import files
from tests.conftest import sign

SECRET = "hunter2-Zq8vR4"
LINE = f"数据库 password = {SECRET} 用于测试"
DAY = f"""# 2025-10-01 对话记忆

手写的开头\u3000 {LINE}

## Session 1 - 09:00
<!-- memory {{"conversation":"3f2a9c","digest":"58b7e1e4f0d5f8b1"}} -->
### 主题
缓存方案

### 关键信息
- {LINE}
- two   blanks  stay

---
"""
CLEAN = "# 2026-01-28 对话记忆\n\n## Session 1 - 09:00\n### Topic\nclean\n"


@pytest.fixture
def leaky(memory: Memory, day_file: Callable[..., Path]) -> Memory:
    """A memory with a secret in each kind of file."""
    for name in ("2025-10-01.md", "2025-10-02.md"):
        day_file(DAY.replace("2025-10-01", name[:10]), name)
    day_file(CLEAN, "2026-01-28.md")
    root = memory.workspace.project_root
    assert root is not None
    sign(memory)
    observed = [{"session": {"conversation": "3f2a"}}, {"at": "x", "kind": "user", "text": LINE}]
    for day in ("2025-10-01", "2026-01-28"):
        path = Path(root.observations_folder, day, "talk.jsonl")
        path.parent.mkdir(parents=True)
        path.write_text(
            "".join(
                json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n"
                for one in [*observed, {"skipped": "short"}]
            )
        )
    memory.add("new")
    memory.archive.store(memory.archive.due()._replace(observed=memory.archive.due().observed[:1]))
    memory.archive.restore(["2025-10-02#1"])
    Path(root.path, "summary.md").write_text(f"# 摘要\n\n{LINE}\n")
    with Path(root.index_folder, "journal.jsonl").open("a") as file:
        record = {"at": "2026-01-29T00:00:00+00:00", "id": "2026-01-29#9", "text": LINE}
        file.write(json.dumps(record) + "\nnot json " + LINE + "\n")
    for name, text in (
        ("spool/20260129T000000000000-aa.json", json.dumps({"topic": LINE, "n": [1, LINE]})),
        ("hook.log", f"2026-01-29T00:00:00+00:00 {LINE}\n"),
    ):
        path = Path(root.index_folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    undo = Path(root.index_folder, "undo", "000001-20260129T023045Z.json.gz")
    undo.parent.mkdir(exist_ok=True)
    undo.write_bytes(gzip.compress(json.dumps({"changes": [{"before": LINE}]}).encode()))
    undo.with_name("000002-x.json.gz").write_bytes(b"")
    for name in ("2025-10-02-1.md", "other"):
        path = Path(root.index_folder, "backup", name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(DAY)
    return memory


def found(memory: Memory) -> list[str]:
    """Return the files in which the secret stands, packed ones unpacked."""
    names = []
    assert memory.workspace.project_root is not None
    for path in sorted(Path(memory.workspace.project_root.path).rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" and data else data
            if SECRET.encode() in data:
                names.append(path.relative_to(memory.workspace.project_root.path).as_posix())
    return names


NAMES = [
    "archive/2025/2025-10-01.md.gz",
    "archive/2025/observations/2025-10-01/talk.jsonl.gz",
    "daily/2025-10-02.md",
    "index/backup/2025-10-02-1.md",
    "index/backup/other",
    "index/hook.log",
    "index/journal.jsonl",
    "index/spool/20260129T000000000000-aa.json",
    "index/undo/000001-20260129T023045Z.json.gz",
    "observations/2026-01-28/talk.jsonl",
    "summary.md",
]


def test_a_secret_is_found_and_hidden_in_every_file(leaky):
    derived = "index/keywords.json"  # of what stands by hand in the day; made anew with it
    assert found(leaky) == sorted([*NAMES, derived])

    shown = leaky.cleanup.sanitize(dry_run=True)
    assert found(leaky) == sorted([*NAMES, derived])
    done = leaky.cleanup.sanitize()

    assert shown == done
    assert sorted(one.name for one in done.files) == NAMES
    assert done.warnings == ()
    assert dict(done.counts) == {
        "password": sum(dict(one.counts)["password"] for one in done.files)
    }
    assert found(leaky) == []
    assert leaky.cleanup.sanitize().files == ()


def test_no_other_byte_of_a_text_moves(leaky, day_file):
    clean = day_file(name="2026-01-28.md").stat().st_ino

    leaky.cleanup.sanitize()

    hidden = DAY.replace("2025-10-01", "2025-10-02").replace(SECRET, "[REDACTED:password]")
    assert day_file(name="2025-10-02.md").read_text() == hidden
    assert day_file(name="2026-01-28.md").stat().st_ino == clean
    root = leaky.workspace.project_root
    assert (
        Path(root.path, "summary.md")
        .read_text()
        .endswith("password = [REDACTED:password] 用于测试\n")
    )
    lines = Path(root.observations_folder, "2026-01-28", "talk.jsonl").read_text().split("\n")
    assert lines[0] == '{"session":{"conversation":"3f2a"}}'
    assert json.loads(lines[1])["text"] == LINE.replace(SECRET, "[REDACTED:password]")
    assert journal.last_numbers(root, "2026-01-29") == {"2026-01-29": 9}
    assert len(archive_files.load_day(root, archive_files.list_days(root)[0].day).sections) == 1


def test_a_secret_that_shows_only_when_read_has_its_section_written_anew(memory, day_file):
    private = "## Session 2 - 09:00\n### Topic\nt\n\n### Summary\n"
    text = f"{private}pass&#xFEFF;word = {SECRET}\n\n---\n"
    for newline in ("\n", "\r\n"):
        day_file(text.replace("\n", newline), "2026-01-27.md")

        memory.cleanup.sanitize()

        data = day_file(name="2026-01-27.md").read_bytes().decode()
        assert SECRET not in data
        assert data.startswith("## Session 2 - 09:00" + newline)


def test_it_hides_even_where_conversations_are_recorded_as_they_are(memory, day_file):
    memory.in_folder("").config.set("recording.sanitize_sensitive", False)
    memory = memory.in_folder(memory.project)
    day_file(CLEAN + LINE, "2026-01-28.md")

    assert memory.cleanup.sanitize().counts == (("password", 1),)


def test_the_mirror_and_the_index_are_made_anew(leaky):
    leaky.config.set("mirror.enabled", True)
    leaky.mirror.sync()
    leaky.search(SECRET)

    leaky.cleanup.sanitize()

    assert found(leaky) == []
    assert Path(mirror_db.mirror_path(leaky.workspace.project_root)).exists()
    leaky.config.set("mirror.enabled", False)
    leaky.cleanup.sanitize()
    assert not Path(mirror_db.mirror_path(leaky.workspace.project_root)).exists()


def test_an_empty_memory_has_none(memory):
    done = []

    with progress_to(lambda *place: done.append(place)):
        assert memory.cleanup.sanitize() == sanitize.Sanitized()
    assert memory.cleanup.sanitize(dry_run=True) == sanitize.Sanitized()


def test_progress_is_told(leaky):
    done = []

    with progress_to(lambda *place: done.append(place)):
        leaky.cleanup.sanitize(dry_run=True)

    assert done[-1][0] == done[-1][1]


def test_a_file_that_can_not_be_read_is_told_and_stays(leaky):
    path = Path(archive_files.list_days(leaky.workspace.project_root)[0].path)
    path.write_bytes(b"junk")

    done = leaky.cleanup.sanitize()

    assert "archive/2025/2025-10-01.md.gz stays as it is" in done.warnings[0]
    assert path.read_bytes() == b"junk"


def test_a_file_that_somebody_saves_at_this_moment_is_read_again(leaky, day_file, monkeypatch):
    real = files.replace
    path = day_file(name="2025-10-02.md")

    def replace(name, *rest, **more):
        if name == str(path):
            monkeypatch.setattr(files, "replace", real)
            path.write_text(path.read_text() + "\nsaved meanwhile\n")
        real(name, *rest, **more)

    monkeypatch.setattr(files, "replace", replace)

    leaky.cleanup.sanitize()

    assert SECRET not in path.read_text()
    assert path.read_text().endswith("saved meanwhile\n")


def test_a_file_that_never_rests_is_told(leaky, day_file, monkeypatch):
    real, busy = files.replace, str(day_file(name="2025-10-02.md"))

    def replace(path, *rest, **more):
        if path == busy:
            raise ConflictError(f"{path!r} changed")
        real(path, *rest, **more)

    monkeypatch.setattr(files, "replace", replace)

    assert "kept changing" in leaky.cleanup.sanitize().warnings[0]


def test_what_an_undo_brings_back_has_no_secret_either(memory, day_file):
    section = (
        f"## Session 1 - 09:00\n### 主题\n缓存\n\n### 关键信息\n- 密码：{SECRET}\n- 之后的一行\n"
    )
    day_file(f"# 2026-01-28 对话记忆\n\n{section}", "2026-01-28.md")
    memory.delete(["2026-01-28#1"])

    (hidden,) = memory.cleanup.sanitize().files
    memory.undo()

    assert hidden.name.startswith("index/undo/000001-")
    back = memory.get("2026-01-28#1").session
    assert back.key_points == ("密码：[REDACTED:password]", "之后的一行")
    assert day_file(name="2026-01-28.md").read_text().count("\n") == section.count("\n") + 2


@pytest.mark.parametrize("secret", ["short1", SECRET * 3])
def test_what_was_observed_comes_back_without_its_secrets(memory, secret):
    talk = memory.start().conversation
    for turn in range(4):
        memory.log(f"第 {turn} 步：请修复缓存", kind="user", conversation=talk)
        memory.log(f"decided to use seconds, step {turn}", kind="assistant", conversation=talk)
    id_ = memory.end(talk).id
    (path,) = Path(memory.workspace.save_root().observations_folder).rglob("*.jsonl")
    path.write_text(path.read_text().replace("请修复缓存", f"密码：{secret} 请修复", 1))
    lines = path.read_text().count("\n")
    memory.delete([id_])

    memory.cleanup.sanitize()
    memory.undo()

    live = memory.observations.live(talk)
    assert len(live.observations) == 8
    assert live.observations[0].text.startswith("第 0 步：密码：")
    assert live.observations[0].text.endswith(" 请修复")
    assert secret not in path.read_text()
    assert path.read_text().count("\n") == lines


def test_a_file_known_to_be_clean_is_not_searched_until_it_changes(memory, day_file):
    path = day_file(f"{CLEAN}\n- {LINE}\n", "2026-01-28.md")
    assert len(memory.cleanup.sanitize(dry_run=True).files) == 1
    root = memory.workspace.project_root
    noted = {
        "secrets": {
            "rules": scan_cache.fingerprint(privacy, policy(DEFAULTS)[:-1]),
            "files": {"daily/2026-01-28.md": files.stamp(str(path))},
        }
    }
    Path(root.index_folder).mkdir(exist_ok=True)
    Path(root.index_folder, "clean.json").write_text(json.dumps(noted))
    sign(memory)

    assert memory.cleanup.sanitize(dry_run=True).files == ()
    path.write_text(path.read_text() + "\n")
    assert len(memory.cleanup.sanitize(dry_run=True).files) == 1
