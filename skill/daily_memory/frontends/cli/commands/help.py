"""`memory help` and `memory completion`"""

from __future__ import annotations

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import parsers, terminal
from daily_memory.frontends.cli.command import CliCommand, Options, argument, choice, flag
from daily_memory.frontends.cli.commands import COMMANDS


def run(options: Options) -> int:
    name = options.name
    if name and name not in COMMANDS:
        raise InvalidInputError(f"no command {name!r}", hint="`memory help --all` lists them")
    parser = parsers.parser_of(name) if name else parsers.overview(shows_all=options.all)
    terminal.write(parser.format_help())
    return 0


def _complete(options: Options) -> int:
    import shtab  # only this command needs it

    terminal.write(shtab.complete(parsers.complete_parser(), shell=options.shell))
    return 0


HELP = CliCommand(
    run,
    (argument("name", "COMMAND", "a command", nargs="?"), flag("--all", "list all commands")),
    """examples:
  memory help             the main commands
  memory help --all       all commands
  memory help search      the options of a command""",
)

COMPLETION = CliCommand(
    _complete,
    (choice("shell", ("bash", "zsh", "tcsh"), "the shell"),),
    """examples:
  memory completion bash > ~/.local/share/bash-completion/completions/memory
  memory completion zsh > ~/.zfunc/_memory""",
)
