"""From an empty machine to the first useful recall: run for real, timed, written as a page of docs.

    python -m scripts.first_recall [--harness DIR --prefix DIR] [-o examples/first-recall.md]

A home of its own is all there is: no cache, no settings. The checkout is installed there with uv if
it is on the PATH, else with venv and pip, and set up for Claude Code. Then a note is saved, and the
hook of a new conversation is asked as Claude Code asks it. With the harness of `scripts/clients.py`
two conversations are held in the real Claude Code instead: the second has to know the first.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts import clients

CHECKOUT = Path(__file__).resolve().parent.parent
NOTE = "报表的缓存放在 Redis，TTL 定为 300 秒 #redis"
QUESTION = "how long do we cache the reports?"
HEAD = """# The first recall

From a machine with Python and {tool} to a conversation that knows an earlier one: two commands,
{total:.0f} seconds. `python -m scripts.first_recall` ran this in an empty home, with an empty
cache, on {day}, and wrote this page.{talk}
"""
TALK = """ The conversations are held in the real Claude Code, with a
scripted model in place of Anthropic's; the hooks, the digest and the recall are as installed."""
LONGEST = 1400
BLOCK = re.compile(r"<(daily-memory-\w+)>.*?</\1>")
OWN = re.compile("MEMORY_|TRAE_|CLAUDE|PYTHON|XDG_|VIRTUAL_ENV|LC_|LANG")


class Step(NamedTuple):
    """A command as a person types it, what it printed, and how long it took."""

    typed: str
    printed: str
    seconds: float


class Machine:
    """A home and a project with nothing in them."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "home" / "shop"
        self.project.mkdir(parents=True)
        self.bin = self.home / ".local" / "bin"
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        # How to reach the package index stays; what a user has set up goes.
        kept = {name: value for name, value in os.environ.items() if not OWN.match(name)}
        self.environment = {**kept, "HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}
        self.run("git init -q")

    def run(self, typed: str, words: list[str] | None = None, given: str = "") -> Step:
        """Run a command in the project; `words` is what is run instead of what is shown."""
        began = time.monotonic()
        done = subprocess.run(
            words or shlex.split(typed),
            cwd=self.project,
            env=self.environment,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{typed}: {done.stdout}")
        return Step(typed, self._shown(done.stdout), time.monotonic() - began)

    def _shown(self, text: str) -> str:
        text = text.replace(str(self.project), "~/shop").replace(str(self.home), "~")
        return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"


def installed(machine: Machine) -> Iterator[Step]:
    """Yield the two commands that set everything up."""
    source = f"{CHECKOUT}[mcp,web]"
    if shutil.which("uv"):
        yield machine.run("uv tool install '.[mcp,web]'", ["uv", "tool", "install", "-q", source])
    else:
        environment = machine.home / "env"
        began = machine.run("", [sys.executable, "-m", "venv", str(environment)]).seconds
        pip = [str(environment / "bin/python"), "-m", "pip", "install", "-q", source]
        step = machine.run("python3 -m venv ~/env && ~/env/bin/pip install '.[mcp,web]'", pip)
        machine.bin.mkdir(parents=True)
        (machine.bin / "memory").symlink_to(environment / "bin/memory")
        yield step._replace(seconds=began + step.seconds)
    yield machine.run("memory install claude")


def asked(machine: Machine) -> Iterator[Step]:
    """Yield a save, and a new conversation as the hooks of Claude Code see it."""
    yield machine.run(f'memory add "{NOTE}"', ["memory", "add", NOTE])
    yield machine.run(f'memory search "{QUESTION}"', ["memory", "search", QUESTION])
    event = {"session_id": "second", "cwd": str(machine.project), "prompt": QUESTION}
    given = json.dumps({"hook_event_name": "UserPromptSubmit", **event})
    step = machine.run("memory hook claude", given=given)
    context = json.loads(step.printed)["hookSpecificOutput"]["additionalContext"]
    yield step._replace(typed=f"claude   > {QUESTION}", printed=f"# the model gets\n{context}")


def talked(machine: Machine, options: argparse.Namespace) -> Iterator[Step]:
    """Yield two conversations in the real Claude Code, with what the model got of the first."""
    options.memory = str(machine.bin / "memory")
    desk = clients.Desk("claude", options, machine.home.parent / "desk")
    desk.home, desk.project = machine.home, machine.project
    for said in (clients.WORK, clients.ASK):
        began = time.monotonic()
        desk.say(said)
        seconds = time.monotonic() - began
        request = next(request for request in desk.requests() if said in request)
        block = BLOCK.search(request)
        got = block[0].replace("\\n", "\n") if block else "nothing: there is no memory yet"
        yield Step(f"claude -p {said!r}", f"# the model gets\n{got}", seconds)
    if clients.DECISION not in got:
        raise SystemExit("the second conversation does not know the first")


def page(steps: list[Step], tool: str) -> str:
    """Return the steps as Markdown."""
    total = sum(step.seconds for step in steps)
    talk = TALK if any("claude -p" in step.typed for step in steps) else ""
    parts = [HEAD.format(tool=tool, total=total, day=time.strftime("%Y-%m-%d"), talk=talk)]
    for step in steps:
        text = f"$ {step.typed}\n{step.printed}".rstrip()
        parts.append(f"```\n{text}\n```\n\n{step.seconds:.1f} s\n")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--harness", type=Path, help="as in scripts/clients.py")
    parser.add_argument("--prefix", type=Path, help="where npm put Claude Code")
    parser.add_argument("-o", "--output", type=Path, default=CHECKOUT / "examples/first-recall.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        steps = list(installed(machine))
        steps += talked(machine, options) if options.harness else asked(machine)
    tool = "uv" if shutil.which("uv") else "pip"
    options.output.write_text(page(steps, tool), encoding="utf-8")
    for step in steps:
        print(f"{step.seconds:6.1f} s  {step.typed}")


if __name__ == "__main__":
    main()
