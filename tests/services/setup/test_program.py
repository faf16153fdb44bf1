"""Which command hosts and agents call."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from daily_memory.services.setup import program
from daily_memory.services.setup.program import Program, find_program


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "工具 箱" / "bin" / "memory"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_script_that_runs_is_called(script):
    found = find_program([str(script), "install"], "/nowhere/python", {})

    assert found.words == (str(script),)
    assert found.name == f"'{script}'"


def test_a_script_on_the_path_is_called_by_its_name(script):
    found = find_program([str(script)], "/nowhere/python", {"PATH": str(script.parent)})

    assert (found.words, found.name) == ((str(script),), "memory")


def test_a_virtual_environment_does_not_last(script):
    environment = {"PATH": str(script.parent), "VIRTUAL_ENV": str(script.parent.parent)}

    assert find_program([str(script)], "/nowhere/python", environment).name == f"'{script}'"


def test_another_memory_on_the_path_is_not_ours(script, tmp_path):
    other = tmp_path / "other" / "memory"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)

    found = find_program([str(script)], "/nowhere/python", {"PATH": str(other.parent)})

    assert found.name != "memory"


def test_a_checkout_is_called_with_its_python(tmp_path):
    script = tmp_path / "scripts" / "memory.py"
    script.parent.mkdir()
    script.write_text("")

    found = find_program([str(script)], "/usr/bin/python3", {})

    assert found.words == ("/usr/bin/python3", str(script))
    assert found.name == f"/usr/bin/python3 {script}"


@pytest.mark.parametrize("name", ["memory", "memory.exe"])
def test_the_script_beside_the_python_is_called_by_a_program_of_its_own(tmp_path, name):
    (tmp_path / name).write_text("")

    found = find_program(["-c"], str(tmp_path / "python"), {})

    assert found.words == (str(tmp_path / name),)


def test_without_any_script_the_module_is_called(tmp_path):
    python = str(tmp_path / "python")

    assert find_program([], python, {}).words == (python, "-m", "daily_memory")


def test_a_name_is_quoted_for_windows(script):
    found = find_program([str(script)], "/nowhere/python", {}, is_windows=True)

    assert (found.name, found.is_windows) == (f'"{script}"', True)


def test_a_script_in_a_cache_is_known():
    assert Program(("/home/x/.cache/uv/archive-v0/abc/bin/memory",)).is_passing
    assert not Program(("/home/x/.local/bin/memory",)).is_passing


def test_modules_are_compiled_where_that_can_be_done(tmp_path):
    (tmp_path / "good.py").write_text("a = 1\n")

    assert program.compile_modules(str(tmp_path))
    assert (tmp_path / "__pycache__" / f"good.{sys.implementation.cache_tag}.pyc").exists()

    (tmp_path / "bad.py").write_text("a = \n")
    assert not program.compile_modules(str(tmp_path))
