"""Everything that is read from stdin, and printed to stdout and stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.frontends.cli.command import Options, Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.memory import Memory

# What a terminal acts on, or what makes text look like other text: shown, not sent.
_ACTIVE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)

# More than a person reads of what was just done.
MOST_LINES = 20

# What is imported under another name than it is installed under.
_PACKAGES = {"Stemmer": "pystemmer", "frontmatter": "python-frontmatter", "yaml": "pyyaml"}


def prepare() -> None:
    """Make stdout and stderr speak UTF-8 where they are files or pipes, and never fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:  # a test puts in streams of its own
            encoding = stream.encoding if stream.isatty() else "utf-8"
            reconfigure(encoding=encoding, errors="backslashreplace")


def drop_output() -> None:
    """Send what is still to be printed nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def safe(text: str) -> str:
    r"""Return the text as it may be shown: control and hidden characters as escapes.

    >>> safe("\x1b[2J")
    '\\x1b[2J'
    """
    return _ACTIVE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def show(text: str = "") -> None:
    """Print a line for people."""
    print(safe(text))


def give(output: Output | int, options: Options) -> int:
    """Print what a command puts out, and return its exit status."""
    if isinstance(output, int):
        return output
    warn(output.warnings)
    if options.json:
        show_json(output.value)
        return output.status
    for line in output.lines:
        show(line)
    for note in output.notes:
        talk(note)
    return output.status


def show_json(value: object) -> None:
    """Print a value as one line of JSON."""
    write(f"{as_json(value)}\n")


def as_json(value: object) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def is_terminal() -> bool:
    """Tell whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def first_line(text: str, max_chars: int = 72) -> str:
    """Return the first line of a text of many, such as a topic, cut where it is long."""
    line = text.split("\n")[0]
    return line if len(line) <= max_chars else f"{line[:max_chars]}…"


def in_brackets(*notes: str) -> str:
    """Return what follows a line of a list.

    >>> in_brackets("shop", "", "archived")
    '  [shop]  [archived]'
    """
    return "".join(f"  [{note}]" for note in notes if note)


def write(text: str) -> None:
    """Print text as it is: data, not talk. On a terminal, which would act on it, as `safe` does."""
    sys.stdout.write(safe(text) if sys.stdout.isatty() else text)


def talk(text: str) -> None:
    """Print a line to stderr."""
    print(safe(text), file=sys.stderr)


def warn(warnings: Iterable[str]) -> None:
    """Print warnings to stderr."""
    for warning in warnings:
        talk(f"warning: {warning}")


def show_error(error: DailyMemoryError, *, as_json: bool) -> int:
    """Print an error, and return its exit status."""
    talk(f"error: {error.message}")
    if error.hint:
        talk(f"hint: {error.hint}")
    if as_json:
        details = {"code": error.code, "message": error.message, "hint": error.hint}
        show_json({"error": details})
    return error.exit_status


def show_bug(error: Exception) -> int:
    """Print what to do about a fault of ours; its text may hold memory text, so it stays out."""
    talk(f"error: this is a bug in daily-memory ({type(error).__name__})")
    talk("hint: run the command again with --debug and report what it prints")
    return 1


def show_missing(error: ModuleNotFoundError) -> int:
    """Print in one line what to run where a package that we need was not installed."""
    module = (error.name or "").partition(".")[0]
    package = _PACKAGES.get(module, module)
    from daily_memory.installation import install_command  # only to say what to run

    command = install_command()
    talk(f"error: the package {package!r} is missing; run: {command}")
    return BackendError.exit_status


def missing(package: str, *, extra: str) -> BackendError:
    """Return the error for a package that an extra of ours brings, with what to run."""
    from daily_memory.installation import install_command  # as above

    hint = f"run: {install_command(extra)}"
    return BackendError(f"the package {package!r} is missing", hint=hint)


# ---------------------------------------------------------------------------- input


def read_input() -> str:
    """Return all of stdin as text.

    Raises:
        InvalidInputError: it is not UTF-8.
    """
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            "stdin is not UTF-8", hint="convert it first, as with iconv"
        ) from error


def read_file(path: str) -> str:
    """Return the text of a file that the user named.

    Raises:
        NotFoundError: there is no such file.
        BackendError: the system refuses.
    """
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise NotFoundError(f"no file {path!r}") from error


def write_file(path: str, data: bytes) -> None:
    """Write a file that the user named, for the user alone; all of it or nothing."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def check_new_file(path: str | None, option: str, *, is_forced: bool) -> None:
    """Refuse to replace a file that an option names, unless `--force` is given."""
    if is_forced and not path:
        raise InvalidInputError(f"--force goes with {option} FILE only")
    if path and os.path.lexists(path) and not is_forced:
        hint = "name another file, or give --force to replace it"
        raise InvalidInputError(f"{path!r} is there already", hint=hint)


def has_input() -> bool:
    """Tell whether something can be read from stdin at once: a file, or what was sent already."""
    import select  # only a save asks
    import stat

    try:
        descriptor = sys.stdin.fileno()
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            return True
        # Windows can't do this for a pipe.
        return not os.isatty(descriptor) and bool(select.select([descriptor], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def read_jsonl() -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the JSON objects of stdin, one a line, with the numbers of their lines."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            yield number, parse_json(line.decode("utf-8", "replace"), f"line {number}")


def parse_json(text: str, where: str = "stdin") -> dict[str, object]:
    """Return the JSON object of a text.

    Raises:
        InvalidInputError: it is not a JSON object.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError(
            f"{where} is not JSON{line}", hint='give an object such as {"topic": "…"}'
        ) from error
    except RecursionError as error:
        raise InvalidInputError(f"{where} is nested too deep") from error
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{where} is not a JSON object", hint='give one such as {"topic": "…"}'
        )
    return value


# ---------------------------------------------------------------------------- progress


def progress_bar(what: str) -> Callable[[int, int], None] | None:
    """Return a function that shows how far long work is; None where no terminal is watching."""
    if not sys.stderr.isatty():
        return None

    def show_progress(done: int, total: int) -> None:
        # Every file would be too often: a terminal takes longer to draw than we to work.
        if done == total or done % max(1, total // 100) == 0:
            end = "\n" if done == total else ""
            print(f"\r{what}: {done}/{total}", end=end, file=sys.stderr, flush=True)

    return show_progress


# ---------------------------------------------------------------------------- questions

_YES = ("y", "yes", "是", "好", "确定")
_LOOK = "look with --dry-run, then say --yes"
_NO = ("n", "no", "否", "不", "不要", "取消")


def show_some(lines: Sequence[str]) -> None:
    """Show the first of some lines on stderr, and how many more there are."""
    for line in lines[:MOST_LINES]:
        talk(line)
    if len(lines) > MOST_LINES:
        talk(f"… and {len(lines) - MOST_LINES} more; --dry-run shows them all")


def confirm(question: str, *, is_sure: bool = False, answer: str = "") -> None:
    """Ask, unless the user is sure, and wait for a yes, or for just this answer.

    Raises:
        InvalidInputError: the answer is no, or there is no terminal.
    """
    if is_sure:
        return
    if not is_terminal():
        raise InvalidInputError(
            f"nothing was done, no terminal to ask: {question}",
            hint=_LOOK,
        )
    talk(f"{question} To go on, type: {answer}" if answer else f"{question} [y/N]")
    reply = sys.stdin.readline().strip().casefold()
    if reply in _NO:
        raise InvalidInputError("nothing was done")
    if reply not in ((answer.casefold(),) if answer else _YES):
        raise InvalidInputError("nothing was done", hint=f"answer {answer or 'y'}, or give --yes")


def reminder(memory: Memory, options: Options) -> list[str]:
    """Return a note that it is time for a review, if somebody reads it."""
    text = memory.background.review_reminder() if is_terminal() and not options.json else ""
    return [text] if text else []
