"""`memory doctor`"""

from __future__ import annotations

import argparse

from daily_memory.errors import DamagedDataError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Report


EXAMPLES = """examples:
  memory doctor             check everything, change nothing
  memory doctor --fix       resolve merge conflicts, renumber duplicates, save queued sessions,
                            rebuild the index
  memory doctor --restore   bring back sections that an editor overwrote
  memory doctor --adopt     accept the recordings of a restored backup

The exit status is 5 if there are faults left."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fix", action="store_true", help="fix what can be fixed without losing text"
    )
    parser.add_argument(
        "--restore",
        action="store_true",
        help="bring back recent sections that are missing from their day",
    )
    parser.add_argument(
        "--adopt",
        action="store_true",
        help="accept recordings and an index from elsewhere that were moved aside",
    )
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    reports = memory.doctor(
        scope=options.scope,
        fix=options.fix,
        restore=options.restore,
        adopt=options.adopt,
        progress=terminal.progress_bar("days looked at"),
    )
    if options.json:
        project = {"folder": memory.project or None, "why": memory.projects.reason()}
        shown = [json_shapes.doctor(path, report) for path, report in reports.items()]
        terminal.show_json({"roots": shown, "project": project})
    else:
        where = (
            f"project: {memory.project or 'the global memory alone'} ({memory.projects.reason()})"
        )
        if reports:
            terminal.show(where)
        for path, report in reports.items():
            _show(path, report)
        if not reports:
            terminal.talk("no memory here yet; `memory save` or `memory init` makes one")
            terminal.talk(where)
    return DamagedDataError.exit_status if any(report.faults for report in reports.values()) else 0


def _show(path: str, report: Report) -> None:
    terminal.show(f"{path}: {counted(report.sessions, 'session')} on {counted(report.days, 'day')}")
    for done in report.mended:
        terminal.show(f"  mended: {done}")
    for fault in report.faults:
        terminal.show(f"  fault: {fault}")
    for remark in report.remarks:
        terminal.show(f"  note: {remark}")
    if not report.faults:
        terminal.show("  no faults")
