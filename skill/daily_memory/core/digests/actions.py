"""What the tools of a session did: a few facts, each of them one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daily_memory.core.digests.commands import Ran, bare_command, is_looking, parse_ran
from daily_memory.core.digests.wording import cut
from daily_memory.core.observation import Observation

PASSED, MENDED, FAILED, FAILED_LAST = "passed", "mended", "failed", "failed last"
_CHANGING = ("edit", "write", "delete")
_MAX_LINE_CHARS = 110
_MAX_COMMAND_CHARS = 70
_MOST_NAMED = 5

# What tells whether the work is right, as a program or as a target: `pytest`, `npm run lint`.
_CHECKING = re.compile(
    r"""
    (?:^|[\s/]) (?: pytest | tox | nox | jest | vitest | mocha | playwright | cypress | rspec
      | phpunit | ctest | tsc | eslint | ruff | mypy | pyright | flake8 | pylint | clippy | vet
      | golangci-lint | check | tests? | lint | build | type-?check | verify | compile | e2e )
    (?= [\s:._] | $ )
    """,
    re.VERBOSE,
)
_COUNTS_FAILURES = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failing)\b|\b(?:Failures|Errors): [1-9]|^(?:--- )?FAIL\b"
)
_ERROR = re.compile(r"[Ee]rror|Exception|ERR|E[A-Z]{5}")
_WORDS = {
    "zh": {
        "changed": "修改：{files}",
        PASSED: "`{command}` 通过",
        FAILED: "`{command}` 失败",
        FAILED_LAST: "`{command}` 最后一次运行失败",
        MENDED: "`{command}` 先失败（{error}），后通过",
        "colon": "：",
    },
    "en": {
        "changed": "Changed: {files}",
        PASSED: "`{command}` passed",
        FAILED: "`{command}` failed",
        FAILED_LAST: "`{command}` failed in its last run",
        MENDED: "`{command}` failed at first ({error}), then passed",
        "colon": ": ",
    },
}


class Outcome(NamedTuple):
    """What came of a command in all its runs; `verdict` is one of the four above."""

    text: str
    verdict: str
    is_check: bool


class Actions(NamedTuple):
    """What the tools of a session changed, ran and were told.

    `touched` are the files that were changed, the most changed first, without deleted ones.
    """

    touched: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    answers: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    errors: str = ""

    def summary(self, language: str) -> str:
        """Return one line that names the changed files or the first outcome, "" for nothing."""
        if self.touched:
            paths = (path.replace("\\", "/").split("/") for path in self.touched[:_MOST_NAMED])
            names = ("/".join(path[-2:]) for path in paths)
            return _WORDS[language]["changed"].format(files=", ".join(names))
        return self.outcomes[0].text if self.outcomes else ""


def actions(observations: Iterable[Observation], language: str) -> Actions:
    """Return what the uses of tools tell, worded for `zh` or `en`."""
    uses = [use for use in observations if use.kind in ("tool", "error") and use.tool]
    done = [use for use in uses if use.kind == "tool"]
    changes = [
        (use.tool, path.removeprefix("./"))
        for use in done
        if use.tool in _CHANGING
        for path in use.files
    ]
    last = {path: tool for tool, path in changes}
    # Of the files that were changed as often, the last is the best.
    counts = Counter(path for _, path in reversed(changes) if last[path] != "delete")
    lines = [line for use in done if use.tool == "askuserquestion" for line in use.text.split("\n")]
    # A question that is asked again gets another answer: the last one counts.
    answers = {line.partition(" → ")[0]: line for line in lines if " → " in line}
    todos = [use.text for use in done if use.tool == "todowrite"][-1:]
    return Actions(
        touched=tuple(path for path, _ in counts.most_common()),
        outcomes=_outcomes([parse_ran(use.text) for use in uses if use.tool == "shell"], language),
        answers=tuple(answers.values()),
        to_do=tuple(
            line[6:] for text in todos for line in text.split("\n") if line.startswith("- [ ] ")
        ),
        errors="\n".join(use.text for use in uses if use.kind == "error"),
    )


def _outcomes(ran: Iterable[Ran], language: str) -> tuple[Outcome, ...]:
    runs: dict[str, list[Ran]] = {}
    for one in ran:
        command = bare_command(one.command)
        if one.command and not is_looking(command):
            # The status of a pipe hides that a check failed.
            failed = one.failed or any(map(_COUNTS_FAILURES.search, one.lines))
            # `npm test` and `npm test -- --watch` are one.
            name = " ".join(command.split()[:2])
            runs.setdefault(name, []).append(one._replace(command=command, failed=failed))
    outcomes = (_outcome(group, _WORDS[language]) for group in runs.values())
    return tuple(outcome for outcome in outcomes if outcome.text)


def _outcome(runs: Sequence[Ran], words: dict[str, str]) -> Outcome:
    last = runs[-1]
    is_check = bool(_CHECKING.search(last.command))
    failed = next((run for run in reversed(runs) if run.failed), None)
    if not (failed or is_check):
        return Outcome("", PASSED, is_check)
    verdict = MENDED if failed else PASSED
    counted = [cut(line, _MAX_LINE_CHARS) for line in last.lines if re.search(r"\d", line)]
    detail = counted[-1] if counted else ""
    if last.failed:
        verdict, detail = FAILED_LAST if is_check else FAILED, _error(last)
    command = cut(last.command, _MAX_COMMAND_CHARS).replace("`", "'")
    text = words[verdict].format(command=command, error=_error(failed) if failed else "")
    return Outcome(text + (words["colon"] + detail if detail else ""), verdict, is_check)


def _error(run: Ran) -> str:
    """Return the line that tells most of a failure: with the name of an error, else the first."""
    named = [line for line in run.lines if _ERROR.search(line)]
    return cut((*named, *run.lines, f"exit {run.status}")[0], _MAX_LINE_CHARS)
