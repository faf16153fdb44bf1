"""Check each host: what is set up, when its last event came, and what blocks it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping

from daily_memory.core.hosts import config_files, host_settings, names, table
from daily_memory.core.hosts.table import HOSTS, Host, Places
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem
from daily_memory.services.setup import install
from daily_memory.services.setup.install import SharedPart, Site
from daily_memory.services.setup.program import Program
from daily_memory.storage import observations
from daily_memory.storage.roots import Root
from daily_memory.text import filled, joined

_SHOWN = {"hooks": "hooks", "mcp": "MCP", "rule": "rule"}


def last_events(roots: Iterable[Root]) -> dict[str, str]:
    """Return when the last event of each host came, as `YYYY-MM-DD HH:MM`."""
    entries = [
        (stamp, os.path.join(root.path, name))
        for root in roots
        for day in observations.list_days(root)
        for name, stamp in observations.list_stamps(root, day).items()
    ]
    found: dict[str, str] = {}
    for _, path in sorted(entries, key=lambda entry: entry[0][1], reverse=True):
        try:
            live = observations.load(path)
        except DailyMemoryError:
            continue  # encrypted or gone
        if live.host and live.observations:
            at = live.observations[-1].at[:16].replace("T", " ")
            found[live.host] = max(found.get(live.host, ""), at)
        if len(found) == len(names.HOSTS):
            break
    return found


def remarks(site: Site, last: Mapping[str, str]) -> list[Problem]:
    """Return remarks on the hosts that are set up at a site."""
    found = [
        problem
        for host in HOSTS
        for places in install.host_places(host, site, every=True)
        for problem in _of_host(host, places, site, last.get(host.name, ""))
    ]
    return list(dict.fromkeys(found))


def recording(sites: Iterable[Site]) -> list[str]:
    """Return the titles of the hosts that have our hooks or our plugin at one of these sites."""
    found = (
        host.title
        for site in sites
        for host in HOSTS
        for places in install.host_places(host, site, every=True)
        if {"hooks", "plugin"} & {*_parts(host, places, site)}
    )
    return list(dict.fromkeys(found))


def _of_host(host: Host, places: Places, site: Site, last: str) -> Iterator[Problem]:
    try:
        commands = config_files.hook_commands(install.load_text(places.hooks))
    except ValueError as error:
        yield Problem(places.hooks, 0, filled("{} can't read it: {}", host.title, error))
        return
    parts = _parts(host, places, site)
    if not parts:
        return
    at = next(filter(None, (places.hooks, places.servers, places.rule)))
    missing = [path for line in commands for path in _missing(line)]
    if missing:
        gone = filled("{} calls {!r}, which is gone", host.title, missing[0])
        remedy = filled("run `memory install {}`", host.name)
        yield Problem(at, 0, joined("; ", (gone, remedy)))
        return
    records = bool({"hooks", "plugin"} & {*parts})
    yield Problem(
        at, 0, _state(filled("{}: {}", host.title, ", ".join(parts)), last, records=records)
    )
    obstacles = _obstacles(host, places, site, is_silent=not last)
    for text in obstacles or (host.notes if records and not last else ()):
        yield Problem(at, 0, joined(": ", (host.title, text)))


def _parts(host: Host, places: Places, site: Site) -> list[str]:
    """Return which parts of ours are in the files of a host."""
    found = [
        _SHOWN[part.name]
        for part in install.host_parts(host, places, site, Program(("memory",)))
        if _is_in(part)
    ]
    if found == ["rule"]:
        return []  # a block in AGENTS.md, which several hosts read
    if places.rule and config_files.is_own_file(install.load_text(places.rule)):
        found.append("rule")
    settings = install.host_settings_of(host, places, site)
    has_plugin = places.plugin and config_files.is_own_file(install.load_text(places.plugin))
    if has_plugin or host_settings.our_plugin(settings):
        found.append("plugin")
    skill = os.path.join(places.skills, table.SKILL, "SKILL.md")
    if found and places.skills and os.path.isfile(skill):
        found.append("skill")
    return found


def _is_in(part: SharedPart) -> bool:
    text = install.load_text(part.path)
    try:
        return part.take(text) != text
    except ValueError:
        return False  # broken, for the host too


def _state(parts: str, last: str, *, records: bool) -> str:
    if not records:
        return filled("{}; no hooks: the agent saves and searches by itself", parts)
    state = filled("last event {}", last) if last else "no event has come yet"
    return joined("; ", (parts, state))


def _obstacles(host: Host, places: Places, site: Site, *, is_silent: bool) -> list[str]:
    """Return what in the host's own settings blocks us."""
    folders = install.settings_folders(site)
    settings = install.host_settings_of(host, places, site)
    if host.name == "claude":
        state = install.parse_json(install.load_text(folders["claude_json"]))
        if site.scope != "project":
            project: object = {"hasTrustDialogAccepted": True}  # trust is a project's
        else:
            keys = install.servers_path(host, site)[:-1]
            project = _follow(state, keys)
        found = host_settings.claude_obstacles(settings, project, is_silent=is_silent)
        plugin = host_settings.our_plugin(settings)
        if plugin and config_files.hook_commands(install.load_text(places.hooks)):
            found.append(filled("has the plugin {!r} enabled as well: keep one of the two", plugin))
        return found
    if host.name == "codex":
        config = _toml(install.load_text(os.path.join(folders["codex"], "config.toml")))
        names = {site.folder, os.path.realpath(site.folder)} if site.scope == "project" else ()
        return host_settings.codex_obstacles(config, places.hooks, names, is_silent=is_silent)
    return host_settings.hook_obstacles(settings)


def _follow(value: object, keys: Iterable[str]) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _toml(text: str) -> object:
    try:
        return config_files.parse_toml(text)
    except ValueError:
        return {}


def _missing(line: str) -> list[str]:
    """Return the files that the command of a hook names and that do not exist."""
    try:
        words = [word.strip("'\"") for word in shlex.split(line, posix=os.name != "nt")]
    except ValueError:
        return []
    return [word for word in words if os.path.isabs(word) and not os.path.exists(word)]
