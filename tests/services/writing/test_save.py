"""Saving: redacted once, durable before it is told, and never twice for one conversation."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from daily_memory import BackendError, ConflictError, InvalidInputError, Memory
from daily_memory.core.digests.messages import Message
from daily_memory.core.format.session_json import format_session
from daily_memory.model import Code, Span
from daily_memory.services.writing import digest, save
from daily_memory.storage import day_sections, deleted, pending_saves
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import lock
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.pending_saves import SpoolAnswer
from daily_memory.storage.roots import Root
from tests.conftest import NOW

LONG = [
    {"role": "user", "content": "为什么报表接口这么慢？"},
    {"role": "assistant", "content": "原因是每次都查询全表。决定给报表接口加 Redis 缓存。"},
    {"role": "user", "content": "缓存多久过期？"},
    {"role": "assistant", "content": "TTL 定为 300 秒，因为报表每 5 分钟刷新。"},
    {"role": "user", "content": "好，下一步加监控。"},
]


def test_a_session_is_saved_where_the_answer_says(memory, day_file):
    result = memory.save({"topic": "缓存方案", "key_points": ["TTL 300 秒"], "tags": ["redis"]})

    assert (result.id, result.span, result.scope) == ("2026-01-29#1", Span(3, 14), "project")
    assert result.path == str(day_file())
    assert result.warnings == ()
    lines = day_file().read_text(encoding="utf-8").split("\n")
    assert lines[2] == "## Session 1 - 10:30:45"
    assert lines[13] == "---"


def test_the_next_session_of_a_day_has_the_next_number(memory):
    ids = [memory.save({"topic": topic}).id for topic in ("one", "two")]

    assert ids == ["2026-01-29#1", "2026-01-29#2"]


def test_a_session_belongs_to_the_day_the_user_lives_in(memory, clock):
    clock.now = clock.now.replace(hour=0, minute=5)

    assert memory.save({"topic": "after midnight in Shanghai"}).session.date == date(2026, 1, 29)


def test_nothing_secret_reaches_the_disk(memory, tmp_path):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    result = memory.save(
        {
            "topic": f"key {key}",
            "key_points": [f"<private>a {key}", "kept"],
            "code": [{"language": "sh", "text": f"export AWS_ACCESS_KEY_ID={key}"}],
            "tags": [key],
            "files": [f"/home/{key}.txt"],
            "notes": [{"heading": key, "text": key}],
        }
    )

    assert dict(result.redactions)
    on_disk = b"".join(path.read_bytes() for path in Path(tmp_path).rglob("*") if path.is_file())
    assert key.encode() not in on_disk
    assert "[REDACTED:" in memory.get(result.id).session.topic


def test_a_note_takes_its_tags_from_its_text(memory):
    result = memory.add("我们用 pnpm，不用 npm #tooling", tags=["js"])

    session = memory.get(result.id).session
    assert session.topic == "我们用 pnpm，不用 npm"
    assert session.tags == ("js", "tooling")
    assert session.source == "note"


def test_a_note_with_no_tag_in_it_says_its_text_once(memory):
    session = memory.get(memory.add("deploy only from main").id).session

    assert (session.topic, session.key_points) == ("deploy only from main", ())


@pytest.mark.parametrize(
    ("text", "said", "tags"),
    [
        ("缓存用 #redis 做 #架构", "缓存用 #redis 做", ("redis", "架构")),
        (
            "use #redis for the cache, see PR #43",
            "use #redis for the cache, see PR #43",
            ("redis",),
        ),
        ("#redis is slow today #ops, #db.", "#redis is slow today", ("redis", "ops", "db")),
        ("#todo", "#todo", ("todo",)),
    ],
)
def test_a_tag_within_a_sentence_is_a_word_of_it(memory, text, said, tags):
    session = memory.get(memory.add(text).id).session

    assert (session.topic, session.key_points, session.tags) == (said, (), tags)


def test_a_session_without_topic_and_tags_gets_some(memory):
    result = memory.save({"key_points": ["Redis cache TTL is 300 seconds", "redis runs in docker"]})

    session = memory.get(result.id).session
    assert session.topic
    assert "redis" in session.tags


def test_the_mark_of_a_hidden_secret_becomes_no_tag(memory):
    result = memory.save({"topic": "Staging payment", "key_points": ["password = hunter2-tulip"]})

    tags = memory.get(result.id).session.tags
    assert dict(result.redactions) == {"password": 1}
    assert "redacted" not in tags


def test_a_flag_alone_does_not_count_as_tags_of_its_own(memory):
    result = memory.save({"topic": "Redis cache TTL for reports", "important": True})

    session = memory.get(result.id).session
    assert session.is_important
    assert len(session.tags) > 1


# ---------------------------------------------------------------------------- conversations


def test_a_conversation_is_digested(memory):
    result = memory.save({"messages": LONG, "source": "cursor"})

    session = memory.get(result.id).session
    assert "报表接口" in session.topic
    assert session.source == "cursor"
    assert any(
        "300 秒" in text for text in (*session.key_points, *session.decisions, session.summary)
    )


def test_what_is_given_beside_the_messages_comes_first(memory):
    result = memory.save({"messages": LONG, "topic": "mine", "key_points": ["a point"]})

    session = memory.get(result.id).session
    assert (session.topic, session.key_points) == ("mine", ("a point",))


def test_a_conversation_gets_tags_of_its_own_beside_the_flags(memory):
    marked = memory.save({"messages": LONG, "important": True})
    tagged = memory.save({"messages": LONG, "tags": ["mine"]})

    assert marked.session.tags[0] == "important"
    assert "缓存" in marked.session.tags
    assert tagged.session.tags == ("mine",)


def test_messages_in_parts_are_read_as_their_text():
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]

    messages = digest.parse_messages([{"role": "user", "content": parts}, {"role": "user"}])

    assert [message.content for message in messages] == ["one\ntwo"]


READ_ONLY = {"role": "user", "content": "给报表接口加缓存，TTL 300 秒，别动 src/billing.py"}
EDIT = {"file_path": "src/cache.py", "old_string": "TTL = 60", "new_string": "TTL = 300"}
RUN = {"command": "pytest -q"}
ANTHROPIC = [
    READ_ONLY,
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "先改再测。"},
            {"type": "tool_use", "id": "1", "name": "Edit", "input": EDIT},
            {"type": "tool_use", "id": "2", "name": "Bash", "input": RUN},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "ok"},
            {
                "type": "tool_result",
                "tool_use_id": "2",
                "is_error": True,
                "content": [{"type": "text", "text": "Exit code 1\n1 failed, 3 passed in 0.2s"}],
            },
        ],
    },
]
OPENAI = [
    READ_ONLY,
    {
        "role": "assistant",
        "content": "先改再测。",
        "tool_calls": [
            {"id": "1", "function": {"name": "edit_file", "arguments": json.dumps(EDIT)}},
            {"id": "2", "function": {"name": "shell", "arguments": json.dumps(RUN)}},
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {
        "role": "tool",
        "tool_call_id": "2",
        "content": json.dumps({"exit_code": 1, "output": "1 failed, 3 passed in 0.2s"}),
    },
]


@pytest.mark.parametrize("messages", [ANTHROPIC, OPENAI])
def test_what_tools_did_is_digested_as_the_hooks_do(memory, messages):
    session = memory.save({"messages": messages}).session

    assert session.files == ("src/cache.py",)
    assert any("1 failed" in text for text in session.open_questions)


def test_tasks_and_plans_among_the_calls_of_a_conversation_are_digested(memory):
    calls = [
        ("ExitPlanMode", {"plan": "# 会话改存 Redis"}, "User has approved your plan."),
        ("TaskCreate", {"subject": "加依赖"}, "Task #1 created successfully: 加依赖"),
        ("TaskCreate", {"subject": "写 store.py"}, "Task #2 created successfully: 写 store.py"),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status"),
    ]
    messages: list[dict[str, object]] = [{"role": "user", "content": "会话老是丢，想个办法"}]
    for number, (name, given, printed) in enumerate(calls):
        use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": printed}
        messages.append({"role": "assistant", "content": [use]})
        messages.append({"role": "user", "content": [result]})

    session = memory.save({"messages": messages}).session

    assert session.decisions == ("已批准方案：会话改存 Redis",)
    assert session.next_steps == ("写 store.py",)


@pytest.mark.parametrize(
    "call",
    [
        {"content": [{"type": "tool_use", "name": "Edit", "input": EDIT}]},
        {"tool_calls": [{"function": {"name": "edit_file", "arguments": json.dumps(EDIT)}}]},
    ],
)
def test_what_is_said_after_a_call_without_an_id_is_not_its_result(call):
    reply = {"role": "user", "content": "这次不保存"}

    messages = digest.parse_messages([READ_ONLY, {"role": "assistant", **call}, reply])

    assert messages[-1] == Message("user", "这次不保存")


def test_a_secret_in_a_tool_call_is_redacted_before_it_is_shortened(memory, tmp_path):
    call = {"command": "export DB_PASSWORD=tulip-Bridge-42; ./migrate"}
    use = {"type": "tool_use", "id": "1", "name": "Bash", "input": call}

    memory.save({"messages": [*LONG, {"role": "assistant", "content": [use]}]})

    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"tulip-Bridge-42" not in written


@pytest.mark.parametrize("messages", ["text", ["text"], [{"role": "user", "content": 5}]])
def test_messages_of_another_form_are_refused(memory, messages):
    with pytest.raises(InvalidInputError) as caught:
        memory.save({"messages": messages})

    assert caught.value.message.startswith("messages: ")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ([{"role": "user", "content": "这次不保存"}], "the user said not to save"),
        (
            [{"role": "user", "content": "please don't save this conversation"}],
            "the user said not to save",
        ),
    ],
)
def test_the_user_can_say_not_to_save(memory, more, reason, day_file):
    result = memory.save({"messages": LONG + more})

    assert result.skipped.startswith(reason)
    assert result.id == ""
    assert not day_file().exists()


def test_a_short_conversation_is_skipped_unless_the_user_asks(memory):
    assert "shorter than 3 turns" in memory.save({"messages": LONG[:1]}).skipped

    asked = [*LONG[:1], {"role": "user", "content": "记住这个"}]
    assert memory.save({"messages": asked}).id == "2026-01-29#1"


def test_a_short_conversation_in_which_something_was_done_is_saved(memory):
    write = {"type": "tool_use", "name": "Write", "input": {"file_path": "cache.py"}}
    done = [LONG[0], {"role": "assistant", "content": [{"type": "text", "text": "写好了"}, write]}]

    assert memory.save({"messages": done}).id == "2026-01-29#1"


@pytest.mark.parametrize(
    "said",
    [
        ["hi", "Hello! How can I help you?", "ok", "Great! What is it?", "thanks", "Welcome!"],
        ["你好", "你好！有什么可以帮你的？", "好的", "没问题。", "谢谢", "不客气！", "👍", "好"],
    ],
)
def test_greetings_are_not_saved_however_many(memory, said):
    roles = ["user", "assistant"] * 5
    talk = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]

    assert "shorter than 3 turns" in memory.save({"messages": talk * 3}).skipped


def test_without_auto_save_only_what_is_asked_for_is_saved(memory):
    memory.setup.init()
    Path(memory.config.path).write_text('{"recording": {"auto_save": false}}')
    memory = memory.in_folder(memory.project)

    assert memory.save({"messages": LONG}).skipped == "recording.auto_save is off"
    assert memory.save({"topic": "by hand"}).id


def test_code_of_a_conversation_is_kept_where_the_settings_say_so(memory):
    code = [*LONG, {"role": "assistant", "content": "Fixed:\n```python\nTTL = 300\n```\n"}]
    assert memory.get(memory.save({"messages": code}).id).session.code == ()

    settings = Path(memory.config.global_path)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('{"recording": {"save_code_snippets": true}}')
    memory = memory.in_folder(memory.project)
    assert memory.get(memory.save({"messages": code}).id).session.code == (
        Code("python", "TTL = 300"),
    )


def test_a_conversation_that_goes_on_updates_its_section(memory, clock, day_file):
    first = memory.save({"topic": "one", "conversation": "c1"})
    memory.save({"topic": "between"})
    clock.now += timedelta(days=1)

    second = memory.save({"topic": "one and more", "conversation": "c1"})

    assert second.id == first.id
    assert [found.session.topic for found in memory.sessions()] == ["one and more", "between"]
    assert memory.get(first.id).session.time == "10:30:45"


def test_an_edited_section_is_kept_and_the_next_names_it(memory, day_file):
    first = memory.save({"topic": "one", "conversation": "c1"})
    day_file(day_file().read_text().replace("one", "one, corrected by hand"))

    second = memory.save({"topic": "two", "conversation": "c1"})

    assert second.id == "2026-01-29#2"
    assert memory.get(first.id).session.topic == "one, corrected by hand"
    assert memory.get(second.id).session.continues == first.id


def test_another_conversation_has_a_section_of_its_own(memory):
    memory.save({"topic": "the day before", "date": "2026-01-28"})
    memory.save({"topic": 'mentions "c2"', "conversation": "c1"})

    assert memory.save({"topic": "two", "conversation": "c2"}).id == "2026-01-29#2"


# ---------------------------------------------------------------------------- the lock


def test_a_save_that_finds_the_lock_held_is_kept_and_written_by_the_next(memory, monkeypatch):
    monkeypatch.setattr(lock, "WAIT_S", 0.05)
    root = memory.workspace.project_root
    # The lock of this process would let itself in again: another thread has to hold it.
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(root):
            held.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    with pytest.raises(ConflictError) as caught:
        memory.save({"topic": "waits", "key_points": ["kept"]})
    assert caught.value.code == "busy"
    assert len(pending_saves.list_waiting(root)) == 1
    done.set()
    holder.join()

    result = memory.save({"topic": "next"})

    assert result.warnings == ("saved 1 session from the queue",)
    assert sorted(found.session.topic for found in memory.sessions()) == ["next", "waits"]
    assert pending_saves.list_waiting(root) == []


def waiting_for(root: Root, saves: Sequence[Callable[[], object]]) -> list[threading.Thread]:
    """Start saves that have to wait for the lock, which is held, and return when all wait."""
    threads = [threading.Thread(target=save) for save in saves]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 10
    while len(pending_saves.list_waiting(root)) < len(saves) and time.monotonic() < until:
        threading.Event().wait(0.01)
    return threads


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_who_holds_the_lock_saves_for_all_who_wait(memory, is_encrypted):
    if is_encrypted:
        memory.encryption.encrypt()
        memory = Memory(memory.project, home=memory.workspace.home, clock=memory.workspace.now)
    memory.save({"topic": "first", "conversation": "c"})
    root = memory.workspace.project_root
    results = []
    fields = [
        {"topic": "equal", "key_points": ["缓存 TTL 300 s"]},
        {"topic": "equal", "key_points": ["缓存 TTL 300 s"]},
        {"topic": "another day", "date": "2026-01-28"},
        {"topic": "goes on", "conversation": "c"},
    ]

    with locked(root):
        saves = [lambda one=one: results.append(memory.save(one)) for one in fields]
        threads = waiting_for(root, saves)
        texts = [Path(path).read_bytes() for path in pending_saves.list_waiting(root)]
        warnings = save.save_queued(root, memory.settings, NOW)
        for thread in threads:
            thread.join(10)

    assert any(b"TTL" in text for text in texts) is not is_encrypted
    assert warnings == ()
    assert [result.warnings for result in results] == [()] * 4
    ids = ["2026-01-28#1", *(f"2026-01-29#{number}" for number in (1, 2, 3))]
    assert sorted(result.id for result in results) == ids
    for result in results:
        found = memory.get(result.id)
        assert (found.session, found.span) == (result.session, result.span)
    assert pending_saves.list_waiting(root) == []


def test_one_that_waits_and_was_deleted_meanwhile_is_not_saved(memory, clock):
    saved = memory.save({"topic": "before", "conversation": "c"})
    root = memory.workspace.project_root
    results = []

    with locked(root):
        data = {"topic": "waits", "conversation": "c"}
        threads = waiting_for(root, [lambda: results.append(memory.save(data))])
        deleted.add(root, [Deleted("2026-01-29T02:31:00+00:00", saved.id, deleted.key("c"))])
        warnings = save.save_queued(root, memory.settings, NOW)
        threads[0].join(10)

    assert warnings == ()
    assert [result.skipped for result in results] == [save.DELETED]
    assert memory.get(saved.id).session.topic == "before"


def test_what_a_killed_process_saved_for_others_is_not_saved_twice(memory):
    root = memory.workspace.project_root
    session = memory.save({"topic": "waits"}).session
    begun, new = (
        pending_saves.add(root, format_session(session), NOW, is_awaited=True) for _ in range(2)
    )
    pending_saves.begin(root, [begun])

    result = memory.save({"topic": "next"})

    assert result.warnings == ()
    answers = (pending_saves.find_answer(begun), pending_saves.find_answer(new))
    assert answers == (SpoolAnswer("2026-01-29#1"), SpoolAnswer("2026-01-29#2"))
    assert result.id == "2026-01-29#3"


def test_what_waited_is_not_saved_twice(memory):
    saved = memory.save({"topic": "waits"})
    root = memory.workspace.project_root
    session = memory.get(saved.id).session
    pending_saves.add(root, format_session(session), NOW)

    memory.save({"topic": "next"})

    assert sorted(found.session.topic for found in memory.sessions()) == ["next", "waits"]


@pytest.mark.parametrize("text", ["[]", "{", '{"topic": 5}'])
def test_what_waits_and_can_not_be_saved_is_kept_and_blocks_nobody(memory, text):
    memory.save({"topic": "one"})
    path = pending_saves.add(memory.workspace.project_root, {}, NOW)
    with open(path, "w") as file:
        file.write(text)

    result = memory.save({"topic": "two"})

    assert result.id == "2026-01-29#2"
    assert result.warnings[0].startswith(f"{path!r} is still queued")
    assert pending_saves.list_waiting(memory.workspace.project_root) == [path]


def test_a_session_that_was_wiped_out_keeps_its_number(memory, day_file):
    memory.save({"topic": "one"})
    stale = day_file().read_text()
    memory.save({"topic": "two"})
    day_file(stale)

    assert memory.save({"topic": "three"}).id == "2026-01-29#3"
    (report,) = memory.doctor(scope="project", restore=True).values()
    assert report.mended == ("2026-01-29#2 was brought back",)


def test_any_name_of_a_conversation_is_found_again(memory):
    name = 'C:\\t"\u2028x'

    ids = [memory.save({"topic": topic, "conversation": name}).id for topic in ("one", "two")]

    assert ids == ["2026-01-29#1", "2026-01-29#1"]


def test_an_index_that_can_not_be_written_does_not_lose_the_session(memory):
    memory.save({"topic": "one"})
    path = os.path.join(memory.workspace.project_root.index_folder, "journal.jsonl")
    os.remove(path)
    os.mkdir(path)

    result = memory.save({"topic": "two"})

    assert result.id == "2026-01-29#2"
    assert result.warnings[0].startswith("saved, but not noted for `memory doctor --restore`")
    assert [hit.session.topic for hit in memory.search("two").hits] == ["two"]


# ---------------------------------------------------------------------------- scopes


def test_in_the_global_memory_a_session_names_its_project(memory):
    result = memory.save({"topic": "everywhere"}, scope="global")

    assert result.scope == "global"
    assert memory.get(result.id, scope="global").session.project == "app"


def test_a_project_that_is_saved_to_is_remembered(memory, tmp_path):
    memory.save({"topic": "one"})

    listed = json.loads((tmp_path / "home/.cursor/skills/memories/projects.json").read_text())
    assert [one["path"] for one in listed["projects"]] == [str(tmp_path / "app")]


def test_a_section_that_an_editor_wipes_out_while_it_is_written_is_written_again(
    memory, day_file, monkeypatch
):
    memory.save({"topic": "one"})
    stale = day_file().read_text()
    real = day_sections.append_session
    wiped: list[Path] = []

    def append(*args, **options):
        written = real(*args, **options)
        if len(wiped) < 2:
            wiped.append(day_file(stale))
        return written

    monkeypatch.setattr(day_sections, "append_session", append)

    assert memory.save({"topic": "two"}).id == "2026-01-29#2"
    assert [found.session.topic for found in memory.sessions()] == ["one", "two"]


def test_a_section_that_is_wiped_out_each_time_is_told(memory, day_file, monkeypatch):
    memory.save({"topic": "one"})
    stale = day_file().read_text()
    real = day_sections.append_session

    def append(*args, **options):
        written = real(*args, **options)
        day_file(stale)
        return written

    monkeypatch.setattr(day_sections, "append_session", append)
    with pytest.raises(ConflictError, match="is gone from its file each time"):
        memory.save({"topic": "two"})


# ---------------------------------------------------------------------------- what may go wrong


@pytest.mark.parametrize(
    "head",
    [
        "---\nlanguage: en\n---\n# 日\n\n",
        "# day\n\n## Session 1\n\n### Topic\nopen\n```python\nx = 1\n\n",
    ],
)
def test_a_conversation_that_goes_on_is_updated_whatever_its_day_looks_like(memory, day_file, head):
    day_file(head)
    data = {"conversation": "c", "topic": "中文主题", "code": [{"language": "", "text": "```"}]}

    ids = [memory.save({**data, "summary": text}).id for text in ("一", "二")]

    assert ids[0] == ids[1]
    assert memory.get(ids[1]).session.summary == "二"
    assert day_file().read_text().startswith(head.rstrip("\n"))


def test_what_waits_under_one_moment_is_two_files(memory):
    memory.save({"topic": "one"})
    root = memory.workspace.project_root

    paths = {pending_saves.add(root, {"topic": name}, NOW) for name in ("two", "three")}

    assert set(pending_saves.list_waiting(root)) == paths
    assert len(paths) == 2


def test_what_a_killed_process_left_is_cleared_away(memory, day_file):
    memory.save({"topic": "one"})
    root = memory.workspace.project_root
    waiting = Path(pending_saves.add(root, {"topic": "waits"}, NOW)).parent
    old, young = (waiting / f"{name}.json.tmp-7" for name in ("old", "young"))
    leftovers = [Path(f"{day_file()}.tmp-12"), Path(f"{root.config}.tmp-1"), old]
    foreign = day_file().with_name("2026-01-29.md.tmp-mine")
    for path in [*leftovers, young, foreign]:
        path.write_text("half")
    os.utime(old, (0, 0))

    memory.save({"topic": "two"})

    assert [path.exists() for path in leftovers] == [False, False, False]
    assert young.exists()
    assert foreign.exists()


def test_an_index_that_is_a_link_is_not_written_through(memory, tmp_path):
    memory.save({"topic": "one"})
    index = Path(memory.workspace.project_root.index_folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    index.rename(tmp_path / "old")
    index.symlink_to(elsewhere)

    with pytest.raises(BackendError, match="is a link"):
        memory.save({"topic": "two"})

    assert list(elsewhere.iterdir()) == []
    assert memory.search("one").hits


@pytest.mark.parametrize("tags", [["private"], ["私密"]])
def test_a_private_conversation_that_is_saved_again_stays_private(memory, tags):
    saved = memory.save({"topic": "薪资", "conversation": "c", "tags": tags})

    again = memory.save({"topic": "薪资 salary", "conversation": "c", "tags": ["pay"]})
    memory.mark([saved.id], {"important": True})
    more = memory.save({"topic": "and more", "conversation": "c"})

    assert again.id == saved.id
    assert more.id != saved.id
    assert all(one.session.is_private for one in memory.sessions())
    memory.mark([saved.id, more.id], {"private": False})
    memory.save({"topic": "public", "conversation": "c"})
    assert not any(one.session.is_private for one in memory.sessions())


def test_a_text_is_kept_where_the_system_can_not_lock(memory, monkeypatch):
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", flock)
        with pytest.raises(BackendError, match="no locks available; the session is kept") as told:
            memory.save({"topic": "缓存 redis"})
    assert "the next successful `memory save` writes it" in (told.value.hint or "")

    memory.save({"topic": "another one"})

    assert [one.session.topic for one in memory.sessions()] == ["缓存 redis", "another one"]


def test_where_nothing_can_be_kept_the_first_fault_is_told(memory, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    def full(*_: object) -> str:
        raise BackendError("no room")

    monkeypatch.setattr("fcntl.flock", refuse)
    monkeypatch.setattr(pending_saves, "add", full)

    with pytest.raises(BackendError, match=r"no locks available$"):
        memory.save({"topic": "缓存 redis"})
