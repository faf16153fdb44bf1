"""Draw docs/terminal.svg and docs/terminal.zh-CN.svg: what commands print, run for real.

    python scripts/terminal_picture.py

The commands run in a copy of `examples/bookshop` with a home of its own.
"""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
MEMORY = str(Path(sys.executable).with_name("memory"))
COLUMNS, WIDTH, TOP, LINE = 96, 860, 28, 20
# What the program's colours (frontends/cli/style.py) look like.
STYLES = {
    "1": "font-weight: bold",
    "2": "fill: #8a8a8a",
    "31": "fill: #f48771",
    "1;31": "fill: #f48771; font-weight: bold",
    "32": "fill: #89d185",
    "33": "fill: #cca700",
    "35": "fill: #d7a6e0",
    "36": "fill: #4ec9d6",
}
# By language: the picture, its title, and the commands.
PICTURES = {
    "en": (
        "terminal.svg",
        "a memory of two months",
        [
            'memory search "how do we verify payment webhooks" -n 2',
            'memory search "缓存多久过期" -n 2',
            "memory list --by-day --since 2026-03-01",
        ],
    ),
    "zh": (
        "terminal.zh-CN.svg",
        "两个月的记忆",
        [
            'memory search "缓存多久过期" -n 2',
            'memory search "页面为什么慢" -n 2',
            "memory list --by-day --since 2026-03-01",
        ],
    ),
}


def run(command: str, project: Path, home: Path, language: str) -> str:
    """Return what a command prints to a terminal with colours."""
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": {"en": "en_US.UTF-8", "zh": "zh_CN.UTF-8"}[language],
        "FORCE_COLOR": "1",
        "COLUMNS": str(COLUMNS),
        "MEMORY_PROJECT": str(project),
    }
    done = subprocess.run(
        [MEMORY, *shlex.split(command)[1:]],
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


def draw(language: str) -> None:
    """Write the picture of a language."""
    name, title, commands = PICTURES[language]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder) / "bookshop", Path(folder) / "home"
        shutil.copytree(CHECKOUT / "examples" / "bookshop", project)
        home.mkdir()
        for command in commands:
            lines.append(f"\x1b[1m$ {command}\x1b[0m")
            lines += [*run(command, project, home, language).rstrip("\n").split("\n"), ""]
    (CHECKOUT / "docs" / name).write_text(svg(title, lines[:-1]), encoding="utf-8")


def svg(title: str, lines: list[str]) -> str:
    """Return coloured lines as a picture, in a font of fixed width that the reader has."""
    height = TOP + LINE * len(lines) + 16
    texts = "\n".join(
        f'<text x="18" y="{TOP + LINE * place}">{"".join(spans(line))}</text>'
        for place, line in enumerate(lines)
    )
    styles = " ".join(f".s{code.replace(';', '-')} {{ {css} }}" for code, css in STYLES.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<title>{html.escape(title)}</title>
<style>
  text {{ font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #d4d4d4; white-space: pre }}
  {styles}
</style>
<rect width="{WIDTH}" height="{height}" rx="8" fill="#1e1e1e"/>
{texts}
</svg>
"""


def spans(line: str) -> Iterator[str]:
    """Yield the parts of a line, each in its colour."""
    style = ""
    for part in re.split(r"\x1b\[([\d;]*)m", line):
        if part in STYLES or part == "0":
            style = "" if part == "0" else part
        elif part:
            text = html.escape(part)
            yield f'<tspan class="s{style.replace(";", "-")}">{text}</tspan>' if style else text


def main() -> None:
    """Draw both pictures."""
    for language in PICTURES:
        draw(language)


if __name__ == "__main__":
    main()
