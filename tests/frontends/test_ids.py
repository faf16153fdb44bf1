"""Each id that a command prints is taken by each other command, and means that session."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest

from daily_memory import Memory
from tests.many_memories import BARE, fill, scoped


@pytest.fixture
def topics(cli, tmp_path):
    return fill(tmp_path, lambda: datetime(2026, 1, 29, 10, 30, tzinfo=timezone.utc))


def printed(cli, *words: str) -> dict[str, str]:
    """Return the topics that a command gives by their ids."""
    answer = cli(*words, "--json").json()
    return {one["id"]: one["topic"] for one in (answer.get("results") or answer["sessions"])}


@pytest.mark.parametrize(
    "words",
    [
        ("search", "缓存", "-k", "20", "--scope", "all"),
        ("list", "--scope", "all"),
        ("show", "2026-01-29", "--scope", "all"),
    ],
)
def test_each_id_tells_its_memory(cli, topics, words):
    assert printed(cli, *words) == {scoped(label): topic for label, topic in topics.items()}


def test_each_id_is_shown_marked_edited_deleted_and_undone(cli, topics):
    for id_, topic in printed(cli, "list", "--scope", "all").items():
        shown = cli("show", id_, "--json").json()["sessions"]
        assert [(one["id"], one["topic"]) for one in shown] == [(id_, topic)]
        assert cli("mark", id_, "--important", "--json").json()["marked"] == [id_]
        assert topic in cli("edit", id_, "--print").out
        assert cli("timeline", id_, "--json").json()["id"] == id_
        deleted = cli("delete", id_, "--json").json()
        assert [(one["id"], one["topic"]) for one in deleted["sessions"]] == [(id_, topic)]
        assert id_ not in printed(cli, "list", "--scope", "all")
        is_near = id_ == BARE or id_.startswith("global:")
        if is_near:
            assert cli("undo", "--json").json()["ids"] == [id_]
            assert printed(cli, "list")[id_] == topic


def test_each_line_on_the_screen_begins_with_an_id_that_is_taken(cli, topics):
    found = cli("search", "缓存", "-k", "20", "--scope", "all").out
    lines = [line for line in found.split("\n") if line and not line.startswith(" ")]

    assert len(lines) == len(topics)
    for label, topic in topics.items():
        id_ = scoped(label)
        (line,) = [one for one in lines if one.startswith(f"{id_} ")]
        assert topic in line
        assert topic in cli("show", id_).out


def test_the_headers_of_the_context_block_tell_the_memory(cli, topics):
    answer = cli("inject", "缓存", "--json").json()

    assert sorted(answer["ids"]) == [BARE, f"global:{BARE}"]
    headers = [line for line in answer["context"].split("\n") if line.startswith("[memory")]
    assert sorted(headers) == [f"[memory {BARE}]", f"[memory global:{BARE} | project app]"]


def test_a_bare_id_is_never_that_of_another_memory_for_what_changes_it(cli, topics):
    cli("delete", BARE)

    for words in (("delete", BARE), ("mark", BARE, "--important"), ("edit", BARE, "--print")):
        refused = cli(*words)
        assert refused.status == 3
        assert f"no session {BARE} in this project" in refused.err
        assert f"did you mean global:{BARE}?" in refused.err

    assert printed(cli, "list") == {f"global:{BARE}": topics["global"]}


def test_outside_any_project_a_bare_id_is_of_none_of_many(cli, topics, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    refused = cli("delete", BARE, "--scope", "all")

    assert refused.status == 3
    assert f"no session {BARE} without the name of its memory" in refused.err
    assert f"global:{BARE}" in refused.err
    assert cli("delete", BARE, "--dry-run").out.startswith(f"global:{BARE}  ")


def test_a_bare_id_that_only_one_other_memory_has_can_be_read(cli, topics):
    cli("delete", BARE)

    shown = printed(cli, "show", BARE)

    assert shown == {f"global:{BARE}": topics["global"]}


def test_with_a_scope_a_bare_id_is_of_that_memory(cli, topics):
    assert cli("delete", BARE, "--scope", "global").out == f"global:{BARE}\n"
    assert printed(cli, "list") == {BARE: topics[""]}


def test_a_label_that_no_memory_has_is_an_error(cli, topics):
    unknown = cli("show", f"shop:{BARE}")

    assert unknown.status == 3
    assert unknown.err.startswith("error: no memory 'shop' is asked here\n")
    assert cli("delete", f"global:{BARE}", "--scope", "project").status == 3
    assert len(printed(cli, "list")) == 2


def test_what_is_saved_in_the_global_memory_is_named_so(cli):
    saved = cli("save", "--topic", "Redis TTL", "--scope", "global")
    added = cli("add", "nginx 超时", "--scope", "global", "--json").json()["id"]

    ids = [saved.out.strip(), added]
    assert [id_.partition(":")[0] for id_ in ids] == ["global", "global"]
    assert set(printed(cli, "list")) == set(ids)
    assert printed(cli, "show", ids[0]) == {ids[0]: "Redis TTL"}


def test_what_was_archived_comes_back_from_the_memory_that_is_named(cli, topics):
    for scope in ("project", "global"):
        cli("cleanup", "--archive", "--before", "2026-01-30", "--scope", scope, "--yes")

    gone = cli("show", f"global:{BARE}")
    restored = cli("restore", f"global:{BARE}")

    assert f"memory restore global:{BARE}" in gone.err
    assert restored.out == f"global:{BARE}\n"
    assert printed(cli, "list") == {f"global:{BARE}": topics["global"]}


def test_a_command_that_is_proposed_names_the_session(cli, tmp_path):
    thin = json.dumps({"topic": "看", "conversation": "c", "date": "2026-01-29"})
    for scope in ("project", "global"):
        cli("save", "--scope", scope, stdin=thin)

    commands = [one["command"] for one in cli("review", "--json").json()["findings"]]

    assert commands == [f"memory edit {BARE}", f"memory edit global:{BARE}"]


def test_what_a_user_says_may_name_the_memory(cli, topics):
    assert topics["global"] in cli("do", f"查看会话 global:{BARE}").out
    assert cli("do", f"删除记忆 global:{BARE}").status == 0
    assert printed(cli, "list") == {BARE: topics[""]}


def test_observations_are_named_by_their_memory(cli, tmp_path):
    outside = Memory("", home=tmp_path / "home")
    for memory in (Memory(tmp_path / "app", home=tmp_path / "home"), outside):
        memory.start("talk")
        memory.log(f"苹果 apple of {memory.project or 'all'}", kind="decision")
        memory.end("talk")

    found = cli("search", "apple", "--observations", "--json").json()["results"]

    ids = [one["id"] for one in found]
    assert len(ids) == len({id_.removeprefix("global:") for id_ in ids}) * 2 == 2
    for one in found:
        told = cli("timeline", one["id"], "--json").json()
        assert told["id"] == one["id"]
        assert one["text"] in [record["text"] for record in told["records"]]
    assert cli("timeline", "--json").json()["sessions"][0]["id"].count(":") == 0


def test_the_home_folder_as_a_project_is_the_global_memory(cli, topics, tmp_path):
    shown = printed(cli, "list", "--project", str(tmp_path / "home"))

    assert shown == {f"global:{BARE}": topics["global"]}
    assert cli("delete", f"global:{BARE}", "--project", str(tmp_path / "home")).status == 0
