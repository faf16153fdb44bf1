"""The rollout files of Codex, as version 0.169 writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from daily_memory.core.digests.messages import Message
from daily_memory.core.imports import transcripts

META = {
    "type": "session_meta",
    "payload": {"id": "01a2", "timestamp": "2026-11-22T17:28:20.195Z", "cwd": "/home/u/app"},
}


def shown(kind: str, text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text, "text_elements": []}]
    item = {"type": kind, "id": "1", "content": content}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def sent(role: str, text: str) -> dict[str, object]:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "payload": payload}


def lines(*records: Mapping[str, object]) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def test_what_was_shown_is_what_was_said():
    transcript = transcripts.parse_codex(
        lines(
            META,
            sent("user", "# AGENTS.md instructions for /home/u/app"),
            sent("user", "加一个缓存"),
            shown("UserMessage", "加一个缓存"),
            shown("AgentMessage", "TTL 定为 300 秒"),
            sent("assistant", "TTL 定为 300 秒"),
            shown("CommandExecution", "ls"),
        ),
        "stem",
    )

    assert transcript.messages == (
        Message("user", "加一个缓存"),
        Message("assistant", "TTL 定为 300 秒"),
    )
    assert (transcript.conversation, transcript.host) == ("01a2", "codex")
    assert transcript.folder == "/home/u/app"
    assert transcript.began is not None
    assert transcript.began.isoformat() == "2026-11-22T17:28:20+00:00"


def test_older_files_have_plain_messages():
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": "hello"}}

    transcript = transcripts.parse_codex([*lines(said), b"{cut"], "stem")

    assert transcript.messages == (Message("user", "hello"),)
    assert (transcript.conversation, transcript.bad_lines) == ("stem", (2,))


def test_the_folder_is_found_in_the_first_lines():
    assert transcripts.codex_folder(lines({"type": "x"}, META)) == "/home/u/app"
    assert transcripts.codex_folder(lines({"type": "x"})) == ""
