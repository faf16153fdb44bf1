"""What real clients sent to their hooks, event by event, where such streams are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.hosts.events import parse_event

PAYLOADS = Path(__file__).resolve().parents[3] / "shared" / "hosts" / "payloads"
STREAMS = sorted(PAYLOADS.glob("*/*.jsonl"))
# What people marked private in these conversations, and secrets that were made up for them.
HIDDEN = (
    *("星辰集团", "880 万", "wJalrXUtnFEMI", "hunter2xyz", "sk-proj-Qx7", "Zx9!kQp2"),
    *("sk_live_51", "ghp_a8Kd7"),
)


@pytest.mark.skipif(not STREAMS, reason="no captured streams beside the project")
@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_captured_conversation_leaks_nothing_and_has_no_empty_points(stream, tmp_path):
    project, home = tmp_path / "me/app", tmp_path / "me"
    (project / ".git").mkdir(parents=True)
    memory = Memory(project, home=home)
    named = stream.parent.name.partition("-")[0]
    conversations: dict[str, None] = {}

    for line in stream.read_text(encoding="utf-8").splitlines():
        told = line.replace("/home/user/project", str(project)).replace("/home/user", str(home))
        captured = json.loads(told)
        name = captured.get("event", "")
        event = parse_event(captured["payload"], captured.get("env", {}), named, name)
        if event.meaning != "other":
            memory.handle(event)
            conversations[event.conversation] = None
    for conversation in conversations:
        memory.end(conversation)

    assert {live.host for live in memory.observations.live_sessions()} == {named}
    said = [one for live in memory.observations.live_sessions() for one in live.observations]
    assert [one.text for one in said if "task-notification" in one.text] == []
    points = [point for one in memory.sessions() for point in one.session.key_points]
    assert "?" not in points
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert [word for word in HIDDEN if word.encode() in kept] == []


@pytest.mark.parametrize("host", ["qwen", "gemini", "cursor"])
def test_the_first_captured_conversation_of_a_host_is_saved_with_its_file(host, tmp_path):
    streams = [path for path in STREAMS if path.parent.name.startswith(host)]
    if not streams:
        pytest.skip("no captured streams beside the project")
    project, home = tmp_path / "me/app", tmp_path / "me"
    (project / ".git").mkdir(parents=True)
    memory = Memory(project, home=home)
    first = ""

    for line in streams[0].read_text(encoding="utf-8").splitlines():
        told = line.replace("/home/user/project", str(project)).replace("/home/user", str(home))
        captured = json.loads(told)
        name = captured.get("event", "")
        event = parse_event(captured["payload"], captured.get("env", {}), host, name)
        first = first or event.conversation
        if event.meaning != "other" and event.conversation == first:
            memory.handle(event)
    memory.end(first)

    [found] = memory.sessions()
    assert found.session.source == host
    assert found.session.files == ("cache.py",)
