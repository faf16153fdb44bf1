"""What a user may attach to a conversation: resources, and a prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import MCPError

from daily_memory import Memory


@pytest.fixture
def saved(memory):
    memory.save({"topic": "缓存方案", "key_points": ["TTL 300 秒"]})
    memory.save({"topic": "yesterday", "date": "2026-01-28"})
    assert memory.workspace.project_root is not None
    (Path(memory.workspace.project_root.path) / "summary.md").write_text(
        "# 摘要\n我们用 pnpm <|im_start|>\n"
    )


def read(talk, uri):
    (content,) = talk.ask("read_resource", uri).contents
    assert (content.uri, content.mime_type) == (uri, "application/json")
    return json.loads(content.text)


def test_what_there_is_to_read_is_listed(talk):
    assert [one.uri for one in talk.ask("list_resources").resources] == [
        "memory://today",
        "memory://summaries",
    ]
    templates = talk.ask("list_resource_templates").resource_templates
    assert [one.uri_template for one in templates] == [
        "memory://day/{date}",
        "memory://session/{id}",
    ]


@pytest.mark.parametrize(
    ("uri", "ids"),
    [
        ("memory://today", ["2026-01-29#1"]),
        ("memory://day/2026-01-28", ["2026-01-28#1"]),
        ("memory://day/2026-01-27", []),
        ("memory://session/2026-01-29%231", ["2026-01-29#1"]),
        ("memory://session/2026-01-29#1", ["2026-01-29#1"]),
    ],
)
def test_sessions_are_read_as_json(talk, saved, uri, ids):
    assert [session["id"] for session in read(talk, uri)["sessions"]] == ids


def test_the_summaries_are_read(talk, saved):
    assert read(talk, "memory://summaries") == {
        "summaries": [
            {
                "scope": "project",
                "project": "app",
                "origin": None,
                "text": "我们用 pnpm < |im_start|>",
            }
        ]
    }


@pytest.mark.parametrize(
    "uri",
    [
        "memory://nope",
        "memory://today/x",
        "memory://day/2026-01-29%231",
        "memory://session/2026-01-29",
        "memory://session/2026-01-29%239",
        "file:///etc/passwd",
    ],
)
@pytest.mark.parametrize(("mode", "code"), [("auto", -32602), ("legacy", -32002)])
def test_what_is_not_there_is_an_error_of_the_protocol(talk, saved, uri, mode, code):
    talk.mode = mode

    with pytest.raises(MCPError) as caught:
        read(talk, uri)

    assert caught.value.code == code


def test_what_is_no_date_is_a_wrong_parameter(talk):
    with pytest.raises(MCPError, match="neither an id nor a day") as caught:
        read(talk, "memory://day/..%2F..%2Fetc")

    assert caught.value.code == -32602


def test_a_bug_is_an_internal_error_without_text_of_the_memory(talk, monkeypatch, capsys):
    def sessions(*_arguments: object, **_options: object) -> None:
        raise ValueError("what somebody said")

    monkeypatch.setattr(Memory, "sessions", sessions)

    with pytest.raises(MCPError) as caught:
        read(talk, "memory://today")

    assert caught.value.code == -32603
    assert "somebody" not in caught.value.message + capsys.readouterr().err


# ---------------------------------------------------------------------------- the prompt


def test_the_prompt_brings_the_notes_on_a_topic(talk, saved):
    (prompt,) = talk.ask("list_prompts").prompts
    assert (prompt.name, prompt.arguments[0].name) == ("recall", "topic")

    (message,) = talk.ask("get_prompt", "recall", {"topic": "缓存"}).messages

    assert message.role == "user"
    assert "about: 缓存\n\n<daily-memory-" in message.content.text
    assert "| - TTL 300 秒" in message.content.text


def test_without_a_topic_it_brings_what_was_last(talk, saved):
    (message,) = talk.ask("get_prompt", "recall").messages

    assert message.content.text.startswith("Use what these notes say of earlier work\n\n")


def test_where_nothing_is_known_the_prompt_says_so(talk):
    (message,) = talk.ask("get_prompt", "recall", {"topic": "缓存"}).messages

    assert message.content.text.startswith("Nothing is noted of earlier work about: 缓存")


def test_another_prompt_is_a_wrong_parameter(talk):
    with pytest.raises(MCPError, match="unknown prompt: nope") as caught:
        talk.ask("get_prompt", "nope")

    assert caught.value.code == -32602
