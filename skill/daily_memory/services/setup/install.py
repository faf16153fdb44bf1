"""Install into the hosts, and uninstall.

Before the first change to a user's file, a copy goes to the user's settings. Uninstalling restores
the copy byte for byte, if nothing else changed meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from daily_memory.core.hosts import config_files, host_settings, json_edit, names, table
from daily_memory.core.hosts.table import HOSTS, Host, Places
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError
from daily_memory.installation import install_command
from daily_memory.services.setup import init, program
from daily_memory.services.setup.program import Program
from daily_memory.storage import discovery
from daily_memory.storage.fs import files
from daily_memory.storage.fs import transaction as changes
from daily_memory.storage.fs.files import Modes
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.git import repository
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.workspace import Workspace

# In the home folder, since a repository could bring along a forged copy.
_BACKUPS = os.path.join(".config", "daily-memory", "before-install")
# Dot folder and product of each edition of Trae; the MCP file belongs to the product.
_TRAE = (
    (".trae", "Trae"),
    (".trae-cn", "Trae CN"),
    (".trae", "TRAE SOLO"),
    (".trae-cn", "TRAE SOLO CN"),
)

# An older temporary file was left by an installation that was killed.
_KILLED_S = 5

Edit = Callable[[str], str]


class SharedPart(NamedTuple):
    """Our part of a file that others write to as well: how to add and how to remove it."""

    name: str
    path: str
    put: Edit
    take: Edit


class Site(NamedTuple):
    """Where to install: the `folder` of a project or the user's home, as `scope` says."""

    scope: str
    folder: str
    home: str
    environment: Mapping[str, str]
    platform: str = sys.platform


class Installation(NamedTuple):
    """The changes made, or planned; `notes` are for the user."""

    host: Host
    site: Site
    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()


def site_of(workspace: Workspace, scope: str) -> Site:
    """Return where hosts are set up: in the `project`, or for the `user`."""
    home, environment = workspace.home, workspace.environment
    if scope not in ("project", "user"):
        raise InvalidInputError("scope {!r} is not one of project, user", scope)
    if scope == "user":
        return Site(scope, home, home, environment)
    if not workspace.project or os.path.realpath(workspace.project) == os.path.realpath(home):
        hint = "name one with --project DIR, or use --user"
        raise InvalidInputError("not inside a project", hint=hint)
    return Site(scope, workspace.project, home, environment)


def install(
    name: str, site: Site, command: Program, *, uninstall: bool = False, dry_run: bool = False
) -> Installation:
    """Install into a host, or uninstall; all its files are changed, or none.

    Raises:
        InvalidInputError: a file can't be read by the host, leads out of the project, or is
            write-protected.
        ConflictError: a file at our place is somebody else's, or changed meanwhile.
        BackendError: the system refused.
    """
    host = table.get_host(name)
    others = [other for other in HOSTS if other != host and is_installed(other, site, command)]
    used = {
        path
        for other in others
        for places in host_places(other, site, every=True)
        for path in places
    }
    planned = [
        change
        for places in host_places(host, site, every=uninstall)
        for change in _host_changes(host, places, site, command, uninstall=uninstall)
        if not uninstall or change.path not in used
    ]
    planned += _skill_changes(host, others, site, command, uninstall=uninstall)
    # The editions of a host may share a file; one that is and stays missing does not count.
    known = [change for change in planned if change.before is not None or change.after is not None]
    done = tuple({change.path: change for change in known}.values())
    for change in done:
        _check_writable(change)
    if not dry_run:
        for change in done:
            folder, name = os.path.split(change.path)
            files.remove_leftovers(folder, older_than_s=_KILLED_S, of=name + ".")
        changes.apply(done, os.path.realpath(site.folder), _modes(site))
        if not uninstall and not site.environment.get("PYTHONDONTWRITEBYTECODE"):
            program.compile_modules()
    notes = _parting_notes(done) if uninstall else _notes(host, site, command, done)
    return Installation(host, site, done, tuple(notes))


def _check_writable(change: FileChange) -> None:
    """Refuse to change a write-protected file; replacing it only takes a writable folder."""
    if change.before is None or change.action == "keep":
        return
    if not os.stat(change.path).st_mode & 0o222:
        hint = "make it writable first; nothing was changed"
        raise InvalidInputError("can't change {!r}: it is write-protected", change.path, hint=hint)


def host_places(host: Host, site: Site, *, every: bool) -> list[Places]:
    """Return the paths of each edition of a host; with `every`, also of missing editions."""
    folders = settings_folders(site)
    if site.scope == "project":
        return [_resolved(host.project, site, folders)]
    if host.name != "trae":
        return [_resolved(host.user, site, folders)]
    config = _config_folder(site)
    editions = [(os.path.join(site.home, dot), os.path.join(config, name)) for dot, name in _TRAE]
    here = [
        (dot, product)
        for number, (dot, product) in enumerate(editions)
        if os.path.isdir(product) or (number < 2 and os.path.isdir(dot))
    ]
    chosen = editions if every else here or editions[:1]
    return [
        _resolved(host.user, site, {"trae": dot, "trae_user": os.path.join(product, "User")})
        for dot, product in chosen
    ]


def settings_folders(site: Site) -> dict[str, str]:
    """Return the folders of the user's settings, by the names in the table of hosts."""
    claude = site.environment.get("CLAUDE_CONFIG_DIR", "")
    zed = os.path.join(site.home, ".config", "zed")
    if site.platform == "win32":
        zed = os.path.join(_config_folder(site), "Zed")
    return {
        "claude": claude or os.path.join(site.home, ".claude"),
        "claude_json": os.path.join(claude or site.home, ".claude.json"),
        "codex": site.environment.get("CODEX_HOME") or os.path.join(site.home, ".codex"),
        "home": site.home,
        "config": _config_folder(site),
        "zed": zed,
        "code_user": os.path.join(_config_folder(site), "Code", "User"),
    }


def _resolved(places: Places, site: Site, folders: Mapping[str, str]) -> Places:
    def absolute(path: str) -> str:
        path = path.format(**folders).replace("/", os.sep)
        return os.path.join(site.folder, path) if path else ""

    return Places(*map(absolute, places))


def _config_folder(site: Site) -> str:
    """Return where desktop programs keep their settings on this system."""
    if site.platform == "darwin":
        return os.path.join(site.home, "Library", "Application Support")
    if site.platform == "win32":
        return site.environment.get("APPDATA") or os.path.join(site.home, "AppData", "Roaming")
    return site.environment.get("XDG_CONFIG_HOME") or os.path.join(site.home, ".config")


def _target(path: str, site: Site) -> str:
    """Return the file that a path leads to; refuse links that lead out of a project.

    A stranger's project must not reach the user's own files.
    """
    target = os.path.realpath(path)
    inside = os.path.realpath(site.folder) + os.sep
    is_of_project = site.scope == "project" and path.startswith(site.folder + os.sep)
    if is_of_project and not target.startswith(inside):
        hint = "put a file in its place"
        raise InvalidInputError("{!r} is a link that leads out of the project", path, hint=hint)
    return target


def _modes(site: Site) -> Modes:
    """Return the permissions of new files: in a project those of ordinary files."""
    modes = Modes()
    if site.scope == "project":
        modes.file, modes.folder = 0o644, 0o755
    return modes


def _host_changes(
    host: Host, places: Places, site: Site, command: Program, *, uninstall: bool
) -> Iterator[FileChange]:
    """Yield the changes to the files of a host, without the skill."""
    parts = [
        part
        for part in host_parts(host, places, site, command)
        if uninstall or part.name != "mcp" or command.serves_mcp
    ]
    # Some hosts have their hooks and their MCP servers in one file.
    for path in dict.fromkeys(part.path for part in parts):
        yield _shared([part for part in parts if part.path == path], site, uninstall)
    body = ""
    if places.rule and not host.is_block:
        body = table.rule_text(host, command.name, serves_mcp=command.serves_mcp)
        yield _own("rule", places.rule, "" if uninstall else body, site)
    if places.plugin:
        body = config_files.plugin_text(_package_text("core/hosts/opencode.js"), command.words)
        yield _own("plugin", places.plugin, "" if uninstall else body, site)


def host_parts(host: Host, places: Places, site: Site, command: Program) -> list[SharedPart]:
    """Return our parts in the files of a host that others write to as well."""
    parts = []
    if places.hooks:
        hooks = table.host_hooks(host, command.words, is_windows=command.is_windows)
        put = partial(config_files.with_hooks, hooks=hooks)
        parts.append(SharedPart("hooks", places.hooks, put, config_files.without_hooks))
    if places.servers:
        parts.append(SharedPart("mcp", places.servers, *_server_edits(host, site, command)))
    if places.rule and host.is_block:
        body = table.rule_text(host, command.name, serves_mcp=command.serves_mcp)
        put = partial(config_files.with_block, body=body)
        parts.append(SharedPart("rule", places.rule, put, config_files.without_block))
    return parts


def _server_edits(host: Host, site: Site, command: Program) -> tuple[Edit, Edit]:
    folder = site.folder if site.scope == "project" else ""
    server = table.server_entry(host, command.words, folder, is_windows=command.is_windows)
    if not host.servers_key:
        return partial(config_files.with_table, server=server), config_files.without_table

    # Asks git for the path only if there is any text.
    def put(text: str) -> str:
        return config_files.with_server(text, servers_path(host, site), server)

    def take(text: str) -> str:
        return config_files.without_server(text, servers_path(host, site)) if text else text

    return put, take


def servers_path(host: Host, site: Site) -> list[str]:
    """Return the path to the servers in the MCP file of a host."""
    if not host.projects_key or site.scope != "project":
        return [host.servers_key]
    # Claude Code names a project by the top of its repository, and a worktree by its main checkout.
    top = site.folder
    with contextlib.suppress(DailyMemoryError):  # no git, or no repository
        top = repository.get_top(site.folder)
    return [host.projects_key, discovery.main_checkout(top) or top, host.servers_key]


def _shared(parts: list[SharedPart], site: Site, uninstall: bool) -> FileChange:
    """Return the change that adds our parts to a file of others, or removes them."""
    path = parts[0].path
    target = _target(path, site)
    stamp = files.stamp(target)
    before = files.find_bytes(target)
    name = ", ".join(part.name for part in parts)
    change = FileChange(name, target, before, before, stamp, _backup_path(target, site))
    try:
        text = (before or b"").decode("utf-8")
        bare = _edited(text, *(part.take for part in parts))
        if not uninstall:
            after = _edited(text, *(part.put for part in parts)).encode()
            # With an entry of another project, the file is not as it was before us.
            is_bare = before is not None and f'"{config_files.SERVER}"' not in text
            is_first = is_bare and bare == text and after != before
            return change._replace(after=after, keeps=is_first)
        return change if bare == text else _restored(change, bare, parts)
    except ValueError as error:
        what = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        hint = "fix it or move it away; nothing was changed"
        raise InvalidInputError("can't change {!r}: {}", path, what, hint=hint) from error


def _edited(text: str, *edits: Edit) -> str:
    for edit in edits:
        text = edit(text)
    return text


def _restored(change: FileChange, bare: str, parts: list[SharedPart]) -> FileChange:
    """Return the change back to the copy of a file, or to no file, if only our part changed.

    That is the case if adding and removing our part in the copy gives this file without our part.
    """
    takes = [part.take for part in parts]
    copy = files.find_bytes(change.backup)
    old = (copy or b"").decode("utf-8")
    again = _edited(old, *(part.put for part in parts), *takes)
    if _edited(old, *takes) == old and again == bare:
        return change._replace(after=copy, frees=copy is not None)
    return change._replace(after=bare.encode())


def _backup_path(target: str, site: Site) -> str:
    """Return the path for the copy of a file, named after where it came from."""
    name = target.replace(":", "").replace(os.sep, "__")
    return os.path.join(os.path.realpath(site.home), _BACKUPS, name)


def _own(part: str, path: str, body: str, site: Site) -> FileChange:
    """Return the change of a file that is entirely ours; without a body it is removed."""
    target = _target(path, site)
    stamp = files.stamp(target)
    before = files.find_bytes(target)
    is_foreign = before is not None and not config_files.is_own_file(
        before.decode("utf-8", "replace")
    )
    if is_foreign and body:
        hint = "move it away; nothing was changed"
        raise ConflictError("{!r} is there already, and not ours", path, hint=hint)
    after = before if is_foreign else config_files.own_file(body).encode() if body else None
    return FileChange(part, target, before, after, stamp)


def _skill_changes(
    host: Host, others: list[Host], site: Site, command: Program, *, uninstall: bool
) -> list[FileChange]:
    """Return the changes of skills, such that no host finds ours twice."""
    installed = {other.name for other in others} | (set() if uninstall else {host.name})
    wanted = table.skill_hosts(installed)
    text = config_files.skill_text(_package_text("SKILL.md"), command.name)
    bodies: dict[str, str] = {}  # two hosts may read one folder
    own = set()
    for place in (host, *others):
        for places in host_places(place, site, every=uninstall):
            folder = os.path.join(places.skills, table.SKILL)
            path = os.path.join(folder, "SKILL.md")
            if places.skills and not _is_checkout(folder):
                bodies[path] = text if place.name in wanted else bodies.get(path, "")
                own |= {path} if place == host else set()
    planned = [(path, _own("skill", path, body, site)) for path, body in bodies.items()]
    # For other hosts only report what changes.
    return [
        change
        for path, change in planned
        if change.action != "keep" or (path in own and change.after is not None)
    ]


def _is_checkout(folder: str) -> bool:
    """Tell whether the skill's folder is a checkout of this repository."""
    return os.path.exists(os.path.join(folder, "scripts", "memory.py"))


def is_installed(host: Host, site: Site, command: Program) -> bool:
    """Tell whether a host has hooks, an MCP entry, a rule or a plugin of ours.

    A block in AGENTS.md does not count, since several hosts read it.
    """
    for places in host_places(host, site, every=True):
        if any(
            config_files.is_own_file(load_text(path))
            for path in (places.rule, places.plugin)
            if path
        ):
            return True
        for part in host_parts(host, places, site, command):
            text = load_text(part.path)
            # A broken file belongs to another host, whose installation reports it.
            with contextlib.suppress(ValueError):
                if part.name != "rule" and part.take(text) != text:
                    return True
    return False


def find_hosts(site: Site) -> list[Host]:
    """Return the hosts that are used here, by their folder or their command."""
    folders = settings_folders(site)

    def is_there(host: Host) -> bool:
        signs = (os.path.join(site.home, sign.format(**folders)) for sign in host.signs)
        path = site.environment.get("PATH", "")
        return any(map(os.path.isdir, signs)) or any(
            shutil.which(program, path=path) for program in host.programs
        )

    return [host for host in HOSTS if is_there(host)]


def load_text(path: str) -> str:
    """Return the text of a file, "" if it is missing or unreadable."""
    try:
        return (files.find_bytes(os.path.realpath(path)) or b"").decode("utf-8")
    except (DailyMemoryError, UnicodeDecodeError):
        return ""


def host_settings_of(host: Host, places: Places, site: Site) -> list[tuple[str, object]]:
    """Return the paths and values of the settings that decide whether a host runs our hooks."""
    paths = [places.hooks]
    if host.name == names.CLAUDE:
        user = os.path.join(settings_folders(site)["claude"], "settings.json")
        paths = [user, os.path.join(site.folder, ".claude", "settings.json"), places.hooks]
    return [(path, parse_json(load_text(path))) for path in dict.fromkeys(paths) if path]


def parse_json(text: str) -> object:
    """Return the value of a JSON text, an empty object if it is invalid."""
    try:
        return json_edit.parse(text).value if text else {}
    except ValueError:
        return {}


def _package_text(name: str) -> str:
    return files.read_bytes(init.packaged(name)).decode("utf-8")


def _notes(host: Host, site: Site, command: Program, done: tuple[FileChange, ...]) -> Iterator[str]:
    yield from host.notes
    yield from host.project_notes if site.scope == "project" else ()
    places = host.project if site.scope == "project" else host.user
    absolute = host_places(host, site, every=False)[0]
    plugin = host_settings.our_plugin(host_settings_of(host, absolute, site))
    if plugin:
        yield filled("the plugin {!r} does the same: keep one of the two", plugin)
    if not places.rule and host.project.rule:
        yield filled("no rule: {} keeps those of a user in its settings, not in a file", host.title)
    if not command.serves_mcp:
        yield (filled("no MCP entry: run `{}`, then this again", install_command("mcp")))
    if _is_checkout(os.path.join(site.folder, places.skills, table.SKILL)):
        yield "no skill: the whole of Daily Memory is there as one"
    if command.is_passing:
        yield (
            filled(
                "{} lies in a cache that uv may empty; install it with `{}`, then run this again",
                json.dumps(command.words[0]),
                install_command(),
            )
        )
    personal = _personal_files(site, command, done)
    if personal:
        yield filled("don't commit files with paths of this computer: {}", ", ".join(personal))
    yield "conversations stay out of git until `memory init --git` shares them"
    copies = [change.backup for change in done if change.keeps]
    if copies:
        yield filled("what was there before is kept in {}", os.path.dirname(copies[0]))
    yield from _skill_notes(done)


def _personal_files(site: Site, command: Program, done: tuple[FileChange, ...]) -> list[str]:
    """Return the files of a project that contain our path and are not ignored by git."""
    top = os.path.realpath(site.folder)
    word = command.words[0]
    named = word.encode(), json.dumps(word, ensure_ascii=False)[1:-1].encode()
    found = [
        os.path.relpath(change.path, top)
        for change in done
        if site.scope == "project" and change.path.startswith(top + os.sep)
        if any(form in (change.after or b"") for form in named)
    ]
    try:
        return [path for path in found if not repository.is_ignored(top, path)]
    except DailyMemoryError:
        return found  # no git here, perhaps on another machine


def _parting_notes(done: tuple[FileChange, ...]) -> Iterator[str]:
    for change in done:
        if change.backup and change.action == "change" and not change.frees:
            yield filled(
                "{} was changed since: our part is out, the rest is as you left it", change.path
            )
    yield from _skill_notes(done)


def _skill_notes(done: tuple[FileChange, ...]) -> Iterator[str]:
    changed = [change for change in done if change.part == "skill" and change.action != "keep"]
    if any(change.action == "remove" for change in changed) and len(changed) > 1:
        yield "the skill was moved, so that no host finds it twice"
