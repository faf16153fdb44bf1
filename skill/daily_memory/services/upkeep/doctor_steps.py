"""The steps that fix what `doctor` found, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from daily_memory.core import templates
from daily_memory.model import Problem
from daily_memory.services.upkeep.doctor import Report

_COMMAND = re.compile(r"`((?:memory|chmod|git) [^`]+)`")
# Problems of day files that need no editor.
_FIXABLE = ("a merge conflict was left here", "session {} occurs more than once")
# What other steps need comes first; deletion comes last.
_ORDER = (
    "chmod",
    "memory decrypt",
    "memory encrypt",
    "memory config",
    "memory doctor --adopt",
    "memory doctor --fix",
    "memory doctor --restore",
    "memory end",
    "memory reindex",
    "",
    "memory delete",
)


class Remedy(NamedTuple):
    """A step: a `command`, or a `place` to open in an editor; `findings` counts what it fixes."""

    command: str
    place: str
    reason: str
    findings: int
    is_fault: bool


def steps(reports: Iterable[Report]) -> tuple[Remedy, ...]:
    """Return the steps, each command once: first for faults, then for remarks."""
    remedies: dict[tuple[str, str], Remedy] = {}
    for report in reports:
        for problems, is_fault in ((report.faults, True), (report.remarks, False)):
            for problem in problems:
                # What remains after `--fix` needs a person.
                step = _step(problem, is_fault=is_fault, is_fixed=bool(report.mended))
                is_text = not step.place.endswith(".sqlite3")
                if step.command or (is_fault and is_text):
                    key = step.command, step.place
                    before = remedies.get(key)
                    remedies[key] = (
                        before._replace(findings=before.findings + 1) if before else step
                    )
    return tuple(sorted(remedies.values(), key=_rank))


def _step(problem: Problem, *, is_fault: bool, is_fixed: bool) -> Remedy:
    match = _COMMAND.search(problem.message)
    command = match[1] if match else ""
    if not is_fixed and templates.best_match(_FIXABLE, problem.message)[0]:
        command = "memory doctor --fix"
    if command:
        return Remedy(command, "", problem.message, 1, is_fault)
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return Remedy("", place, problem.message, 1, is_fault)


def _rank(step: Remedy) -> tuple[bool, int]:
    ranks = (
        place for place, start in enumerate(_ORDER) if start and step.command.startswith(start)
    )
    return not step.is_fault, next(ranks, _ORDER.index(""))
