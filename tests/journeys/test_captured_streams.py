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
# Of each stream the conversations that become a section, and those that are told of others or,
# after a compaction, of themselves.
SECTIONS_AND_TOLD = {
    "claude-code-2.1.197-work-recall-mcp": ("78aa", "a4e0 a2c2"),
    "claude-code-2.1.330-compact": ("bba8", "bba8"),
    "claude-code-2.1.330-compact-private-clear": ("2241 1695", "2241 1695 eeea"),
    "claude-code-2.1.330-directory-changed": ("0454", ""),
    "claude-code-2.1.330-do-not-save": ("", ""),
    "claude-code-2.1.330-hangup-and-interrupt": ("20cf 531d", "531d"),
    "claude-code-2.1.330-killed": ("d8c9", "2aea ae3f"),
    "claude-code-2.1.330-secrets": ("8f8f", ""),
    "claude-code-2.1.330-subagents": ("7a1b 3d8a", "3d8a"),
    "claude-code-2.1.330-two-windows": ("cd6e 4717", "4717"),
    "claude-code-2.1.330-work-recall-mcp-resume": ("9b2e 3e9f", "7968 5b82 3e9f"),
    # Too little for a section, but what was said is told to who asks the same again.
    "codex-0.169.0-compact": ("", ""),
    "codex-0.169.0-mcp": ("", ""),
    "codex-0.169.0-patch-resume-recall": ("01a20273-7321", "01a20273-b921"),
    "codex-0.169.0-shell-edit-late-end": ("01a2026f-d5c3", "01a20271-a774"),
    "copilot-cli-1.0.102-work": ("", ""),  # its answer is in a transcript that was not captured
    "cursor-sdk-1.0.32-synthetic-not-captured-left-open": ("conv-1", "conv-2 conv-3"),
    "cursor-sdk-1.0.32-synthetic-not-captured-two-chats": ("conv-1", "conv-2"),
    "gemini-cli-0.61.0-work-mcp": ("c6b3", "55dd"),
    "qwen-code-0.24.4-work-recall-mcp": ("4ec7 2939", "2939 8c70"),
}


@pytest.mark.skipif(not STREAMS, reason="no captured streams beside the project")
@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_captured_stream_is_saved_and_told_without_leaks_and_empty_points(stream, tmp_path):
    project, home = tmp_path / "me/app", tmp_path / "me"
    (project / ".git").mkdir(parents=True)
    memory = Memory(project, home=home)
    named = stream.parent.name.partition("-")[0]
    told: set[str] = set()

    for line in stream.read_text(encoding="utf-8").splitlines():
        line = line.replace("/home/user/project", str(project)).replace("/home/user", str(home))
        captured = json.loads(line)
        name = captured.get("event", "")
        event = parse_event(captured["payload"], captured.get("env", {}), named, name)
        if event.meaning != "other":
            handled = memory.handle(event)
            for work in handled.work:
                memory.background.run(*work)
            told |= {event.conversation} if "<daily-memory-" in handled.context else set()

    assert {live.host for live in memory.observations.live_sessions()} == {named}
    sections = {one.session.conversation for one in memory.sessions()}
    expected = [words.split() for words in SECTIONS_AND_TOLD[f"{stream.parent.name}-{stream.stem}"]]
    for names, found in zip(expected, (sections, told), strict=True):
        assert len(found) == len(names), found
        assert all(one.startswith(tuple(names)) for one in found)
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
