"""`memory doctor` and `memory reindex`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daily_memory import results
from daily_memory.errors import DamagedDataError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.text import counted, filled

_DICTIONARY = {
    True: "installed, beside the glossary of developer terms",
    False: "not installed; the glossary of developer terms is always there",
}


def run(options: Options) -> Output:
    memory = open_memory(options)
    with terminal.progress("days looked at"):
        reports = memory.doctor(
            scope=options.scope, fix=options.fix, restore=options.restore, adopt=options.adopt
        )
    if options.report:
        terminal.check_new_file(options.report, "--report", is_forced=False)
        text = memory.issue_report(reports)
        terminal.write_file(options.report, text.encode())
        note = filled(
            "{}: no text, name or path of yours is in it; read it before you send it",
            options.report,
        )
        return Output({"path": options.report}, notes=[note])
    why = memory.projects.reason()
    steps = memory.remedies(reports)
    value = {
        "roots": [json_shapes.doctor(path, report) for path, report in reports.items()],
        "project": {"folder": memory.project or None, "why": why},
        "steps": [step._asdict() for step in steps],
    }
    where = terminal.say("project: {} ({})", memory.project or "the global memory alone", why)
    if not reports:
        nothing = "no memory here yet; create one with `memory save` or `memory init`"
        return Output(value, notes=[nothing, where])
    lines: list[command.Line] = [
        line for path, report in reports.items() for line in _lines(path, report)
    ]
    # It belongs to the installation, so that all memories have it or none.
    has_dictionary = any(report.has_dictionary for report in reports.values())
    lines.insert(0, terminal.say("Chinese dictionary: {}", _DICTIONARY[has_dictionary]))
    has_faults = any(report.faults for report in reports.values())
    status = DamagedDataError.exit_status * has_faults
    return Output(value, [where, *lines, *_step_lines(steps)], status=status)


def _lines(path: str, report: results.Report) -> Iterator[command.Line]:
    say = terminal.say
    size = say("{} on {}", counted(report.sessions, "session"), counted(report.days, "day"))
    yield f"{path}: {size}"
    yield from ((Styled(say("  mended: "), "good"), say(done)) for done in report.mended)
    yield from ((Styled(say("  fault: "), "bad"), say(str(fault))) for fault in report.faults)
    yield from ((Styled(say("  note: "), "warning"), say(str(note))) for note in report.remarks)
    if not report.faults:
        yield (Styled(say("  no faults"), "good"),)


def _step_lines(steps: Sequence[results.Remedy]) -> Iterator[command.Line]:
    if not steps:
        return
    yield ""
    yield (Styled(terminal.say("what to do:"), "bold"),)
    for number, step in enumerate(steps, 1):
        what = (
            Styled(step.command, "command") if step.command else terminal.say("edit {}", step.place)
        )
        many = terminal.say(counted(step.findings, "finding"))
        many = f"  ({many})" if step.findings > 1 else ""
        yield f"  {number}. ", what, Styled(many, "dim")


def _reindex(options: Options) -> Output:
    with terminal.progress("days read"):
        counts = open_memory(options).reindex(scope=options.scope)
    rows = [{"path": path, "sessions": number} for path, number in counts.items()]
    notes = [
        filled("{} indexed in {}", counted(number, "session"), path)
        for path, number in counts.items()
    ]
    return Output({"roots": rows}, notes=notes)


DOCTOR = CliCommand(
    run,
    (
        command.flag("--fix", "fix what can be fixed without losing text"),
        command.flag("--restore", "bring back recent sections that are missing from their day"),
        command.flag(
            "--adopt", "accept recordings and an index from elsewhere that were moved aside"
        ),
        command.argument("--report", "FILE", "write a report for an issue, without private text"),
        *command.shared("scope"),
    ),
    """examples:
  memory doctor             check everything, change nothing
  memory doctor --fix       resolve merge conflicts, renumber duplicates, save queued sessions,
                            rebuild the index
  memory doctor --restore   bring back sections that an editor overwrote
  memory doctor --adopt     accept the recordings of a restored backup
  memory doctor --report report.md     to attach to an issue

The exit status is 5 if there are faults left.""",
)

REINDEX = CliCommand(
    _reindex,
    command.shared("scope"),
    """example:
  memory reindex

The index is derived from the day files. Rebuilding it changes no result.""",
)
