"""Backfill: each conversation once, through the same gate as one that is saved."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory, NotFoundError
from daily_memory.core.progress import progress_to
from daily_memory.services.importing.sessions import ImportResult
from tests.conversations import (
    CHINESE,
    ENGLISH,
    Said,
    add_claude_mem,
    add_cursor,
    add_prompts,
    claude_lines,
    cursor_lines,
    make_claude_mem,
    make_cursor,
    write_lines,
)

OTHER_PROJECT = (("of another project, or of none that is known", 1),)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def memory(tmp_path: Path, home: Path, clock) -> Memory:
    """The memory of a project, with an environment in which nothing is moved."""
    (tmp_path / "app").mkdir()
    home.mkdir()
    return Memory(tmp_path / "app", home=home, clock=clock, environment={})


def claude(home: Path, name: str, said: Said, folder: object, **fields: object) -> Path:
    path = home / ".claude" / "projects" / "slug" / f"{name}.jsonl"
    return write_lines(path, claude_lines(said, name, folder, **fields))


def cursor(home: Path, slug: str, name: str, said: Said) -> Path:
    path = home / ".cursor" / "projects" / slug / "agent-transcripts" / name / f"{name}.jsonl"
    write_lines(path, cursor_lines(said))
    os.utime(path, (1768870800, 1768870800))
    return path


def slug(project: Path) -> str:
    return "-".join(part for part in str(project).replace("_", "-").split("/") if part)


def stored(memory: Memory, scope: str = "") -> list[tuple[str, str, str]]:
    return [
        (found.session.conversation, found.session.time, found.session.source)
        for found in memory.sessions(scope=scope)
    ]


# ---------------------------------------------------------------------------- Claude Code


def test_a_conversation_of_claude_code_becomes_a_session_of_the_day_it_began(
    memory, home, tmp_path
):
    # Half past four in the afternoon in London is the next day in Beijing.
    claude(home, "S1", CHINESE, tmp_path / "app", timestamp="2026-01-19T16:30:00.000Z")

    result = memory.import_from("claude-code")

    (found,) = memory.sessions()
    session = found.session
    assert result.ids == ("2026-01-20#1",)
    assert result.redactions == (("password", 1),)
    assert (session.time, session.conversation, session.source) == ("00:30:00", "S1", "claude")
    assert session.topic == "登录测试为什么失败？"
    assert session.decisions == ("我们决定 token 有效期定为 300 秒。",)
    assert session.files == ("src/auth.py",)
    assert session.tags
    assert "hunter2xyz99" not in Path(found.path).read_text(encoding="utf-8")
    assert memory.search("token 有效期").hits


def test_what_the_tools_did_is_imported_and_makes_a_short_conversation_worth_it(
    memory, home, tmp_path
):
    path = claude(
        home, "S1", [("user", "超时改成 30 秒"), ("assistant", "改好了。")], tmp_path / "app"
    )
    file = f"{tmp_path}/app/src/http.py"
    edit = {"file_path": file, "old_string": "TIMEOUT = 5", "new_string": "TIMEOUT = 30"}
    uses = [
        ("Edit", edit, "ok"),
        ("Bash", {"command": "make test"}, "3 passed, password=hunter2xyz99"),
    ]
    with path.open("a", encoding="utf-8") as lines:
        for number, (name, given, shown) in enumerate(uses):
            use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
            for kind, part in (("assistant", use), ("user", result)):
                lines.write(json.dumps({"type": kind, "message": {"content": [part]}}) + "\n")

    memory.import_from("claude-code")

    (found,) = memory.sessions()
    assert found.session.files == ("src/http.py",)
    assert any(point.startswith("`make test` 通过") for point in found.session.key_points)
    assert "hunter2xyz99" not in Path(found.path).read_text(encoding="utf-8")


def test_importing_again_adds_nothing(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app")
    claude(home, "S2", ENGLISH, tmp_path / "app", timestamp="2026-01-18T09:00:00Z")
    first = memory.import_from("claude-code")
    before = list(memory.sessions())
    claude(home, "S3", ENGLISH, tmp_path / "app" / "src")

    second = memory.import_from("claude-code")

    assert first.ids == ("2026-01-18#1", "2026-01-20#1")
    assert (second.ids, second.present) == (("2026-01-20#2",), 2)
    assert [found for found in memory.sessions() if found in before] == before


def test_a_hook_that_saves_the_conversation_later_takes_the_place(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app")
    memory.import_from("claude-code")
    messages = [{"role": role, "content": text} for role, text in (*CHINESE, *ENGLISH)]

    saved = memory.save({"conversation": "S1", "messages": messages, "source": "claude-code"})

    assert saved.id == "2026-01-20#1"
    assert len(list(memory.sessions())) == 1


def test_a_conversation_that_a_hook_saved_is_left_alone(memory, home, tmp_path):
    memory.save({"topic": "by a hook", "conversation": "S1"})
    claude(home, "S1", CHINESE, tmp_path / "app")

    result = memory.import_from("claude-code")

    assert (result.ids, result.present) == ((), 1)
    assert [found.session.topic for found in memory.sessions()] == ["by a hook"]


def test_what_another_project_has_is_not_there_already(memory, home, tmp_path, clock):
    claude(home, "S1", CHINESE, tmp_path / "app")
    memory.import_from("claude-code")
    (tmp_path / "shop").mkdir()
    shop = Memory(tmp_path / "shop", home=home, clock=clock, environment={})

    result = shop.import_from("claude-code")

    assert (result.ids, result.present, result.skipped) == ((), 0, OTHER_PROJECT)
    assert shop.import_from("claude-code", all_projects=True).present == 1


def test_what_this_project_has_is_there_already_whoever_else_has_it(memory, home, tmp_path, clock):
    claude(home, "S1", CHINESE, tmp_path / "app")
    memory.import_from("claude-code")
    (tmp_path / "shop").mkdir()
    shop = Memory(tmp_path / "shop", home=home, clock=clock, environment={})
    shop.import_from("claude-code")  # makes it known
    shop.save({"topic": "缓存", "conversation": "S1"})

    assert memory.import_from("claude-code").present == 1


def test_a_conversation_known_under_another_file_name_is_not_imported_twice(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app")
    copy = claude(home, "copy", (), tmp_path / "app")
    write_lines(copy, claude_lines(CHINESE, "S1", tmp_path / "app"))

    once = memory.import_from("claude-code")
    again = memory.import_from("claude-code")

    assert len(once.ids) == 1
    assert (again.ids, again.present) == ((), 1)


def test_only_conversations_of_this_project_are_wanted(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app" / "deep")
    claude(home, "S2", ENGLISH, tmp_path / "apple")

    result = memory.import_from("claude-code")

    assert stored(memory) == [("S1", "09:02:03", "claude")]
    assert result.skipped == OTHER_PROJECT


def test_a_transcript_that_is_named_is_wanted_whatever_its_project(memory, home, tmp_path):
    path = claude(home, "S2", ENGLISH, tmp_path / "moved-since")

    result = memory.import_from("claude-code", [str(path)])

    assert len(result.ids) == 1
    assert [found.session.project for found in memory.sessions()] == [""]


def test_conversations_of_all_projects_go_into_the_global_memory(memory, home, tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    claude(home, "S1", CHINESE, tmp_path / "app")
    claude(home, "S2", ENGLISH, tmp_path / "shop" / "src")
    claude(home, "S3", ENGLISH, tmp_path / "gone")
    claude(home, "S4", ENGLISH, "")

    result = memory.import_from("claude-code", all_projects=True)

    projects = {
        found.session.conversation: found.session.project
        for found in memory.sessions(scope="global")
    }
    assert len(result.ids) == 4
    assert projects == {"S1": "app", "S2": "shop", "S3": "gone", "S4": ""}
    assert memory.import_from("claude-code").ids == ()


def test_the_global_memory_is_told_the_project(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app" / "src")

    memory.import_from("claude-code", scope="global")

    assert [found.session.project for found in memory.sessions(scope="global")] == ["app"]


def test_a_dry_run_tells_what_would_come_and_writes_nothing(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app")

    result = memory.import_from("claude-code", dry_run=True)

    assert [session.topic for session in result.sessions] == ["登录测试为什么失败？"]
    assert result.ids == ()
    assert not (tmp_path / "app" / ".cursor").exists()


def test_progress_tells_how_many_of_how_many(memory, home, tmp_path):
    for name in ("S1", "S2", "S3"):
        claude(home, name, CHINESE, tmp_path / "app")
    done: list[tuple[int, int]] = []

    with progress_to(lambda *at: done.append(at)):
        memory.import_from("claude-code", dry_run=True)

    assert done == [(1, 3), (2, 3), (3, 3)]


# ---------------------------------------------------------------------------- the gate


@pytest.mark.parametrize("phrase", ["这次不要保存", "Please don't save this conversation."])
def test_who_said_not_to_save_is_heeded_wherever_it_was_said(memory, home, tmp_path, phrase):
    claude(home, "S1", (("user", phrase), *CHINESE), tmp_path / "app")

    result = memory.import_from("claude-code")

    assert result.skipped == (("the user said not to save this conversation", 1),)
    assert stored(memory) == []


def test_a_short_conversation_is_passed_over(memory, home, tmp_path):
    claude(home, "S1", CHINESE[:1], tmp_path / "app")

    ((reason, count),) = memory.import_from("claude-code").skipped

    assert "shorter than 3 turns" in reason
    assert count == 1


def test_a_short_conversation_in_which_a_file_was_written_is_imported(memory, home, tmp_path):
    path = claude(home, "S1", CHINESE[:1], tmp_path / "app")
    write = {"type": "tool_use", "name": "Write", "input": {"file_path": "cache.py"}}
    line = {"type": "assistant", "message": {"content": [write]}}
    path.write_text(f"{path.read_text(encoding='utf-8')}{json.dumps(line)}\n", encoding="utf-8")

    memory.import_from("claude-code")

    (found,) = memory.sessions()
    assert found.session.conversation == "S1"


def test_where_nothing_was_said_there_is_nothing_to_keep(memory, home, tmp_path):
    config = tmp_path / "home/.cursor/skills/memories/config.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"recording": {"min_conversation_length": 0, "auto_save": false}}')
    claude(home, "S1", (), tmp_path / "app")
    claude(home, "S2", (("user", "```\n```"),), tmp_path / "app")
    claude(home, "S3", CHINESE[:1], tmp_path / "app")

    result = memory.import_from("claude-code")
    named = memory.import_from("claude-code", [str(home / ".claude/projects/slug/S1.jsonl")])

    # Nobody knows whose a file without a message is; and who imports asks for it, whatever
    # hooks are to do.
    assert stored(memory) == [("S3", "09:02:03", "claude")]
    assert result.skipped == (("nothing that could be kept was said", 1), *OTHER_PROJECT)
    assert named.skipped == (("nothing that could be kept was said", 1),)


def test_private_blocks_never_arrive_also_over_several_messages(memory, home, tmp_path):
    said = (*ENGLISH, ("user", "<private>the plan"), ("assistant", "is X17</private> ok"))
    claude(home, "S1", said, tmp_path / "app")

    memory.import_from("claude-code")

    (found,) = memory.sessions()
    text = Path(found.path).read_text(encoding="utf-8")
    assert "the plan" not in text
    assert "X17" not in text


def test_lines_that_can_not_be_read_are_told_and_cost_nothing_else(memory, home, tmp_path):
    path = claude(home, "S1", CHINESE, tmp_path / "app")
    with path.open("ab") as file:
        file.write(b"{half a line")

    result = memory.import_from("claude-code", [str(path)])

    assert len(result.ids) == 1
    assert result.warnings == (f"{str(path)!r}: 1 line passed over, the first is line 6: not JSON",)


def test_a_file_that_vanishes_is_passed_over_with_a_warning(memory, home, tmp_path):
    claude(home, "S1", CHINESE, tmp_path / "app")
    second = claude(home, "S2", CHINESE, tmp_path / "app")

    with progress_to(lambda *_: second.unlink(missing_ok=True)):
        result = memory.import_from("claude-code")

    assert len(result.ids) == 1
    assert result.warnings == (f"no file {str(second)!r}; it was skipped",)
    assert result.skipped == ()


# ---------------------------------------------------------------------------- Cursor


def test_a_transcript_of_cursor_has_the_time_of_its_file(memory, home, tmp_path):
    cursor(home, slug(tmp_path / "app"), "c1", ENGLISH)
    cursor(home, slug(tmp_path / "other"), "c2", ENGLISH)

    result = memory.import_from("cursor")

    assert stored(memory) == [("c1", "09:00:00", "cursor")]
    assert result.ids == ("2026-01-20#1",)
    assert result.skipped == OTHER_PROJECT


def test_whoever_names_the_folder_of_a_project_knows_it(memory, home):
    path = cursor(home, "cut-off-1a2b3c", "c1", ENGLISH)
    projects = home / ".cursor" / "projects"

    assert memory.import_from("cursor", [str(projects)]).skipped == OTHER_PROJECT
    assert len(memory.import_from("cursor", [str(projects / "cut-off-1a2b3c")]).ids) == 1
    assert memory.import_from("cursor", [str(path)]).present == 1


def test_a_project_with_a_chinese_name_is_known_by_what_its_tools_touched(home, tmp_path, clock):
    project = tmp_path / "项目"
    project.mkdir()
    memory = Memory(project, home=home, clock=clock, environment={})
    path = cursor(home, slug(tmp_path), "c1", CHINESE)
    cursor(home, slug(tmp_path), "c2", CHINESE)
    use = {"type": "tool_use", "name": "Read", "input": {"path": f"{project}/a.py"}}
    line = {"role": "assistant", "message": {"content": [use]}}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")

    memory.import_from("cursor")

    assert [conversation for conversation, _, _ in stored(memory)] == ["c1"]


def test_all_projects_of_cursor_are_named_after_their_folders(memory, home):
    cursor(home, "home-u-shop", "c1", ENGLISH)

    memory.import_from("cursor", all_projects=True)

    assert [found.session.project for found in memory.sessions()] == ["home-u-shop"]


def test_the_database_of_the_editor_comes_before_transcripts(memory, home, tmp_path):
    uri = {"uri": {"fsPath": str(tmp_path / "app")}}
    refused = (*CHINESE, ("user", "不要保存"))
    with make_cursor(home / ".config/Cursor/User") as database:
        add_cursor(database, "both", CHINESE, workspaceIdentifier=uri)
        add_cursor(database, "refused", refused, workspaceIdentifier=uri)
        add_cursor(database, "short", CHINESE[:1], workspaceIdentifier=uri)
        add_cursor(database, "elsewhere", CHINESE)
    database.close()
    for name in ("both", "refused", "short"):
        cursor(home, slug(tmp_path / "app"), name, ENGLISH)

    result = memory.import_from("cursor")

    topics = {found.session.conversation: found.session.topic for found in memory.sessions()}
    assert topics == {
        "both": "登录测试为什么失败？",
        "short": "Why does the checkout page load slowly?",
    }
    assert result.skipped == (
        *OTHER_PROJECT,
        ("the user said not to save this conversation", 1),
    )


# ---------------------------------------------------------------------------- other memories


def test_sessions_of_claude_mem_are_known_by_the_name_of_the_project(memory, home):
    with make_claude_mem(home / ".claude-mem/claude-mem.db") as database:
        for name, project in (("s1", "app"), ("s2", "other")):
            add_claude_mem(database, name, project)
            add_prompts(database, name, "给购物车加缓存", "and tests", "继续")
    database.close()

    result = memory.import_from("claude-mem")

    (found,) = memory.sessions()
    assert (found.session.topic, found.session.conversation) == ("给购物车加缓存", "s1")
    assert found.session.decisions == ("Redis for the cart: 缓存 300 秒",)
    assert found.session.next_steps == ("压测缓存",)
    assert found.session.files == ("cart.py", "cache.py")
    assert found.session.tags
    assert result.skipped == OTHER_PROJECT
    assert memory.import_from("claude-mem", all_projects=True).present == 1


def test_a_conversation_that_two_programs_kept_is_imported_once(memory, home, tmp_path):
    claude(home, "s1", CHINESE, tmp_path / "app")
    memory.import_from("claude-code")
    with make_claude_mem(home / ".claude-mem/claude-mem.db") as database:
        add_claude_mem(database, "s1", "app")
        add_prompts(database, "s1", "a", "b", "c")
    database.close()

    assert memory.import_from("claude-mem").present == 1


def test_secrets_in_what_others_worded_are_hidden_before_it_is_cut(memory, home):
    secret = "x " * 140 + "password=hunter2xyz99hunter2xyz99"
    with make_claude_mem(home / ".claude-mem/claude-mem.db") as database:
        add_claude_mem(database, "s1", "app")
        add_prompts(database, "s1", "a", "b", "c")
        database.execute("UPDATE session_summaries SET learned = ?", (secret,))
        database.commit()
    database.close()

    memory.import_from("claude-mem")

    (found,) = memory.sessions()
    assert "hunter2" not in Path(found.path).read_text(encoding="utf-8")


# ---------------------------------------------------------------------------- asking wrongly


def test_a_database_of_cursor_is_no_transcript_of_claude_code(memory, home):
    make_cursor(home / "User").close()

    result = memory.import_from("claude-code", [str(home / "User/globalStorage/state.vscdb")])

    assert result.ids == ()
    assert "not JSON" in result.warnings[0]


def test_there_are_four_hosts(memory):
    with pytest.raises(InvalidInputError, match="'emacs' is not one of claude, cursor"):
        memory.import_from("emacs")


@pytest.mark.parametrize("host", ["claude-code", "cursor", "trae-mem", "claude-mem"])
def test_a_place_that_is_not_there_is_told(memory, host):
    with pytest.raises(NotFoundError):
        memory.import_from(host)
    with pytest.raises(NotFoundError):
        memory.import_from(host, ["/nowhere.jsonl"])


def test_all_projects_are_none_of_one_project(memory):
    with pytest.raises(InvalidInputError, match="global memory"):
        memory.import_from("claude-code", scope="project", all_projects=True)


def test_outside_any_project_all_must_be_asked_for(tmp_path, home, clock, monkeypatch):
    home.mkdir(exist_ok=True)
    monkeypatch.chdir(home)
    memory = Memory(home=home, clock=clock, environment={"HOME": str(home)})
    claude(home, "S1", CHINESE, tmp_path)

    with pytest.raises(InvalidInputError, match="not inside a project"):
        memory.import_from("claude-code")

    assert len(memory.import_from("claude-code", all_projects=True).ids) == 1


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no TZ")
def test_the_time_is_that_of_the_day_and_not_of_today(tmp_path, home, monkeypatch):
    (tmp_path / "app").mkdir()
    memory = Memory(tmp_path / "app", home=home, environment={})
    claude(home, "winter", CHINESE, tmp_path / "app", timestamp="2026-01-20T12:00:00Z")
    claude(home, "summer", CHINESE, tmp_path / "app", timestamp="2026-07-20T12:00:00Z")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()

    sessions = memory.import_from("claude-code", dry_run=True).sessions

    monkeypatch.undo()
    time.tzset()
    assert [session.time for session in sessions] == ["13:00:00", "14:00:00"]


def test_what_was_done_is_a_value(memory, home, tmp_path):
    claude(home, "S1", CHINESE[:2], tmp_path / "apple")

    assert memory.import_from("claude-code") == ImportResult(skipped=OTHER_PROJECT)
