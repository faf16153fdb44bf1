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
_CHANGING_COMMAND = re.compile(
    r"(?:^|[\s/])(?:git (?:commit|push|merge|rebase|revert|tag|cherry-pick|reset)|migrate|deploy"
    r"|[\w-]+ (?:i|install|add|remove|uninstall|upgrade|publish|apply|rollout|run|compose))(?=\s|$)"
)
_INSTALLS = re.compile(r"\S+ (?:i|install|add|remove|uninstall)\s")
_RUNNER = re.compile(
    r"(?:npm|pnpm|yarn|bun) run |(?:npx|pnpm exec|poetry run|uv run|python3? -m|bundle exec) "
)
_BARE_WORD = re.compile(r"[A-Za-z][\w:-]{0,30}")
_COUNTS_FAILURES = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failing)\b|\b(?:Failures|Errors): [1-9]|^(?:--- )?FAIL\b"
)
_ERROR = re.compile(r"[Ee]rror|Exception|ERR|E[A-Z]{5}")
_WORDS = {
    "zh": {
        "changed": "修改：{files}",
        "passed": "`{command}` 通过",
        "ran": "`{command}` 已执行",
        FAILED: "`{command}` 失败",
        FAILED_LAST: "`{command}` 最后一次运行失败",
        MENDED: "`{command}` 先失败（{error}），后通过",
        "mended by": "`{failed}` 先失败（{error}），后 `{command}` 通过",
        "colon": "：",
    },
    "en": {
        "changed": "Changed: {files}",
        "passed": "`{command}` passed",
        "ran": "`{command}` ran",
        FAILED: "`{command}` failed",
        FAILED_LAST: "`{command}` failed in its last run",
        MENDED: "`{command}` failed at first ({error}), then passed",
        "mended by": "`{failed}` failed at first ({error}), then `{command}` passed",
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
    read: tuple[str, ...] = ()
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
        read=tuple(dict.fromkeys(path for use in done if use.tool == "read" for path in use.files)),
        outcomes=_outcomes([parse_ran(use.text) for use in uses if use.tool == "shell"], language),
        answers=tuple(answers.values()),
        to_do=tuple(
            line[6:] for text in todos for line in text.split("\n") if line.startswith("- [ ] ")
        ),
        errors="\n".join(use.text for use in uses if use.kind == "error"),
    )


def _outcomes(ran: Sequence[Ran], language: str) -> tuple[Outcome, ...]:
    runs: dict[str, list[Ran]] = {}
    last_at: dict[str, int] = {}
    last_passed = -1
    for at, one in enumerate(ran):
        command = bare_command(one.command)
        if not one.command or is_looking(command):
            continue
        # The status of a pipe hides that a check failed.
        is_check = _is_check(command)
        hidden = is_check and any(_COUNTS_FAILURES.search(line) for line in one.lines)
        run = one._replace(command=command, failed=one.failed or hidden)
        # What passes as a part of a chain has passed.
        chained = [] if run.failed else one.command.split(" && ")
        own = _program(command)
        for name in {own, *({_program(bare_command(part)) for part in chained} & runs.keys())}:
            runs.setdefault(name, []).append(run)
            last_at[name] = at
        last_passed = at if is_check and not run.failed else last_passed
    outcomes = [
        # What failed before a check passed has most likely been mended.
        _outcome(group, _WORDS[language], is_last=last_at[program] > last_passed)
        for program, group in runs.items()
    ]
    return tuple(outcome for outcome in outcomes if outcome.text)


def _is_check(command: str) -> bool:
    # `npm install eslint` checks nothing.
    return bool(_CHECKING.search(command)) and not _INSTALLS.match(command)


def _program(command: str) -> str:
    """Return what two runs of one command share: `npm test` for `npm test -- --watch`."""
    first, *rest = _RUNNER.sub("", command).split()[:8] or [command]
    return " ".join((first, *[word for word in rest[:1] if _BARE_WORD.fullmatch(word)]))


def _outcome(runs: Sequence[Ran], words: dict[str, str], *, is_last: bool) -> Outcome:
    last = runs[-1]
    is_check = _is_check(last.command)
    failed = next((run for run in reversed(runs) if run.failed), None)
    command = _shown(last)
    counted = [line for line in last.lines if re.search(r"\d", line)]
    detail = cut(counted[-1], _MAX_LINE_CHARS) if counted else ""
    verdict, wording, error = PASSED, "", ""
    if failed and last.failed:
        verdict = wording = FAILED_LAST if is_check and is_last else FAILED
        detail = _error(last)
    elif failed:
        verdict = MENDED
        wording = MENDED if _shown(failed) == command else "mended by"
        error = _error(failed) or f"exit {failed.status}"
    elif is_check or _CHANGING_COMMAND.search(last.command):
        wording = "passed" if is_check else "ran"
    else:
        return Outcome("", PASSED, is_check)
    text = words[wording].format(command=command, failed=failed and _shown(failed), error=error)
    return Outcome(text + (words["colon"] + detail if detail else ""), verdict, is_check)


def _shown(run: Ran) -> str:
    return cut(run.command, _MAX_COMMAND_CHARS).replace("`", "'")


def _error(run: Ran) -> str:
    """Return the line that tells most of a failure: with the name of an error, else the first."""
    named = [line for line in run.lines if _ERROR.search(line)]
    return cut((named or list(run.lines) or [""])[0], _MAX_LINE_CHARS)
