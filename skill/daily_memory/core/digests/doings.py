"""What was done in a session: from the uses of tools to a few facts, each of them one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from daily_memory.core.digests.commands import Ran, bare_command, is_looking, parse_ran
from daily_memory.core.observation import Observation

_CHANGING = ("edit", "write", "delete")
_MAX_LINE_CHARS = 110
_MAX_COMMAND_CHARS = 70
_MOST_NAMED = 5

# What tells whether the work is right; the rest of the commands is work.
_CHECKING = re.compile(
    r"""
    (?:^|[\s/]) (?: pytest | tox | nox | jest | vitest | mocha | ava | karma | playwright | cypress
      | rspec | phpunit | ctest | tsc | eslint | ruff | mypy | pyright | flake8 | pylint | clippy
      | golangci-lint | check | tests? | lint | build | typecheck | type-check | verify | compile
        | vet
      | e2e )
    (?: [\s:._-] | $ )
    """,
    re.VERBOSE,
)
_CHANGING_COMMAND = re.compile(
    r"""
    (?:^|[\s/]) (?: git\ (?: commit | push | merge | rebase | revert | tag | cherry-pick | reset )
      | (?: npm | pnpm | yarn | pip | uv | cargo | go | brew | apt(?:-get)? | poetry
        | bundle ) \ (?: i | install
        | add | remove | uninstall | update | upgrade | publish | get )
      | migrate | alembic | deploy | helm | terraform\ apply | kubectl\ (?: apply | rollout
        | delete | scale )
      | docker\ (?: build | push | run | compose ) | docker-compose | ansible | systemctl
        | rollback )
    (?: \s | $ )
    """,
    re.VERBOSE,
)
_RUNNER = re.compile(
    r"(?:npm|pnpm|yarn|bun) run |(?:npx|pnpm exec|poetry run|uv run|python3? -m|bundle exec) "
)
# Roots of a source tree: what stands before them is where the project lies.
_TOP = re.compile(r"/(?:src|lib|tests?|spec|docs|packages|cmd|internal|pkg|\.github|\.cursor)/")
# Programs whose first word is what they look at, and not what they do.
_TAKES_TARGETS = frozenset(
    "pytest jest mocha mypy ctest phpunit rspec eslint flake8 pylint tsc python python3"
    " node".split()
)
_BARE_WORD = re.compile(r"[A-Za-z][\w:-]{0,30}")
_COUNTS_FAILURES = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failing)\b|\b(?:Failures|Errors): [1-9]|^(?:--- )?FAIL\b"
)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")
_ENTERED = re.compile(r"cd\s+[\"']?([^\s\"'&;|]{2,300})")
_WORDS = {
    "zh": {
        "changed": "修改：",
        "created": "新建：",
        "deleted": "删除：",
        "comma": "、",
        "semicolon": "；",
        "more": " 等",
        "passed": "`{command}` 通过",
        "ran": "`{command}` 已执行",
        "failed": "`{command}` 失败",
        "failed last": "`{command}` 最后一次运行失败",
        "mended": "`{command}` 先失败（{error}），后通过",
        "mended by": "`{failed}` 先失败（{error}），后 `{command}` 通过",
        "colon": "：",
    },
    "en": {
        "changed": "Changed: ",
        "created": "created: ",
        "deleted": "deleted: ",
        "comma": ", ",
        "semicolon": "; ",
        "more": " …",
        "passed": "`{command}` passed",
        "ran": "`{command}` ran",
        "failed": "`{command}` failed",
        "failed last": "`{command}` failed in its last run",
        "mended": "`{command}` failed at first ({error}), then passed",
        "mended by": "`{failed}` failed at first ({error}), then `{command}` passed",
        "colon": ": ",
    },
}


class Outcome(NamedTuple):
    """What came of a command in all its runs: one of passed, mended, failed, "failed last"."""

    text: str
    verdict: str
    is_check: bool


class Doings(NamedTuple):
    """The facts of a session: what the tools changed, ran and were told.

    Paths are as short as they can be told apart: without the folder of the project.
    """

    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    tasks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    errors: str = ""
    touches: tuple[tuple[str, int], ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        """The files that were changed, those first that were changed most."""
        return tuple(path for path, _ in self.touches)


def doings(
    observations: Iterable[Observation], language: str, spoken_of: Sequence[str] = ()
) -> Doings:
    """Return the facts that the uses of tools tell, worded for `zh` or `en`.

    `spoken_of` are paths as the conversation has them: they tell where the project begins.
    """
    uses = [one for one in observations if one.kind in ("tool", "error") and one.tool]
    done = [one for one in uses if one.kind == "tool"]
    ran = [parse_ran(one.text) for one in uses if one.tool == "shell"]
    hints = (*spoken_of, *(found[1] for one in ran if (found := _ENTERED.match(one.command))))
    edited = [path for one in done if one.tool in _CHANGING for path in one.files]
    root = _root(edited or [path for one in done for path in one.files], hints)
    created = _files(done, root, lambda one: one.tool == "write" and "(new" in _first(one))
    deleted = _files(done, root, lambda one: one.tool == "delete")
    changed = _files(done, root, lambda one: one.tool in ("edit", "write"))
    return Doings(
        changed=tuple(path for path in changed if path not in (*created, *deleted)),
        created=tuple(path for path in created if path not in deleted),
        deleted=deleted,
        read=_files(done, root, lambda one: one.tool == "read"),
        edits=_edits(done, root),
        outcomes=_outcomes(ran, language),
        tasks=_tasks(done),
        answers=tuple(
            line
            for one in done
            if one.tool == "askuserquestion"
            for line in one.text.split("\n")
            if " → " in line
        ),
        to_do=_to_do(done),
        errors="\n".join(one.text for one in uses if one.kind == "error"),
        touches=tuple(Counter(_relative(path, root) for path in edited).most_common()),
    )


def told_changes(found: Doings, language: str) -> str:
    """Return one line that names the files that were changed, "" for none."""
    words = _WORDS[language]
    groups = []
    for kind, paths in zip(
        ("changed", "created", "deleted"),
        (found.changed, found.created, found.deleted),
        strict=True,
    ):
        if paths:
            named = words["comma"].join(map(_short, paths[:_MOST_NAMED]))
            groups.append(words[kind] + named + (words["more"] if len(paths) > _MOST_NAMED else ""))
    line = words["semicolon"].join(groups)
    return line[:1].upper() + line[1:]


# ---------------------------------------------------------------------------- files


def _tasks(done: Sequence[Observation]) -> tuple[str, ...]:
    """Return what agents were to do, each once: its start and its end both tell."""
    asked = dict.fromkeys(_first(one) for one in done if one.tool == "task")
    # "?" stands in older records where an agent's end did not say.
    return tuple(text for text in asked if text not in ("", "?"))


def _first(one: Observation) -> str:
    return one.text.partition("\n")[0]


def _root(paths: Sequence[str], hints: Sequence[str]) -> str:
    """Return the folder, with its slash, that the project lies in; "" where nothing tells.

    A hint is a folder that a command entered, or the path of a file as it was spoken of.
    """
    absolute = sorted({_slashed(path) for path in paths if _ABSOLUTE.match(path)})
    if not absolute:
        return ""
    folders = [path.rpartition("/")[0] + "/" for path in absolute]
    common = _common(folders[0], folders[-1])
    roots = [_slashed(hint).rstrip("/") + "/" for hint in hints if _ABSOLUTE.match(hint)]
    for spoken in (hint for hint in hints if "/" in hint):
        roots += [path.removesuffix(spoken) for path in absolute if path.endswith("/" + spoken)]
    fitting = [root for root in roots if root.count("/") > 1 and common.startswith(root)]
    if fitting:
        return max(fitting, key=len)
    top = _TOP.search(common)
    if top:
        return common[: top.start() + 1]
    # The files of one folder: its name tells something too.
    is_one = all(folder == common for folder in folders) and common.count("/") > 3
    return common[:-1].rpartition("/")[0] + "/" if is_one else common


def _common(first: str, last: str) -> str:
    """Return the folder that two folders share."""
    pairs = zip(first.split("/"), last.split("/"), strict=False)
    shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    return "/".join(shared).rstrip("/") + "/"


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _relative(path: str, root: str) -> str:
    return path[len(root) :] if root and _slashed(path).startswith(root) else path


def _files(
    uses: Iterable[Observation], root: str, wanted: Callable[[Observation], bool]
) -> tuple[str, ...]:
    found = [path for one in uses if wanted(one) for path in one.files]
    return tuple(dict.fromkeys(_relative(path, root) for path in found))


def _edits(uses: Iterable[Observation], root: str) -> tuple[str, ...]:
    """Return what was changed where one line became another, in the end: `a.py: x = 1 → x = 2`."""
    became: dict[tuple[str, str], str] = {}
    began: dict[tuple[str, str], str] = {}  # a file and a line of it as it is now → as it was
    for one in uses:
        _, *lines = one.text.split("\n")
        gone = [line[2:].strip() for line in lines if line.startswith("- ")]
        come = [line[2:].strip() for line in lines if line.startswith("+ ")]
        if one.tool == "edit" and len(one.files) == len(gone) == len(come) == 1:
            path = one.files[0]
            before = began.pop((path, gone[0]), gone[0])
            became[path, before] = come[0]
            began[path, come[0]] = before
    return tuple(
        f"{_short(_relative(path, root))}: {_cut(old, 70)} → {_cut(new, 70)}"
        for (path, old), new in became.items()
        if old != new
    )


def _short(path: str) -> str:
    """Return a path with its last folder; the whole of it stands among the files."""
    return "/".join(_slashed(path).split("/")[-2:])


# ---------------------------------------------------------------------------- commands


def _outcomes(ran: Sequence[Ran], language: str) -> tuple[Outcome, ...]:
    runs: dict[str, list[Ran]] = {}
    last_at: dict[str, int] = {}
    last_passed = -1
    for at, one in enumerate(ran):
        command = bare_command(one.command)
        if one.command and not is_looking(command):
            program, run = _program(command), _judged(one, command)
            runs.setdefault(program, [])
            # What passes as a part of a chain has passed.
            chained = [] if run.failed else one.command.split(" && ")
            parts = {_program(bare_command(part)) for part in chained}
            for name in {program, *parts} & runs.keys():
                runs[name].append(run)
                last_at[name] = at
            last_passed = at if _CHECKING.search(command) and not run.failed else last_passed
    found = [
        # What failed before a check passed has most likely been mended.
        _outcome(group, language, is_last=last_at[program] > last_passed)
        for program, group in runs.items()
    ]
    return tuple(outcome for outcome in found if outcome.text)


def _program(command: str) -> str:
    """Return what makes two commands runs of one: `npm test` for `npm test -- --watch`."""
    first, *rest = _RUNNER.sub("", command).split()[:8] or [command]
    bare = [word for word in rest if _BARE_WORD.fullmatch(word)]
    count = 0 if first in _TAKES_TARGETS else 2 if first == "docker" else 1
    return " ".join((first, *bare[:count]))


def _outcome(runs: Sequence[Ran], language: str, *, is_last: bool) -> Outcome:
    last = runs[-1]
    words = _WORDS[language]
    is_check = bool(_CHECKING.search(last.command))
    failed = next((run for run in reversed(runs) if run.failed), None)
    command = _shown(last)
    result = _result(last)
    tail = f"{words['colon']}{result}" if result else ""
    if failed and not last.failed:
        error = _error(failed) or f"exit {failed.status}"
        wording = words["mended" if _shown(failed) == command else "mended by"]
        text = wording.format(command=command, failed=_shown(failed), error=error)
        return Outcome(text + tail, "mended", is_check)
    if failed:
        verdict = "failed last" if is_check and is_last else "failed"
        error = _error(last)
        end = f"{words['colon']}{error}" if error else ""
        return Outcome(words[verdict].format(command=command) + end, verdict, is_check)
    if is_check or _CHANGING_COMMAND.search(last.command):
        verb = "passed" if is_check else "ran"
        return Outcome(words[verb].format(command=command) + tail, "passed", is_check)
    return Outcome("", "passed", is_check)


def _shown(run: Ran) -> str:
    return _cut(run.command, _MAX_COMMAND_CHARS).replace("`", "'")


def _judged(run: Ran, command: str) -> Ran:
    """Return the run under its bare command; the status of a pipe may hide that a check failed."""
    hidden = _CHECKING.search(command) and any(_COUNTS_FAILURES.search(line) for line in run.lines)
    return run._replace(command=command, failed=run.failed or bool(hidden))


def _error(run: Ran) -> str:
    """Return the line that tells most of a failure: one with a name of an error before a count."""
    named = [line for line in run.lines if re.search(r"Error|error|Exception|ERR|E[A-Z]{5}", line)]
    return _cut((named or list(run.lines) or [""])[0], _MAX_LINE_CHARS)


def _result(run: Ran) -> str:
    counted = [line for line in run.lines if re.search(r"\d", line)]
    return _cut((counted or [""])[-1], _MAX_LINE_CHARS)


def _to_do(uses: Sequence[Observation]) -> tuple[str, ...]:
    """Return what the last list of tasks leaves undone."""
    last = next((one for one in reversed(uses) if one.tool == "todowrite"), None)
    lines = last.text.split("\n") if last else []
    return tuple(line[6:] for line in lines if line.startswith("- [ ] "))


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
