"""`memory merge-driver`"""

from __future__ import annotations

from daily_memory.errors import DailyMemoryError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory

# What git takes for "the driver failed", and not for a conflict that it left in the file.
_FAILED = 129


def run(options: Options) -> Output | int:
    try:
        paths = options.base, options.ours, options.theirs
        is_clean = Memory("").setup.merge_days(*paths, options.name)
    except DailyMemoryError as error:
        if options.debug:
            raise
        terminal.show_error(error, as_json=options.json)
        return _FAILED
    return Output({"path": options.ours, "clean": is_clean}, status=0 if is_clean else 1)


MERGE_DRIVER = CliCommand(
    run,
    (
        command.argument("base", None, "the common ancestor; may be empty"),
        command.argument("ours", None, "our version; the result is written here"),
        command.argument("theirs", None, "their version"),
        command.argument("name", None, "the path in the repository", nargs="?", default=""),
    ),
    """Git runs it when two branches changed a day; `memory init --git` registers it.

examples:
  memory merge-driver %O %A %B %P               as in the configuration of git
  memory merge-driver base.md ours.md theirs.md

Exit status: 0 merged, 1 conflicts (the file is no day file), 129 nothing was written.""",
)
