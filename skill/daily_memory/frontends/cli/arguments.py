"""How a line that was typed becomes options, and which memory they name.

A plain line such as `memory search WORDS --json` is read here; argparse reads all others. It
takes 5 ms, a tenth of a search, and a search runs on every prompt.
"""

from __future__ import annotations

import os

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.command import COMMON, LEAST_ALIKE, Options
from daily_memory.frontends.cli.commands import COMMANDS, load
from daily_memory.memory import Memory
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def parse(words: list[str]) -> Options:
    """Return the options of a command line; `command` names the command."""
    before, name, rest = _split(words)
    plain = None if before or name not in COMMANDS else parse_plain(name, rest)
    if plain is not None:
        return plain
    from daily_memory.frontends.cli import parsers  # argparse: see above

    if not name and not {"-h", "--help", "--version"} & set(before):
        name = "status"  # the start page
    if name not in COMMANDS:
        parsers.overview().parse_args(before)
        raise _unknown(name)
    # `config set --global KEY VALUE`: argparse stops at an option by default.
    return parsers.parser_of(name).parse_intermixed_args([*before, *rest], Options())


def parse_plain(name: str, words: list[str]) -> Options | None:
    """Return the options of a line of words and `--flags`; None if it has anything else.

    None also if the command takes words in another way than as a list.
    """
    arguments = (*load(name).arguments, *COMMON)
    values = {argument.dest: argument.default for argument in arguments}
    flags = {f"--{dest.replace('_', '-')}": dest for dest in values if values[dest] is False}
    lists = [argument for argument in arguments if argument.is_positional]
    given = [word for word in words if not word.startswith("-")]
    if not all(word in flags for word in words if word.startswith("-")):
        return None
    if lists:
        nargs = lists[0].settings.get("nargs")
        if len(lists) > 1 or nargs not in ("*", "+") or (nargs == "+" and not given):
            return None
        values[lists[0].dest] = given
    elif given:
        return None
    values.update({flags[word]: True for word in words if word.startswith("-")})
    return Options(**values, command=name)


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    """Cut the line at its command; options that all commands share may come before it."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in ("--project", "--lang") else 1
    return words[:index], words[index] if index < len(words) else "", words[index + 1 :]


def _unknown(name: str) -> InvalidInputError:
    import difflib  # only for a slip of the fingers

    from daily_memory.core.phrases.commands import nearest_commands

    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=LEAST_ALIKE)
    if near:
        hint = filled("did you mean `memory {}`?", near[0])
    else:
        # Another word for it, in either language.
        first, second = nearest_commands(name)
        hint = filled(
            "did you mean `memory {}` or `memory {}`? `memory --help` lists all", first, second
        )
    return InvalidInputError("no command {!r}", name, hint=hint)


def open_memory(options: Options, *, exactly: bool = False) -> Memory:
    """Return the memory that the options name; `--project` takes a folder, or a project's name.

    A folder inside a project means that project, as running the command there does; `exactly`
    that folder, to create something in it.
    """
    asker = find_asker()
    if options.project and _is_name(options.project):
        everywhere = Memory("", ask_passphrase=asker)
        return everywhere.in_folder(everywhere.projects.folder(options.project))
    if exactly:
        return Memory(options.project or None, ask_passphrase=asker)
    memory = Memory(around=options.project or "", ask_passphrase=asker)
    terminal.warn(memory.warnings)
    return memory


def open_named(options: Options) -> tuple[Memory, str]:
    """Return the memory to read, and the project's name if `--project` gives that, and no folder.

    A project that has no folder here may be known to the global memory by its name: then all
    memories are asked. With the scope `project` it is opened in its folder, as by any command.
    """
    name: str = options.project or ""
    if not name or not _is_name(name) or options.scope == "project":
        return open_memory(options), ""
    options.project = None
    options.scope = options.scope or "all"
    memory = open_memory(options)
    memory.projects.check(name)
    return memory, name


def find_asker() -> Callable[[], str] | None:
    """Return what asks for the passphrase of a key; None without a terminal."""
    return ask_passphrase if terminal.is_terminal() else None


def ask_passphrase(prompt: str = "passphrase of your memory's key: ") -> str:
    """Return what the user types, which is not shown."""
    import getpass  # hardly ever

    return getpass.getpass(prompt)


def _is_name(text: str) -> bool:
    is_path = text[:1] in ".~" or any(mark in text for mark in "/\\\0")
    return not is_path and not os.path.isdir(text)
