"""Everything that is read from stdin, and printed to stdout and stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.frontends.cli.command import Options, Output, Styled
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from typing import TextIO

    from daily_memory.frontends.cli.command import Line
    from daily_memory.memory import Memory
    from daily_memory.model import Session

# What a terminal acts on, or what makes text look like other text: shown, not sent.
_ACTIVE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)

# More than a person reads of what was just done.
MOST_LINES = 20

# What is imported under another name than it is installed under.
_PACKAGES = {"Stemmer": "pystemmer", "frontmatter": "python-frontmatter", "yaml": "pyyaml"}


_language = "en"


def choose_language(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
    """Speak the language of `--lang`, or else that of the environment, from now on.

    It is for people: JSON and the text of memories stay as they are.
    """
    global _language  # as are stdout and stderr
    _language = find_language(words, environment)


def spoken() -> str:
    """Return the language of the user: `en` or `zh`."""
    return _language


def find_language(
    words: Sequence[str], environment: Mapping[str, str], *, is_windows: bool = os.name == "nt"
) -> str:
    """Return the language to speak: `en` or `zh`.

    >>> find_language(["list"], {"LANG": "zh_CN.UTF-8"}), find_language(["--lang", "en"], {})
    ('zh', 'en')
    """
    named = next((word[7:] for word in words if word.startswith("--lang=")), "")
    if "--lang" in words[:-1]:
        named = words[words.index("--lang") + 1]
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")
    named = named or next(filter(None, map(environment.get, variables)), "")
    if not named and is_windows:
        import ctypes  # only Windows has its language elsewhere

        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()  # type: ignore[attr-defined]
        return "zh" if number & 0x3FF == 4 else "en"
    return "zh" if named.lower().startswith("zh") else "en"


def say(text: str, *values: object) -> str:
    """Return a message of ours in the user's language, with values in its gaps."""
    text = filled(text, *values) if values else text
    if _language == "en":
        return text
    from daily_memory.frontends import chinese  # who speaks English needs none of it

    return chinese.translated(text)


def label(text: str, columns: int) -> str:
    """Return a word of ours with blanks up to a width; a Chinese character takes two columns."""
    text = say(text)
    wide = sum(letter > "\u2e7f" for letter in text)
    return text + " " * (columns - len(text) - wide)


def prepare() -> None:
    """Make stdout and stderr speak UTF-8 where they are files or pipes, and never fail.

    A stream that whoever started us closed reads and keeps nothing: no day file takes its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # as long as we live
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:  # a test puts in streams of its own
            encoding = stream.encoding if stream.isatty() else "utf-8"
            reconfigure(encoding=encoding, errors="backslashreplace")


def drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def safe(text: str) -> str:
    r"""Return the text as it may be shown: control and hidden characters as escapes.

    >>> safe("\x1b[2J")
    '\\x1b[2J'
    """
    if text.isprintable():  # most lines are, and compiling takes a millisecond
        return text
    return _ACTIVE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def has_colours(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a stream shows colours: a terminal that can, if the user doesn't object.

    `NO_COLOR` (no-color.org) and `FORCE_COLOR` are as in other programs.
    """
    if environment.get("NO_COLOR"):
        return False
    forced = environment.get("FORCE_COLOR", "")
    if forced:
        return forced not in ("0", "false")
    if not stream.isatty():
        return False
    # A console of Windows shows escapes as they are, unless its program says that it can.
    able = ("WT_SESSION", "ANSICON", "TERM_PROGRAM", "TERM")
    return environment.get("TERM") != "dumb" and any(environment.get(name) for name in able)


def show(line: Line = "", *, is_cut: bool = False) -> None:
    """Print a line for people, on a terminal with colours and links; `is_cut`: to its width."""
    print(shown(line, sys.stdout, is_cut=is_cut))


def shown(line: Line, stream: TextIO, *, is_cut: bool = False) -> str:
    """Return a line as a stream gets it: anything but a terminal gets the bare text."""
    is_coloured = has_colours(stream)
    if not is_coloured and not (is_cut and stream.isatty()):
        return safe(plain(line))
    line = safe(line) if isinstance(line, str) else tuple(map(_safe_part, line))
    from daily_memory.frontends.cli import style  # no program that reads us needs it

    if is_cut and stream.isatty():
        with contextlib.suppress(OSError, ValueError):
            line = style.fitted(line, os.get_terminal_size(stream.fileno()).columns)
    if not is_coloured:
        return plain(line)
    # The console of Linux prints the address of a link.
    has_links = stream.isatty() and os.environ.get("TERM") != "linux"
    return style.render(line, has_links=has_links)


def _safe_part(part: str | Styled) -> str | Styled:
    return safe(part) if isinstance(part, str) else part._replace(text=safe(part.text))


def plain(line: Line) -> str:
    if isinstance(line, str):
        return line
    return "".join(part if isinstance(part, str) else part.text for part in line)


def short_path(path: str, *, folder: str = "", home: str = "") -> str:
    """Return a path as a person would type it: from the working folder, or from the home.

    >>> short_path("/u/app/daily/x.md", folder="/u/app", home="/u")
    'daily/x.md'
    >>> short_path("/u/notes/x.md", folder="/u/app", home="/u")
    '~/notes/x.md'
    """
    with contextlib.suppress(OSError):
        folder = folder or os.getcwd()
    home = home or os.environ.get("HOME", "")
    for top, short in ((folder, ""), (home, f"~{os.sep}")):
        inside = os.path.join(top, "")
        if top and path.startswith(inside):
            return short + path[len(inside) :]
    return path


def give(output: Output | int, options: Options) -> int:
    if isinstance(output, int):
        return output
    warn(output.warnings)
    if options.json:
        show_json(output.value)
        return output.status
    for line in output.lines:
        line = say(line) if output.is_ours and isinstance(line, str) else line
        show(line, is_cut=output.is_cut)
    for note in output.notes:
        talk(note)
    return output.status


def show_json(value: object) -> None:
    """Print a value as one line of JSON."""
    write(f"{as_json(value)}\n")


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_terminal() -> bool:
    """Tell whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def first_line(text: str, max_chars: int = 72) -> str:
    """Return the first line of a text of many, such as a topic, cut where it is long."""
    line = text.split("\n")[0]
    return line if len(line) <= max_chars else f"{line[:max_chars]}…"


def title(session: Session, max_chars: int = 72) -> str:
    """Return the topic of a session, or how it begins where somebody wrote it without one."""
    if session.topic:
        return first_line(session.topic, max_chars)
    from daily_memory.core.search import keywords  # few sessions have no topic

    return first_line(keywords.suggest_topic(session), max_chars)


def in_brackets(*names: str, **marks: bool) -> str:
    """Return the notes at the end of a line of a list: names, and marks that are set.

    >>> in_brackets("shop", "", important=False, archived=True)
    '  [shop]  [archived]'
    """
    own = [say(mark) for mark, is_set in marks.items() if is_set]
    return "".join(f"  [{note}]" for note in (*filter(None, names), *own))


def id_column(session_id: str, path: str, columns: int = 14) -> tuple[Styled, str]:
    """Return an id that opens its file, and the blanks up to the next column."""
    return Styled(session_id, "id", path), " " * (columns - len(session_id))


def place_link(path: str, line_number: int) -> Styled:
    return Styled(f"{short_path(path)}:{line_number}", "dim", path)


def write(text: str) -> None:
    """Print text as it is: data, not talk. On a terminal, which would act on it, as `safe` does."""
    sys.stdout.write(safe(text) if sys.stdout.isatty() else text)


def talk(line: Line) -> None:
    """Print a line to stderr; a message of ours in the user's language."""
    line = say(line) if isinstance(line, str) else line
    print(shown(line, sys.stderr), file=sys.stderr)


def warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        talk((Styled(say("warning: "), "warning"), say(warning)))


def show_error(error: DailyMemoryError, *, as_json: bool) -> int:
    talk((Styled(say("error: "), "bad"), say(error.message)))
    if error.hint:
        talk((Styled(say("hint: "), "good"), say(error.hint)))
    if as_json:
        details = {"code": error.code, "message": error.message, "hint": error.hint}
        show_json({"error": details})
    return error.exit_status


def show_bug(error: Exception) -> int:
    """Print what to do about a fault of ours; its text may hold memory text, so it stays out."""
    message = filled("this is a bug in daily-memory ({})", type(error).__name__)
    hint = "run the command again with --debug and report what it prints"
    return show_error(DailyMemoryError(message, hint=hint), as_json=False)


def show_missing(error: ModuleNotFoundError) -> int:
    """Print in one line what to run where a package that we need was not installed."""
    module = (error.name or "").partition(".")[0]
    package = _PACKAGES.get(module, module)
    from daily_memory.installation import install_command  # only to say what to run

    missing_package = BackendError(
        "the package {!r} is missing; run: {}", package, install_command()
    )
    return show_error(missing_package, as_json=False)


def missing(package: str, *, extra: str) -> BackendError:
    """Return the error for a package that an extra of ours brings, with what to run."""
    from daily_memory.installation import install_command  # as above

    hint = filled("run: {}", install_command(extra))
    return BackendError("the package {!r} is missing", package, hint=hint)


def read_input() -> str:
    """Return all of stdin as text."""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "convert it first, as with iconv"
        raise InvalidInputError("{} is not UTF-8", "stdin", hint=hint) from error


def read_file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise NotFoundError("no file {!r}", path) from error


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
        raise InvalidInputError("{} goes with {} only", "--force", f"{option} FILE")
    if path and os.path.lexists(path) and not is_forced:
        hint = "name another file, or give --force to replace it"
        raise InvalidInputError("{!r} is there already", path, hint=hint)


def has_file() -> bool:
    """Tell whether stdin is a file."""
    import stat  # only a save and `unlock` ask

    try:
        return stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def has_input() -> bool:
    """Tell whether something can be read from stdin at once: a file, or what was sent already."""
    import select  # only a save asks

    try:
        # Windows can't do this for a pipe.
        is_pipe = not sys.stdin.isatty()
        return has_file() or (is_pipe and bool(select.select([sys.stdin], [], [], 0)[0]))
    except (OSError, ValueError):
        return False


def read_jsonl() -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the JSON objects of stdin, one a line, with the numbers of their lines."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            yield number, parse_json(line.decode("utf-8", "replace"), f"line {number}")


def parse_json(text: str, where: str, *, hint: str = "") -> dict[str, object]:
    """Return the JSON object of a text."""
    try:
        value = json.loads(text)
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError("{} is not JSON{}", where, line, hint=hint) from error
    except RecursionError as error:
        raise InvalidInputError("{} is nested too deep", where) from error
    if not isinstance(value, dict):
        raise InvalidInputError("{} is not a JSON object", where, hint=hint)
    return value


def progress(what: str) -> AbstractContextManager[None]:
    """Show meanwhile how far long work is, if a terminal is watching."""
    if not sys.stderr.isatty():
        return contextlib.nullcontext()
    from daily_memory.core.progress import progress_to  # only for people

    def show_progress(done: int, total: int) -> None:
        # Every file would be too often: a terminal takes longer to draw than we to work.
        if done == total or done % max(1, total // 100) == 0:
            end = "\n" if done == total else ""
            print(f"\r{say(what)}: {done}/{total}", end=end, file=sys.stderr, flush=True)

    return progress_to(show_progress)


_YES = ("y", "yes", "是", "好", "确定")
_NO = ("n", "no", "否", "不", "不要", "取消")


def show_some(lines: Sequence[str]) -> None:
    """Show the first of some lines on stderr, and how many more there are."""
    for line in lines[:MOST_LINES]:
        talk((line,))  # text of a memory is no message
    if len(lines) > MOST_LINES:
        talk(filled("… and {} more; --dry-run shows them all", len(lines) - MOST_LINES))


def confirm(question: str, *, is_sure: bool = False, answer: str = "") -> None:
    """Ask, unless the user is sure, and wait for a yes, or for just this answer."""
    if is_sure:
        return
    if not is_terminal():
        hint = "give --yes to go on without being asked"
        raise InvalidInputError("nothing was done, no terminal to ask: {}", question, hint=hint)
    question = say(question)
    talk(f"{question} " + (say("To go on, type: {}", answer) if answer else "[y/N]"))
    reply = sys.stdin.readline().strip().casefold()
    if reply in _NO:
        raise InvalidInputError("nothing was done")
    if reply not in ((answer.casefold(),) if answer else _YES):
        hint = filled("answer {}, or give --yes", answer or "y")
        raise InvalidInputError("nothing was done", hint=hint)


def reminder(memory: Memory, options: Options) -> list[str]:
    text = memory.background.review_reminder() if is_terminal() and not options.json else ""
    return [text] if text else []
