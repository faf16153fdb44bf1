"""`memory review`"""

from __future__ import annotations

from collections.abc import Iterator

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled, joined

_LIMIT = 5
_HEADINGS = {
    "contradiction": "contradicted later",
    "outdated": "perhaps outdated",
    "duplicate": "nearly the same",
    "poor": "thin or noisy",
    "important": "important for long",
    "summary": "summary",
}


def run(options: Options) -> Output:
    if options.limit < 0:
        hint = "0 shows all"
        raise InvalidInputError("{}: {} is less than {}", "--limit", options.limit, 0, hint=hint)
    with terminal.progress("reviewing"):
        reviewed = open_memory(options).review(scope=options.scope, limit=options.limit)
    counts = [counted(reviewed.sessions, "session")]
    counts += [filled("{} private not looked at", reviewed.private)] if reviewed.private else []
    outcome = "nothing was changed" if reviewed.remarks else "nothing to look at"
    note = joined(": ", (joined("; ", counts), outcome))
    lines = (line for kind in _HEADINGS for line in _lines(kind, reviewed))
    return Output(json_shapes.review(reviewed), lines, [note])


def _lines(kind: str, reviewed: results.Reviewed) -> Iterator[str]:
    remarks = [remark for remark in reviewed.remarks if remark.finding.kind == kind]
    if not remarks:
        return
    total = reviewed.counts[kind]
    some = filled("{}, the first {}: --limit 0 shows all", total, len(remarks))
    count = some if total > len(remarks) else str(total)
    yield terminal.say(joined(": ", (filled(_HEADINGS[kind]), count)))
    for remark in remarks:
        for session in remark.finding.sessions:
            topic = " ".join(session.topic.split())
            yield f"  {remark.root.scoped(session.id):<14}  {topic}".rstrip()
        yield f"      {terminal.say(remark.finding.reason)}"
        yield f"      {remark.command}"
    yield ""


REVIEW = CliCommand(
    run,
    (
        command.argument(
            "-n --limit",
            "N",
            filled("how many of each kind, 0 for all; default: {}", _LIMIT),
            type=int,
            default=_LIMIT,
        ),
        *command.shared("scope"),
    ),
    """examples:
  memory review              the first of each kind, each with the command that would fix it
  memory review --limit 0    all of them
  memory review --json | jq -r '.findings[].command'

Nothing is changed: look at each with `memory show ID`, then run its command, or leave it.""",
)
