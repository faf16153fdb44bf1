"""A language model on the way of a save: only where the user wants one, and never in its way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory
from tests.backends.model_server import SUMMARY, ModelServer, model_server, openai_answer
from tests.conftest import Clock

SAID = [
    {"role": "user", "content": "为什么报表接口这么慢？"},
    {"role": "assistant", "content": "原因是每次都查询全表。决定给报表接口加 Redis 缓存。"},
    {"role": "user", "content": "缓存多久过期？"},
    {"role": "assistant", "content": "TTL 定为 300 秒，因为报表每 5 分钟刷新。"},
    {"role": "user", "content": "好，下一步加监控。"},
]
KEY = "sk-test-0123456789-never-to-be-seen"
Remember = Callable[..., Memory]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        server.say(openai_answer(json.dumps(SUMMARY, ensure_ascii=False)))
        yield server


def configure(folder: Path, recording: Mapping[str, object]) -> Path:
    path = folder / ".cursor" / "skills" / "memories" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"recording": recording}), encoding="utf-8")
    return path


@pytest.fixture
def remember(tmp_path: Path, clock: Clock, server: ModelServer) -> Remember:
    """Return a function that gives a memory with these settings of the user and of the project."""
    for name in ("app", "home"):
        (tmp_path / name).mkdir()

    def memory(
        own: Mapping[str, object] | None = None, project: Mapping[str, object] | None = None
    ) -> Memory:
        if own is not None:
            configure(tmp_path / "home", own)
        if project is not None:
            configure(tmp_path / "app", project)
        environment = {"OPENAI_API_KEY": KEY}
        return Memory(
            tmp_path / "app", home=tmp_path / "home", clock=clock, environment=environment
        )

    return memory


def chosen(server: ModelServer, **more: object) -> dict[str, object]:
    return {
        "summarizer": "openai",
        "summarizer_model": "a-model",
        "summarizer_url": f"{server.url}/v1",
        **more,
    }


def test_a_conversation_is_saved_as_the_model_digested_it(remember, server, tmp_path):
    memory = remember(chosen(server))

    result = memory.save({"messages": SAID, "tags": ["redis"]})

    assert result.warnings == ()
    assert (result.session.topic, result.session.summary) == (SUMMARY["topic"], SUMMARY["goal"])
    assert result.session.decisions == tuple(SUMMARY["decisions"])
    assert result.session.tags == ("redis",)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "给报表接口加 Redis 缓存，TTL 定为 300 秒".encode() in written
    assert KEY.encode() not in written
    assert len(server.requests) == 1


def test_what_is_given_beside_the_messages_comes_before_the_model(remember, server):
    result = remember(chosen(server)).save({"messages": SAID, "topic": "mine", "summary": "own"})

    assert (result.session.topic, result.session.summary) == ("mine", "own")
    assert result.session.next_steps == tuple(SUMMARY["next"])


def test_secrets_and_private_blocks_do_not_reach_the_model(remember, server):
    last = "DB_PASSWORD=tulip-Bridge-42 <private>秘密计划</private>"
    said = [*SAID, {"role": "user", "content": last}]

    remember(chosen(server)).save({"messages": said})

    sent = json.dumps(server.requests[0].body, ensure_ascii=False)
    assert "[REDACTED:password]" in sent
    assert "tulip-Bridge-42" not in sent
    assert "秘密计划" not in sent


def test_secrets_that_the_user_keeps_in_the_files_do_not_reach_the_model(remember, server):
    said = [*SAID, {"role": "user", "content": "DB_PASSWORD=tulip-Bridge-42"}]

    remember(chosen(server, sanitize_sensitive=False)).save({"messages": said})

    assert "tulip-Bridge-42" not in json.dumps(server.requests[0].body)


@pytest.mark.parametrize("flag", [{"private": True}, {"tags": ["私密"]}])
def test_a_private_conversation_is_not_sent(remember, server, flag):
    result = remember(chosen(server)).save({"messages": SAID, **flag})

    assert (result.id, server.requests) == ("2026-01-29#1", [])


@pytest.mark.parametrize(
    "messages", [SAID[:1], [*SAID, {"role": "user", "content": "不要保存这次对话"}]]
)
def test_a_conversation_that_is_not_saved_is_not_sent(remember, server, messages):
    result = remember(chosen(server)).save({"messages": messages})

    assert result.skipped
    assert server.requests == []


def test_one_that_can_not_be_saved_is_not_sent(remember, server):
    memory = remember(chosen(server))

    with pytest.raises(InvalidInputError, match="date"):
        memory.save({"messages": SAID, "date": "tomorrow"})

    assert server.requests == []


def test_a_session_that_comes_digested_is_not_sent(remember, server):
    remember(chosen(server)).save({"topic": "缓存", "key_points": ["TTL 300 秒"]})

    assert server.requests == []


def test_a_model_that_fails_is_told_and_the_conversation_saved(remember, server):
    server.answers.clear()
    server.say({}, 429, retry_after="7")

    result = remember(chosen(server)).save({"messages": SAID})

    assert result.id == "2026-01-29#1"
    assert result.session.topic == "为什么报表接口这么慢？"
    host = server.url.removeprefix("http://")
    assert result.warnings == (
        f"digested without openai: {host} has had too many requests, and asks to wait 7 s"
        " (status 429)",
    )


# ---------------------------------------------------------------------------- whose choice


def test_a_file_that_came_with_a_repository_chooses_no_model(remember, server, tmp_path):
    memory = remember(project=chosen(server))

    result = memory.save({"messages": SAID})

    assert server.requests == []
    assert result.warnings == ()
    assert [problem.message.partition(",")[0] for problem in memory.settings_problems] == [
        f"recording.{name}: ignored" for name in chosen(server)
    ]


def test_where_both_name_the_same_the_users_own_address_and_caps_hold(remember, server):
    foreign = {**chosen(server), "summarizer_url": "http://evil.invalid", "summarizer_model": "big"}
    foreign |= {"summarizer_daily_calls": 99_999, "min_conversation_length": 1}
    memory = remember(chosen(server, summarizer_daily_calls=7), foreign)

    recording = memory.settings.recording

    assert recording.summarizer_url == f"{server.url}/v1"
    assert (recording.summarizer_model, recording.summarizer_daily_calls) == ("a-model", 7)
    assert recording.min_conversation_length == 1
    assert [problem.message.partition(":")[0] for problem in memory.settings_problems] == [
        "recording.summarizer_model",
        "recording.summarizer_url",
        "recording.summarizer_daily_calls",
    ]


def test_the_language_is_that_of_what_was_said_and_not_of_what_tools_printed(remember, server):
    memory = remember(chosen(server))
    memory.start("c", host="cursor")
    for message in SAID:
        memory.log(message["content"], kind=message["role"], conversation="c")
        memory.log(
            "$ pytest -q\nFAILED tests/test_report.py - AssertionError: slow\n" * 9, kind="tool"
        )

    ended = memory.end("c")

    assert ended.warnings == ()
    assert memory.get(ended.id).session.summary == SUMMARY["goal"]
    assert "Write in Chinese" in server.requests[0].body["messages"][0]["content"]


def test_logged_decisions_and_the_rules_of_the_user_stay_beside_those_of_the_model(
    remember, server
):
    memory = remember(chosen(server))
    memory.start("c", host="cursor")
    for message in [*SAID, {"role": "user", "content": "以后都用中文回答我"}]:
        memory.log(message["content"], kind=message["role"], conversation="c")
    memory.log("TTL 先用 300 秒，以后再看", kind="decision", conversation="c")

    session = memory.get(memory.end("c").id).session

    assert session.decisions == (
        "TTL 先用 300 秒，以后再看",
        "以后都用中文回答我",
        *SUMMARY["decisions"],
    )


def test_doctor_tells_why_a_model_was_not_used_where_nobody_watched(remember, server):
    server.answers.clear()
    server.say("slow down", 429)
    memory = remember(chosen(server))
    memory.start("c", host="cursor")
    for message in SAID:
        memory.log(message["content"], kind=message["role"], conversation="c")
    (warning,) = memory.end("c").warnings
    memory.background.note_error(f"digest: {warning}")  # as the process does that a hook starts

    (report,) = memory.doctor().values()

    (remark,) = [one.message for one in report.remarks if "digest" in one.message]
    assert remark.startswith("1 digest warning in 7 days; the last: ")
    assert "digested without openai" in remark


def test_a_project_whose_settings_do_not_speak_of_a_model_leaves_it_to_the_user(remember, server):
    memory = remember(chosen(server), {"min_conversation_length": 1})

    result = memory.save({"messages": SAID})

    assert (result.session.summary, result.warnings) == (SUMMARY["goal"], ())
    assert memory.settings.recording.min_conversation_length == 1


def test_a_project_may_say_no(remember, server):
    remember(chosen(server), {"summarizer": "heuristic"}).save({"messages": SAID})

    assert server.requests == []


def test_the_memory_of_another_project_has_the_same_keys(remember, server, tmp_path):
    (tmp_path / "other").mkdir()

    result = remember(chosen(server)).in_folder(tmp_path / "other").save({"messages": SAID})

    assert result.session.summary == SUMMARY["goal"]


# ---------------------------------------------------------------------------- nothing is sent

WATCHED = """
import json, os, sys
seen = []
def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        seen.append(event)
sys.addaudithook(watch)
from daily_memory import Memory
memory = Memory(sys.argv[1], home=sys.argv[2])
memory.save({"messages": json.load(sys.stdin)})
memory.search("Redis 缓存")
modules = [name for name in sys.modules if name.startswith(("httpx2", "daily_memory.backends"))]
print(json.dumps([seen, modules]))
"""


def watched(tmp_path: Path) -> tuple[list[str], list[str]]:
    """Save in a process of its own; return what it did with sockets, and what it loaded for it."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path / "app"), str(tmp_path / "home")],
        input=json.dumps(SAID),
        env={**os.environ, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    seen, modules = json.loads(done.stdout)
    return seen, modules


@pytest.mark.parametrize("project", [None, "anthropic", "openai", "ollama"])
def test_unless_the_user_switched_it_on_no_socket_is_opened(remember, server, tmp_path, project):
    remember(None, {**chosen(server), "summarizer": project} if project else None)

    assert watched(tmp_path) == ([], [])


def test_switched_on_the_same_watch_sees_a_socket(remember, server, tmp_path):
    remember(chosen(server))

    seen, modules = watched(tmp_path)

    assert "socket.connect" in seen
    assert "daily_memory.backends.summarizers.clients" in modules
    assert len(server.requests) == 1
