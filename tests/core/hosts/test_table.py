"""The table of hosts: what a shell makes of its commands, and what must never stand in it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from daily_memory.core.hosts import table
from daily_memory.core.hosts.config_files import is_ours
from daily_memory.core.hosts.table import HOSTS, get_host

# What goes wrong in these would hold up or refuse what the user does.
PERMISSION = {
    "preToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
    "PreToolUse",
    "PermissionRequest",
}
# Cursor tells of these in postToolUse as well.
DOUBLED = {"afterShellExecution", "afterMCPExecution"}


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_no_host_is_asked_for_permission_or_heard_twice(host):
    assert not set(host.events) & (PERMISSION | DOUBLED)
    assert len(set(host.events)) == len(host.events)
    assert bool(host.events) == bool(host.project.hooks) == bool(host.user.hooks)


@pytest.mark.needs("sh")
@pytest.mark.parametrize("folder", ["plain", "my tools", "工具 箱", "it's"])
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_shell_starts_what_is_meant(host, folder, tmp_path):
    script = tmp_path / folder / "memory"
    script.parent.mkdir()
    script.write_text(f'#!{sys.executable}\nimport sys; print(sys.argv[1:], end="")\n')
    script.chmod(0o755)

    command = table.hook_command(host, [str(script)])

    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == f"['hook', '{host.name}']"
    assert is_ours(command)


@pytest.mark.parametrize(
    ("name", "path", "command"),
    [
        ("cursor", r"C:\py\memory.exe", r"C:\py\memory.exe hook cursor"),
        ("cursor", r"C:\my py\memory.exe", r'cmd /c "C:\my py\memory.exe" hook cursor'),
        ("claude", r"C:\py\memory.exe", "C:/py/memory.exe hook claude"),
        ("claude", r"C:\my py\memory.exe", "'C:/my py/memory.exe' hook claude"),
        ("trae", r"C:\it's\memory.exe", r"& 'C:\it''s\memory.exe' hook trae"),
        ("codex", r"C:\工具\memory.exe", r"& 'C:\工具\memory.exe' hook codex"),
    ],
)
def test_a_command_is_quoted_for_the_shell_of_the_host_on_windows(name, path, command):
    assert table.hook_command(get_host(name), [path], is_windows=True) == command
    assert is_ours(command)


def test_a_checkout_is_called_with_its_python():
    command = table.hook_command(get_host("claude"), ["/usr/bin/python3", "/x/memory.py"])

    assert command == "/usr/bin/python3 /x/memory.py hook claude"
    assert is_ours(command)


@pytest.mark.parametrize(
    ("name", "project", "entry"),
    [
        (
            "cursor",
            "/p",
            {
                "type": "stdio",
                "command": "/b/memory",
                "args": ["mcp", "--tools", "beside-hooks", "--project", "${workspaceFolder}"],
            },
        ),
        (
            "claude",
            "/p",
            {
                "type": "stdio",
                "command": "/b/memory",
                "args": ["mcp", "--tools", "beside-hooks", "--project", "${CLAUDE_PROJECT_DIR:-.}"],
            },
        ),
        (
            "trae",
            "/项 目",
            {
                "command": "/b/memory",
                "args": ["mcp", "--tools", "beside-hooks", "--project", "/项 目"],
            },
        ),
        ("codex", "", {"command": "/b/memory", "args": ["mcp", "--tools", "beside-hooks"]}),
    ],
)
def test_an_mcp_entry_names_the_project_in_the_words_of_the_host(name, project, entry):
    assert table.server_entry(get_host(name), ["/b/memory"], project) == entry


def test_trae_gets_no_space_in_a_command():
    trae = get_host("trae")
    path = r"C:\my py\memory.exe"

    assert table.server_entry(trae, [path], "", is_windows=True) == {
        "command": "cmd",
        "args": ["/c", path, "mcp", "--tools", "beside-hooks"],
    }


def test_the_rule_names_the_mcp_tool_only_where_there_is_one():
    cursor = get_host("cursor")

    assert "memory_search" not in table.rule_text(cursor, "memory")
    assert table.rule_text(cursor, "memory", serves_mcp=True).count("memory_search") == 2


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_the_rule_is_short_and_in_both_languages(host):
    rule = table.rule_text(host, "/我的/memory")

    assert len(rule) < 900
    assert rule.count("/我的/memory search") == 2
    assert "长期记忆" in rule


@pytest.mark.parametrize(
    ("installed", "wanted"),
    [
        ([], set()),
        (["cursor"], {"cursor"}),
        (["cursor", "claude"], {"claude"}),
        (["cursor", "codex", "vscode"], {"codex"}),
        (["claude", "codex", "trae"], {"claude", "codex", "trae"}),
        (["cursor", "vscode"], {"cursor", "vscode"}),
    ],
)
def test_no_host_finds_the_skill_in_two_folders(installed, wanted):
    assert table.skill_hosts(installed) == wanted
