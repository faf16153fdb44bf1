"""What `doctor` says of the hosts: what is set up, and whether anything has come of it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.hosts import table
from daily_memory.core.hosts.events import parse_event
from daily_memory.services.setup import host_checks
from daily_memory.services.setup.install import Site, install
from daily_memory.services.setup.program import Program

GONE = Program(("/opt/工具 箱/memory",), "'/opt/工具 箱/memory'", serves_mcp=True)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    script = tmp_path / "my bin" / "memory"
    script.parent.mkdir()
    script.write_text("")
    return Program((str(script),), serves_mcp=True)


@pytest.fixture
def site(memory, tmp_path: Path) -> Site:
    return Site("project", str(tmp_path / "app"), str(tmp_path / "home"), {}, "linux")


def told(site: Site, last: dict[str, str] | None = None) -> list[str]:
    return [remark.message for remark in host_checks.remarks(site, last or {})]


def trust(site: Site, **more: object) -> None:
    path = Path(site.home) / ".claude.json"
    state = json.loads(path.read_text())
    state["projects"][site.folder] |= {"hasTrustDialogAccepted": True, **more}
    path.write_text(json.dumps(state))


def test_nothing_is_said_of_a_host_in_which_nothing_of_us_stands(site):
    assert told(site) == []


def test_a_host_is_told_with_what_is_set_up_and_its_last_event(site, program):
    install("claude", site, program)
    trust(site)

    assert told(site) == ["Claude Code: hooks, MCP, rule, skill; no event has come yet"]
    assert told(site, {"claude": "2026-01-29 10:30"}) == [
        "Claude Code: hooks, MCP, rule, skill; last event 2026-01-29 10:30"
    ]


def test_a_host_that_runs_no_hooks_says_why(site, program):
    install("claude", site, program)
    assert told(site)[1] == (
        "Claude Code: runs no hooks in its window before you trust this folder there"
    )

    trust(site, disabledMcpServers=["daily-memory"])
    team = Path(site.folder) / ".claude" / "settings.json"
    team.write_text('{"disableAllHooks": true}')
    assert told(site, {"claude": "2026-01-29 10:30"})[1:] == [
        f"Claude Code: runs no hooks: disableAllHooks is true in {team}",
        "Claude Code: does not start the MCP server 'daily-memory': it is disabled in /mcp",
    ]


def test_the_hooks_of_codex_wait_for_trust(site, program):
    install("codex", site, program)

    first, *others = told(site)

    assert first == "Codex: hooks, MCP, rule, skill; no event has come yet"
    assert others == [
        "Codex: does not read this folder's .codex before you trust the project",
        "Codex: skips the hooks until you review and trust them with /hooks",
    ]


def test_a_user_without_a_project_is_told_the_same(site, program):
    user = site._replace(scope="user", folder=site.home)
    install("claude", user, program)
    install("codex", user, program)
    config = Path(user.home) / ".codex" / "config.toml"

    assert told(user, {"claude": "2026-01-29 10:30"}) == [
        "Claude Code: hooks, MCP, rule, skill; last event 2026-01-29 10:30",
        "Codex: hooks, MCP, rule, skill; no event has come yet",
        "Codex: skips the hooks until you review and trust them with /hooks",
    ]
    config.write_text("= broken")
    (Path(user.home) / ".claude" / "settings.json").write_text("{}")
    assert [message.partition(";")[0] for message in told(user)] == [
        "Claude Code: MCP, rule, skill",
        "Codex: hooks, rule, skill",
        "Codex: skips the hooks until you review and trust them with /hooks",
    ]


def test_a_host_without_hooks_records_nothing_by_itself(site, program):
    install("vscode", site, program)

    assert told(site) == [
        "VS Code: MCP, rule, skill; no hooks: the agent saves and searches by itself"
    ]


def test_a_command_that_is_gone_and_a_file_that_is_broken_are_named(site):
    install("cursor", site, GONE)
    for name in (".trae/hooks.json", ".codex/hooks.json"):
        (Path(site.folder) / name).parent.mkdir(exist_ok=True)
    (Path(site.folder) / ".trae/hooks.json").write_text("{")
    odd = '{"hooks": {"Stop": [{"command": "\'memory hook codex"}]}}'
    (Path(site.folder) / ".codex/hooks.json").write_text(odd)

    found = told(site)

    assert found[:2] == [
        "Cursor calls '/opt/工具 箱/memory', which is gone; run `memory install cursor`",
        "Trae can't read it: not JSON in line 1",
    ]
    assert found[2].startswith("Codex: hooks; no event has come yet")


def test_settings_that_can_not_be_read_are_no_reason_to_say_nothing(site, program):
    install("claude", site, program)
    (Path(site.home) / ".claude.json").write_text("{")

    assert told(site)[0] == "Claude Code: hooks, rule, skill; no event has come yet"


def hear(memory: Memory, host: str, prompt: str) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"of-{host}", "prompt": prompt}
    memory.handle(parse_event(payload, {}, host))


def test_the_last_event_of_each_host_is_found(memory):
    hear(memory, "claude", "redis 缓存")
    hear(memory, "codex", "")  # nothing was said
    sealed = Path(memory.workspace.project_root.observations_folder) / "2026-01-28" / "sealed.jsonl"
    sealed.parent.mkdir()
    sealed.write_bytes(b"age-encryption.org/v1\n-> X25519 x\n")

    roots = [memory.workspace.project_root, memory.workspace.global_root]
    assert host_checks.last_events(roots) == {"claude": "2026-01-29 10:30"}


def test_older_conversations_are_not_read_once_every_host_has_told(memory, clock):
    names = [host.name for host in table.HOSTS if host.events]
    for host in names:
        hear(memory, host, "早上好")
    clock.now += timedelta(hours=1)
    hear(memory, "claude", "again")

    last = host_checks.last_events([memory.workspace.project_root])

    assert last == dict.fromkeys(names, "2026-01-29 10:30") | {"claude": "2026-01-29 11:30"}


def test_a_plugin_beside_an_installation_is_told(site, program):
    settings = Path(site.home) / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"enabledPlugins": {"daily-memory@daily-memory": true}}')

    alone = told(site)
    notes = install("claude", site, program).notes
    both = told(site)

    assert alone[0].startswith("Claude Code: plugin; no event has come yet")
    assert "the plugin 'daily-memory@daily-memory' does the same: keep one of the two" in notes
    assert both[-1] == (
        "Claude Code: has the plugin 'daily-memory@daily-memory' enabled as well: keep one of the"
        " two"
    )


def test_hooks_that_are_switched_off_are_told(site, program):
    install("gemini", site, program)
    path = Path(site.folder) / ".gemini" / "settings.json"
    path.write_text(path.read_text().replace("{", '{"hooksConfig": {"enabled": false},', 1))

    assert told(site)[1] == f"Gemini CLI: runs no hooks: hooksConfig.enabled is false in {path}"
