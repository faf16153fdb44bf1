"""What to run for an extra: from where the program came, never by a bare name."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import daily_memory
from daily_memory import installation
from daily_memory.installation import (
    EXTRAS,
    Origin,
    find_origin,
    install_command,
    parse_origin,
    upgrade_commands,
)

CHECKOUT = Path(__file__).parent.parent
PACKAGE = Path(str(daily_memory.__file__)).parent
PIP = installation.pip(sys.executable, has_pip=find_spec("pip") is not None)
METADATA = """Metadata-Version: 2.1
Name: daily-memory
Version: 0.1.0
Requires-Dist: filelock>=3
Requires-Dist: mcp>=2.3; extra == 'mcp'
"""


def test_a_checkout_installs_itself():
    found = find_origin()
    options = ["-e"] if found.is_editable else []  # as the tests themselves were installed

    assert found.place == str(CHECKOUT)
    assert shlex.split(install_command("mcp")) == [*PIP, *options, f"{CHECKOUT}[mcp]"]
    assert shlex.split(install_command()) == [*PIP, *options, str(CHECKOUT)]


@pytest.mark.parametrize(
    ("noted", "origin", "requirement"),
    [
        ({"url": "file:///a/my%20tool", "dir_info": {}}, Origin("/a/my tool"), ["/a/my tool[web]"]),
        (
            {"url": "file:///a", "dir_info": {"editable": True}},
            Origin("/a", is_editable=True),
            ["-e", "/a[web]"],
        ),
        (
            {"url": "https://h/m.git", "vcs_info": {"vcs": "git", "commit_id": "4f"}},
            Origin("git+https://h/m.git@4f"),
            ["daily-memory[web] @ git+https://h/m.git@4f"],
        ),
        (
            {"url": "https://h/m.whl", "archive_info": {}},
            Origin("https://h/m.whl"),
            ["daily-memory[web] @ https://h/m.whl"],
        ),
    ],
)
def test_what_the_installer_noted_is_installed_again(noted, origin, requirement):
    assert parse_origin(noted) == origin
    assert shlex.split(install_command("web", origin=origin)) == [*PIP, *requirement]


@pytest.mark.parametrize(
    ("mark", "words"),
    [("uv-receipt.toml", ["uv", "tool"]), ("pipx_metadata.json", ["pipx"])],
)
def test_a_tool_is_installed_anew_with_all_that_it_has(tmp_path, mark, words):
    (tmp_path / mark).write_text("")
    has = {name for name, module in EXTRAS.items() if find_spec(module)} | {"llm"}
    extras = ",".join(sorted(has))

    def typed(origin: Origin) -> list[str]:
        return shlex.split(install_command("llm", origin=origin, prefix=str(tmp_path)))

    again = [*words, "install", "--force"]
    assert typed(Origin("/a")) == [*again, f"/a[{extras}]"]
    assert typed(Origin("/a", is_editable=True)) == [*again, "--editable", f"/a[{extras}]"]


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("uv-receipt.toml", ["uv", "tool", "install", "--reinstall", "--force"]),
        ("pipx_metadata.json", ["pipx", "install", "--force"]),
        ("nothing", [*PIP, "--upgrade"]),
    ],
)
def test_a_newer_program_comes_from_where_this_one_came_from(tmp_path, mark, words):
    (tmp_path / mark).write_text("")
    origin = Origin("git+https://example.org/m.git@4f2a0b1")

    (command,) = upgrade_commands(origin=origin, prefix=str(tmp_path))

    assert shlex.split(command)[:-1] == words
    assert command.endswith(" @ git+https://example.org/m.git'")


def test_a_repository_is_pulled_first(tmp_path):
    (tmp_path / ".git").mkdir()

    pull, install = upgrade_commands(origin=Origin(str(tmp_path), is_editable=True))

    assert shlex.split(pull) == ["git", "-C", str(tmp_path), "pull"]
    assert shlex.split(install) == [*PIP, "--upgrade", "-e", str(tmp_path)]


def test_no_name_alone_is_upgraded():
    assert upgrade_commands(origin=Origin()) == []


def test_what_uv_made_for_one_run_is_installed_as_a_tool():
    command = install_command(origin=Origin("/a"), prefix="/home/u/.cache/uv/archive-v0/x")

    assert command.startswith("uv tool install --force '/a[")


def run(folder: Path, noted: object, code: str) -> str:
    """Run code where the package was installed into a folder, with what the installer noted."""
    shutil.copytree(PACKAGE, folder / "daily_memory", ignore=shutil.ignore_patterns("__pycache__"))
    info = folder / "daily_memory-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    if noted is not None:
        (info / "direct_url.json").write_text(json.dumps(noted))
    done = subprocess.run(
        [sys.executable, "-c", f"from daily_memory.installation import *; {code}"],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_an_installed_package_names_where_it_came_from(tmp_path):
    noted = {"url": "file:///src/memory", "dir_info": {}}

    told = run(tmp_path, noted, "print(install_command('mcp'))")

    assert shlex.split(told) == [*PIP, "/src/memory[mcp]"]


@pytest.mark.parametrize("noted", [None, [], {}])
def test_where_nobody_knows_the_packages_of_the_extra_are_named(tmp_path, noted: Any):
    told = run(tmp_path, noted, "print(install_command('mcp')); print(install_command())")

    assert [shlex.split(line) for line in told.split("\n")] == [
        [*PIP, "mcp>=2.3"],
        [*PIP, "filelock>=3"],
    ]


_INSTALLERS = re.compile(
    r"\b(?:pip3?|pipx|uv tool|uv pip|uv|poetry|conda)\s+(?:install|run|add|inject)\s+([^\n`|]*)"
    r"|\buvx\s+([^\n`|]*)|--(?:with|from)[ =]([^\n`|]*)"
)


def unqualified(text: str) -> list[str]:
    """Return what in a text installs a bare name that is not ours on any index."""
    found = []
    for match in _INSTALLERS.finditer(text):
        said = next(part for part in match.groups() if part is not None)
        for word in re.split(r"[\s'\"]+", said.partition("#")[0]):
            if re.fullmatch(r"daily[-_.]memory(?:\[.*)?(?:[=<>~!].*)?", word, re.IGNORECASE):
                found.append(match.group())
    return found


def test_nothing_that_we_print_or_write_installs_a_bare_name():
    listed = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    told = {
        name: unqualified(path.read_text(encoding="utf-8", errors="replace"))
        for name in filter(None, listed.split("\0"))
        if not name.startswith("tests/")
        if (path := CHECKOUT / name).is_file()
    }

    assert {name: lines for name, lines in told.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "pip install 'daily-memory[mcp]'",
        "uvx daily-memory",
        "uv tool install daily_memory",
        "pipx install daily-memory==1.0",
        "uv run --with daily-memory memory",
        "python -m pip install -U Daily-Memory",
    ],
)
def test_a_bare_name_is_found(line):
    assert unqualified(f"Run `{line}` now")


@pytest.mark.parametrize(
    "line", ["pip install '.[mcp]'", "uv tool install /src/daily-memory", "memory install cursor"]
)
def test_a_path_is_none(line):
    assert not unqualified(line)


def test_a_package_that_lies_in_no_checkout_is_what_the_installer_noted(tmp_path):
    assert find_origin(str(tmp_path / "a" / "daily_memory")) == find_noted()


def find_noted() -> Origin:
    noted = metadata.distribution("daily-memory").read_text("direct_url.json")
    return parse_origin(json.loads(noted or "{}"))


def test_without_an_origin_the_packages_of_our_metadata_are_named():
    mcp = shlex.split(install_command("mcp", origin=Origin()))

    assert {re.split("[<>=]", word)[0] for word in mcp[len(PIP) :]} == {"mcp"}
    assert "filelock>=3.20.3" in shlex.split(install_command(origin=Origin()))


def test_without_metadata_there_is_no_origin_and_no_package(monkeypatch, tmp_path):
    monkeypatch.setattr(installation, "NAME", "no-such-distribution-of-ours")

    assert find_origin(str(tmp_path / "a" / "daily_memory")) == Origin()
    assert shlex.split(install_command("mcp", origin=Origin())) == PIP


@pytest.mark.parametrize("has_pip", [True, False])
def test_an_environment_without_pip_is_left_to_uv(has_pip):
    words = installation.pip("/e/python", has_pip=has_pip)

    assert words == (
        ["/e/python", "-m", "pip", "install"]
        if has_pip
        else ["uv", "pip", "install", "--python", "/e/python"]
    )


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("uv-receipt.toml", "uv tool uninstall daily-memory"),
        ("pipx_metadata.json", "pipx uninstall daily-memory"),
    ],
)
def test_a_tool_is_removed_by_what_installed_it(tmp_path, mark, command):
    (tmp_path / mark).touch()

    assert installation.uninstall_command(prefix=str(tmp_path)) == command
    assert installation.uninstall_command(prefix="/", executable="py").startswith(("py", "uv"))
