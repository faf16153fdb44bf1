"""Obstacles in a host's own settings that keep it from calling us.

Each function returns sentences for people, none if there is no obstacle. The settings may have any
shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daily_memory.core.hosts.config_files import SERVER
from daily_memory.text import filled


def our_plugin(settings: Iterable[tuple[str, object]]) -> str:
    """Return the name of our plugin if it is enabled in Claude Code, else "".

    >>> our_plugin([("/a", {"enabledPlugins": {"daily-memory@daily-memory": True}})])
    'daily-memory@daily-memory'
    """
    for _, values in settings:
        plugins = _member(values, "enabledPlugins")
        for name, is_enabled in plugins.items() if isinstance(plugins, Mapping) else ():
            if is_enabled is True and str(name).startswith(f"{SERVER}@"):
                return str(name)
    return ""


def hook_obstacles(settings: Iterable[tuple[str, object]]) -> list[str]:
    """Return why hosts with settings like Claude Code's or Gemini's don't run our hooks.

    >>> hook_obstacles([("/a", {"hooksConfig": {"enabled": False}})])
    ['runs no hooks: hooksConfig.enabled is false in /a']
    """
    found = []
    for path, values in settings:
        if _member(values, "disableAllHooks") is True:
            found.append(filled("runs no hooks: disableAllHooks is true in {}", path))
        if _member(_member(values, "hooksConfig"), "enabled") is False:
            found.append(filled("runs no hooks: hooksConfig.enabled is false in {}", path))
    return found


def claude_obstacles(
    settings: Iterable[tuple[str, object]], project: object, *, is_silent: bool
) -> list[str]:
    """Return why Claude Code does not run our hooks.

    `settings` are its settings files by their paths, `project` what `.claude.json` keeps of the
    project. `is_silent`: no event has come yet.

    >>> claude_obstacles([("/a", {"disableAllHooks": True})], {}, is_silent=False)
    ['runs no hooks: disableAllHooks is true in /a']
    """
    found = hook_obstacles(settings)
    # `claude -p` never asks for trust, so an event is better evidence than the setting.
    if is_silent and _member(project, "hasTrustDialogAccepted") is not True:
        found.append("runs no hooks in its window before you trust this folder there")
    disabled = _member(project, "disabledMcpServers")
    if isinstance(disabled, list) and SERVER in disabled:
        found.append(filled("does not start the MCP server {!r}: it is disabled in /mcp", SERVER))
    return found


def codex_obstacles(
    config: object, hooks_path: str, projects: Iterable[str], *, is_silent: bool
) -> list[str]:
    """Return why Codex does not run our hooks, from the user's `config.toml`.

    `hooks_path` is the file with our hooks, `projects` the folders by which it may know the project
    (none for a user's hooks). `is_silent` as above.
    """
    found = []
    features = _member(config, "features")
    if False in (_member(features, "hooks"), _member(features, "codex_hooks")):
        found.append("runs no hooks: they are switched off under [features] in config.toml")
    known = [_member(_member(config, "projects"), path) for path in projects]
    if known and is_silent and "trusted" not in [_member(one, "trust_level") for one in known]:
        found.append("does not read this folder's .codex before you trust the project")
    # Its review keeps a hash of each hook: FILE:EVENT:GROUP:HOOK.
    states = _member(_member(config, "hooks"), "state")
    ours = [
        state
        for key, state in (states.items() if isinstance(states, Mapping) else ())
        if key.startswith(f"{hooks_path}:")
    ]
    if is_silent and not any(_member(state, "trusted_hash") for state in ours):
        found.append("skips the hooks until you review and trust them with /hooks")
    if any(_member(state, "enabled") is False for state in ours):
        found.append("skips hooks that are disabled in /hooks")
    if _member(_member(_member(config, "mcp_servers"), SERVER), "enabled") is False:
        found.append(
            filled("does not start the MCP server {!r}: enabled is false in config.toml", SERVER)
        )
    return found


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else None
