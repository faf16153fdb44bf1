"""`memory cleanup` and `memory restore`: nothing is done that nobody said yes to."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.frontends.cli import main
from tests.conftest import sign

MEMORIES = Path(".cursor/skills/memories")
OLD = "# {} 对话记忆\n\n## Session 1 - 09:00\n### 主题\n缓存方案\n\n---\n\n"
SECOND = "## Session 2 - 10:00\n### Topic\n{}\n\n---\n"
SAME = "会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理"


def write(day: str, text: str) -> Path:
    path = MEMORIES / "daily" / f"{day}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def old(cli):
    """The command line in a project with two old days and a note of today."""
    write("2020-10-01", OLD.format("2020-10-01") + SECOND.format("two"))
    write("2020-10-02", OLD.format("2020-10-02"))
    cli("add", "今天的")
    return cli


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)


def test_alone_it_proposes_and_changes_nothing(old):
    outcome = old("cleanup")

    assert outcome.status == 0
    assert "3 sessions on 2 days: older than 90 days\n    memory cleanup --archive\n" in outcome.out
    assert "nothing was changed" in outcome.err
    told = old("cleanup", "--json").json()["proposals"]
    assert [(one["kind"], one["count"], one["command"]) for one in told][:1] == [
        ("archive", 3, "memory cleanup --archive")
    ]
    assert old("list").out.count("\n") == 4


def test_a_clean_memory_needs_nothing(cli):
    cli("add", "今天的")

    assert "nothing to clean up" in cli("cleanup").err


@pytest.mark.parametrize("kind", [["--archive"], ["--days", "90"], ["--delete"], ["--dedupe"]])
def test_without_a_terminal_it_needs_a_yes(old, kind):
    write("2020-10-03", OLD.format("2020-10-03") + SECOND.format("缓存方案"))

    outcome = old("cleanup", *kind)

    assert outcome.status == 2
    assert "no terminal to ask" in outcome.err
    assert "--yes" in outcome.err
    assert old("list").out.count("\n") == 6


@pytest.mark.parametrize(
    ("said", "status", "left"), [("y\n", 0, 1), ("是\n", 0, 1), ("n\n", 2, 4), ("", 2, 4)]
)
def test_on_a_terminal_it_asks_with_the_number(old, monkeypatch, capsys, said, status, left):
    answer(monkeypatch, said)

    assert main(["cleanup", "--archive"]) == status

    told = capsys.readouterr().err
    assert "2020-10-01#2" in told
    assert "archive 3 sessions on 2 days? [y/N]" in told
    assert old("list").out.count("\n") == left


def test_what_is_archived_is_found_and_comes_back(old):
    outcome = old("cleanup", "--before", "2021-01-01", "--yes")
    assert "3 sessions archived; found with --archived" in outcome.out

    assert "[archived]" in old("search", "缓存方案").out
    assert "[archived]" in old("search", "缓存方案", "--archived").out
    assert (
        old("search", "缓存方案", "--archived", "--json").json()["results"][0]["archived"] is True
    )
    assert old("list", "--archived").out.count("[archived]") == 3
    assert "archived" in old("show", "2020-10-01#2", "--archived").err
    assert "is archived" in old("show", "2020-10-01#2").err
    day = old("show", "2020-10-01")
    assert (day.status, "but 2 in the archive" in day.err) == (3, True)
    assert old("show", "2020-10-01", "--archived", "--json").json()["sessions"][1]["path"] == (
        "archive/2020/2020-10-01.md.gz"
    )
    assert "缓存方案" in old("export", "--archived").out
    assert old("export", "--format", "zip", "-o", "x.zip", "--archived").status == 2
    line = old("search", "--jsonl", "--archived", stdin='{"qid": 1, "query": "缓存方案"}\n')
    assert line.json()["results"][0]["archived"] is True

    assert old("restore", "2020-10-01").out.split() == ["2020-10-01#1", "2020-10-01#2"]
    assert "1 session not archived" not in old("restore", "2020-10-02").err
    assert old("list", "--archived").out.count("[archived]") == 0
    assert "in the day already: nothing to do" in old("restore", "2020-10-02").err


def test_undo_takes_back_an_archiving_and_says_so(old):
    old("delete", "2020-10-02#1", "--yes")
    old("cleanup", "--archive", "--before", "2021-01-01", "--yes")
    shown = old("list").out

    undone = old("undo")

    assert undone.err.startswith("undid 2: archived ")
    assert "2020-10-01#1" in undone.out
    assert "2020-10-01#1" in old("list").out
    old("undo", "3")
    assert old("list").out == shown
    path = MEMORIES / "observations" / "2020-10-02" / "talk.jsonl"
    sign(Memory())
    path.parent.mkdir()
    path.write_text('{"skipped":"short"}\n')
    old("cleanup", "--archive", "--before", "2021-01-01", "--yes")
    assert "archived what was observed\n" in old("undo", "--list").out
    assert old("undo").err.startswith("undid 5: archived 0 sessions (")
    assert path.exists()


def test_a_dry_run_shows_all_of_it(old):
    outcome = old("cleanup", "--days", "90", "--dry-run", "--limit", "1")

    assert outcome.out.split() == ["2020-10-01#1", "缓存方案", "2020-10-01#2", "two"]
    assert "1 more day past it" in outcome.err
    assert "2 sessions on 1 day would be archived" in outcome.err
    assert old("cleanup", "--days", "90", "--dry-run", "--json").json() == {
        "archived": ["2020-10-01#1", "2020-10-01#2", "2020-10-02#1"],
        "live_sessions": 0,
        "before": old("cleanup", "--days", "90", "--dry-run", "--json").json()["before"],
        "kept": 0,
        "days_left": 0,
        "dry_run": True,
        "warnings": [],
    }


def test_nothing_old_is_told(cli):
    cli("add", "今天的")

    assert "nothing is older than" in cli("cleanup", "--archive").err


def test_much_of_it_is_cut_on_a_terminal(old, monkeypatch, capsys):
    many = "".join(
        f"## Session {n} - 10:00\n### 主题\n{'长' * 90}{n}\n\n---\n" for n in range(3, 30)
    )
    write("2020-10-02", OLD.format("2020-10-02") + many + "## Session 40\n#important\n")
    write("2020-10-02", OLD.format("2020-10-02") + many + "## Session 40\n### 标签\n#important\n")
    path = MEMORIES / "observations" / "2020-10-02" / "talk.jsonl"
    sign(Memory())
    path.parent.mkdir()
    path.write_text('{"skipped":"short"}\n')
    answer(monkeypatch, "y\n")

    assert main(["cleanup", "--archive"]) == 0

    told = capsys.readouterr()
    assert "… and 10 more" in told.err
    assert "1 important session of these days stay" in told.err
    assert "长…" in told.err
    assert "archive 30 sessions on 2 days and 1 live session? [y/N]" in told.err
    assert "30 sessions and 1 live session archived" in told.out


def test_deleting_says_how_to_bring_back(old):
    outcome = old("cleanup", "--delete", "--before", "2021-01-01", "--yes")

    assert "3 sessions deleted; `memory undo` brings them back" in outcome.out
    assert old("list", "--archived").out.count("\n") == 1
    assert not (MEMORIES / "daily" / "2020-10-02.md").exists()
    assert old("cleanup", "--delete", "--yes", "--json").json()["deleted"] == []
    write("2020-10-02", OLD.format("2020-10-02"))
    done = old("cleanup", "--archive", "--yes", "--json").json()
    assert (done["archived"], done["dry_run"]) == (["2020-10-02#1"], False)


@pytest.mark.parametrize(
    "words",
    [
        ["--dedupe", "--sanitize"],
        ["--archive", "--dedupe"],
        ["--days", "3", "--before", "2021-01-01"],
        ["--days", "0"],
        ["--archive", "--limit", "0"],
        ["--yes"],
        ["--before", "tomorrow"],
    ],
)
def test_what_does_not_go_together_is_refused(old, words):
    assert old("cleanup", *words).status == 2


def test_near_duplicates_are_shown_and_merged(cli):
    for more in (["--point", "压测"], []):
        cli("save", "--topic", "缓存", "--point", SAME, *more)
    cli("add", "别的")

    shown = cli("cleanup", "--dedupe", "--dry-run")
    assert "alike" in shown.out
    assert "1 pair would be merged" in shown.err
    pairs = cli("cleanup", "--dedupe", "--dry-run", "--json").json()
    assert (len(pairs["pairs"]), pairs["merged"]) == (1, [])

    done = cli("cleanup", "--dedupe", "--yes", "--json").json()
    assert [one["into"] for one in done["merged"]] == [pairs["pairs"][0]["later"]]
    assert "no near-duplicates" in cli("cleanup", "--dedupe").err


def test_a_merge_tells_what_is_added(cli):
    cli("save", "--topic", "缓存", "--point", SAME, "--tag", "redis", "--date", "2026-01-01")
    cli("save", "--topic", "缓存", "--point", SAME, "--tag", "cache", "--date", "2026-01-02")

    outcome = cli("cleanup", "--dedupe", "--yes")

    assert "the later one gets 1 statement" in outcome.out
    assert "1 session merged into later ones" in outcome.out


def test_secrets_are_shown_by_file_and_hidden(cli):
    cli("add", "今天的")
    path = write("2026-01-01", OLD.format("2026-01-01") + "password = hunter2-Zq8vR4\n")

    shown = cli("cleanup", "--sanitize", "--dry-run")
    assert shown.out == "daily/2026-01-01.md  password 1\n"
    assert "would be hidden" in shown.err
    assert cli("cleanup", "--sanitize").status == 2
    assert "hunter2" in path.read_text()

    done = cli("cleanup", "--sanitize", "--yes")
    assert "1 secret hidden (password 1)" in done.err
    assert "git history" in done.err
    assert "hunter2" not in path.read_text()
    assert "no secrets found" in cli("cleanup", "--sanitize").err
    assert cli("cleanup", "--sanitize", "--json").json() == {
        "files": [],
        "counts": {},
        "dry_run": True,
        "warnings": [],
    }


def test_a_file_that_can_not_be_cleaned_is_an_error(cli):
    cli("add", "今天的")
    packed = write("2026-01-01", "").parents[1] / "archive/2025/2025-10-01.md.gz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(b"junk")

    for words in (["--yes"], ["--yes", "--json"]):
        done = cli("cleanup", "--sanitize", *words)
        assert done.status == 6
        assert "stays as it is" in done.err
        assert "error: 1 file could not be cleaned" in done.err
    assert cli("cleanup", "--sanitize", "--dry-run").status == 0


@pytest.mark.parametrize("words", [[], ["2020-10-01", "--all"], ["--since", "2020-10-01", "x#1"]])
def test_a_restore_needs_to_know_what(old, words):
    assert old("restore", *words).status == 2


def test_restoring_all_asks(old):
    old("cleanup", "--before", "2021-01-01", "--yes")

    assert old("restore", "--all").status == 2
    shown = old("restore", "--until", "2020-12-31", "--dry-run")
    assert (shown.out.count("\n"), "nothing was changed" in shown.err) == (3, True)
    assert old("restore", "--all", "--yes", "--json").json() == {
        "restored": ["2020-10-01#1", "2020-10-01#2", "2020-10-02#1"],
        "present": [],
        "live_sessions": 0,
        "dry_run": False,
        "warnings": [],
    }
    assert "nothing is archived of that time" in old("restore", "--since", "2020-01-01").err


@pytest.mark.parametrize(
    "said",
    [
        "清理 90 天前的记忆",
        "清理90天之前的旧记忆。",
        "clean up memories older than 90 days",
        "please cleanup my memories older than 1 day",
    ],
)
def test_what_the_user_says_is_done_with_the_same_safety(old, said):
    outcome = old("do", said)

    assert outcome.status == 2
    assert "archive 3 sessions on 2 days?" in outcome.err
    assert old("list").out.count("\n") == 4


@pytest.mark.parametrize("said", ["清理旧记忆", "清理过期的记忆", "clean up old memories"])
def test_without_an_age_it_proposes(old, said):
    outcome = old("do", said)

    assert outcome.status == 0
    assert "memory cleanup --archive" in outcome.out


def test_a_large_day_is_rolled_over(cli):
    assert "no day is larger" in cli("cleanup", "--oversized", "--yes").err
    cli("config", "set", "storage.max_file_size_mb", "0.1")
    for number in range(3):
        text = f"缓存 cache {number} " + "word " * 9_000
        session = {"topic": "缓存", "key_points": [text], "date": "2020-10-01"}
        assert cli("save", stdin=json.dumps(session)).status == 0

    refused = cli("cleanup", "--oversized")
    done = cli("cleanup", "--oversized", "--yes")

    assert (refused.status, done.status) == (2, 0)
    assert "1 session on 1 day" in refused.err
    assert "1 session archived; found with --archived" in done.out
    assert cli("list", "--json").json()["sessions"][0]["id"] == "2020-10-01#2"
    assert cli("cleanup", "--oversized", "--delete").status == 2


def test_what_can_not_be_restored_is_explained(old):
    assert "error: 'foo' is neither an id nor a day" in old("restore", "foo").err
    assert old("restore", "--all").err == "the archive is empty\n"


def test_a_day_is_shown_by_its_word_and_as_the_user_says_it(old):
    assert "今天的" in old("show", "今日").out
    assert old("show", "Yesterday").out == old("show", "昨天").out == ""
    assert old("do", "show memories from 2020-10-02").out == old("show", "2020-10-02").out
    assert old("show", "someday").status == 2
