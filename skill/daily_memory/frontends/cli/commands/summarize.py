"""`memory summarize`"""

from __future__ import annotations

from daily_memory.core.review.summary_region import DEFAULT_MAX_CHARS
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled, joined


def run(options: Options) -> Output:
    with terminal.progress("summarizing"):
        summary = open_memory(options).summarize(
            scope=options.scope, max_chars=options.max_chars, dry_run=options.dry_run
        )
    done = "would change" if options.dry_run else "written"
    done = done if summary.is_changed else "unchanged"
    counts = [counted(len(summary.lines), "line")]
    counts += [filled("{} more did not fit", summary.left_out)] if summary.left_out else []
    note = filled("{}: {}; {}", summary.path, joined(", ", counts), done)
    return Output(json_shapes.summary(summary), [summary.text] if summary.text else [], [note])


SUMMARIZE = CliCommand(
    run,
    (
        command.argument(
            "--max-chars",
            "N",
            filled("limit of the part; default: {} minus what you wrote there", DEFAULT_MAX_CHARS),
            type=int,
            default=0,
        ),
        *command.shared("dry_run", "save_scope"),
    ),
    """examples:
  memory summarize               write what still holds to summary.md
  memory summarize --dry-run     preview

Every new conversation sees summary.md first. Your own text in it stays; the part between the
two comments is rewritten. To fix a wrong line, mark its source: `memory mark ID --outdated`.""",
)
