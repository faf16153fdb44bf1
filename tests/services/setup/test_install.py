"""Installing into every host: what is put in, that it is put in once, and that it goes again."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from daily_memory.core.hosts import json_edit, table
from daily_memory.core.hosts.table import HOSTS, get_host
from daily_memory.errors import BackendError, ConflictError, InvalidInputError, NotFoundError
from daily_memory.installation import install_command
from daily_memory.services.setup import init
from daily_memory.services.setup import install as installing
from daily_memory.services.setup.install import Installation, Site, install
from daily_memory.services.setup.program import Program
from tests import components
from tests.repositories import make_repository

PROGRAM = Program(("/opt/工具 箱/memory",), "'/opt/工具 箱/memory'", serves_mcp=True)
WITHOUT_MCP = PROGRAM._replace(serves_mcp=False)
NAMES = table.NAMES
SCOPES = ("project", "user")
# To look after each installation whether all modules are compiled takes a third of the time.
UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}

# Where the JSON of each host is, as the hosts document it.
HOOKS = {
    ("cursor", "project"): ".cursor/hooks.json",
    ("cursor", "user"): ".cursor/hooks.json",
    ("claude", "project"): ".claude/settings.local.json",
    ("claude", "user"): ".claude/settings.json",
    ("trae", "project"): ".trae/hooks.json",
    ("trae", "user"): ".trae/hooks.json",
    ("codex", "project"): ".codex/hooks.json",
    ("codex", "user"): ".codex/hooks.json",
    ("qwen", "project"): ".qwen/settings.json",
    ("qwen", "user"): ".qwen/settings.json",
    ("gemini", "project"): ".gemini/settings.json",
    ("gemini", "user"): ".gemini/settings.json",
    ("copilot", "project"): ".github/hooks/daily-memory.json",
    ("copilot", "user"): ".copilot/hooks/daily-memory.json",
    ("codebuddy", "project"): ".codebuddy/settings.local.json",
    ("codebuddy", "user"): ".codebuddy/settings.json",
    ("qoder", "project"): ".qoder/settings.local.json",
    ("qoder", "user"): ".qoder/settings.json",
}
SERVERS = {
    ("cursor", "project"): ".cursor/mcp.json",
    ("cursor", "user"): ".cursor/mcp.json",
    ("claude", "user"): ".claude.json",
    ("trae", "project"): ".trae/mcp.json",
    ("trae", "user"): ".config/Trae/User/mcp.json",
    ("vscode", "project"): ".vscode/mcp.json",
    ("vscode", "user"): ".config/Code/User/mcp.json",
    ("qwen", "project"): ".qwen/settings.json",
    ("qwen", "user"): ".qwen/settings.json",
    ("gemini", "project"): ".gemini/settings.json",
    ("gemini", "user"): ".gemini/settings.json",
    ("copilot", "project"): ".mcp.json",
    ("copilot", "user"): ".copilot/mcp-config.json",
    ("opencode", "project"): "opencode.json",
    ("opencode", "user"): ".config/opencode/opencode.json",
    ("codebuddy", "user"): ".codebuddy.json",
    ("qoder", "project"): ".qoder/settings.local.json",
    ("qoder", "user"): ".qoder/settings.json",
    ("kiro", "project"): ".kiro/settings/mcp.json",
    ("kiro", "user"): ".kiro/settings/mcp.json",
    ("windsurf", "user"): ".codeium/windsurf/mcp_config.json",
    ("cline", "user"): ".cline/data/settings/cline_mcp_settings.json",
    ("zed", "project"): ".zed/settings.json",
    ("zed", "user"): ".config/zed/settings.json",
}
OTHER = {
    ("cursor", "project"): {
        ".cursor/rules/daily-memory.mdc",
        ".cursor/skills/daily-memory/SKILL.md",
    },
    ("cursor", "user"): {".cursor/skills/daily-memory/SKILL.md"},
    ("claude", "project"): {
        ".claude/rules/daily-memory.md",
        ".claude/skills/daily-memory/SKILL.md",
    },
    ("claude", "user"): {".claude/rules/daily-memory.md", ".claude/skills/daily-memory/SKILL.md"},
    ("trae", "project"): {".trae/rules/daily-memory.md", ".trae/skills/daily-memory/SKILL.md"},
    ("trae", "user"): {".trae/user_rules/daily-memory.md", ".trae/skills/daily-memory/SKILL.md"},
    ("vscode", "project"): {
        ".github/instructions/daily-memory.instructions.md",
        ".github/skills/daily-memory/SKILL.md",
    },
    ("vscode", "user"): {
        ".copilot/instructions/daily-memory.instructions.md",
        ".copilot/skills/daily-memory/SKILL.md",
    },
    ("codex", "project"): {
        "AGENTS.md",
        ".codex/config.toml",
        ".agents/skills/daily-memory/SKILL.md",
    },
    ("codex", "user"): {
        ".codex/AGENTS.md",
        ".codex/config.toml",
        ".agents/skills/daily-memory/SKILL.md",
    },
    ("qwen", "project"): {".qwen/rules/daily-memory.md", ".qwen/skills/daily-memory/SKILL.md"},
    ("qwen", "user"): {".qwen/rules/daily-memory.md", ".qwen/skills/daily-memory/SKILL.md"},
    ("gemini", "project"): {"GEMINI.md", ".gemini/skills/daily-memory/SKILL.md"},
    ("gemini", "user"): {".gemini/GEMINI.md", ".gemini/skills/daily-memory/SKILL.md"},
    ("copilot", "project"): {".github/skills/daily-memory/SKILL.md"},
    ("copilot", "user"): {".copilot/skills/daily-memory/SKILL.md"},
    ("opencode", "project"): {
        ".opencode/plugins/daily-memory.js",
        ".opencode/skills/daily-memory/SKILL.md",
    },
    ("opencode", "user"): {
        ".config/opencode/plugins/daily-memory.js",
        ".config/opencode/skills/daily-memory/SKILL.md",
    },
    ("codebuddy", "project"): {
        ".codebuddy/rules/daily-memory.md",
        ".codebuddy/skills/daily-memory/SKILL.md",
    },
    ("codebuddy", "user"): {
        ".codebuddy/rules/daily-memory.md",
        ".codebuddy/skills/daily-memory/SKILL.md",
    },
    ("qoder", "project"): {".qoder/rules/daily-memory.md", ".qoder/skills/daily-memory/SKILL.md"},
    ("qoder", "user"): {".qoder/rules/daily-memory.md", ".qoder/skills/daily-memory/SKILL.md"},
    ("kiro", "project"): {".kiro/steering/daily-memory.md", ".kiro/skills/daily-memory/SKILL.md"},
    ("kiro", "user"): {".kiro/steering/daily-memory.md", ".kiro/skills/daily-memory/SKILL.md"},
    ("windsurf", "project"): {
        ".windsurf/rules/daily-memory.md",
        ".windsurf/skills/daily-memory/SKILL.md",
    },
    ("windsurf", "user"): {".codeium/windsurf/skills/daily-memory/SKILL.md"},
    ("cline", "project"): {".clinerules/daily-memory.md", ".cline/skills/daily-memory/SKILL.md"},
    ("cline", "user"): {".cline/rules/daily-memory.md", ".cline/skills/daily-memory/SKILL.md"},
    ("zed", "project"): {"AGENTS.md"},
    ("zed", "user"): {".config/zed/AGENTS.md"},
}
BOTH = [(name, scope) for name in NAMES for scope in SCOPES]

# What people and other tools may have written there already.
TEXTS = {
    "empty file": "",
    "blank": " \r\n",
    "empty": "{}",
    "spaced": "{ }\n",
    "two lines": "{\n}\n",
    "pretty": '{\n  "other": {\n    "a": [1, 2]\n  }\n}\n',
    "tabs without end": '{\n\t"other": "中文"\n}',
    "odd": '{\n     "other" :  1 ,\n   "more":[ ]\n}\n\n\n',
    "one line": '{"other": {"a": 1}, "list": []}',
    "crlf": '{\r\n    "other": true\r\n}\r\n',
    "bom": '\ufeff{\r\n  "other": 1\r\n}',
    "comments": '// 说明\n{\n  // "hooks": 1\n  "other": 1, // one\n  /* two */\n}\n// end\n',
    "trailing comma": '{\n  "other": [\n    1,\n  ],\n}\n',
    "empty hooks": '{\n  "version": 1,\n  "hooks": {},\n  "mcpServers": {},\n  "servers": {}\n}\n',
    "empty lists": '{"hooks": {"stop": [], "Stop": []}, "mcpServers": { }, "servers": {\n}}',
    "other entries": (
        '{\n  "version": 1,\n  "hooks": {\n    "stop": [\n      { "command": "别的" } // 留着\n'
        '    ],\n    "Stop": [\n      { "hooks": [ { "type": "command", "command": "x" } ] }\n'
        '    ],\n    "other": []\n  },\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n'
        '  "servers": {\n    "other": { "command": "x" },\n  }\n}\n'
    ),
}

# The scopes and most hosts differ in places alone, which other tests look at: a few texts will do.
MERGES = [
    pytest.param(name, scope, text, id=f"{name}-{scope}-{what}")
    for name, scope in BOTH
    for what, text in TEXTS.items()
    if (scope == "project" and name in ("cursor", "claude", "vscode", "codex", "gemini"))
    or what in ("crlf", "bom", "comments", "other entries")
]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A project whose name a shell would stumble over."""
    folder = tmp_path / "my 项目"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return folder


@pytest.fixture
def sites(app: Path) -> dict[str, Site]:
    home = app.parent / "home"
    return {
        "project": Site("project", str(app), str(home), UNCOMPILED, "linux"),
        "user": Site("user", str(home), str(home), UNCOMPILED, "linux"),
    }


def tree(site: Site) -> dict[str, bytes]:
    """Return every file at a site, without our copies of what was there before."""
    folder = Path(site.folder)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "before-install" not in path.parts
    }


def write(site: Site, name: str, text: str) -> Path:
    path = Path(site.folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def value(path: Path) -> object:
    return json_edit.parse(path.read_bytes().decode()).value


def actions(done: Installation) -> set[str]:
    return {change.action for change in done.changes}


# ---------------------------------------------------------------------------- which files


@pytest.mark.parametrize(("name", "scope"), BOTH)
def test_the_documented_files_are_made_and_go_again(name, scope, sites):
    site = sites[scope]
    expected = {
        *OTHER[name, scope],
        *(HOOKS[key] for key in [(name, scope)] if key in HOOKS),
        *(SERVERS[key] for key in [(name, scope)] if key in SERVERS),
    }

    done = install(name, site, PROGRAM)

    assert set(tree(site)) == expected
    assert actions(done) == {"create"}
    assert actions(install(name, site, PROGRAM, uninstall=True)) == {"remove"}
    assert os.listdir(site.folder) == ([".git"] if scope == "project" else [])


@pytest.mark.parametrize(("name", "scope"), BOTH)
def test_a_second_run_changes_no_byte(name, scope, sites):
    site = sites[scope]
    install(name, site, PROGRAM)
    before = tree(site)

    again = install(name, site, PROGRAM)

    assert actions(again) == {"keep"}
    assert tree(site) == before


@pytest.mark.parametrize(("name", "scope"), BOTH)
def test_a_dry_run_writes_nothing(name, scope, sites):
    site = sites[scope]
    write(site, HOOKS.get((name, scope), "x.json"), "{}")
    before = tree(site)

    done = install(name, site, PROGRAM, dry_run=True)

    assert "create" in actions(done)
    assert tree(site) == before
    assert not (Path(site.folder) / ".cursor" / "skills").exists()


@pytest.mark.parametrize(("name", "scope"), BOTH)
def test_without_an_mcp_server_there_is_no_mcp_entry(name, scope, sites):
    done = install(name, sites[scope], WITHOUT_MCP)

    assert not any("mcp" in change.part for change in done.changes)
    assert any(note.startswith("no MCP entry: run `") for note in done.notes)


@pytest.mark.parametrize(("name", "scope"), BOTH)
def test_an_mcp_entry_is_taken_out_by_an_installation_that_could_not_serve_it(name, scope, sites):
    site = sites[scope]
    install(name, site, PROGRAM)

    install(name, site, WITHOUT_MCP, uninstall=True)

    assert tree(site) == {}


# ---------------------------------------------------------------------------- shapes


def check_flat(value: object, events: tuple[str, ...], command: str) -> None:
    """What Cursor's reference says: a version, and a list of commands for each event."""
    assert isinstance(value, dict)
    assert set(value) == {"version", "hooks"}
    assert value["version"] == 1
    assert set(value["hooks"]) == set(events)
    for entries in value["hooks"].values():
        assert entries == [{"command": command, "timeout": 10}]


def check_nested(value: object, events: tuple[str, ...], command: str) -> None:
    """What Claude Code's reference says: for each event groups, in each group hooks."""
    assert isinstance(value, dict)
    assert set(value["hooks"]) == set(events)
    for groups in value["hooks"].values():
        # Gemini CLI counts milliseconds.
        timeout = 10_000 if command.endswith("gemini") else 10
        hook = {"type": "command", "command": command, "timeout": timeout}
        assert groups == [{"hooks": [hook]}]


def check_copilot(value: object, events: tuple[str, ...], command: str) -> None:
    """What the reference of Copilot CLI says; its payloads don't name the event."""
    assert isinstance(value, dict)
    assert value == {
        "version": 1,
        "hooks": {
            event: [{"type": "command", "bash": f"{command} {event}", "timeoutSec": 10}]
            for event in events
        },
    }


@pytest.mark.parametrize(("name", "scope"), HOOKS)
def test_hooks_have_the_shape_that_the_host_documents(name, scope, sites):
    install(name, sites[scope], PROGRAM)
    host = get_host(name)
    found = value(Path(sites[scope].folder) / HOOKS[name, scope])
    command = f"'/opt/工具 箱/memory' hook {name}"

    {"cursor": check_flat, "copilot": check_copilot}.get(name, check_nested)(
        found, host.events, command
    )
    assert isinstance(found, dict)
    assert ("version" in found) == (name in ("cursor", "trae", "copilot"))


@pytest.mark.parametrize(("name", "scope"), SERVERS)
def test_mcp_entries_have_the_shape_that_the_host_documents(name, scope, sites):
    install(name, sites[scope], PROGRAM)
    found = value(Path(sites[scope].folder) / SERVERS[name, scope])

    keys = {"vscode": "servers", "opencode": "mcp", "zed": "context_servers"}
    key = keys.get(name, "mcpServers")
    assert isinstance(found, dict)
    assert [member for member in found if member != "hooks"] == [key]
    entry = found[key]["daily-memory"]
    if name == "opencode":
        assert entry["command"][:2] == [PROGRAM.words[0], "mcp"]
        return
    assert " " not in entry["command"] or name != "trae"
    words = [entry["command"], *entry["args"]]
    assert words[words.index("mcp") - 1] == PROGRAM.words[0]


def test_the_mcp_entry_of_codex_is_a_table(sites):
    install("codex", sites["project"], PROGRAM)

    text = (Path(sites["project"].folder) / ".codex/config.toml").read_text()
    folder = json.dumps(sites["project"].folder, ensure_ascii=False)
    assert text == (
        '[mcp_servers.daily-memory]\ncommand = "/opt/工具 箱/memory"\n'
        f'args = ["mcp", "--tools", "beside-hooks", "--project", {folder}]\n'
    )


@pytest.mark.parametrize("name", [name for name in NAMES if get_host(name).project.skills])
def test_the_installed_skill_is_valid_and_says_what_to_call(name, sites, tmp_path):
    install(name, sites["project"], PROGRAM)
    [path] = Path(sites["project"].folder).rglob("SKILL.md")

    assert "run `'/opt/工具 箱/memory'` instead" in path.read_text()
    assert "scripts/memory.py" not in path.read_text()
    validator = components.require("agentskills")
    done = subprocess.run(
        [validator, "validate", str(path.parent)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_new_files_in_a_project_can_be_read_by_others_and_those_of_a_user_can_not(sites):
    for scope, mode in (("project", 0o644), ("user", 0o600)):
        install("cursor", sites[scope], PROGRAM)
        path = Path(sites[scope].folder) / ".cursor" / "hooks.json"
        assert stat.S_IMODE(path.stat().st_mode) == mode


# ---------------------------------------------------------------------------- what was there


@pytest.mark.parametrize(("name", "scope", "text"), MERGES)
def test_what_was_there_stays_and_comes_back_to_the_byte(name, scope, text, sites):
    site = sites[scope]
    for places in (HOOKS, SERVERS):
        if (name, scope) in places:
            write(site, places[name, scope], text)
    before = tree(site)

    install(name, site, PROGRAM)

    installed = tree(site)
    assert set(before) < set(installed)
    for path, data in before.items():
        new = json_edit.parse(installed[path].decode()).value
        old = json_edit.parse(data.decode()).value if data.strip() else {}
        assert contains(new, old)
        assert new != old
        assert installed[path].startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
        assert (b"\r\n" in data.strip()) == (b"\r\n" in installed[path])
    assert actions(install(name, site, PROGRAM)) == {"keep"}
    assert tree(site) == installed

    install(name, site, PROGRAM, uninstall=True)

    assert tree(site) == before
    assert not list(Path(site.home).rglob("before-install"))


def contains(new: object, old: object) -> bool:
    """Tell whether all of `old` is in `new`, in its order."""
    if isinstance(old, dict) and isinstance(new, dict):
        kept = [key for key in new if key in old]
        return kept == list(old) and all(contains(new[key], old[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return new[: len(old)] == old
    return new == old


@pytest.mark.parametrize("text", ["# 规则\n\n- a\n", "# Rules\r\n- b", "\ufeff# x\n", "", "\n\n"])
def test_rules_that_people_wrote_stay_and_come_back_to_the_byte(text, sites):
    site = sites["project"]
    path = write(site, "AGENTS.md", text)
    toml = write(site, ".codex/config.toml", 'model = "o3" # 模型\n\n[tui]\nx = 1')

    install("codex", site, PROGRAM)

    assert path.read_bytes().startswith(text.encode())
    assert toml.read_bytes().startswith('model = "o3" # 模型\n\n[tui]\nx = 1'.encode())
    install("codex", site, PROGRAM, uninstall=True)
    assert tree(site) == {
        "AGENTS.md": text.encode(),
        ".codex/config.toml": 'model = "o3" # 模型\n\n[tui]\nx = 1'.encode(),
    }


def test_what_others_add_later_stays(sites):
    site = sites["project"]
    path = write(site, ".cursor/hooks.json", '{"version": 1, "hooks": {}}')
    install("cursor", site, PROGRAM)
    later = json_edit.add(path.read_text(), ["hooks", "stop"], "", {"command": "later"})
    path.write_text(later)

    done = install("cursor", site, PROGRAM, uninstall=True)

    assert value(path) == {"version": 1, "hooks": {"stop": [{"command": "later"}]}}
    [note] = done.notes
    assert "hooks.json was changed since" in note


def test_what_others_add_to_a_file_that_we_made_stays(sites):
    site = sites["project"]
    install("claude", site, PROGRAM)
    path = Path(site.folder) / ".claude" / "settings.local.json"
    path.write_text(json_edit.add(path.read_text(), [], "model", "opus"))

    install("claude", site, PROGRAM, uninstall=True)

    assert value(path) == {"model": "opus"}


def test_a_moved_installation_is_put_right_and_what_was_before_both_comes_back(sites):
    site = sites["project"]
    path = write(site, ".cursor/hooks.json", '{ "hooks": { "stop": [] } }')
    install("cursor", site, PROGRAM)

    moved = PROGRAM._replace(words=("/new/memory",), name="memory")
    done = install("cursor", site, moved)

    assert actions(done) == {"change"}
    assert b"/opt/" not in b"".join(tree(site).values())
    assert "/new/memory hook cursor" in path.read_text()
    install("cursor", site, moved, uninstall=True)
    assert tree(site) == {".cursor/hooks.json": b'{ "hooks": { "stop": [] } }'}


def test_a_copy_that_is_gone_costs_white_space_only(sites):
    site = sites["project"]
    path = write(site, ".cursor/hooks.json", '{ "hooks": { "stop": [] }, "a": 1 }')
    install("cursor", site, PROGRAM)
    shutil.rmtree(Path(site.home) / ".config" / "daily-memory")

    install("cursor", site, PROGRAM, uninstall=True)

    assert value(path) == {"version": 1, "a": 1}


def test_uninstalling_what_was_never_installed_changes_nothing(sites):
    site = sites["user"]
    write(site, ".claude/settings.json", '{"hooks": {"Stop": []}}')
    write(site, ".claude/rules/daily-memory.md", "mine")
    before = tree(site)

    done = install("claude", site, PROGRAM, uninstall=True)

    assert actions(done) == {"keep"}
    assert tree(site) == before


def claude_servers(site: Site) -> dict[str, object]:
    """Return the servers that Claude Code has for each project of a user."""
    found = value(Path(site.home) / ".claude.json")
    assert isinstance(found, dict)
    return {path: kept["mcpServers"] for path, kept in found["projects"].items()}


def test_claude_code_has_the_mcp_entry_of_a_project_in_the_file_of_its_user(sites):
    site = sites["project"]
    text = '{\n  "userID": "x",\n  "projects": {\n    "/other": {"allowedTools": []}\n  }\n}\n'
    (Path(site.home) / ".claude.json").write_text(text)

    install("claude", site, PROGRAM)

    assert not (Path(site.folder) / ".mcp.json").exists()
    entry = value(Path(site.home) / ".claude.json")
    assert isinstance(entry, dict)
    assert list(entry["projects"]) == ["/other", site.folder]
    server = entry["projects"][site.folder]["mcpServers"]["daily-memory"]
    assert server["args"] == [
        "mcp",
        "--tools",
        "beside-hooks",
        "--project",
        "${CLAUDE_PROJECT_DIR:-.}",
    ]
    assert actions(install("claude", site, PROGRAM)) == {"keep"}
    install("claude", site, PROGRAM, uninstall=True)
    assert (Path(site.home) / ".claude.json").read_text() == text


def test_claude_code_knows_a_worktree_and_a_folder_below_by_the_top_of_the_repository(
    app, tmp_path, sites
):
    (app / ".git").rmdir()
    made = make_repository(app, tmp_path / "home")
    made.git("commit", "-q", "--allow-empty", "-m", "x")
    made.git("worktree", "add", "-q", str(tmp_path / "tree"))
    (app / "packages").mkdir()

    for folder in (app / "packages", tmp_path / "tree"):
        site = sites["project"]._replace(folder=str(folder))
        install("claude", site, PROGRAM)
        assert list(claude_servers(site)) == [str(app)]
        install("claude", site, PROGRAM, uninstall=True)


def test_what_a_killed_installation_left_is_cleared_away(sites):
    site = sites["project"]
    old = write(site, ".cursor/hooks.json.tmp-4711", "half")
    new = write(site, ".cursor/mcp.json.tmp-4712", "of another that runs now")
    other = write(site, ".cursor/mine.tmp-4713", "not ours")
    for path in (old, other):
        os.utime(path, (0, 0))

    install("cursor", site, PROGRAM)

    assert (old.exists(), new.exists(), other.exists()) == (False, True, True)


# ---------------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("uninstall", [False, True])
@pytest.mark.parametrize(
    ("name", "file", "data", "message"),
    [
        ("cursor", ".cursor/mcp.json", b'{\n"a": ', "not JSON in line 2"),
        ("claude", ".claude/settings.local.json", b"[]", "the whole is not an object"),
        ("trae", ".trae/hooks.json", b"\xff\xfe{\x00}\x00", "it is not UTF-8"),
        ("codex", ".codex/config.toml", b"= 1", "not TOML"),
    ],
)
def test_a_file_that_can_not_be_read_is_named_and_nothing_is_changed(
    name, file, data, message, uninstall, sites
):
    site = sites["project"]
    if uninstall:
        install(name, site, PROGRAM)
    (Path(site.folder) / file).parent.mkdir(exist_ok=True)
    (Path(site.folder) / file).write_bytes(data)
    before = tree(site)
    if uninstall and data == b"[]":
        return  # no object holds nothing of ours: nothing is wrong

    with pytest.raises(InvalidInputError, match=message) as error:
        install(name, site, PROGRAM, uninstall=uninstall)

    assert str(Path(site.folder) / file) in error.value.message
    assert tree(site) == before


@pytest.mark.parametrize(
    "file", [".claude/rules/daily-memory.md", ".claude/skills/daily-memory/SKILL.md"]
)
def test_a_file_of_somebody_else_is_not_overwritten(file, sites):
    site = sites["project"]
    write(site, file, "---\nname: memory\n---\n别人的\n")
    before = tree(site)

    with pytest.raises(ConflictError, match="not ours"):
        install("claude", site, PROGRAM)

    assert tree(site) == before


def test_a_link_out_of_the_project_is_not_followed(sites):
    site = sites["project"]
    outside = Path(site.home) / "settings.json"
    outside.write_text("{}")
    (Path(site.folder) / ".claude").mkdir()
    (Path(site.folder) / ".claude" / "settings.local.json").symlink_to(outside)

    with pytest.raises(InvalidInputError, match="leads out of the project"):
        install("claude", site, PROGRAM)

    assert outside.read_text() == "{}"


def test_a_project_behind_a_link_is_left_without_a_trace(sites, tmp_path):
    (tmp_path / "link").symlink_to(sites["project"].folder)
    site = sites["project"]._replace(folder=str(tmp_path / "link"))
    write(site, ".claude/settings.json", "{ }")

    install("claude", site, PROGRAM)
    install("claude", site, PROGRAM, uninstall=True)

    assert tree(sites["project"]) == {".claude/settings.json": b"{ }"}
    assert sorted(os.listdir(site.folder)) == [".claude", ".git"]
    assert os.listdir(os.path.join(site.folder, ".claude")) == ["settings.json"]


def test_the_links_of_a_user_are_followed(sites):
    site = sites["user"]
    dotfiles = Path(site.home) / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "settings.json").write_text("{}\n")
    (Path(site.home) / ".claude").mkdir()
    link = Path(site.home) / ".claude" / "settings.json"
    link.symlink_to(dotfiles / "settings.json")

    install("claude", site, PROGRAM)

    assert link.is_symlink()
    assert "hook claude" in (dotfiles / "settings.json").read_text()
    install("claude", site, PROGRAM, uninstall=True)
    assert (dotfiles / "settings.json").read_text() == "{}\n"


def test_a_folder_in_the_place_of_a_file_is_named_and_nothing_is_changed(sites):
    site = sites["project"]
    (Path(site.folder) / ".cursor" / "rules" / "daily-memory.mdc").mkdir(parents=True)

    with pytest.raises(BackendError, match=r"daily-memory\.mdc"):
        install("cursor", site, PROGRAM)

    assert tree(site) == {}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder here refuses even root")
def test_a_folder_that_refuses_leaves_everything_as_it_was(sites):
    site = sites["user"]
    path = write(site, ".claude/settings.json", "{}")
    (Path(site.home) / ".claude" / "skills").symlink_to("/proc/self/none")
    before = tree(site)

    with pytest.raises((BackendError, NotFoundError)):
        install("claude", site, PROGRAM)

    assert tree(site) == before
    assert path.read_text() == "{}"
    assert not list(Path(site.home).rglob("before-install"))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="root alone can")
def test_a_project_of_another_user_is_an_error_and_stays_as_it_is(sites):
    with tempfile.TemporaryDirectory() as folder:  # the folders of pytest are closed to others
        os.chmod(folder, 0o755)
        site = sites["project"]._replace(folder=folder)
        write(site, ".cursor/hooks.json", "{}")
        home = tempfile.mkdtemp(dir=folder)
        os.chmod(home, 0o777)
        code = (
            "import os, sys; from daily_memory.services.setup import install, program;"
            "os.setuid(65534); site = install.Site('project', *sys.argv[1:], {});"
            "install.install('cursor', site, program.Program(('/x/memory',)))"
        )
        package = str(Path(installing.__file__).parents[3])

        done = subprocess.run(
            [sys.executable, "-c", code, folder, home],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": package},
        )

        assert re.search(rf"BackendError: can't \w+ '{folder}/.*: permission denied", done.stderr)
        assert tree(site) == {".cursor/hooks.json": b"{}"}


def test_an_installation_without_its_skill_is_told(sites, monkeypatch, tmp_path):
    monkeypatch.setattr(init, "PACKAGE", str(tmp_path / "a" / "b" / "c"))

    with pytest.raises(NotFoundError):
        install("cursor", sites["project"], PROGRAM)

    assert tree(sites["project"]) == {}


# ---------------------------------------------------------------------------- several hosts


@pytest.mark.parametrize("order", [("cursor", "claude"), ("claude", "cursor")])
def test_cursor_finds_the_skill_once_whichever_host_came_first(order, sites):
    site = sites["project"]
    for name in order:
        done = install(name, site, PROGRAM)

    assert [path for path in tree(site) if path.endswith("SKILL.md")] == [
        ".claude/skills/daily-memory/SKILL.md"
    ]
    assert any("was moved" in note for note in done.notes) == (order[0] == "cursor")
    install("claude", site, PROGRAM, uninstall=True)
    assert [path for path in tree(site) if path.endswith("SKILL.md")] == [
        ".cursor/skills/daily-memory/SKILL.md"
    ]
    install("cursor", site, PROGRAM, uninstall=True)
    assert tree(site) == {}


def test_all_hosts_come_and_go_beside_each_other(sites):
    site = sites["project"]
    write(site, "AGENTS.md", "# 规则\n")
    write(site, ".cursor/hooks.json", "{}")
    before = tree(site)
    for name in NAMES:
        install(name, site, PROGRAM)
    full = tree(site)

    assert all(actions(install(name, site, PROGRAM)) == {"keep"} for name in NAMES)
    assert tree(site) == full
    for name in NAMES:
        install(name, site, PROGRAM, uninstall=True)
    assert tree(site) == before


def test_a_broken_file_of_another_host_is_none_of_this_one(sites):
    site = sites["project"]
    write(site, ".trae/hooks.json", "{")
    (Path(site.folder) / ".vscode" / "mcp.json").mkdir(parents=True)

    install("cursor", site, PROGRAM)

    assert ".cursor/skills/daily-memory/SKILL.md" in tree(site)


def test_a_checkout_as_the_skill_is_left_alone(sites):
    site = sites["project"]
    write(site, ".cursor/skills/daily-memory/scripts/memory.py", "")
    write(site, ".cursor/skills/daily-memory/SKILL.md", "the whole")

    done = install("cursor", site, PROGRAM)

    assert "no skill: the whole of Daily Memory is there as one" in done.notes
    assert tree(site)[".cursor/skills/daily-memory/SKILL.md"] == b"the whole"


def test_memories_beside_the_skill_are_left_alone(sites):
    site = sites["project"]
    write(site, ".cursor/skills/memories/daily/2026-01-29.md", "# 2026-01-29 对话记忆\n")
    before = tree(site)
    write(site, ".cursor/hooks.json", "{}")

    install("cursor", site, PROGRAM)
    install("cursor", site, PROGRAM, uninstall=True)

    assert tree(site) == {**before, ".cursor/hooks.json": b"{}"}


# ---------------------------------------------------------------------------- places of a user


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, ".config"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/xdg"}, "xdg"),
        ("darwin", {}, "Library/Application Support"),
        ("win32", {}, "AppData/Roaming"),
        ("win32", {"APPDATA": "{home}/roaming"}, "roaming"),
    ],
)
def test_the_settings_of_a_user_are_where_the_system_has_them(platform, environment, folder, sites):
    home = sites["user"].home
    environment = {key: text.format(home=home) for key, text in environment.items()}
    site = sites["user"]._replace(platform=platform, environment=environment)

    install("vscode", site, PROGRAM)
    install("trae", site, PROGRAM)

    assert {f"{folder}/Code/User/mcp.json", f"{folder}/Trae/User/mcp.json"} <= set(tree(site))


def test_hosts_that_were_told_another_folder_are_found_there(sites, tmp_path):
    elsewhere = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    site = sites["user"]._replace(environment=elsewhere)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "settings.json").write_text("{ }")

    install("claude", site, PROGRAM)
    install("codex", site, PROGRAM)

    assert {path.name for path in (tmp_path / "c").iterdir()} == {
        ".claude.json",
        "rules",
        "settings.json",
        "skills",
    }
    assert {path.name for path in (tmp_path / "x").iterdir()} == {
        "AGENTS.md",
        "config.toml",
        "hooks.json",
    }
    install("claude", site, PROGRAM, uninstall=True)
    assert [path for path in (tmp_path / "c").rglob("*") if path.is_file()] == [
        tmp_path / "c" / "settings.json"
    ]
    assert (tmp_path / "c" / "settings.json").read_text() == "{ }"


@pytest.mark.parametrize(
    ("there", "made"),
    [
        ([], {".trae"}),
        ([".trae-cn"], {".trae-cn"}),
        ([".trae", ".trae-cn"], {".trae", ".trae-cn"}),
        ([".config/TRAE SOLO CN"], {".trae-cn"}),
    ],
)
def test_every_edition_of_trae_on_this_machine_is_served(there, made, sites):
    site = sites["user"]
    for folder in there:
        (Path(site.home) / folder).mkdir(parents=True)

    install("trae", site, PROGRAM)

    hooks = {path.parent.name for path in Path(site.home).rglob("hooks.json")}
    assert hooks == made
    assert len(list(Path(site.home).rglob("mcp.json"))) == len(made)
    install("trae", site, PROGRAM, uninstall=True)
    assert tree(site) == {}


# ---------------------------------------------------------------------------- notes, remarks


def test_the_notes_say_what_a_host_lacks_and_needs(sites):
    notes = {
        (name, scope): "\n".join(install(name, sites[scope], PROGRAM).notes) for name, scope in BOTH
    }

    assert "no hooks" in notes["vscode", "project"]
    assert "no rule" in notes["cursor", "user"]
    assert "no rule" not in notes["cursor", "project"]
    assert "/hooks" in notes["codex", "user"]
    assert "trust this folder" in notes["claude", "project"]
    assert "trust this folder" not in notes["claude", "user"]
    for told in notes.values():
        assert "conversations stay out of git until `memory init --git`" in told


def test_where_there_is_no_git_each_file_with_a_path_is_named(sites, monkeypatch):
    monkeypatch.setenv("PATH", "")

    notes = install("cursor", sites["project"], PROGRAM).notes

    assert any("paths of this computer: .cursor/hooks.json, .cursor/mcp.json" in n for n in notes)


def test_the_notes_name_what_a_team_should_not_get(sites):
    folder = Path(sites["project"].folder)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".gitignore").write_text(".trae/mcp.json\n")

    notes = install("trae", sites["project"], PROGRAM).notes

    [told] = [note for note in notes if "paths of this computer" in note]
    assert told.endswith(
        ": .trae/hooks.json, .trae/rules/daily-memory.md, .trae/skills/daily-memory/SKILL.md"
    )
    on_path = PROGRAM._replace(words=("/usr/bin/memory",), name="memory", serves_mcp=False)
    notes = install("vscode", sites["project"], on_path).notes
    assert not any("paths of this computer" in note for note in notes)


def test_the_notes_say_where_the_copies_are_and_that_a_cache_may_go(sites):
    write(sites["project"], ".cursor/hooks.json", "{}")
    passing = PROGRAM._replace(words=("/c/uv/archive-v0/x/bin/memory",))

    notes = "\n".join(install("cursor", sites["project"], passing).notes)

    assert "before-install" in notes
    assert f"install it with `{install_command()}`, then" in notes


@pytest.mark.parametrize("uninstall", [False, True])
def test_a_file_that_its_owner_protected_is_left_alone(sites, uninstall):
    site = sites["project"]
    install("cursor", site, PROGRAM)
    path = Path(site.folder) / ".cursor/hooks.json"
    path.write_text('{"version": 1, "hooks": {"stop": []}}' if not uninstall else path.read_text())
    path.chmod(0o444)
    before = path.read_bytes()

    with pytest.raises(InvalidInputError, match="it is write-protected"):
        install("cursor", site, PROGRAM, uninstall=uninstall)

    assert path.read_bytes() == before
    assert (Path(site.folder) / ".cursor/rules/daily-memory.mdc").exists()


def test_the_modules_are_compiled_by_an_installation(sites):
    source = importlib.util.find_spec("daily_memory.frontends.cli.commands.demo")
    assert source
    assert source.cached
    compiled = Path(source.cached)
    compiled.unlink(missing_ok=True)

    install("cursor", sites["project"]._replace(environment={}), PROGRAM)

    assert compiled.exists()


def test_the_quoted_name_is_what_a_shell_understands():
    assert shlex.split(PROGRAM.name) == list(PROGRAM.words)
    assert {host.name for host in HOSTS} == set(NAMES)


def test_what_another_host_reads_as_well_stays(sites):
    site = sites["project"]
    for name in ("codex", "zed", "vscode", "copilot"):
        install(name, site, PROGRAM)

    install("zed", site, PROGRAM, uninstall=True)
    install("vscode", site, PROGRAM, uninstall=True)

    kept = tree(site)
    assert b"daily-memory: begin" in kept["AGENTS.md"]
    assert ".github/hooks/daily-memory.json" in kept
    for name in ("codex", "copilot"):
        install(name, site, PROGRAM, uninstall=True)
    assert tree(site) == {}
