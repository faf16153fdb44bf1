"""Hosts and their hooks, with the real command: what a host sends, and what comes of it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.model import Session
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import lookup

DATA = Path(__file__).parent.parent / "data" / "hosts"
# A digest runs in a process of its own; a busy machine may take its time.
PATIENCE_S = 60


class Host:
    """A host with a project, that calls its hooks as it would."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.project = folder / "项目 app"
        self.home = folder / "home"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        # A busy machine must not miss what is asked of it here.
        self.environment["MEMORY_HOOK_SECONDS"] = "60"
        if name == "trae":
            self.environment["TRAE_PROJECT_DIR"] = str(self.project)

    def send_bytes(self, data: bytes, *words: str) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-m", "daily_memory", "hook", *(words or [self.name])],
            input=data,
            capture_output=True,
            env=self.environment,
            cwd="/",
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if b'"PreCompact"' in data:
            assert done.stdout == b""  # it would be taken for instructions
            return {}
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    def send(self, payload: dict[str, object], *words: str) -> dict[str, object]:
        return self.send_bytes(json.dumps(payload).encode(), *words)

    def events(self, name: str = "") -> list[bytes]:
        text = (DATA / f"{name or self.name}.jsonl").read_text(encoding="utf-8")
        text = text.replace("@PROJECT@", str(self.project)).replace("@HOME@", str(self.home))
        return text.encode().splitlines()

    @property
    def memory(self) -> Memory:
        return Memory(self.project, home=self.home)

    def wait_for_sections(self, is_enough: Callable[[list[Session]], object]) -> list[Session]:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = [one.session for one in self.memory.sessions(scope="project")]
            if is_enough(found):
                return found
            time.sleep(0.05)
        pytest.fail("no section came of the conversation")


@pytest.fixture
def host(request, tmp_path) -> Host:
    return Host(tmp_path, request.param)


@pytest.mark.parametrize(
    ("host", "told", "decided"),
    [
        ("cursor", ["src/report.py", "TTL", "120 毫秒"], "Redis"),
        ("claude", ["app/auth.py", "session_for", "TypeError"], "constant"),
        ("trae", ["vite.config.ts", "812 ms"], "Vite"),
    ],
    indirect=["host"],
)
def test_a_conversation_becomes_a_section_with_nothing_to_be_done(host, told, decided):
    for line in host.events():
        host.send_bytes(line)

    # Where each turn is digested, the first ones know less.
    (section,) = host.wait_for_sections(
        lambda sections: (
            all(text in str(sections) for text in told)
            and decided in str([section.decisions for section in sections])
        )
    )

    assert section.source == host.name
    assert "tulip" not in str(section)
    log = Path(host.memory.workspace.project_root.index_folder) / "hook.log"
    assert not log.exists(), log.read_text()


@pytest.mark.parametrize("host", ["cursor", "claude", "trae"], indirect=True)
def test_the_next_conversation_is_told_of_one_whose_host_was_killed(host):
    events = [line for line in host.events() if b'top"' not in line and b'End"' not in line]
    for line in events:
        host.send_bytes(line)
    assert list(host.memory.sessions(scope="project")) == []

    start = json.loads(events[0])
    answer = host.send({**start, "conversation_id": "next", "session_id": "next"})

    (section,) = host.wait_for_sections(bool)
    assert section.conversation == start["session_id"]
    assert str(answer).count(f"# {section.topic}") == 1


@pytest.mark.parametrize("host", ["cursor", "claude", "trae"], indirect=True)
def test_a_conversation_has_one_section_while_it_is_open(host):
    for line in host.events():
        if b"sessionEnd" not in line and b"SessionEnd" not in line:
            host.send_bytes(line)

    (section,) = host.wait_for_sections(bool)
    assert section.conversation == json.loads(host.events()[0])["session_id"]


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_what_a_host_says_of_the_conversation_is_kept_nowhere(host):
    for line in host.events("claude-compact"):
        host.send_bytes(line)

    (section,) = host.wait_for_sections(bool)

    assert section.files == ("cache.py",)
    assert "?" not in section.key_points
    assert "notification" not in str(section)
    live = host.memory.observations.live("s-compact")
    assert [(one.kind, one.tool, one.text) for one in live.observations] == [
        ("user", "", "记一下背景 [REDACTED:private] 缓存放哪里？"),
        ("tool", "task", "Survey the cache code"),
        ("tool", "task", "Survey the cache code\ncache.py has no lock."),
        ("tool", "write", f"{host.project}/cache.py (new, 1 line)\nTTL = 300"),
        ("assistant", "", "决定用 Redis，TTL 定为 300 秒。"),
    ]
    kept = b"".join(path.read_bytes() for path in host.project.rglob("*") if path.is_file())
    assert [word for word in ("蓝鲸集团", "990 万") if word.encode() in kept] == []


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_an_approved_plan_and_what_is_left_of_the_tasks_are_kept_and_told(host):
    """Claude Code cleared the context: the new conversation begins without a prompt."""
    transcript = host.home / ".claude/projects/app/s-implemented.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(b"\n".join(host.events("claude-plan-transcript")))
    for line in host.events("claude-plan"):
        host.send_bytes(line)

    sections = host.wait_for_sections(lambda found: any(one.next_steps for one in found))

    (section,) = [one for one in sections if one.conversation == "s-implemented"]
    assert section.topic == "Move the session store to Redis"
    assert section.decisions == ("Approved plan: Move the session store to Redis",)
    assert section.next_steps == ("Replace the dict in app.py by the store",)
    assert section.files == ("store.py",)
    assert [one.files for one in sections if one.conversation == "s-planned"] == [()]
    start = {**json.loads(host.events("claude-plan")[0]), "session_id": "next"}
    told = str(host.send(start))
    assert "next: Replace the dict in app.py by the store" in told
    assert "Implement the following plan" not in told


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_conversation_that_goes_on_after_it_was_deleted_has_what_is_new_alone(host):
    for line in host.events():
        host.send_bytes(line)
    (section,) = host.wait_for_sections(bool)
    deleted = subprocess.run(
        [sys.executable, "-m", "daily_memory", "delete", str(section.id)],
        capture_output=True,
        env=host.environment,
        cwd=host.project,
    )
    assert deleted.returncode == 0, deleted.stderr

    end = json.loads(host.events()[-1])
    ask = {**end, "hook_event_name": "UserPromptSubmit"}
    host.send({**end, "hook_event_name": "SessionStart", "source": "resume"})
    for number, text in enumerate(("换成 xylophonezz 吧", "why is it slow?", "决定用 xylophonezz")):
        host.send({**ask, "prompt_id": f"later-{number}", "prompt": text})
    host.send(end)

    (later,) = host.wait_for_sections(bool)
    assert later.id != section.id
    assert "xylophonezz" in str(later)
    assert "session_for" in str(section)
    assert "session_for" not in str(later)


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_what_comes_twice_is_recorded_once(host):
    for line in host.events():
        host.send_bytes(line)
        host.send_bytes(line, "claude")  # Cursor runs the hooks of Claude Code as well

    live = host.memory.observations.live()

    texts = [(one.kind, one.tool, one.text) for one in live.observations]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_beside_its_own_hooks_cursor_gets_nothing_from_those_of_claude(host):
    (host.project / ".cursor").mkdir()
    (host.project / ".cursor" / "hooks.json").write_text('{"command": "memory hook cursor"}')

    for line in host.events():
        host.send_bytes(line, "claude")

    assert list(host.memory.observations.live_sessions()) == []


@pytest.mark.parametrize("host", ["claude"], indirect=True)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"42",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}",
        b'{"hook_event_name": 5, "session_id": [], "cwd": {}}',
        b"[" * 100_000,
        '{"hook_event_name": "Stop", "last_assistant_message": "é"}'.encode("cp1252"),
    ],
)
def test_whatever_comes_the_answer_is_an_object(host, data):
    assert host.send_bytes(data) == {}


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_mark_before_utf8_is_no_fault(host):
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "为什么？"}
    payload["cwd"] = str(host.project)

    host.send_bytes(b"\xef\xbb\xbf" + json.dumps(payload, ensure_ascii=False).encode())

    assert [one.text for one in host.memory.observations.live("s").observations] == ["为什么？"]


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_huge_output_of_a_tool_is_a_short_line(host):
    payload = {
        "session_id": "s",
        "cwd": str(host.project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "tool_response": {"stdout": "a line of output\n" * 600_000, "stderr": ""},
    }

    host.send(payload)

    assert os.path.getsize(host.memory.observations.live("s").path) < 5_000


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_what_can_not_be_written_fails_nobody_and_is_noted(host):
    root = Path(host.memory.workspace.project_root.path)
    root.mkdir(parents=True)
    (root / "observations").write_text("in the way")
    payload = {"session_id": "s", "cwd": str(host.project), "hook_event_name": "SessionStart"}

    assert host.send(payload) == {}

    assert "claude SessionStart" in (root / "index" / "hook.log").read_text()


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_host_that_closes_its_end_sees_no_failure(host, redirection):
    if "full" in redirection and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    payload = {
        "conversation_id": "c",
        "cursor_version": "3",
        "hook_event_name": "beforeSubmitPrompt",
        "prompt": "为什么？",
        "workspace_roots": [str(host.project)],
    }
    line = f"{shlex.quote(sys.executable)} -m daily_memory hook cursor {redirection}"

    done = subprocess.run(
        ["sh", "-c", line],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=host.environment,
        cwd="/",
    )

    assert (done.returncode, done.stderr) == (0, b"")
    is_recorded = "<&-" not in redirection
    assert len(list(host.memory.observations.live_sessions())) == is_recorded


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_a_host_that_goes_away_before_the_answer_sees_no_failure(host):
    hook = subprocess.Popen(
        [sys.executable, "-m", "daily_memory", "hook", "cursor"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=host.environment,
        cwd="/",
    )
    assert hook.stdout is not None
    hook.stdout.close()
    hook.stdout = None

    _, told = hook.communicate(b"{}")

    assert (hook.returncode, told) == (0, b"")


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_home_that_is_not_there_loses_nothing(host):
    host.environment["HOME"] = str(host.home / "absent")
    payload = {"session_id": "s", "cwd": str(host.project), "hook_event_name": "UserPromptSubmit"}

    host.send({**payload, "prompt": "为什么？"})

    memory = Memory(host.project, home=host.home / "absent")
    assert [one.text for one in memory.observations.live("s").observations] == ["为什么？"]


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_file_of_a_project_passes_for_no_module(host):
    # Each of these is imported by what makes the section.
    for name in ("argparse", "hashlib", "subprocess", "filelock", "daily_memory"):
        (host.project / f"{name}.py").write_text("raise SystemExit('not this one')")

    for line in host.events():
        host.send_bytes(line)

    host.wait_for_sections(bool)


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_our_own_processes_are_not_recorded(host):
    host.environment["DAILY_MEMORY_HOOK"] = "1"

    for line in host.events()[:3]:
        host.send_bytes(line)

    assert list(host.memory.observations.live_sessions()) == []


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_the_working_directory_says_nothing(host):
    host.send({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hi"})

    assert not (host.project / ".cursor").exists()
    assert list((host.home / ".cursor/skills/memories/observations").rglob("s.jsonl"))


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_a_question_is_answered_with_what_was_said_in_an_earlier_conversation(host):
    for line in host.events():
        host.send_bytes(line)
    host.wait_for_sections(bool)

    question = {
        "hook_event_name": "beforeSubmitPrompt",
        "prompt": "报表接口的 Redis 缓存 TTL 是多少？",
    }
    base = {"conversation_id": "new", "cursor_version": "3", "workspace_roots": [str(host.project)]}
    answer = host.send({**base, **question})

    assert "300 秒" in str(answer["additional_context"])
    assert host.send({**base, **question}) == {}


# ---------------------------------------------------------------------------- which folder


def _session(folder: Path, host: Host, text: str) -> list[dict[str, object]]:
    """Have a conversation in a folder begin and ask something; return both answers."""
    common: dict[str, object] = {"session_id": "s1", "cwd": str(folder)}
    start = {**common, "hook_event_name": "SessionStart", "source": "startup"}
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": text}
    return [host.send(start), host.send(prompt)]


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_conversation_in_a_package_is_told_what_the_repository_knows(host):
    host.memory.save({"topic": "Redis 缓存 TTL", "decisions": ["TTL 300 seconds"]})
    package = host.project / "packages" / "api"
    package.mkdir(parents=True)
    (package / "package.json").write_text("{}")

    answers = _session(package, host, "redis 缓存 TTL 是多少？")

    assert "300 seconds" in str(answers)
    assert not (package / ".cursor").exists()
    assert (
        len(list(Path(host.memory.workspace.project_root.observations_folder).rglob("*.jsonl")))
        == 1
    )


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_folder_open_to_all_gets_no_memory(host, tmp_path):
    public = tmp_path / "public"
    (public / ".cursor" / "skills" / "memories" / "daily").mkdir(parents=True)
    public.chmod(0o1777)

    _session(public, host, "redis 缓存 TTL 是多少？")

    assert sorted(public.rglob("*")) == [
        public / ".cursor",
        public / ".cursor/skills",
        public / ".cursor/skills/memories",
        public / ".cursor/skills/memories/daily",
    ]
    observed = Path(Memory("", home=host.home).workspace.global_root.observations_folder)
    assert list(observed.rglob("*.jsonl"))  # it is kept, where only the user can read it


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_the_user_is_told_of_a_memory_that_is_not_used(host, tmp_path):
    public = tmp_path / "public"
    (public / ".cursor" / "skills" / "memories" / "daily").mkdir(parents=True)
    public.chmod(0o1777)

    first, second = _session(public, host, "redis 缓存 TTL 是多少？")

    assert "is not used as a project: everybody can write" in str(first["systemMessage"])
    assert "systemMessage" not in second


@pytest.mark.parametrize("host", ["claude"], indirect=True)
@pytest.mark.parametrize("folder", ["relative", "/nowhere/at/all"])
def test_what_a_host_names_and_is_no_folder_means_no_project(host, folder):
    _session(Path(folder), host, "redis 缓存 TTL 是多少？")

    observed = Path(Memory("", home=host.home).workspace.global_root.observations_folder)
    assert list(observed.rglob("*.jsonl"))


# ---------------------------------------------------------------------------- deadlines


def hook_with_open_stdin(host: Host, data: bytes) -> tuple[bytes, int]:
    """Return what a hook answers whose host never closes the pipe."""
    command = [sys.executable, "-m", "daily_memory", "hook", host.name]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": host.environment}
    with subprocess.Popen(command, cwd="/", **pipes) as hook:  # type: ignore[call-overload]
        hook.stdin.write(data)
        hook.stdin.flush()
        return hook.stdout.read(), hook.wait(PATIENCE_S)


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_host_that_never_closes_its_pipe_is_answered(host):
    payload = {"session_id": "s", "cwd": str(host.project), "hook_event_name": "UserPromptSubmit"}
    data = json.dumps({**payload, "prompt": "为什么？ {" + 100_000 * "长}" + "}"}).encode()

    assert hook_with_open_stdin(host, data) == (b"{}\n", 0)
    assert len(host.memory.observations.live("s").observations) == 1


@pytest.mark.parametrize("host", ["copilot"], indirect=True)
def test_an_answer_that_the_host_writes_down_later_is_recorded(host, tmp_path):
    transcript = tmp_path / "events.jsonl"
    line = {"type": "assistant.message", "data": {"content": "决定用 Redis", "toolRequests": []}}
    common = {"sessionId": "s", "cwd": str(host.project)}
    host.send({**common, "prompt": "缓存用什么？"}, "copilot", "userPromptSubmitted")

    # The hook is called before there is a transcript.
    writer = threading.Timer(0.3, transcript.write_text, [json.dumps(line), "utf-8"])
    writer.start()
    stop = {**common, "transcriptPath": str(transcript), "stop_hook_active": False}
    host.send(stop, "copilot", "agentStop")
    writer.join()

    said = [each.text for each in host.memory.observations.live("s").observations]
    assert said == ["缓存用什么？", "决定用 Redis"]


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_half_an_event_is_noted(host):
    data = json.dumps({"cwd": str(host.project), "prompt": "x}"}).encode()

    assert hook_with_open_stdin(host, data[:-1]) == (b"{}\n", 0)
    (log,) = host.home.rglob("hook.log")
    assert "JSONDecodeError" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_hook_gives_up_when_the_user_says(host):
    host.memory.save({"topic": "缓存用 Redis", "decisions": ["TTL 300 秒"]})
    host.environment["MEMORY_HOOK_SECONDS"] = "0.001"
    payload = {"session_id": "s", "cwd": str(host.project), "hook_event_name": "UserPromptSubmit"}

    answer = host.send({**payload, "prompt": "缓存的 TTL 是多少？"})

    (log,) = host.project.rglob("hook.log")
    assert answer == {}
    assert "took longer than 0.001 s" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("host", ["cursor"], indirect=True)
def test_a_large_memory_without_an_index_holds_up_no_host(host):
    daily = Path(host.memory.workspace.project_root.daily_folder)
    daily.mkdir(parents=True)
    for day in range(1, 29):
        text = f"## Session 1\n\n### Topic\n缓存 cache{day:02}\n\n### Notes\n{9000 * 'x'}\n"
        (daily / f"2026-01-{day:02}.md").write_text(text, encoding="utf-8")
    base = {"cursor_version": "3", "workspace_roots": [str(host.project)]}
    question = {**base, "hook_event_name": "beforeSubmitPrompt", "prompt": "cache01 cache28 缓存？"}

    first = str(host.send({**question, "conversation_id": "c1"}))

    assert ("cache28" in first, "cache01" in first) == (True, False)
    assert "index of this memory is being built" in first
    end = time.monotonic() + PATIENCE_S
    while not os.path.exists(lookup.lookup_path(host.memory.workspace.project_root)):
        assert time.monotonic() < end, "no index was built"
        time.sleep(0.05)
    with locked(host.memory.workspace.project_root):  # the one that builds is done
        later = str(host.send({**question, "conversation_id": "c2"}))
    assert ("cache28" in later, "cache01" in later) == (True, True)


@pytest.mark.parametrize("host", ["claude"], indirect=True)
def test_a_project_that_can_not_be_written_to_is_told_of_all_the_same(host):
    host.memory.save({"topic": "缓存用 Redis", "decisions": ["TTL 300 秒"]})
    root = host.memory.workspace.project_root
    Path(root.observations_folder).write_bytes(b"")
    payload = {"session_id": "s", "cwd": str(host.project), "hook_event_name": "UserPromptSubmit"}

    answer = host.send({**payload, "prompt": "缓存的 TTL 是多少？"})

    assert "TTL 300 秒" in str(answer)
    log = Path(root.index_folder) / "hook.log"
    assert "claude UserPromptSubmit" in log.read_text(encoding="utf-8")
