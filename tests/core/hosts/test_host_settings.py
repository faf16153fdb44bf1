"""What keeps a host from calling us, by its own settings."""

from __future__ import annotations

import pytest

from daily_memory.core.hosts.host_settings import claude_obstacles, codex_obstacles

TRUSTED = {"hasTrustDialogAccepted": True}
HOOKS = "/app/.codex/hooks.json"
STATE = f"{HOOKS}:stop:0:0"


@pytest.mark.parametrize(
    ("settings", "project", "is_silent", "words"),
    [
        ({}, TRUSTED, True, []),
        ({"disableAllHooks": False}, TRUSTED, True, []),
        ({"disableAllHooks": True}, TRUSTED, False, ["disableAllHooks is true in /a"]),
        ({}, {}, True, ["before you trust this folder"]),
        ({}, {}, False, []),
        ({}, {**TRUSTED, "disabledMcpServers": ["other", "daily-memory"]}, True, ["/mcp"]),
        ({}, {**TRUSTED, "disabledMcpServers": "daily-memory"}, True, []),
        ([], "odd", False, []),
    ],
)
def test_what_stands_in_the_way_in_claude_code(settings, project, is_silent, words):
    found = claude_obstacles([("/a", settings)], project, is_silent=is_silent)

    assert len(found) == len(words)
    assert all(word in sentence for word, sentence in zip(words, found, strict=True))


def codex(config: object, *, projects=("/app",), is_silent: bool = True) -> list[str]:
    return codex_obstacles(config, HOOKS, projects, is_silent=is_silent)


def test_codex_says_which_hooks_it_trusts():
    trusted = {"projects": {"/app": {"trust_level": "trusted"}}}
    reviewed = {**trusted, "hooks": {"state": {STATE: {"trusted_hash": "sha256:0"}}}}

    assert [sentence.split(" ")[0] for sentence in codex({})] == ["does", "skips"]
    assert codex(trusted) == ["skips the hooks until you review and trust them with /hooks"]
    assert codex(reviewed) == []
    assert codex({}, is_silent=False) == [], "an event came: it is trusted"
    assert codex(reviewed | {"projects": {}}, projects=()) == [], "hooks of the user"


def test_codex_says_what_is_switched_off():
    state = {"trusted_hash": "sha256:0", "enabled": False}
    config = {
        "features": {"codex_hooks": False},
        "hooks": {"state": {STATE: state, "/other:stop:0:0": {}}},
        "mcp_servers": {"daily-memory": {"command": "memory", "enabled": False}},
    }

    found = codex(config, is_silent=False)

    assert [sentence.split(":")[0] for sentence in found] == [
        "runs no hooks",
        "skips hooks that are disabled in /hooks",
        "does not start the MCP server 'daily-memory'",
    ]
