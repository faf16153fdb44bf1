"""What the tools of a session did, as a few facts of one line each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daily_memory.core.digests.wording import shortened
from daily_memory.core.observation import Observation
from daily_memory.core.tools.commands import bare_command, is_looking
from daily_memory.core.tools.planning import APPROVED, TASK_LIST, open_tasks, title_of
from daily_memory.core.tools.tool_output import CHANGING, COMMITTED

PASSED, MENDED, FAILED_LAST = "passed", "mended", "failed last"
_MAX_TEXT_CHARS = 100

# Checks of the work, as a program or a target: `pytest`, `npm run lint`.
_CHECKING = re.compile(
    r"""
    (?:^|[\s/]) (?: pytest | tox | nox | jest | vitest | mocha | playwright | cypress | rspec
      | phpunit | ctest | tsc | eslint | ruff | mypy | pyright | flake8 | pylint | clippy | vet
      | golangci-lint | check | tests? | lint | build | type-?check | verify | compile | e2e )
    (?= [\s:._] | $ )
    """,
    re.VERBOSE,
)
# Hosts keep plans in a folder of their own in the user's home, such as `~/.claude/plans`. In
# another one some keep worktrees of the project, whose plans are the project's.
_PLAN_FILE = re.compile(
    r"(?:/|~|[A-Za-z]:)(?!.*[/\\]worktrees[/\\]).*[/\\]\.\w+[/\\]"
    r"(?:.*[/\\])?(?:plans[/\\][^/\\]+|plan)\.md$"
)
_COUNTS_FAILURES = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failing)\b|\b(?:Failures|Errors): [1-9]|^(?:--- )?FAIL\b"
)
_WORDS = {
    "zh": {
        PASSED: "`{command}` 通过",
        FAILED_LAST: "`{command}` 最后一次运行失败",
        MENDED: "`{command}` 先失败（{error}），后通过",
        "committed": "已提交：",
        "approved": "已批准方案：",
        "colon": "：",
    },
    "en": {
        PASSED: "`{command}` passed",
        FAILED_LAST: "`{command}` failed in its last run",
        MENDED: "`{command}` failed at first ({error}), then passed",
        "committed": "Committed: ",
        "approved": "Approved plan: ",
        "colon": ": ",
    },
}


class Outcome(NamedTuple):
    """The outcome of a check over all its runs; `verdict` is one of the three above."""

    text: str
    verdict: str


class _CheckRun(NamedTuple):
    command: str
    failed: bool
    lines: list[str]


class Actions(NamedTuple):
    """What the tools of a session changed and ran, and how the user answered them.

    `touched` are the files that were changed, the most changed first, without deleted ones.
    """

    touched: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    answers: tuple[str, ...] = ()
    plans: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    errors: str = ""


def actions(observations: Iterable[Observation], language: str) -> Actions:
    """Return what the tools did, worded in `zh` or `en`."""
    uses = [use for use in observations if use.kind in ("tool", "error") and use.tool]
    done = [use for use in uses if use.kind == "tool"]
    changes = [
        (use.tool, path.removeprefix("./"))
        for use in done
        if use.tool in CHANGING
        for path in use.files
        if not _PLAN_FILE.match(path)
    ]
    last = {path: tool for tool, path in changes}
    # Of the files that were changed as often, the last is the best.
    counts = Counter(path for _, path in reversed(changes) if last[path] != "delete")
    lines = [line for use in done if use.tool == "askuserquestion" for line in use.text.split("\n")]
    # A question that is asked again gets another answer: the last one counts.
    answers = {line.partition(" → ")[0]: line for line in lines if " → " in line}
    return Actions(
        touched=tuple(path for path, _ in counts.most_common()),
        outcomes=_outcomes([use for use in uses if use.tool == "shell"], _WORDS[language]),
        answers=tuple(answers.values()),
        plans=_plans(done, _WORDS[language]),
        to_do=tuple(open_tasks(use.text for use in done if use.tool == TASK_LIST)),
        commits=_commits(done, _WORDS[language]),
        errors="\n".join(use.text for use in uses if use.kind == "error"),
    )


def _plans(done: Sequence[Observation], words: dict[str, str]) -> tuple[str, ...]:
    heads = (use.text.partition("\n")[0] for use in done if use.tool == "plan")
    titles = [head.removeprefix(APPROVED) for head in heads if head.startswith(APPROVED)]
    if not titles:
        return ()
    # Some hosts only name the file that the agent wrote the plan to.
    written = {
        file.replace("\\", "/").rpartition("/")[2]: title_of(use.text.split("\n")[1:])
        for use in done
        if use.tool == "write"
        for file in use.files
    }
    return tuple(words["approved"] + (written.get(name) or name) for name in dict.fromkeys(titles))


def _commits(done: Iterable[Observation], words: dict[str, str]) -> tuple[str, ...]:
    """Return the first lines of commit messages: the agent's own summary of its work."""
    kept: list[str] = []
    for use in done:
        command, *lines = use.text.split("\n") if use.tool == "shell" else [""]
        for line in lines:
            if line.startswith(COMMITTED):
                kept = kept[:-1] if "--amend" in command else kept
                kept.append(words["committed"] + line.removeprefix(COMMITTED))
    return tuple(kept)


def _outcomes(uses: Iterable[Observation], words: dict[str, str]) -> tuple[Outcome, ...]:
    """Return the outcome of each check, and of the last command if it failed."""
    runs: dict[tuple[bool, str], list[_CheckRun]] = {}
    last: list[_CheckRun] = []
    for use in uses:
        first, *rest = use.text.split("\n")
        command = bare_command(first.removeprefix("$ "))
        if not is_looking(command):
            lines = [line for line in rest if line != "failed" and not line.startswith("exit ")]
            # The status of a pipe hides that a check failed.
            failed = use.kind == "error" or any(map(_COUNTS_FAILURES.search, lines))
            # `npm test` and `npm test -- --watch` are one; `uv run pytest` and `uv run x` are not.
            name = _CHECKING.search(command) is not None, " ".join(command.split()[:2])
            runs.setdefault(name, []).append(_CheckRun(command, failed, lines))
            last = runs[name]
    return tuple(
        _outcome(group, words)
        for (is_check, _), group in runs.items()
        if is_check or (group is last and last[-1].failed)
    )


def _outcome(runs: Sequence[_CheckRun], words: dict[str, str]) -> Outcome:
    last = runs[-1]
    errors = ["".join(run.lines[:1]) for run in runs if run.failed]
    counted = [line for line in last.lines if re.search(r"\d", line)]
    verdict = FAILED_LAST if last.failed else MENDED if errors else PASSED
    command = shortened(last.command.replace("`", "'"), _MAX_TEXT_CHARS)
    error = shortened(errors[-1], _MAX_TEXT_CHARS) if errors else ""
    count = shortened(counted[-1], _MAX_TEXT_CHARS) if counted else ""
    detail = error if last.failed else count
    text = words[verdict].format(command=command, error=error)
    return Outcome(text + (words["colon"] + detail if detail else ""), verdict)
