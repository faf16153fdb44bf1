"""The command line: `memory COMMAND …`.

The commands are in `commands/`; what they put out is printed here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.frontends.cli import arguments, commands, terminal


def refused(error: OSError) -> BackendError:
    """Return our error for what the system refused where nobody expected it, as a full disk."""
    reason = (error.strerror or type(error).__name__).lower()
    return BackendError("the system refused: {}", reason, hint="is a disk full?")


def main(argv: Sequence[str] | None = None) -> int:  # noqa: C901  # one policy, one place
    """Run a command and return its exit status: this is the whole error policy."""
    words = list(sys.argv[1:] if argv is None else argv)
    terminal.prepare()
    terminal.choose_language(words)
    try:
        options = arguments.parse(words)
        status = terminal.give(commands.load(options.command).run(options), options)
        sys.stdout.flush()
        return status
    except DailyMemoryError as error:
        if "--debug" in words:
            raise
        return terminal.show_error(error, as_json="--json" in words or "--jsonl" in words)
    except BrokenPipeError:
        # The reader closed the pipe, as `head` does. Python would complain once more when
        # it flushes at the end.
        terminal.drop_output()
        return 0
    except ModuleNotFoundError as error:
        if "--debug" in words:
            raise
        return terminal.show_missing(error)
    except OSError as error:
        if "--debug" in words:
            raise
        return terminal.show_error(refused(error), as_json=False)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # the edge of the process: no user sees a traceback
        if "--debug" in words:
            raise
        return terminal.show_bug(error)
