"""The plugins: made from the tables of the hosts, and in the form that the hosts document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import generate_plugins

from daily_memory.core.hosts import table
from tests import components

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDERS = tuple(generate_plugins.KINDS)


def load(path: Path) -> dict[str, object]:
    value = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


def test_the_plugins_are_what_the_tables_say():
    done = subprocess.run(
        [sys.executable, "scripts/generate_plugins.py", "--check"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_plugin_has_its_manifest_and_hooks_where_the_host_looks(folder):
    name, manifest, _ = generate_plugins.KINDS[folder]
    plugin = CHECKOUT / "plugins" / folder

    assert load(plugin / manifest / "plugin.json")["name"] == "daily-memory"
    hooks = load(plugin / "hooks" / "hooks.json")["hooks"]
    assert isinstance(hooks, dict)
    assert set(hooks) == set(table.get_host(name).events)
    assert f'memory hook {name}"' in json.dumps(hooks)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_skill_of_a_plugin_is_valid(folder):
    validator = components.require("agentskills")

    done = subprocess.run(
        [validator, "validate", str(CHECKOUT / "plugins" / folder / "skills" / "daily-memory")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_plugin_names_the_mcp_server_once_there_is_one(folder):
    without = generate_plugins.plugin_files(folder, serves_mcp=False)
    with_mcp = generate_plugins.plugin_files(folder, serves_mcp=True)

    [path] = [path for path in with_mcp if path not in without]
    assert path == generate_plugins.KINDS[folder][2]
    entry = json.loads(with_mcp[path])["mcpServers"]["daily-memory"]
    assert (entry["command"], entry["args"][0]) == ("memory", "mcp")


def test_the_marketplace_of_cursor_has_only_the_fields_of_its_schema():
    listed = json.loads((CHECKOUT / ".cursor-plugin" / "marketplace.json").read_text("utf-8"))

    assert set(listed) == {"name", "owner", "metadata", "plugins"}
    assert [entry["source"] for entry in listed["plugins"]] == ["./plugins/cursor"]
