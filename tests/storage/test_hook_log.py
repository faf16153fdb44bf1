"""The log of hooks: one line for each error, and not without end."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from daily_memory.storage import hook_log
from daily_memory.storage.roots import project_root

NOW = datetime(2026, 1, 29, 10, 30, tzinfo=timezone.utc)


def test_an_error_is_one_line_with_its_time(tmp_path):
    root = project_root(str(tmp_path))

    hook_log.add(root, "digest: no\n  answer", NOW)
    hook_log.add(root, "stop: 失败", NOW + timedelta(seconds=1))

    assert Path(root.index_folder, "hook.log").read_bytes() == (
        b"2026-01-29T10:30:00+00:00 digest: no answer\n"
        + "2026-01-29T10:30:01+00:00 stop: 失败\n".encode()
    )
    assert hook_log.log_path(root) == f"{root.index_folder}/hook.log"


def test_lines_since_a_moment_are_read(tmp_path):
    root = project_root(str(tmp_path))
    Path(root.index_folder).mkdir(parents=True)
    assert hook_log.load_since(root, NOW) == []
    Path(root.index_folder, "hook.log").write_bytes(
        b"2026-01-29T10:29:59+00:00 before\n2026-01-29T10:30:00+00:00 at\nno time\n2026-01-30 x\n"
    )

    assert hook_log.load_since(root, NOW) == ["2026-01-29T10:30:00+00:00 at"]


def test_a_line_tells_whether_it_is_of_a_digest():
    assert hook_log.is_of_digest("2026-01-29T10:30:00+00:00 digest: no answer")
    assert not hook_log.is_of_digest("2026-01-29T10:30:00+00:00 stop: digest: no answer")


def test_a_log_of_more_than_200_kb_begins_again(tmp_path):
    root = project_root(str(tmp_path))
    Path(root.index_folder).mkdir(parents=True)
    path = Path(root.index_folder, "hook.log")

    path.write_bytes(b"x" * 199_999 + b"\n")
    hook_log.add(root, "a", NOW)
    assert len(path.read_bytes()) == 200_028

    path.write_bytes(b"x" * 200_000 + b"\n")
    hook_log.add(root, "a", NOW)
    assert path.read_bytes() == b"2026-01-29T10:30:00+00:00 a\n"
