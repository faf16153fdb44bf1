"""The commands of live sessions, and what a user says to the memory."""

from __future__ import annotations

import gc
import io
import json
import os
import sys
import tempfile
from datetime import date, timedelta

import pytest

from daily_memory import Memory
from daily_memory.frontends import hooks

SAID = [
    ("user", "为什么报表接口这么慢？"),
    ("assistant", "原因是每次都查询全表。决定给报表接口加 Redis 缓存。"),
    ("user", "缓存多久过期？"),
    ("assistant", "TTL 定为 300 秒。"),
    ("user", "好，下一步加监控。"),
]


@pytest.fixture
def live(cli):
    """The command line in a project with a live session."""
    cli("start", "login-bug", "--source", "test")
    for kind, text in SAID:
        cli("log", text, "--kind", kind)
    return cli


def test_a_live_session_is_saved_by_hand(live):
    outcome = live("end", "--json")

    (ended,) = outcome.json()["sessions"]
    assert ended["conversation"] == "login-bug"
    assert live("show", ended["id"]).status == 0
    timeline = live("timeline").out
    assert "login-bug  test  5 observations" in timeline
    assert ended["id"] in timeline


def test_each_command_tells_people_what_it_did(live):
    assert live("start").out.strip()
    assert live("start", "x", "--json").json()["conversation"] == "x"
    assert "logged to" in live("log", "a note", "--conversation", "login-bug").err
    assert live("log", "-", "--conversation", "x", "--json", stdin="y").json()["count"] == 1
    lines = live("observations", "login-bug").out.splitlines()
    assert "user" in lines[0]


def test_observations_are_shown_and_filtered(live):
    live("log", "two\nlines", "--kind", "note", "--tag", "redis", "--private")

    assert "two\n" in live("observations", "--kind", "note").out
    shown = live("observations", "--json", "--kind", "note").json()["observations"]
    assert [(one["text"], one["tags"], one["private"]) for one in shown] == [
        ("two\nlines", ["redis"], True)
    ]


def test_a_session_is_ended_by_its_name(cli):
    cli("start", "一")
    cli("log", "决定用 Postgres", "--kind", "decision")
    cli("start", "二")
    cli("log", "决定用 Redis", "--kind", "decision")

    assert cli("end", "一").out == cli("end", "--", "一").out != ""
    assert "Postgres" in cli("today").out
    assert "Redis" not in cli("today").out
    assert cli("end", "三").status == 3
    assert cli("end", "一", "--all").status == 2


def test_what_is_not_saved_says_why(cli):
    cli("start", "short", "--source", "cursor")
    cli("log", "hi", "--kind", "user")

    assert "shorter than 3 turns" in cli("end").err
    assert cli("end", "--all").out == ""


def test_what_was_left_behind_is_saved_at_once(live):
    assert live("end", "--all").out.strip().endswith("#1")


def test_so_far_is_saved_and_goes_on(live):
    first = live("end", "--so-far").out
    live("log", "决定把 TTL 改成 600 秒。", "--kind", "assistant")

    assert live("end").out == first


@pytest.mark.parametrize("words", [["timeline"], ["timeline", "--since", "2020-01-01"]])
def test_without_live_sessions_the_timeline_is_empty(cli, words):
    assert cli(*words).err == "no live sessions in these days\n"
    assert cli(*words, "--json").json() == {"sessions": []}


def test_without_a_live_session_there_is_nothing_to_log_to(cli):
    outcome = cli("log", "x")

    assert outcome.status == 3
    assert "no live session yet" in outcome.err


# ---------------------------------------------------------------------------- what happened


def test_observations_are_found_by_what_they_say(live):
    (line, *_) = live("search", "全表 查询", "--observations").out.splitlines()
    (hit, *_) = live("search", "全表 查询", "--observations", "--json").json()["results"]

    assert line.startswith(hit["id"])
    assert line.endswith("assistant")
    assert (hit["kind"], hit["conversation"]) == ("assistant", "login-bug")
    assert live("search", "kubernetes", "--observations").err == "nothing relevant was observed\n"


def test_observations_are_narrowed(live):
    live("log", "决定：缓存放在 Redis", "--kind", "decision", "--tag", "infra")

    def found(*words):
        return live("search", "缓存", "--observations", *words, "--json").json()["results"]

    assert {one["kind"] for one in found()} == {"user", "assistant", "decision"}
    assert {one["kind"] for one in found("--kind", "user", "--kind", "decision")} == {
        "user",
        "decision",
    }
    assert [one["tags"] for one in found("--tag", "infra")] == [["infra"]]
    assert found("--tool", "Bash") == found("--until", "2020-01-01") == []
    assert found("--days", "1") == found()
    assert len(found("-k", "1")) == 1


def test_sessions_are_not_among_observations(live):
    live("end")

    assert live("search", "缓存").out.startswith("20")
    results = live("search", "缓存", "--observations", "--json").json()["results"]
    assert "session" not in {one["kind"] for one in results}


def test_what_was_found_is_explained_on_demand(live):
    assert "    | " in live("search", "缓存", "--observations", "--explain").out
    (hit, *_) = live("search", "缓存", "--observations", "--explain", "--json").json()["results"]
    assert hit["explanation"]


@pytest.mark.parametrize(
    "words",
    [
        ["search", "x", "--kind", "note"],
        ["search", "x", "--tool", "Bash"],
        ["search", "--observations", "--jsonl"],
        ["search", "x", "--observations", "--now", "2026-01-29"],
        ["search", "x", "--observations", "--method", "keyword"],
        ["search", "x", "--observations", "--days", "-1"],
        ["timeline", "--window", "5"],
        ["timeline", "2026-01-29/x:2", "--days", "5"],
        ["timeline", "2026-01-29/x:2", "--window", "-1"],
    ],
)
def test_options_that_do_not_go_together_are_refused(cli, words):
    outcome = cli(*words)

    assert outcome.status == 2
    assert outcome.err.startswith("error: ")


def test_no_project_of_that_name_is_no_empty_answer(live):
    assert live("search", "kubernetes", "--observations", "--project", "nope").status == 3


def test_the_surroundings_of_an_observation_are_shown(live):
    live("log", "two\nlines")
    (hit, *_) = live("search", "TTL 300 秒", "--observations", "--json").json()["results"]

    lines = live("timeline", hit["id"]).out.splitlines()
    records = live("timeline", hit["id"], "--window", "10", "--json").json()["records"]

    assert [line[:1] for line in lines if "login-bug" in line] == [" ", " ", " ", ">", " ", " "]
    assert lines[-2:] == ["      two", "      lines"]
    assert [one["text"] for one in records] == [text for _, text in SAID] + ["two\nlines"]
    assert live("timeline", "2026-01-29/nope:2").status == 3


def test_what_is_logged_gets_an_id_and_keeps_its_tool(live):
    logged = live("log", "3 failed", "--kind", "tool", "--tool", "pytest").out.strip()

    assert f"> {logged}" in live("timeline", logged).out
    (hit,) = live("search", "failed", "--observations", "--tool", "pytest", "--json").json()[
        "results"
    ]
    assert (hit["id"], hit["tool"]) == (logged, "pytest")


def test_a_session_has_surroundings_too(live):
    saved = live("end").out.strip()

    assert f"> {saved}" in live("timeline", saved).out


# ---------------------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("搜索记忆: redis", "Redis 缓存"),
        ("search memory: redis", "Redis 缓存"),
        ("查看记忆", "Redis 缓存"),
        ("今天的记忆", "Redis 缓存"),
        ("memory settings", "recording.auto_save"),
        ("上次我们说 redis 缓存用多久？", "Redis 缓存"),
    ],
)
def test_what_is_said_is_done(cli, text, shown):
    cli("add", "Redis 缓存 TTL 300 s")

    assert shown in cli("do", text).out


def test_what_is_said_can_be_answered_as_json(cli, tmp_path):
    cli("add", "Redis 缓存 TTL 300 s")

    answer = cli("do", "搜索记忆: redis", "--json", "--project", str(tmp_path / "app")).json()

    assert answer["count"] == 1


def test_what_says_nothing_to_the_memory_is_told(cli):
    assert cli("do", "refactor", "the", "search").status == 2


def test_this_conversation_is_saved_or_forgotten(live):
    saved = live("do", "记住这个").out.strip()
    assert saved.endswith("#1")
    assert live("do", "save this", "--json").json()["id"] == saved

    assert live("do", "save it").out.strip() == saved
    assert "the user said not to save" in live("do", "这次不保存").err


def test_a_conversation_is_forgotten_however_it_is_said(live):
    assert "the user said not to save" in live("do", "forget this conversation").err
    assert live("list").out == ""


def test_nothing_recorded_can_not_be_saved(cli):
    outcome = cli("do", "记住这个")

    assert outcome.status == 3
    assert "is not being recorded" in outcome.err


def test_a_conversation_that_is_over_is_not_what_shall_be_saved(live):
    live("end")

    assert live("do", "记住这个").status == 3
    assert "记住这个" not in live("list").out
    assert "the user said not to save" in live("do", "不要保存").err


# ---------------------------------------------------------------------------- hooks


def send(monkeypatch, capsys, data: bytes, *words: str) -> dict[str, object]:
    with tempfile.TemporaryFile("w+b") as file:
        file.write(data)
        file.seek(0)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        assert hooks.main(list(words)) == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


@pytest.fixture
def payload(cli, tmp_path):
    return {
        "conversation_id": "c",
        "cursor_version": "3",
        "workspace_roots": [str(tmp_path / "app")],
        "hook_event_name": "beforeSubmitPrompt",
        "prompt": "redis 缓存 TTL 是多少？",
    }


def test_a_hook_answers_in_this_process_as_well(cli, payload, monkeypatch, capsys):
    cli("add", "Redis 缓存 TTL 300 s")
    capsys.readouterr()

    answer = send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    assert "300 s" in str(answer["additional_context"])
    assert send(monkeypatch, capsys, b"{", "cursor") == {}
    other = {**payload, "hook_event_name": "preToolUse"}
    assert send(monkeypatch, capsys, json.dumps(other).encode()) == {}


def started_by(monkeypatch):
    """Start no processes from now on; return the list of the commands that would be."""
    started = []
    monkeypatch.setattr("os.posix_spawn", lambda _, command, *__, **___: started.append(command))
    monkeypatch.setattr("os.waitpid", lambda *_: (1, 0))
    return started


@pytest.mark.parametrize("name", ["sessionEnd", "stop", "sessionStart"])
def test_what_is_left_to_do_is_left_to_another_process(live, payload, monkeypatch, capsys, name):
    started = started_by(monkeypatch)
    payload["hook_event_name"] = name

    send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    wanted = {"sessionEnd": ["ended", "c"], "stop": ["so-far", "c"], "sessionStart": ["all"]}
    (command,) = started
    assert command[3:] == wanted[name]


def test_where_no_process_can_be_started_the_conversation_is_told_all_the_same(
    live, payload, monkeypatch, capsys, tmp_path
):
    def refuse(*_, **__):
        raise OSError(11, "Resource temporarily unavailable")

    live("add", "Redis 缓存 TTL 300 s")
    monkeypatch.setattr("os.posix_spawn", refuse)
    payload["hook_event_name"] = "sessionStart"

    answer = send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    assert "300 s" in str(answer["additional_context"])
    log = tmp_path / "app/.cursor/skills/memories/index/hook.log"
    assert "cursor sessionStart: BlockingIOError" in log.read_text()


@pytest.mark.parametrize("words", [["all"], ["ended", "login-bug"], ["so-far", "login-bug"]])
def test_the_other_process_saves_what_it_is_told_to(live, words):
    hooks.settle(*words)

    (found,) = Memory().sessions()
    assert found.session.conversation == "login-bug"


def test_what_the_other_process_could_not_do_is_noted(live, tmp_path):
    hooks.settle("ended", "nobody")
    config = tmp_path / "app/.cursor/skills/memories/config.json"
    config.write_text('{"recording": {"summarizer": "ollama"}}')
    own = tmp_path / "home/.cursor/skills/memories/config.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"recording": {"summarizer": "ollama"}}')

    hooks.settle("ended", "login-bug")

    log = (tmp_path / "app/.cursor/skills/memories/index/hook.log").read_text()
    first, second = (line.partition(" ")[2] for line in log.splitlines())
    assert first == "digest: no live session 'nobody'"
    assert second.startswith("digest: digested without ollama: no model is named")
    assert len(list(Memory().sessions())) == 1


def test_the_other_process_archives_what_is_old_where_the_user_wants_that(
    cli, payload, monkeypatch, capsys, tmp_path
):
    started = started_by(monkeypatch)
    cli("config", "set", "--global", "storage.auto_archive", "on")
    cli("save", stdin=json.dumps({"topic": "很旧的 redis", "date": "2020-01-01"}))
    payload["hook_event_name"] = "sessionStart"
    index = tmp_path / "app/.cursor/skills/memories/index"

    send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")
    hooks.settle("all")
    assert "archive: nothing was saved in the 60 days" in (index / "hook.log").read_text()
    (index / "last-archived").unlink()
    yesterday = (date.today() - timedelta(days=1)).isoformat()
    cli("save", stdin=json.dumps({"topic": "昨天的", "date": yesterday}))
    hooks.settle("all")

    assert started[0][3:] == ["all"]
    assert "2020-01-01#1" not in cli("list").out
    assert "2020-01-01#1" in cli("list", "--archived").out


def test_a_folder_that_is_not_whole_is_none(cli, payload, monkeypatch, capsys, tmp_path):
    payload["workspace_roots"] = ["."]

    send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    assert list((tmp_path / "home").rglob("c.jsonl"))


@pytest.mark.parametrize(
    ("host", "folder"), [("cursor", ".cursor"), ("trae", ".trae"), ("trae", ".trae-cn")]
)
def test_a_host_with_hooks_of_its_own_gets_nothing_from_those_of_claude(
    cli, payload, monkeypatch, capsys, tmp_path, host, folder
):
    if host == "trae":
        monkeypatch.setenv("TRAE_PROJECT_DIR", str(tmp_path / "app"))
        del payload["cursor_version"]
    (tmp_path / "linked.json").write_text(
        json.dumps({"command": f"'/my tools/memory' hook {host}"})
    )
    (tmp_path / "home" / folder).mkdir(parents=True)
    (tmp_path / "home" / folder / "hooks.json").symlink_to(tmp_path / "linked.json")
    data = json.dumps(payload).encode()

    send(monkeypatch, capsys, data, "claude")
    assert not list(tmp_path.rglob("c.jsonl"))

    send(monkeypatch, capsys, data, host)
    assert list(tmp_path.rglob("c.jsonl"))


def test_the_home_folder_is_no_project(cli, payload, monkeypatch, capsys, tmp_path):
    payload["workspace_roots"] = [str(tmp_path / "home")]

    send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    assert list((tmp_path / "home").rglob("c.jsonl"))


def test_a_project_that_is_named_comes_first(cli, payload, monkeypatch, capsys, tmp_path):
    (tmp_path / "named").mkdir()
    monkeypatch.setenv("MEMORY_PROJECT", str(tmp_path / "named"))

    send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor")

    assert list((tmp_path / "named").rglob("c.jsonl"))


def test_the_command_takes_the_host_as_an_option(cli, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))

    assert cli("hook", "cursor", "stop", "--debug").status == 0


def test_what_can_not_be_saved_is_a_warning(live, tmp_path):
    daily = tmp_path / "app/.cursor/skills/memories/daily"
    daily.write_text("in the way")

    outcome = live("end", "--all")

    assert (outcome.out, outcome.status) == ("", 0)
    assert "warning:" in outcome.err


def test_beside_the_hooks_of_cursor_those_of_claude_keep_still(
    cli, payload, monkeypatch, capsys, tmp_path
):
    (tmp_path / "app/.cursor").mkdir(exist_ok=True)
    (tmp_path / "app/.cursor/hooks.json").write_text('{"command": "memory hook cursor"}')

    assert send(monkeypatch, capsys, json.dumps(payload).encode(), "claude") == {}
    assert not list(tmp_path.rglob("c.jsonl"))


def test_what_a_host_tells_in_another_project_is_told_there(live, payload, monkeypatch, capsys):
    payload["hook_event_name"] = "stop"

    assert send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor") == {}
    assert live("doctor", "--scope", "all").status == 0


def test_without_anybody_to_answer_there_is_no_answer(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "stdout", open(writer, "w"))  # noqa: SIM115  # closed below

    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: SIM115  # goes with the process

    assert hooks.main([]) == 0

    sys.stdout.close()  # nothing is left to be written


def test_whoever_starts_us_may_have_closed_its_ends(monkeypatch, tmp_path):
    from daily_memory import __main__ as program

    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(sys, "argv", ["memory", "hook", "cursor"])
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)

    try:
        program.main()
    finally:
        gc.enable()

    assert ended == [0]


def test_a_hook_goes_past_all_that_reads_options(cli, monkeypatch, capsys):
    from daily_memory import __main__ as program

    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(sys, "argv", ["memory", "hook", "cursor"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))

    try:
        program.main()
    finally:
        gc.enable()

    assert ended == [0]
    assert json.loads(capsys.readouterr().out) == {}


def test_json_that_comes_in_pieces_is_read_to_its_end(cli, payload, monkeypatch, capsys):
    cli("add", "Redis 缓存 TTL 300 s")
    capsys.readouterr()
    payload["more"] = {"a": {}}  # the first read ends with a brace, and is not the whole
    data = json.dumps(payload).encode()
    cut = data.rindex(b"}}") + 1
    pieces = iter([data[:cut], data[cut:]])
    read = os.read

    def read_pieces(file: int, size: int) -> bytes:
        return next(pieces, b"") if file == sys.stdin.fileno() else read(file, size)

    monkeypatch.setattr(os, "read", read_pieces)

    assert "TTL 300" in json.dumps(send(monkeypatch, capsys, b"", "cursor"))


def test_a_host_that_falls_silent_in_the_middle_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(hooks, "SILENT_S", 0.01)
    ours, theirs = os.pipe()
    os.write(theirs, b'{"prompt": "a')
    monkeypatch.setattr(sys, "stdin", os.fdopen(ours))

    assert hooks.main(["cursor"]) == 0

    os.close(theirs)


def test_what_could_not_be_recorded_is_noted(cli, payload, monkeypatch, capsys, tmp_path):
    cli("add", "x")
    capsys.readouterr()
    root = tmp_path / "app/.cursor/skills/memories"
    (root / "observations").write_text("no folder")

    assert send(monkeypatch, capsys, json.dumps(payload).encode(), "cursor") == {}

    assert "observations" in (root / "index/hook.log").read_text()


def test_the_other_process_brings_the_index_up_to_date(cli, monkeypatch, tmp_path):
    cli("add", "Redis 缓存")
    monkeypatch.setenv("MEMORY_PROJECT", str(tmp_path / "app"))
    index = tmp_path / "app/.cursor/skills/memories/index"
    (index / "keywords.json").unlink()

    hooks.settle("index")

    assert "缓存" in (index / "keywords.json").read_text()


def test_before_a_compaction_nothing_is_printed(cli, payload, monkeypatch, capsys):
    payload |= {"hook_event_name": "preCompact", "trigger": "auto"}
    with tempfile.TemporaryFile("w+b") as file:
        file.write(json.dumps(payload).encode())
        file.seek(0)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))

        assert hooks.main(["cursor"]) == 0

    assert capsys.readouterr().out == ""
