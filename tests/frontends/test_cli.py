"""The command line: every command, its JSON, its errors and its exit status."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from pathlib import Path

import pytest

from daily_memory import __version__
from daily_memory.core.progress import report_progress, with_progress
from daily_memory.frontends.cli import arguments, main, terminal
from daily_memory.frontends.cli.commands import COMMANDS

SESSION = {"topic": "Redis 缓存方案", "key_points": ["TTL 定为 300 秒"], "tags": ["redis"]}


@pytest.fixture
def saved(cli):
    """The command line in a project with one session."""
    cli("save", stdin=json.dumps(SESSION))
    return cli


# ---------------------------------------------------------------------------- the frame


@pytest.mark.parametrize("words", [(), ("last",), ("最近",)])
def test_the_last_session_is_shown_unless_another_is_named(cli, words):
    cli("add", "the first")
    cli("add", "the second")

    assert "the second" in cli("show", *words).out
    assert "the first" not in cli("show", *words).out


def test_a_command_that_needs_an_id_says_where_ids_are(cli):
    assert "hint: `memory list` shows the ids" in cli("edit").err


def test_a_text_to_save_is_a_note(cli):
    identity = cli("save", "we use pnpm #tooling").out.strip()

    session = cli("show", identity, "--json").json()["sessions"][0]
    assert (session["topic"], session["tags"], session["source"]) == (
        "we use pnpm",
        ["tooling"],
        "note",
    )
    refused = cli("save", "we use pnpm", "--point", "it is fast")
    assert refused.err == "error: a note is text alone\nhint: give the text with --topic\n"


def test_a_note_has_only_the_tags_that_were_written(cli):
    cli("add", "deploys are forbidden on fridays because nobody is around")

    assert "#" not in cli("list").out.partition("#1")[2]


def test_a_search_without_words_names_the_list(cli):
    outcome = cli("search", "--days", "7", "--tag", "ci")

    assert "memory list --days 7 --tag ci" in outcome.err


def test_an_upgrade_is_a_command_to_run(cli):
    outcome = cli("upgrade", "--json")

    assert " install " in outcome.json()["commands"][-1]
    assert cli("upgrade").out.split("\n")[:-1] == outcome.json()["commands"]


def test_help_lists_the_main_commands_and_help_all_every_one(capsys, cli):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    shown = capsys.readouterr().out

    assert ended.value.code == 0
    assert {"  search ", "  delete ", "  doctor "} <= set(re.findall(r"^  [\w-]+ ", shown, re.M))
    assert not [name for name in ("hook", "merge-driver", "rekey") if f"  {name}" in shown]
    assert cli("help").out == shown
    assert all(f"  {name}" in cli("help", "--all").out for name in COMMANDS)


def test_help_of_a_command_is_that_of_its_option(capsys, cli):
    with pytest.raises(SystemExit):
        main(["search", "--help"])
    shown = capsys.readouterr().out

    assert cli("help", "search").out == shown
    assert cli("help", "xyzzy").status == 2


def test_without_a_command_the_state_of_things_is_shown_in_ten_lines(cli):
    install = cli()
    cli("add", "we use pnpm now; not npm")
    cli("install", "claude")

    lines = cli().out.splitlines()

    assert len(lines) <= 10
    assert "next       memory install" in install.out.splitlines()
    assert "memory     1 session on 1 day  .cursor/skills/memories" in lines
    assert "recording  Claude Code; no event has come yet" in lines
    assert "next       memory search 'we use pnpm now'" in lines
    assert lines == cli("status").out.splitlines()


def test_the_start_page_says_what_waits(cli, tmp_path):
    cli("add", "we use pnpm")
    for name in ("left", "going-on"):
        cli("start", name)
        cli("log", "TTL 300", "--conversation", name)
    left = next((tmp_path / "app").glob("**/left.jsonl"))
    os.utime(left, (time.time() - 90_000,) * 2)

    lines = cli().out.splitlines()

    assert "waiting    1 conversation to be saved, 1 conversation being recorded" in lines
    assert "next       memory end --all" in lines


def test_status_tells_the_memories_in_use(cli, tmp_path):
    empty = cli("status", "--json").json()
    cli("add", "we use pnpm")
    answer = cli("--json").json()

    assert [root["sessions"] for root in empty["roots"]] == [0, 0]
    assert answer["project"]["folder"] == str(tmp_path / "app")
    assert [(root["scope"], root["sessions"]) for root in answer["roots"]] == [
        ("project", 1),
        ("global", 0),
    ]


def test_the_names_of_options_that_people_try(cli):
    cli("add", "redis TTL 300 #redis")
    cli("add", "redis TTL 600 #cache")

    first = cli("search", "redis TTL", "-n", "1", "--json").json()
    assert first["count"] == 1
    assert cli("search", "redis TTL", "--limit", "1", "--json").json() == first
    listed = cli("list", "--tag", "#Redis", "--json").json()["sessions"]
    assert [session["topic"] for session in listed] == ["redis TTL 300"]
    assert cli("config", "retrieval.max_results").out == "5\n"
    assert cli("config", "xyzzy").status == 2
    assert cli("delete", listed[0]["id"], "-y").status == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_with_an_example(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"memory {name}" in capsys.readouterr().out.partition("example")[2]


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])

    assert capsys.readouterr().out == f"daily-memory {__version__}\n"


def test_a_misspelt_command_is_guessed(cli):
    outcome = cli("serch", "x")

    assert outcome.status == 2
    assert outcome.err == "error: no command 'serch'\nhint: did you mean `memory search`?\n"


def test_after_an_unknown_command_the_help_is_pointed_at(cli):
    outcome = cli("xyzzy")

    assert outcome.status == 2
    assert "`memory --help` lists all" in outcome.err


def test_a_wrong_option_is_an_error_of_ours(cli):
    outcome = cli("list", "--colour")

    assert outcome.status == 2
    assert outcome.err.startswith("error: unrecognized arguments: --colour\nhint: run `memory list")


def test_a_misspelt_option_is_guessed(cli):
    outcome = cli("mark", "2026-01-29#1", "--importnt")

    assert outcome.err.endswith("\nhint: did you mean --important?\n")


def test_with_json_an_error_is_an_object_too(cli):
    outcome = cli("show", "2026-01-29#7", "--json")

    assert outcome.status == 3
    assert outcome.json() == {
        "error": {
            "code": "not_found",
            "message": "no session 2026-01-29#7",
            "hint": "run `memory show 2026-01-29` to see that day's sessions",
        }
    }


def test_debug_shows_where_an_error_comes_from(cli):
    from daily_memory import NotFoundError

    with pytest.raises(NotFoundError):
        cli("show", "2026-01-29#7", "--debug")


def test_a_bug_is_told_without_a_traceback_and_without_text_of_the_memory(cli, monkeypatch):
    from daily_memory.memory import Memory

    def fail(*_: object, **__: object) -> None:
        raise ValueError("secret text")

    monkeypatch.setattr(Memory, "sessions", fail)

    outcome = cli("list")
    assert outcome.status == 1
    assert "bug in daily-memory (ValueError)" in outcome.err
    assert "secret" not in outcome.err
    with pytest.raises(ValueError, match="secret text"):
        cli("list", "--debug")


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0)])
def test_being_interrupted_is_no_bug(cli, monkeypatch, error, status):
    from daily_memory.memory import Memory

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Memory, "sessions", fail)
    monkeypatch.setattr(terminal, "drop_output", lambda: None)

    assert cli("list").status == status


def test_a_project_can_be_named_before_or_behind_the_command(saved, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    app = str(tmp_path / "app")

    assert saved("--project", app, "list").out == saved("list", "--project", app).out != ""


def test_a_project_that_is_none_is_an_error(cli):
    assert cli("list", "--project", "/nowhere/at/all").status == 2


# ---------------------------------------------------------------------------- recording


def test_save_prints_the_id_and_says_where(cli, tmp_path):
    outcome = cli("save", stdin=json.dumps(SESSION))

    assert outcome.status == 0
    assert outcome.out.endswith("#1\n")
    assert outcome.err.startswith(f"saved to {tmp_path}/app/.cursor/skills/memories/daily/")


def test_save_takes_options_in_place_of_json(cli, tmp_path):
    code = tmp_path / "a.py"
    code.write_text("TTL = 300\n")
    words = "--topic T --summary S --point P --point Q --decision D --question W --next N".split()
    more = f"--file src/a.py --tag redis --code {code} --source me --important"

    cli("save", *words, *more.split(), "--date", "2026-01-28", "--time", "10:30")

    session = cli("show", "2026-01-28#1", "--json").json()["sessions"][0]
    expected = {
        "topic": "T",
        "summary": "S",
        "key_points": ["P", "Q"],
        "decisions": ["D"],
        "open_questions": ["W"],
        "next_steps": ["N"],
        "files": ["src/a.py"],
        "code": [{"language": "py", "text": "TTL = 300"}],
        "tags": ["redis", "important"],
        "time": "10:30",
        "source": "me",
        "important": True,
        "line_range": [3, 36],
    }
    assert {name: session[name] for name in expected} == expected


def test_a_code_file_without_an_ending_has_no_language(cli, tmp_path):
    (tmp_path / "Makefile").write_text("all:")

    cli("save", "--topic", "T", "--code", str(tmp_path / "Makefile"), "--date", "2026-01-28")

    session = cli("show", "2026-01-28#1", "--json").json()["sessions"][0]
    assert session["code"] == [{"language": "", "text": "all:"}]


def test_a_code_file_that_is_missing_is_an_error(cli):
    assert cli("save", "--topic", "T", "--code", "none.py").status == 3


@pytest.fixture
def piped(cli):
    """A function that runs a command with a pipe as stdin, closed behind what it holds."""

    def run(*words, stdin="", is_open=False):
        reading, writing = os.pipe()
        os.write(writing, stdin.encode())
        if not is_open:
            os.close(writing)
        with os.fdopen(reading) as pipe:
            outcome = cli(*words, stdin=pipe)
        if is_open:
            os.close(writing)
        return outcome

    return run


@pytest.mark.parametrize("words", [["--tag", "extra"], ["--topic", "缓存", "--tag", "extra"]])
def test_what_options_give_comes_to_what_stands_on_stdin(cli, piped, words):
    piped("save", *words, "--important", stdin=json.dumps(SESSION))

    session = cli("list", "--json").json()["sessions"][0]
    assert session["topic"] == (words[1] if words[0] == "--topic" else SESSION["topic"])
    assert session["key_points"] == SESSION["key_points"]
    assert session["tags"][: len(SESSION["tags"]) + 1] == [*SESSION["tags"], "extra"]
    assert session["important"] is True


def test_json_may_be_an_argument_and_a_dash_means_stdin(cli, piped):
    cli("save", json.dumps({"topic": "发布", "decisions": ["never on Friday"]}))
    piped("save", "-", "--tag", "b", stdin='{"topic": "Deploys"}')

    first, second = cli("list", "--json").json()["sessions"]
    assert (first["topic"], first["decisions"]) == ("发布", ["never on Friday"])
    assert (second["topic"], second["tags"]) == ("Deploys", ["b"])
    assert "TEXT is not JSON" in cli("save", '{"topic": "x"').err
    assert cli("save", "{{name}} is a gap of the template").status == 0


def test_a_list_is_that_of_the_messages_of_a_conversation(cli, piped):
    messages = [
        {"role": "user", "content": "Which cache does the shop use?"},
        {"role": "assistant", "content": "We decided to use Redis 7 for the sessions of `shop`."},
    ]

    cli("save", json.dumps(messages, indent=2))
    piped("save", stdin=json.dumps([*messages, {"role": "user", "content": "And the queue?"}]))

    first, second = cli("list", "--json").json()["sessions"]
    decided = ["We decided to use Redis 7 for the sessions of `shop`."]
    assert (first["decisions"], second["decisions"]) == (decided, decided)


def test_a_tag_in_json_may_be_one_text_and_nothing_else_but_a_list(piped, cli):
    piped("save", "--tag", "b", stdin='{"topic": "T", "tags": "a"}')
    outcome = piped("save", "--tag", "b", stdin='{"topic": "T", "tags": {"a": 1}}')

    assert cli("list", "--json").json()["sessions"][0]["tags"] == ["a", "b"]
    assert outcome.status == 2


def test_a_stdin_that_nobody_writes_to_is_not_waited_for(piped):
    assert piped("save", "--topic", "T", is_open=True).status == 0
    assert piped("save", "--topic", "T").status == 0


def test_a_file_on_stdin_is_read_besides_the_options(cli, tmp_path):
    (tmp_path / "session.json").write_text('{"key_points": ["TTL 定为 300 秒"]}', encoding="utf-8")
    with open(tmp_path / "session.json", encoding="utf-8") as file:
        cli("save", "--topic", "缓存", stdin=file)

    assert cli("show", "today").out.count("TTL 定为 300 秒") == 1


def test_options_that_are_no_session_need_one(cli):
    assert cli("save", "--tag", "x").err.startswith("error: nothing to save")


def test_the_answer_of_save_has_its_promised_keys(cli):
    answer = cli("save", "--json", stdin=json.dumps(SESSION)).json()

    assert list(answer) == [
        "id",
        "date",
        "session",
        "path",
        "line_range",
        "scope",
        "redactions",
        "skipped",
        "warnings",
    ]
    assert (answer["session"], answer["line_range"], answer["skipped"]) == (1, [3, 14], None)


def test_a_skipped_conversation_says_why(cli):
    data = json.dumps({"messages": [{"role": "user", "content": "hello there, just a question"}]})

    assert cli("save", stdin=data).err.startswith(
        "not saved: the conversation is shorter than 3 turns"
    )
    answer = cli("save", "--json", stdin=data).json()
    assert (answer["id"], answer["session"], answer["path"]) == (None, None, None)
    assert answer["skipped"].startswith("the conversation is shorter")


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        ("nonsense", "stdin is not JSON, line 1"),
        ("1", "stdin is not a JSON object"),
        ("[1]", "messages: number 1 is not"),
        ("[" * 100_000, "stdin is nested too deep"),
        (b"\xff\xfe", "stdin is not UTF-8"),
        ("{}", "nothing to save"),
        ("", "nothing to save\nhint: give --topic"),
    ],
)
def test_bad_input_is_named(cli, stdin, message):
    outcome = cli("save", stdin=stdin)

    assert outcome.status == 2
    assert outcome.err.startswith(f"error: {message}")


def test_with_nothing_on_a_terminal_nothing_is_waited_for(cli, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def run() -> int:
        monkeypatch.setattr(sys, "stdin", Terminal())
        return main(["save"])

    assert run() == 2


def test_add_saves_a_note(cli):
    identity = cli("add", "我们用", "pnpm", "#tooling", "--important", "--tag", "js").out.strip()

    session = cli("show", identity, "--json").json()["sessions"][0]
    assert (session["topic"], session["tags"]) == ("我们用 pnpm", ["js", "important", "tooling"])


def test_a_note_may_come_from_another_program(cli):
    identity = cli(
        "add", "-", "--tag", "ops", stdin="周三下午部署\nfrom main only #ci\n"
    ).out.strip()

    session = cli("show", identity, "--json").json()["sessions"][0]
    assert session["topic"] == "周三下午部署"
    assert session["key_points"] == ["周三下午部署\nfrom main only"]
    assert session["tags"] == ["ops", "ci"]
    assert "nothing to save" in cli("add", "-").err
    assert "`memory add -` saves a text" in cli("save", stdin="plain words").err


def test_the_topic_of_a_long_note_is_its_first_sentence(cli):
    text = f"只从 main 部署。热修复由值班工程师评审{'，不能绕过流程' * 12}"

    session = cli("show", cli("add", text).out.strip(), "--json").json()["sessions"][0]
    assert (session["topic"], session["key_points"]) == ("只从 main 部署", [text])


def test_a_secret_is_hidden_before_a_topic_is_cut(cli):
    secret = "sk-proj-Qx7Lm2Vt9Rb4Nz8Kc3" + "Hd6Yp1Ws5Fg0Ja2Ue7Ti9Oq4Bx8Mv"

    out = cli("add", f"the service that bills our customers each month has {secret} for now")
    assert "Qx7Lm2" not in cli("show", out.out.strip()).out


def test_a_note_without_words_is_an_error_that_shows_one(cli):
    assert 'hint: as in: memory add "we use pnpm"' in cli("add", " ").err


def test_a_hit_that_its_topic_tells_takes_two_lines(cli):
    cli("add", "we use pnpm, not npm; always #tooling")

    headline, place = cli("search", "pnpm").out.splitlines()

    assert headline.endswith("  we use pnpm, not npm; always")
    assert place.endswith(".md:3")


@pytest.mark.parametrize(
    ("text", "field", "kept"),
    [
        ("TODO: rotate the signing key #ops", "next_steps", "rotate the signing key"),
        ("待办：给签名密钥换新", "next_steps", "给签名密钥换新"),
        ("决定：日志保留 90 天", "decisions", "日志保留 90 天"),
        ("TODO: 发布说明：先写", "next_steps", "发布说明：先写"),
        ("Decision: deploys are on Mondays", "decisions", "deploys are on Mondays"),
        ("风险: 没有人值班", "open_questions", "没有人值班"),
    ],
)
def test_a_note_that_says_what_it_is_stands_under_that_heading(cli, text, field, kept):
    identity = cli("add", text).out.strip()

    session = cli("show", identity, "--json").json()["sessions"][0]
    assert session[field] == [kept]
    assert session["topic"] == kept
    assert not session["key_points"]


@pytest.mark.parametrize(
    "text", ["TODO:", "note: we use pnpm", "https://a.example/x", "标签：发布"]
)
def test_what_looks_like_a_heading_alone_stays_a_note(cli, text):
    identity = cli("add", text).out.strip()

    session = cli("show", identity, "--json").json()["sessions"][0]
    assert session["topic"] == text
    assert not any(session[field] for field in ("decisions", "open_questions", "next_steps"))


def test_a_note_of_what_is_to_do_is_found_as_such(cli):
    cli("add", "TODO: rotate the signing key")
    cli("add", "the signing key is in the vault")

    assert cli("search", "what is still to do", "--json").json()["count"] == 1


# ---------------------------------------------------------------------------- searching


def test_search_shows_what_it_found_and_where(saved):
    outcome = saved("search", "缓存", "TTL", "--explain")

    lines = outcome.out.split("\n")
    assert "Redis 缓存方案" in lines[0]
    assert "TTL 定为 300 秒" in outcome.out
    assert ".md:3\n" in outcome.out
    assert "    | 缓存 (exact)\n" in outcome.out
    assert "    | 缓存（相同）\n" in saved("search", "缓存", "--explain", "--lang", "zh").out


def test_the_answer_of_search_has_its_promised_keys(saved):
    answer = saved("search", "redis", "--json").json()

    assert list(answer) == ["query", "method", "count", "results", "warnings"]
    assert (answer["query"], answer["method"], answer["count"]) == ("redis", "keyword", 1)
    assert list(answer["results"][0]) == [
        "id",
        "date",
        "session",
        "time",
        "topic",
        "tags",
        "project",
        "scope",
        "score",
        "scores",
        "snippet",
        "matched",
        "important",
        "outdated",
        "conversation",
        "origin",
        "path",
        "line_range",
    ]
    assert list(answer["results"][0]["scores"]) == ["keyword", "semantic", "decay"]
    assert saved("search", "redis", "--json", "--explain").json()["results"][0]["explanation"]


def test_nothing_relevant_is_an_answer(saved):
    outcome = saved("search", "kubernetes ingress controller")

    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == "nothing relevant is stored\n"


def test_an_empty_query_is_an_error(saved):
    assert saved("search", " ").status == 2


def test_many_queries_are_answered_a_line_each(saved):
    lines = (
        '{"qid": "a", "query": "redis"}\n\n{"qid": "b", "query": "zebra", "now": "2020-01-01"}\n'
    )

    outcome = saved("search", "--jsonl", stdin=lines)

    answers = [json.loads(line) for line in outcome.out.splitlines()]
    assert [(answer["qid"], answer["count"]) for answer in answers] == [("a", 1), ("b", 0)]


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"query": "x", "now": "soon"}'])
def test_a_bad_line_is_named(saved, line):
    outcome = saved("search", "--jsonl", stdin=f"{line}\n")

    assert outcome.status == 2
    assert outcome.err.startswith("error: line 1")


def test_search_can_be_narrowed(saved):
    assert saved("search", "redis", "--tag", "other").out == ""
    assert saved("search", "redis", "--since", "2000-01-01", "--until", "2000-12-31").out == ""
    assert saved("search", "redis", "--days", "1", "--tag", "redis").out != ""
    assert saved("search", "redis", "--now", "2000-01-01").out == ""
    refused = saved("search", "redis", "--since", "soon")
    assert (refused.status, "such as yesterday and 上周" in refused.err) == (2, True)
    assert "Redis" in saved("search", "redis", "--since", "yesterday", "--until", "今天").out
    assert saved("search", "redis", "--until", "yesterday").out == ""


def test_show_takes_words_for_days(saved):
    today = saved("show", "today").out
    assert "Redis" in today
    assert saved("show", "本周").out == saved("show", "this week").out == today
    assert saved("show", "前天").err.startswith("error: no sessions for ")
    assert saved("show", "soon").err.startswith("error: 'soon' is neither an id nor a day\n")


def test_the_last_session_is_named_in_every_command_that_takes_an_id(cli):
    cli("add", "the first")
    second = cli("add", "the second").out

    assert cli("mark", "last", "--important").out == second
    assert "the second" in cli("edit", "最近一条", "--print").out
    assert cli("edit", "last", stdin="## Session 2\n\n### Topic\nthe newest\n").status == 0
    assert cli("delete", "last", "--yes", "--json").json()["deleted"] == [second.strip()]
    assert "the first" in cli("show").out


def test_without_sessions_the_last_one_is_missing(cli):
    outcome = cli("show")

    assert (outcome.status, outcome.err.split("\n")[0]) == (3, "error: no sessions are saved here")


def test_a_session_is_saved_for_a_day_that_words_name(cli):
    cli("save", "--topic", "Redis", "--date", "昨天")

    assert "Redis" in cli("show", "yesterday").out
    assert cli("save", "--topic", "Redis", "--date", "soon").status == 2


def test_a_project_is_found_by_its_name_from_anywhere(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert "Redis" in saved("search", "redis", "--project", "app").out
    assert saved("search", "kubernetes", "--project", "app").status == 0


@pytest.mark.parametrize("words", [["search", "redis"], ["search", "--jsonl"]])
def test_a_project_that_nobody_knows_is_an_error_and_no_empty_answer(saved, words):
    outcome = saved(*words, "--project", "appp", stdin='{"query": "redis"}\n')

    assert outcome.status == 3
    assert "Redis" not in outcome.out
    assert outcome.err == "error: no project 'appp'\nhint: did you mean app?\n"


def test_a_project_where_none_is_known_is_an_error(cli):
    assert cli("search", "redis", "--project", "shop").err.split("hint: ")[1].startswith("there is")


def test_what_other_projects_know_bears_their_name(saved, tmp_path, monkeypatch):
    (tmp_path / "商城/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "商城")
    saved("save", "--topic", "Redis here")

    found = saved("search", "redis", "--scope", "all").out
    assert "Redis 缓存方案  [app]\n" in found
    assert "Redis here  [商城]\n" in found
    listed = saved("list", "--scope", "all").out
    assert "Redis 缓存方案  #redis  [app]\n" in listed
    assert "Redis here  #redis  [商城]\n" in listed
    answer = saved("search", "redis", "--scope", "all", "--json").json()
    assert {one["project"] for one in answer["results"]} == {"app", "商城"}
    sessions = saved("list", "--scope", "all", "--json").json()["sessions"]
    folders = (tmp_path / name / ".cursor/skills/memories" for name in ("app", "商城"))
    assert {one["root"] for one in sessions} == set(map(str, folders))
    assert {one["project"] for one in sessions} == {"app", "商城"}
    block = saved("inject", "redis", "--scope", "all").out
    assert block.count("[memory app:") == block.count("app") - 1 == 1
    assert "商城" not in block


def test_inject_prints_a_block_or_nothing(saved):
    assert "Redis 缓存方案" in saved("inject", "redis 缓存").out
    assert saved("inject", "kubernetes ingress controller").out == ""
    assert saved("inject").out.startswith("<daily-memory-")
    answer = saved("inject", "redis", "--json").json()
    assert len(answer["ids"]) == 1
    assert saved("inject", "--max-chars", "10").status == 2


# ---------------------------------------------------------------------------- viewing


def test_list_shows_a_line_for_each_session(saved):
    saved("save", "--topic", "old", "--date", "2020-01-01", "--tag", "x")

    lines = saved("list").out.splitlines()
    assert [line.split("  ")[-2].strip() for line in lines] == ["Redis 缓存方案", "old"]
    assert len(saved("list", "--days", "2").out.splitlines()) == 1
    assert len(saved("list", "--until", "2020-01-01").out.splitlines()) == 1
    assert len(saved("list", "--since", "2020-01-02", "--json").json()["sessions"]) == 1


def test_a_section_without_a_topic_is_listed_by_how_it_begins(cli):
    identity = cli("add", "x").out.strip()
    day, _ = identity.split("#")
    path = Path(f".cursor/skills/memories/daily/{day}.md")
    path.write_text(
        f"# {day}\n\n## Session 1\n部署窗口是周三下午。先通知值班。\n", encoding="utf-8"
    )

    assert cli("list").out.endswith("  部署窗口是周三下午\n")
    assert "  部署窗口是周三下午" in cli("search", "部署窗口").out.split("\n")[0]
    assert cli("list", "--by-day").out.endswith("  部署窗口是周三下午\n")
    assert cli("delete", identity, "--dry-run").out == f"{identity}  部署窗口是周三下午\n"
    assert f"{identity}  部署窗口是周三下午" in cli("status").out


def test_a_list_is_a_page_unless_all_or_a_period_is_asked_for(cli, tmp_path):
    given = [{"topic": f"t{number}", "date": "2020-01-01"} for number in range(60)]
    source = tmp_path / "given.json"
    source.write_text(json.dumps(given))
    cli("import", str(source))

    page = cli("list")

    assert [line.split()[-2] for line in page.out.splitlines()] == [
        f"t{number}" for number in range(59, 9, -1)
    ]
    assert page.err == "the newest 50; `memory list --all` shows all\n"
    for asked in (["--all"], ["--since", "2020-01-01"]):
        whole = cli("list", *asked)
        assert (len(whole.out.splitlines()), whole.err) == (60, "")
    assert len(cli("list", "--json").json()["sessions"]) == 60


def test_a_list_by_day_has_a_line_for_each(cli):
    for day, topic in (("2020-01-01", "old"), ("2020-01-02", "缓存"), ("2020-01-02", "redis")):
        cli("save", "--topic", topic, "--date", day)

    assert cli("list", "--by-day").out.splitlines() == [
        "2020-01-02   2  redis; 缓存",
        "2020-01-01   1  old",
    ]


def test_colours_are_for_pipes_only_if_forced(saved, monkeypatch):
    plain = saved("list").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = saved("list").out

    assert "\x1b[" in coloured
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b" not in saved("list", "--json").out


def test_an_empty_list_says_what_to_do(cli):
    assert "memory save" in cli("list").err
    assert cli("list", "--json").json() == {"sessions": []}


def test_a_session_of_the_global_memory_is_marked(cli):
    cli("add", "everywhere #x", "--scope", "global")

    assert cli("list").out.rstrip().endswith("[global]")


def test_show_prints_a_session_a_day_or_today(saved):
    for what in ("today", "今天"):
        assert "TTL 定为 300 秒" in saved("show", what).out
    assert saved("today").out == saved("show", "today").out
    saved("save", "--topic", "second")
    assert "\n#redis\n\n## Session 2 - " in saved("today").out
    assert saved("today", "--json").json() == saved("show", "today", "--json").json()


@pytest.mark.parametrize(
    ("what", "status"), [("2020-01-01", 3), ("2020-01-01#1", 3), ("x", 2), ("../../etc#1", 2)]
)
def test_what_is_not_there_is_told(saved, what, status):
    assert saved("show", what).status == status


def test_an_empty_day_is_told(cli):
    assert cli("today").err == "nothing was saved today\n"
    assert cli("today", "--json").json() == {"sessions": []}


def test_what_a_terminal_would_act_on_is_shown_and_not_sent(cli):
    cli("save", "--topic", "\x1b[2J\u202eevil", "--tag", "x")

    shown = cli("list").out + cli("show", "today").out
    assert "\x1b" not in shown
    assert "\\x1b[2J\\u202eevil" in cli("list").out


# ---------------------------------------------------------------------------- keeping


def test_init_makes_the_root_and_can_be_repeated(cli):
    first, second = cli("init"), cli("init")

    assert first.out.startswith("made: ")
    assert second.out.startswith("already there: ")
    assert Path(".cursor/skills/memories/config.json").exists()
    assert cli("init", "--global", "--json").json()["scope"] == "global"


def test_init_outside_a_project_makes_one_here(cli, tmp_path, monkeypatch):
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")

    cli("init")

    assert (tmp_path / "new/.cursor/skills/memories/daily").is_dir()


def test_redact_hides_and_leaves_the_rest(cli):
    key = "AKIA" + "QWERTYUIOPASDFGH"

    assert cli("redact", stdin="nothing here\n").out == "nothing here\n"
    assert key not in cli("redact", stdin=f"a {key} b").out
    assert cli("redact", "--json", stdin=f"a {key}").json()["redactions"]
    lines = json.dumps({"id": 1, "text": f"a {key}"}) + "\n\n"
    answer = json.loads(cli("redact", "--jsonl", stdin=lines).out)
    assert answer["id"] == 1
    assert key not in answer["text"]
    assert cli("redact", "--jsonl", stdin='{"id": 1}\n').status == 2


def test_reindex_counts(saved):
    assert saved("reindex").err.startswith("1 session indexed in ")
    assert saved("reindex", "--json").json()["roots"][0]["sessions"] == 1


def test_doctor_is_content_or_ends_with_5(saved):
    report = saved("doctor").out
    assert "no faults" in report
    assert "Chinese dictionary: not installed; " in report
    assert saved("doctor", "--json").json()["roots"][0]["faults"] == []
    day = next(Path(".cursor/skills/memories/daily").glob("*.md"))
    day.write_text(day.read_text() * 2)
    outcome = saved("doctor")
    assert outcome.status == 5
    assert "fault: " in outcome.out
    assert outcome.out.endswith("what to do:\n  1. memory doctor --fix\n")
    assert saved("doctor", "--json").json()["steps"][0]["command"] == "memory doctor --fix"
    assert saved("doctor", "--report", "report.md").status == 0
    assert "occurs more than once" in Path("report.md").read_text(encoding="utf-8")
    assert saved("doctor", "--report", "report.md").status == 2
    Path(".cursor/skills/memories/daily/notes.md").write_text("")
    outcome = saved("doctor", "--fix")
    assert outcome.status == 0
    assert "mended: " in outcome.out
    assert "note: " in outcome.out


def test_import_and_export_are_a_round_trip(saved, tmp_path):
    path = tmp_path / "backup.json"
    path.write_text(saved("export").out, encoding="utf-8")

    outcome = saved("import", str(path))
    assert "0 sessions imported, 1 there already, 0 secrets hidden" in outcome.err
    key = "AKIA" + "QWERTYUIOPASDFGH"
    path.write_text(json.dumps({"topic": f"new {key}"}))
    assert saved("import", str(path), "--json").json()["imported"] == 1
    assert len(saved("export", "--format", "jsonl").out.splitlines()) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "tcsh"])
def test_completion_knows_the_commands_and_asks_for_ids(cli, shell):
    outcome = cli("completion", shell)

    assert outcome.status == 0
    assert "reindex" in outcome.out
    assert "windsurf" in outcome.out
    assert "memory completion ids" in outcome.out


def test_the_ids_and_tags_that_completion_offers_need_no_quotes(saved):
    saved("save", "--topic", "x", "--tag", "$(rm)", "--tag", "缓存", "--date", "2026-01-29")

    assert saved("completion", "ids").out.splitlines()[-1] == "2026-01-29#1"
    assert saved("completion", "tags").out.splitlines() == ["redis", "缓存"]


def test_the_demo_shows_all_of_it(cli):
    outcome = cli("demo")

    assert outcome.status == 0
    assert "nothing relevant is stored" in outcome.out
    assert "[REDACTED:" in outcome.out
    assert "files under bookshop/ that hold the key: 0" in outcome.out
    assert "TTL 改为 900 秒" in outcome.out
    assert "<daily-memory-" in outcome.out


def test_the_demo_can_leave_its_folder(cli):
    folder = cli("demo", "--keep").out.rpartition("The folder stays: ")[2].strip()

    assert os.path.isdir(os.path.join(folder, "bookshop", ".cursor", "skills", "memories", "daily"))


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    with terminal.progress("days"):
        report_progress(1, 1)
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with terminal.progress("days"):
        for _ in with_progress(range(1000)):
            pass
    report_progress(1, 1)  # nobody listens any more

    shown = capsys.readouterr().err
    assert shown.count("\r") == 100
    assert shown.endswith("days: 1000/1000\n")


@pytest.mark.parametrize(
    "words",
    [
        ["search", "redis", "缓存"],
        ["search", "--json", "redis", "--explain"],
        ["search", "--jsonl"],
        ["inject", "redis", "--json"],
        ["inject"],
        ["save", "--json"],
        ["save", "--important"],
        ["list", "--foreign"],
        ["add", "a", "note"],
        ["cleanup", "--dry-run"],
    ],
)
def test_a_plain_line_means_the_same_with_and_without_argparse(words):
    from daily_memory.frontends.cli import parsers

    plain = arguments.parse_plain(words[0], words[1:])

    assert plain is not None
    assert vars(plain) == vars(parsers.parser_of(words[0]).parse_args(words[1:]))


@pytest.mark.parametrize(
    "line",
    [
        "search x -k 3",
        "search x --debug=1",
        "search -- x",
        "list -n",
        "add",
        "show 2026-01-29",
        "inject --max-chars 9",
        "save --topic x",
    ],
)
def test_any_other_line_is_left_to_argparse(line):
    name, *rest = line.split()

    assert arguments.parse_plain(name, rest) is None


def test_a_missing_package_is_one_line(cli, monkeypatch, capsys):
    from daily_memory.memory import Memory

    def fail(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'yaml.x'", name="yaml.x")

    monkeypatch.setattr(Memory, "sessions", fail)

    outcome = cli("list")
    assert outcome.status == 6
    assert outcome.err.startswith("error: the package 'pyyaml' is missing; run: ")
    assert outcome.err.count("\n") == 1
    with pytest.raises(ModuleNotFoundError):
        cli("list", "--debug")


def test_flags_of_a_result_are_shown(cli):
    cli("save", "--topic", "redis rules", "--important", "--scope", "global")

    assert "redis rules  [app]  [global]  [important]" in cli("search", "redis").out


def test_a_topic_alone_has_a_snippet_too(cli):
    cli("save", "--topic", "redis", "--tag", "t")

    assert cli("search", "redis", "--json").json()["results"][0]["snippet"] == "redis"


def test_now_can_be_named_for_a_block(saved):
    assert saved("inject", "redis", "--now", "2000-01-01").out == ""
    assert saved("inject", "redis", "--now", "soon").status == 2


def test_a_now_that_is_no_text_is_named(saved):
    assert saved("search", "--jsonl", stdin='{"query": "x", "now": 5}\n').err.startswith(
        "error: line 1"
    )


def test_the_process_ends_with_the_status_of_the_command(cli, monkeypatch):
    import gc

    from daily_memory import __main__ as program

    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(sys, "argv", ["memory", "show", "2026-01-29#7"])

    try:
        program.main()
    finally:
        gc.enable()

    assert ended == [3]


@pytest.mark.skipif(os.name == "nt", reason="its shell closes no streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_without_the_streams_that_its_caller_closed(saved, closed):
    import shlex
    import subprocess

    line = f"{shlex.quote(sys.executable)} -m daily_memory"

    done = [
        subprocess.run(["sh", "-c", f"{line} {words} {closed}"], capture_output=True, check=False)
        for words in ("add pnpm", "reindex", "search redis")
    ]

    assert [each.returncode for each in done] == [0, 0, 0]
    assert not any(each.stderr.startswith(b"error") for each in done)
    assert (b"Redis" in done[2].stdout) == (">&-" not in closed.split())
    assert "pnpm" in saved("list").out


def test_output_goes_nowhere_when_nobody_reads_it(tmp_path):
    import subprocess

    code = "from daily_memory.frontends.cli import terminal; terminal.drop_output()"
    code += "; print('x' * 100_000)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert done.stdout == b""


def test_streams_of_another_kind_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())

    terminal.prepare()

    assert isinstance(sys.stdout, io.StringIO)


def test_dropping_the_output_frees_the_pipe(monkeypatch, tmp_path):
    with open(tmp_path / "out", "w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        terminal.drop_output()
        file.write("nobody reads this")

    assert (tmp_path / "out").read_text() == ""


def test_a_full_disk_behind_stdout_is_no_bug(cli, monkeypatch):
    from daily_memory.memory import Memory

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Memory, "sessions", fail)

    assert cli("list").status == 6
    assert cli("list").err.startswith("error: the system refused: no space left on device")
    with pytest.raises(OSError, match="No space"):
        cli("list", "--debug")


def test_more_days_than_there_are_is_everything(saved):
    assert saved("search", "redis", "--days", "4000000").out != ""
    assert saved("list", "--days", "99999999999").out != ""


def test_what_others_wrote_is_listed_and_shown_with_its_origin(cli, tmp_path):
    (tmp_path / "a.json").write_text(
        '[{"topic": "缓存 cache", "date": "2026-01-29"}]', encoding="utf-8"
    )
    cli("save", "--topic", "mine", "--date", "2026-01-28")
    assert cli("list", "--foreign").err == "no sessions by other people\n"
    cli("import", str(tmp_path / "a.json"))

    listed = cli("list", "--foreign")
    shown = cli("show", "2026-01-29#1")

    assert listed.out == "2026-01-29#1             缓存 cache  [import]\n"
    assert "2026-01-29.md:3  [import]" in shown.err
    assert "缓存 cache  [import]" in cli("search", "cache").out
    assert cli("search", "cache", "--json").json()["results"][0]["origin"] == "import"
    (one,) = cli("list", "--foreign", "--json").json()["sessions"]
    assert one["origin"] == "import"
    (own,) = cli("show", "2026-01-28", "--json").json()["sessions"]
    assert own["origin"] is None


def test_doctor_says_so_where_there_is_no_memory_yet(cli):
    outcome = cli("doctor")

    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.startswith("no memory here yet")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("serach", "search"),
        ("forget", "delete ID"),
        ("remember", "add TEXT"),
        ("搜索", "search QUERY"),
    ],
)
def test_another_word_for_a_command_is_understood_in_the_hint(cli, word, meant):
    assert f"did you mean `memory {meant}`" in cli(word, "x").err


def test_a_tag_that_no_session_has_is_not_an_empty_memory(cli):
    cli("add", "TTL 300 s")

    assert (
        cli("list", "--tag", "nope").err == "no sessions with this tag; `memory list` shows all\n"
    )


def test_list_shows_as_many_as_are_asked_for(cli):
    for number in range(4):
        cli("add", f"note {number}")

    shown = cli("list", "-n", "2")

    assert [line.split()[0][-2:] for line in shown.out.splitlines()] == ["#4", "#3"]
    assert shown.err == "the newest 2; `memory list --all` shows all\n"
    ids = [session["id"][-2:] for session in cli("list", "-n", "2", "--json").json()["sessions"]]
    assert ids == ["#3", "#4"]
