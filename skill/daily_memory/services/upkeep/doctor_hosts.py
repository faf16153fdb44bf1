"""What `doctor` says of each host: what is set up, when its last event came, what is in the way."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from daily_memory.core.hosts import config_files, host_settings, json_edit, table
from daily_memory.core.hosts.table import HOSTS, Host, Places
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem
from daily_memory.services.setup import install
from daily_memory.services.setup.install import Site
from daily_memory.storage import observations
from daily_memory.storage.roots import Root


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
            continue  # encrypted, or gone: another one may tell
        if live.host and live.observations:
            at = live.observations[-1].at[:16].replace("T", " ")
            found[live.host] = max(found.get(live.host, ""), at)
        if len(found) == sum(bool(host.events) for host in HOSTS):
            break
    return found


def remarks(site: Site, last: Mapping[str, str]) -> list[Problem]:
    """Return which hosts are set up at a site, and what is wrong with that; nobody need mend it.

    `last` is as `last_events` returns it.
    """
    found = [
        problem
        for host in HOSTS
        for places in install.host_places(host, site, every=True)
        for problem in _of_host(host, places, site, last.get(host.name, ""))
    ]
    return list(dict.fromkeys(found))


def _of_host(host: Host, places: Places, site: Site, last: str) -> Iterator[Problem]:
    try:
        commands = config_files.hook_commands(install.load_text(places.hooks))
    except ValueError as error:
        yield Problem(places.hooks, 0, f"{host.title} can't read it: {error}")
        return
    parts = _parts(host, places, site, has_hooks=bool(commands))
    if not parts:
        return
    at = next(filter(None, (places.hooks, places.servers)))
    missing = [path for line in commands for path in _missing(line)]
    if missing:
        message = f"{host.title} calls {missing[0]!r}, which is gone; "
        yield Problem(at, 0, message + f"run `memory install {host.name}`")
        return
    yield Problem(at, 0, f"{host.title}: {', '.join(parts)}; {_when(host, last, bool(commands))}")
    for obstacle in _obstacles(host, places, site, is_silent=not last):
        yield Problem(at, 0, f"{host.title} {obstacle}")


def _parts(host: Host, places: Places, site: Site, *, has_hooks: bool) -> list[str]:
    """Return what of us stands in the files of a host."""
    rule = install.load_text(places.rule)
    has_rule = config_files.is_own_file(rule) or config_files.without_block(rule) != rule
    skill = os.path.join(places.skills, table.SKILL, "SKILL.md")
    present = {
        "hooks": has_hooks,
        "MCP": _has_server(host, places, site),
        "rule": bool(places.rule) and has_rule,
        "skill": os.path.isfile(skill) and (has_hooks or has_rule),
    }
    return [part for part, is_there in present.items() if is_there]


def _has_server(host: Host, places: Places, site: Site) -> bool:
    text = install.load_text(places.servers)
    take = config_files.without_table
    if host.servers_key:
        take = partial(config_files.without_server, path=install.servers_path(host, site))
    try:
        return take(text) != text
    except ValueError:
        return False  # broken: the host can't read it either


def _when(host: Host, last: str, has_hooks: bool) -> str:
    if not has_hooks:
        return "no hooks: the agent saves and searches by itself"
    if last:
        return f"last event {last}"
    return "; ".join(["no event has come yet", *host.notes])


def _obstacles(host: Host, places: Places, site: Site, *, is_silent: bool) -> list[str]:
    """Return what the host's own settings say against us."""
    folders = install.settings_folders(site)
    if host.name == "claude":
        user = os.path.join(folders["claude"], "settings.json")
        team = os.path.join(site.folder, ".claude", "settings.json")
        paths = dict.fromkeys((user, team, places.hooks))
        settings = [(path, _json(install.load_text(path))) for path in paths]
        state = _json(install.load_text(folders["claude_json"]))
        if site.scope != "project":
            project: object = {"hasTrustDialogAccepted": True}  # each project has its own
        else:
            keys = install.servers_path(host, site)[:-1]
            project = _follow(state, keys)
        return host_settings.claude_obstacles(settings, project, is_silent=is_silent)
    if host.name == "codex":
        config = _toml(install.load_text(os.path.join(folders["codex"], "config.toml")))
        names = {site.folder, os.path.realpath(site.folder)} if site.scope == "project" else ()
        return host_settings.codex_obstacles(config, places.hooks, names, is_silent=is_silent)
    return []


def _follow(value: object, keys: Iterable[str]) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _json(text: str) -> object:
    try:
        return json_edit.parse(text).value if text else {}
    except ValueError:
        return {}


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
