"""`memory help` and `memory completion`"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, parsers, terminal
from daily_memory.frontends.cli.command import CliCommand, Options
from daily_memory.frontends.cli.commands import COMMANDS
from daily_memory.memory import Memory


def run(options: Options) -> int:
    name = options.name
    if name and name not in COMMANDS:
        raise InvalidInputError("no command {!r}", name, hint="`memory help --all` lists them")
    parser = parsers.parser_of(name) if name else parsers.overview(shows_all=options.all)
    terminal.write(parser.format_help())
    return 0


def _complete(options: Options) -> int:
    if options.shell in _LISTED:
        for word in _LISTED[options.shell]():
            terminal.write(f"{word}\n")
        return 0
    import shtab  # only this command needs it

    listed = {}
    for name in _LISTED:
        kind = shtab.cmd(f"memory completion {name}")
        # In zsh that would run when the script is loaded, and take the # of an id for a pattern.
        script = f'_memory_{name}() {{ compadd "$@" -- ${{(f)"$(memory completion {name})"}} }}'
        preamble = {**kind["preamble"], "zsh": script}  # type: ignore[dict-item]  # a dict by then
        listed[name] = {**kind, "zsh": f"_memory_{name}", "preamble": preamble}
    kinds = {"ID": listed["ids"], "--tag": listed["tags"], "FILE": shtab.FILE, "DIR": shtab.DIR}
    parser = parsers.complete_parser(kinds)
    terminal.write(shtab.complete(parser, shell=options.shell))
    return 0


def _ids() -> list[str]:
    return [stored.id for stored in _newest()]


def _tags() -> list[str]:
    """Return the tags of the newest sessions that can be typed without quotes."""
    tags = {tag for stored in _newest() for tag in stored.session.tags}
    return sorted(tag for tag in tags if all(letter.isalnum() or letter in "-_" for letter in tag))


def _newest() -> Iterator[results.StoredSession]:
    return islice(Memory().sessions(newest_first=True), _MOST_LISTED)


_MOST_LISTED = 200
# What the scripts ask for while the user types.
_LISTED = {"ids": _ids, "tags": _tags}


HELP = CliCommand(
    run,
    (
        command.argument("name", "COMMAND", "a command", nargs="?"),
        command.flag("--all", "list all commands"),
    ),
    """examples:
  memory help             the main commands
  memory help --all       all commands
  memory help search      the options of a command""",
)

COMPLETION = CliCommand(
    _complete,
    (
        command.choice(
            "shell",
            ("bash", "zsh", "fish", "powershell", "tcsh", *_LISTED),
            "the shell; the scripts themselves ask for ids and tags",
        ),
    ),
    """examples:
  memory completion bash > ~/.local/share/bash-completion/completions/memory
  memory completion zsh > ~/.zfunc/_memory
  memory completion fish > ~/.config/fish/completions/memory.fish
  memory completion powershell >> $PROFILE

For zsh, ~/.zshrc needs `fpath+=~/.zfunc` before `compinit`.""",
)
