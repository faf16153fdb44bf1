"""`memory report`"""

from __future__ import annotations

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import filled

_DAYS = 365
_MOST_DAYS = 3_650_000


def run(options: Options) -> Output:
    if not 1 <= options.days <= _MOST_DAYS:
        message = filled("{}: {} is not between {} and {}", "--days", options.days, 1, _MOST_DAYS)
        raise InvalidInputError(message)
    terminal.check_new_file(options.html, "--html", is_forced=options.force)
    memory = open_memory(options)
    with terminal.progress("counting"):
        counts = memory.report(days=options.days, scope=options.scope)
    value = json_shapes.report(counts)
    language = terminal.spoken()
    # A page may be for others: it has the language of the memory unless another is asked for.
    if options.lang or language != "en" or not options.html:
        counts = counts._replace(language=language)
    if options.html:
        page = memory.report_page(counts)
        terminal.write_file(options.html, page.encode("utf-8", "replace"))
        return Output(value, notes=[filled("{}: open it in a browser", options.html)])
    # It imports word tables, which `memory completion` does not need.
    from daily_memory.core.pages.report_sections import text_lines

    return Output(value, text_lines(counts))


REPORT = CliCommand(
    run,
    (
        command.argument(
            "--days", "N", filled("the last N days; default: {}", _DAYS), type=int, default=_DAYS
        ),
        command.argument("--html", "FILE", "write a page with charts to a file"),
        command.flag("--force", "with --html: replace a file that is there"),
        *command.shared("scope"),
    ),
    """examples:
  memory report                    the last 365 days, as text
  memory report --days 30 --scope all
  memory report --html report.html     with charts, for your browser
  memory report --json | jq .recall

A session that a conversation received has "signs of use" if the assistant or a tool then named it,
one of its files, or three words that hardly any other session has.""",
)
