"""How a command is declared: the arguments that it takes, and what it puts out."""

from __future__ import annotations

from types import SimpleNamespace

from daily_memory.errors import InvalidInputError
from daily_memory.memory import SCOPES
from daily_memory.named_tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date
    from typing import TypeAlias

    from daily_memory.core.search.dates import Period

    Line: TypeAlias = "str | tuple[str | Styled, ...]"

# The values of the arguments by name.
Options = SimpleNamespace


class Styled(NamedTuple):
    """A part of a line: its text, and how a terminal shows it.

    `style` is a key of `style.STYLES`, `path` the file that a click on it opens, `words` are set
    off within it.
    """

    text: str
    style: str = ""
    path: str = ""
    words: tuple[str, ...] = ()


class Output(NamedTuple):
    """What a command found or did.

    With `--json` it is `value`, without it `lines`, each a text or its parts, and `notes` on
    stderr. `warnings` always go to stderr. `is_cut`: a terminal shows each line in one row.
    `is_ours`: the lines are messages of ours, shown in the user's language.
    """

    value: object
    lines: Iterable[Line] = ()
    notes: Iterable[str] = ()
    warnings: Iterable[str] = ()
    status: int = 0
    is_cut: bool = False
    is_ours: bool = False


class Argument(NamedTuple):
    """An argument: its names and its settings, as argparse takes them."""

    names: tuple[str, ...]
    settings: dict[str, object]

    @property
    def is_positional(self) -> bool:
        return not self.names[0].startswith("-")

    @property
    def dest(self) -> str:
        return str(self.settings.get("dest") or self.names[-1].lstrip("-").replace("-", "_"))

    @property
    def default(self) -> object:
        """The value if the argument is not given."""
        if self.settings.get("action") == "store_true":
            return False
        default = self.settings.get("default", [] if self.settings.get("nargs") == "*" else None)
        return [*default] if isinstance(default, list) else default


class CliCommand(NamedTuple):
    """A command; `run` returns its output, or its exit status if it printed everything itself."""

    run: Callable[[Options], Output | int]
    arguments: tuple[Argument, ...]
    examples: str


def argument(names: str, metavar: str | None, text: str, **settings: object) -> Argument:
    """Return an argument that takes a value; `names` such as `id`, `--tool` or `-o --output`."""
    return Argument(tuple(names.split()), {"metavar": metavar, "help": text, **settings})


def flag(names: str, text: str, **settings: object) -> Argument:
    """Return an option without a value."""
    return Argument(tuple(names.split()), {"action": "store_true", "help": text, **settings})


def repeated(name: str, metavar: str | None, text: str, **settings: object) -> Argument:
    """Return an option that can be given several times."""
    return argument(name, metavar, text, action="append", default=[], **settings)


def choice(name: str, choices: tuple[str, ...], text: str, **settings: object) -> Argument:
    """Return an argument that takes one of some words."""
    return Argument((name,), {"choices": choices, "help": text, **settings})


def number(names: str, text: str, default: int | None = None, **settings: object) -> Argument:
    """Return an option that takes a number from 1."""
    return argument(names, "N", text, **{"type": positive, "default": default, **settings})


def day(name: str, text: str) -> Argument:

    def parse(value: str) -> date | None:
        from daily_memory.core.format.session_json import parse_date  # not needed by most searches

        try:
            return parse_date(value, name) if value else None
        except InvalidInputError:
            named = _named_period(value)
            if not named:
                raise
            return named.last if name == "--until" else named.first

    return argument(name, "DAY", text, type=parse)


def _named_period(words: str) -> Period | None:
    """Return the days that words such as `yesterday` or `上周` name."""
    from datetime import date, datetime

    from daily_memory.core.search import dates

    period = dates.asked_period(words, datetime.now().astimezone().date())
    return period if period and period.first > date.min else None


def positive(text: str) -> int:
    """Return the number of an option that counts something; for argparse."""
    count = int(text)
    if count < 1:
        import argparse  # it calls us

        raise argparse.ArgumentTypeError(f"{count} is less than 1")
    return count


_WHICH = "which memory; default: storage.location decides"
_SHARED = {
    "tag": repeated("--tag", "TEXT", "a tag; repeatable"),
    "since": day("--since", "from this day on: YYYY-MM-DD, or words such as yesterday"),
    "until": day("--until", "up to and including this day"),
    "now": day("--now", "as if this day were today"),
    "archived": flag("--archived", "include the archive (slower)"),
    "dry_run": flag("--dry-run", "show what would change, and change nothing"),
    "yes": flag("-y --yes", "don't ask for confirmation"),
    "scope": choice("--scope", SCOPES, _WHICH, default=""),
    "save_scope": choice("--scope", SCOPES[:2], _WHICH, default=""),
    "important": flag("--important", "rank it up; it never fades"),
}


def shared(*names: str) -> tuple[Argument, ...]:
    return tuple(_SHARED[name] for name in names)


# How alike a word and the one that was meant are at least.
LEAST_ALIKE = 0.75

# Every command takes these.
COMMON = (
    argument("--project", "DIR", "the project's folder or name; default: the current one"),
    choice("--lang", ("en", "zh"), "the language of messages; default: as LANG says"),
    flag("--json", "answer as JSON on stdout"),
    flag("--debug", "show where an error comes from"),
)
