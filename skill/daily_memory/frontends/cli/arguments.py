"""How a line that was typed becomes options.

A plain line such as `memory search WORDS --json` is read here; argparse reads all others. It
takes 5 ms, a tenth of a search, and a search runs on every prompt.
"""

from __future__ import annotations

import os
from types import SimpleNamespace

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.commands import COMMANDS, load
from daily_memory.memory import SCOPES, Memory

_WITH_PLAIN = ("search", "inject", "save")
_MIXED = ("config", "projects")
_HINT = "run `memory --help` to see the commands"


def parse(words: list[str]) -> argparse.Namespace:
    """Return the options of a command line; `command` names the command.

    Raises:
        InvalidInputError: there is no such command, or an option is wrong.
    """
    before, name, rest = _split(words)
    plain = None if before else parse_plain(name, rest)
    if plain is not None:
        return plain
    from daily_memory.frontends.cli import parsers  # argparse: see above

    if not name and not {"-h", "--help", "--version"} & set(before):
        name, rest = "status", ["--commands"]  # the start page
    if name not in COMMANDS:
        parsers.overview().parse_args(before)
        raise _unknown(name)
    parser = parsers.parser_of(name)
    # `config set --global KEY VALUE`: argparse stops at an option by default.
    parse_all = parser.parse_intermixed_args if name in _MIXED else parser.parse_args
    return parse_all([*before, *rest])


def parse_plain(name: str, words: list[str]) -> argparse.Namespace | None:
    """Return the options of a line of words and `--flags` for a command with PLAIN options.

    None where the line has any other option, or words where the command takes none, or the command
    has no such options.
    """
    defaults = load(name).PLAIN if name in _WITH_PLAIN else None
    flags = {word[2:]: True for word in words if word.startswith("-")}
    if defaults is None or not all(defaults.get(flag) is False for flag in flags):
        return None
    query = [word for word in words if not word.startswith("-")]
    if query and "query" not in defaults:
        return None
    given = {"query": query} if query else {}
    options = {**defaults, **flags, **given, "command": name}
    return SimpleNamespace(**options)  # type: ignore[return-value]  # with the same attributes


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    """Cut the line at its command; options that all commands share may come before it."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] == "--project" else 1
    return words[:index], words[index] if index < len(words) else "", words[index + 1 :]


def _unknown(name: str) -> InvalidInputError:
    import difflib  # only for a slip of the fingers

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `memory {near[0]}`?" if near else _HINT
    return InvalidInputError(f"no command {name!r}", hint=hint)


def open_memory(options: argparse.Namespace, *, exactly: bool = False) -> Memory:
    """Return the memory that the options name; `--project` takes a folder, or a project's name.

    A folder inside a project means that project, as running the command there does; `exactly`
    that folder, for what makes something in it.
    """
    if options.project and _is_name(options.project):
        everywhere = Memory("", ask_passphrase=_asker())
        return everywhere.in_folder(everywhere.projects.folder(options.project))
    if exactly:
        return Memory(options.project or None, ask_passphrase=_asker())
    memory = Memory(around=options.project or "", ask_passphrase=_asker())
    terminal.warn(memory.warnings)
    return memory


def _asker() -> Callable[[], str] | None:
    """Return what asks for the passphrase of a key; None without a terminal."""
    return ask_passphrase if terminal.is_terminal() else None


def ask_passphrase(prompt: str = "passphrase of your memory's key: ") -> str:
    """Return what the user types, which is not shown."""
    import getpass  # hardly ever

    return getpass.getpass(prompt)


def take_project_name(options: argparse.Namespace) -> str:
    """Return the project's name where `--project` gives that, and no folder; then ask all memories.

    A project that has no folder here may be known to the global memory by its name.
    """
    # One that is asked for alone is opened in its folder, as by every other command.
    if not options.project or not _is_name(options.project) or options.scope == "project":
        return ""
    name: str = options.project
    options.project = None
    options.scope = options.scope or "all"
    return name


def _is_name(text: str) -> bool:
    is_path = text[:1] in ".~" or any(mark in text for mark in "/\\\0")
    return not is_path and not os.path.isdir(text)


def positive(text: str) -> int:
    """Return the number that an option gives, which counts something; for argparse.

    Raises:
        ValueError, ArgumentTypeError: it is no number, or less than 1.
    """
    number = int(text)
    if number < 1:
        import argparse  # it calls us

        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def day_option(text: str | None, name: str) -> date | None:
    """Return the day that an option gives, None where it was not given."""
    if not text:
        return None
    from daily_memory.core.format.session_json import parse_date  # not needed by most searches

    return parse_date(text, name)


# Options that commands share, by name: their flags and settings for argparse.
_OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "tag": (
        ("--tag",),
        {"action": "append", "default": [], "metavar": "TEXT", "help": "a tag; repeatable"},
    ),
    "since": (("--since",), {"metavar": "YYYY-MM-DD", "help": "from this day on"}),
    "until": (("--until",), {"metavar": "YYYY-MM-DD", "help": "up to and including this day"}),
    "archived": (("--archived",), {"action": "store_true", "help": "include the archive (slower)"}),
    "dry_run": (
        ("--dry-run",),
        {"action": "store_true", "help": "show what would change, and change nothing"},
    ),
    "yes": (("-y", "--yes"), {"action": "store_true", "help": "don't ask for confirmation"}),
    "scope": (
        ("--scope",),
        {
            "choices": SCOPES,
            "default": "",
            "help": "which memory; default: storage.location decides",
        },
    ),
    "save_scope": (
        ("--scope",),
        {
            "choices": SCOPES[:2],
            "default": "",
            "help": "which memory; default: storage.location decides",
        },
    ),
}


def add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add options that several commands share, such as `since` or `scope`."""
    for name in names:
        flags, settings = _OPTIONS[name]
        parser.add_argument(*flags, **settings)  # type: ignore[arg-type]  # as argparse takes them


TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from datetime import date
