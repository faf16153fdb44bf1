"""`memory completion`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import parsers, terminal

EXAMPLES = """examples:
  memory completion bash > ~/.local/share/bash-completion/completions/memory
  memory completion zsh > ~/.zfunc/_memory"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell")


def run(options: argparse.Namespace) -> int:
    # Loaded here: only this command needs it.
    import shtab

    terminal.write(shtab.complete(parsers.complete_parser(), shell=options.shell))
    return 0
