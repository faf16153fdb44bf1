"""Writes the plugins for Cursor and Claude Code from the tables that `memory install` uses.

    python scripts/generate_plugins.py [--check]

With --check nothing is written; the exit status is 1 if a file is not what it would be. The README
of a plugin is written by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from daily_memory import __version__
from daily_memory.core.hosts import config_files, names, table
from daily_memory.core.hosts.table import Host

CHECKOUT = Path(__file__).resolve().parent.parent
PLUGINS = CHECKOUT / "plugins"
# Which plugin is for which host, and where that host wants the manifest and the MCP servers.
KINDS = {
    "cursor": ("cursor", ".cursor-plugin", "mcp.json"),
    "claude-code": ("claude", ".claude-plugin", ".mcp.json"),
}
# A plugin can't know where the command is: it must be on the PATH.
COMMAND = "memory"
DESCRIPTION = "Long-term memory in Markdown files: records and recalls by itself"
AUTHOR = "The Daily Memory authors"
# Without the command the plugin says so once, at the start, and is silent at other events.
MISSING = f"command -v {COMMAND} >/dev/null 2>&1"
HINT = (
    """echo '{"systemMessage": "daily-memory: the command `memory` is not on the PATH."""
    """ Install Daily Memory (docs/install.md), or disable the plugin."}'"""
)


def plugin_files(folder: str, *, serves_mcp: bool) -> dict[str, str]:
    """Return the files of one plugin, by their path in it."""
    name, manifest, servers = KINDS[folder]
    host = table.get_host(name)
    skill = (CHECKOUT / "SKILL.md").read_text(encoding="utf-8")
    files = {
        f"{manifest}/plugin.json": _json(
            {
                "name": "daily-memory",
                "version": __version__,
                "description": DESCRIPTION,
                "author": {"name": AUTHOR},
                "license": "MIT",
            }
        ),
        "hooks/hooks.json": _hooks(host),
        f"skills/{table.SKILL}/SKILL.md": config_files.skill_text(skill, COMMAND),
    }
    if host.name == "cursor":
        rule = table.rule_text(host, COMMAND, serves_mcp=serves_mcp)
        files["rules/daily-memory.mdc"] = f"{rule}\n"
    if serves_mcp:
        entry = table.server_entry(host, [COMMAND], "")
        files[servers] = config_files.with_server("", [host.servers_key], entry)
    return files


def _hooks(host: Host) -> str:
    if host.name != names.CLAUDE:
        return config_files.with_hooks("", table.host_hooks(host, [COMMAND]))
    # Claude Code runs hooks by a POSIX shell on every system.
    hooks = table.host_hooks(host, [COMMAND], head=f"{MISSING} || exit 0; ")
    start = table.host_hooks(host, [COMMAND], head=f"{MISSING} || {{ {HINT}; exit 0; }}; ")
    entries = {**hooks.entries, "SessionStart": start.entries["SessionStart"]}
    return config_files.with_hooks("", hooks._replace(entries=entries))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def marketplace(folder: str) -> str:
    """Return the list of plugins that a host reads at the top of the repository."""
    about: dict[str, object] = {"description": DESCRIPTION}
    return _json(
        {
            "name": "daily-memory",
            # Cursor's schema has it one level down, and allows nothing else.
            **({"metadata": about} if folder == "cursor" else about),
            "owner": {"name": AUTHOR},
            "plugins": [
                {
                    "name": "daily-memory",
                    "source": f"./plugins/{folder}",
                    "description": DESCRIPTION,
                }
            ],
        }
    )


def pages() -> dict[Path, str]:
    """Return every generated file with the text that it should have."""
    serves_mcp = find_spec("daily_memory.frontends.mcp_server") is not None
    return {
        **{
            CHECKOUT / manifest / "marketplace.json": marketplace(folder)
            for folder, (_, manifest, _) in KINDS.items()
        },
        **{
            PLUGINS / folder / path: text
            for folder in KINDS
            for path, text in plugin_files(folder, serves_mcp=serves_mcp).items()
        },
    }


def left_over(wanted: dict[Path, str]) -> list[Path]:
    """Return the files in the plugins that nothing generates any more."""
    there = (path for path in PLUGINS.rglob("*") if path.is_file() and path.name != "README.md")
    return sorted(path for path in there if path not in wanted)


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    wanted = pages()
    stale = [
        path
        for path, text in wanted.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in (*stale, *left_over(wanted)):
        name = path.relative_to(CHECKOUT)
        if options.check:
            print(f"{name} is stale; run scripts/generate_plugins.py")
        elif path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return 1 if options.check and (stale or left_over(wanted)) else 0


if __name__ == "__main__":
    sys.exit(run())
