"""The repository as a skill: valid, and running from a folder where nothing was installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import components

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PARTS = ("SKILL.md", "pyproject.toml", "skill", "scripts", "memories_template")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A copy of the skill in a folder named like it."""
    folder = tmp_path / "daily-memory"
    folder.mkdir()
    for name in PARTS:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def run(skill: Path, *words: str, flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(skill.parent), "MEMORY_PROJECT": str(skill.parent)}
    # Only what stands in the folder, and no package that is installed for development.
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [sys.executable, *flags, str(skill / "scripts/memory.py"), *words],
        env=environment,
        cwd=skill.parent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_skill_is_valid(skill):
    validator = components.require("agentskills")

    done = subprocess.run(
        [validator, "validate", str(skill)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_skill_is_short():
    text = (CHECKOUT / "SKILL.md").read_text(encoding="utf-8")
    description = re.search(r"description: >-\n(.*?)\nlicense:", text, re.DOTALL)

    assert description
    assert len(" ".join(description.group(1).split())) <= 1024
    assert len(text.split("\n")) < 100


def test_it_runs_from_the_folder_alone(skill):
    assert run(skill, "init").returncode == 0
    saved = run(skill, "add", "我们用 pnpm #tooling")

    assert saved.returncode == 0
    assert "pnpm" in run(skill, "search", "pnpm").stdout


def test_a_missing_dependency_is_one_line_that_says_what_to_run(skill):
    done = run(skill, "add", "x", flags=("-S",))

    assert done.returncode == 6
    assert re.fullmatch(
        r"error: the package '[\w-]+' is missing; run: .*pip install .*\n", done.stderr
    )


def test_a_python_that_is_too_old_is_told_so():
    script = CHECKOUT / "scripts/memory.py"
    older = "import sys, runpy; sys.version_info = (3, 9, 18); runpy.run_path(sys.argv[0])"
    code = f"{older.replace('sys.argv[0]', repr(str(script)))}"

    done = subprocess.run(
        [sys.executable, "-c", code, "today"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.startswith("error: Daily Memory needs Python 3.10 or newer; this is 3.9, ")
    # Python 2 would stop at any other character, and say so instead.
    assert script.read_text(encoding="utf-8").isascii()


def test_the_script_names_the_dependencies_of_the_package():
    script = (CHECKOUT / "scripts/memory.py").read_text(encoding="utf-8")
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"# dependencies = \[\n(.*?)# \]", script, re.DOTALL)
    wanted = re.search(r"\ndependencies = \[\n(.*?)\]", project, re.DOTALL)

    assert listed
    assert wanted
    assert re.findall(r'"(.+)"', listed.group(1)) == re.findall(r'"(.+)"', wanted.group(1))
