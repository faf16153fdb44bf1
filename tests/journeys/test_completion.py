"""Completion in real shells: commands, options, and the ids and tags of the memory."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory import Memory

# What each shell prints for a line on which the user presses Tab.
BASH = """
eval "$(memory completion bash)"
COMP_WORDS=(LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_shtab_memory memory "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = """
memory completion fish | source
complete -C 'LINE'
"""
SCRIPTS = {"bash": BASH, "fish": FISH}
# zsh completes for a person only: for what is typed on a terminal.
ZSH = """PS1=; fpath=(${(M)fpath:#*/Completion(|/Base)}); autoload -Uz compinit; compinit -u -D
eval "$(memory completion zsh)"; echo REA''DY
"""
_MOST_S = 30


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    project = tmp_path / "app"
    project.mkdir()
    memory = Memory(project, home=tmp_path)
    memory.save({"topic": "redis TTL", "date": "2026-01-29", "tags": ["redis-cache"]})
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    folders = {"HOME": str(tmp_path), "MEMORY_PROJECT": str(project)}
    return {**os.environ, **folders, "PATH": programs, "TERM": "dumb"}


@pytest.mark.parametrize(
    "shell", [pytest.param(shell, marks=pytest.mark.needs(shell)) for shell in SCRIPTS]
)
def test_a_shell_completes_commands_ids_and_tags(shell, environment):
    def completed(line: str) -> str:
        given = " ".join(f"'{word}'" for word in line.split(" ")) if shell == "bash" else line
        script = SCRIPTS[shell].replace("LINE", given)
        return subprocess.check_output([shell, "-c", script], env=environment, encoding="utf-8")

    assert "search" in completed("memory sear")
    assert "2026-01-29#1" in completed("memory show 2026")
    assert "redis-cache" in completed("memory search --tag red")


@pytest.mark.needs("zsh")
def test_zsh_completes_on_a_terminal(environment):
    ours, theirs = os.openpty()
    words = ["zsh", "-f", "-i"]
    with (
        os.fdopen(ours, "r+b", buffering=0) as terminal,
        subprocess.Popen(
            words,
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        ) as process,
    ):

        def typed(text: str, expected: str) -> str:
            """Type a text and return what is shown until what is expected is."""
            terminal.write(text.encode())
            shown = ""
            while expected not in shown and select.select([terminal], [], [], _MOST_S)[0]:
                shown += terminal.read(4096).decode("utf-8", "replace")
            return shown

        try:
            assert "READY" in typed(ZSH, "READY")
            assert "2026-01-29\\#1" in typed("memory show 2026-\t", "2026-01-29\\#1")
            assert "redis-cache" in typed("\x15memory search --tag red\t", "redis-cache")
        finally:
            process.kill()
            os.close(theirs)
