"""Mutation testing: change the code a little, and see whether a test fails.

    python -m scripts.mutants --sample 300 --jobs 2

draws mutants at random from the folders where a slip would lose or leak something. The suite is run
once to learn which test cases execute which line (kept in --cache until the code or a test
changes); a mutant then needs only the test cases that execute its statement: those of the module's
own test files first, then those of its folder and the rest, for at most 20 seconds. Constants
and other lines that run when a module is imported belong to all tests that execute a line of the
module, or of the modules that import it.

A mutant that no test notices survives, and is printed with its change. Read each: it is a missing
test, or a change that makes no difference, or code that is not needed. Where the limit of time, or
a test that was not seen to execute the line, lets a mutant survive, the share that is killed is too
low, not too high; a run that does not end counts as killed.

The operators are the usual ones (Offutt et al., "An experimental determination of sufficient mutant
operators", 1996): comparison, arithmetic and logical operators, constants, `not`, return values,
and deleted statements. Unlike tools that wrap functions, this one also changes constants of
modules. A string gets letters in front, one that is a set of characters loses one; a negative
number comes nearer to 0, for -2 says "none" as well as -1 does. What can make no difference here is
left alone: annotations, the bodies of protocols, messages of errors and problems, branches for
Windows, and `strict=True` of `zip`, which states what always holds.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import pytest
from scripts import executed_lines
from scripts.changed_tests import imported_modules, mirror, module
from scripts.executed_lines import Executed

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = "skill/daily_memory"
FOLDERS = ("core/format", "core/redaction", "core/search", "storage")
ENOUGH_S = 20
OUTPUT = "output.txt"

_COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_ARITHMETIC = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.BitOr: "&",
    ast.BitAnd: "|",
    ast.LShift: ">>",
    ast.RShift: "<<",
}


class Mutant(NamedTuple):
    """One change: the text from `start` to `end` of a module, both in bytes."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str
    lines: tuple[int, ...]  # the first and last of its statement in a function, or ()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} → {self.after!r}"


def find_mutants(path: str, source: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its text."""
    data = source.encode()
    starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))
    mutants = []
    for node, lines in _changeable(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = data[start:end].decode()
        mutants += [
            Mutant(path, node.lineno, start, end, before, after, lines)
            for after in _variants(node, source)
            if after != before
        ]
    return sorted(mutants, key=lambda mutant: (mutant.start, mutant.after))


def _changeable(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, tuple[int, ...]]]:
    """Yield the nodes that do something, with the first and last line of their statement.

    There are no docstrings, annotations, messages and type checks among them. Statements that run
    when the module is imported have no lines; compound statements have those of their heads.
    """
    waiting: list[tuple[ast.AST, tuple[int, ...]]] = [(tree, ())]
    while waiting:
        node, lines = waiting.pop()
        _mark(node)
        if isinstance(node, ast.expr | ast.stmt):
            yield node, lines
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            is_called = lines or (name == "body" and isinstance(node, ast.FunctionDef))
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_quiet(child):
                    is_new = is_called and isinstance(child, ast.stmt)
                    waiting.append((child, _head(child) if is_new else lines))


def _head(node: ast.AST) -> tuple[int, ...]:
    assert isinstance(node, ast.stmt)
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return node.lineno, max(node.lineno, last)


def _mark(node: ast.AST) -> None:
    """Mark the text in which a node looks for characters, and the number that it negates."""
    match node:
        case (
            ast.Call(ast.Attribute(attr="strip" | "lstrip" | "rstrip"), [ast.Constant() as text])
            | ast.Call(
                ast.Name("frozenset" | "map" | "set" | "tuple"), [*_, ast.Constant() as text]
            )
            | ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Constant() as text])
        ):
            text.kind = "letters"
        case ast.UnaryOp(ast.USub(), ast.Constant() as number):
            number.kind = "negative"


def _is_quiet(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "os.name == 'nt'")
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in ("__all__", "TYPE_CHECKING", "hint", "message")
    if isinstance(node, ast.FunctionDef):
        return node.name.endswith("_on_windows") or ast.unparse(node.body[-1]) == "..."
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith(("Error", "Fault", "Problem", "translated"))
    return isinstance(node, ast.keyword) and node.arg in ("hint", "strict")


def _variants(node: ast.AST, source: str) -> Iterator[str]:  # noqa: C901 - a table
    """Yield the texts that may stand in the place of a node."""

    def text(part: ast.AST) -> str:
        return f"({ast.get_source_segment(source, part)})"

    match node:
        case ast.Compare(left, [operator], [right]):
            yield f"({text(left)} {_COMPARISONS[type(operator)]} {text(right)})"
        case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
            yield f"({text(left)} {_ARITHMETIC[type(operator)]} {text(right)})"
        case ast.BoolOp(operator, values):
            word = " or " if isinstance(operator, ast.And) else " and "
            yield f"({word.join(map(text, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield f"bool({text(operand)})"
        case ast.Constant(bool(value)):
            yield str(not value)
        case ast.Constant(int(value) | float(value), "negative"):
            yield str(value - 1)
        case ast.Constant(int(value) | float(value)):
            yield str(value + 1 if value < 100 else 2 * value)  # a limit of 1,001 is no slip
        case ast.Constant(str(value), "letters"):
            yield repr(value[1:])
        case ast.Constant(str(value)) if value:
            yield repr("XX" + value)
        case ast.Constant(bytes(value)) if value:
            yield repr(b"XX" + value)
        case ast.Return(ast.Constant(value)) if not value:
            return  # callers can hardly tell it from None; `False` is also made `True`
        case ast.Return(ast.expr()):
            yield "return None"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


# ------------------------------------------------------------------ running


def stages(mutant: Mutant, executed: Executed) -> Iterator[list[str]]:
    """Yield groups of the tests that may notice a mutant, the closest first."""
    executing = executed.tests_of(mutant.path, *mutant.lines)
    own = mirror(mutant.path).removesuffix(".py")
    prefixes = (mutant.path, f"{own}.", f"{own}_")
    groups = [
        {test for test in executing if test.startswith(prefixes)},
        {test for test in executing if test.startswith(f"{os.path.dirname(own)}/")},
        executing,
    ]
    if not mutant.lines or not groups[0]:
        # No test executes what runs when a module is imported.
        groups[0] = {test for test in executed.seconds if test.startswith(prefixes)}
        importers = (
            executed.tests_of(str(path.relative_to(executed.copy)))
            for path in (executed.copy / PACKAGE).rglob("*.py")
            if module(mutant.path) in _imported(path)
        )
        groups.append(executing.union(*importers))
    left_s = math.inf
    seen: set[str] = set()
    for group in groups:
        stage = []
        for test in sorted(group - seen, key=lambda test: (executed.seconds[test], test)):
            left_s -= executed.seconds[test]
            if left_s > 0:
                stage.append(test)
        if stage:
            yield stage
        seen |= group
        left_s = min(left_s, ENOUGH_S)


@cache
def _imported(path: Path) -> frozenset[str]:
    return frozenset(imported_modules(path))


def find_killer(mutant: Mutant, copy: Path, executed: Executed) -> str:
    """Write a mutant into a copy of the checkout, and return the test that fails, or ""."""
    path = copy / mutant.path
    source = path.read_bytes()
    path.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.end :])
    try:
        for tests in stages(mutant, executed):
            limit_s = round(10 + 10 * sum(executed.seconds[test] for test in tests))
            if failure := _failure(copy, tests, limit_s):
                return failure
        return ""
    finally:
        path.write_bytes(source)


def _failure(copy: Path, tests: list[str], limit_s: int) -> str:
    """Run tests in a fork, which need not import the libraries, and return what failed, or ""."""
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=_run_tests, args=(copy, tests, limit_s))
    process.start()
    process.join(10 * limit_s)
    if process.exitcode is None:
        os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        return "no end"
    lines = (copy / OUTPUT).read_text(encoding="utf-8").split("\n")
    if gone := [line for line in lines if line.startswith("ERROR: not found: ")]:
        # Its data is missing, or a mutant changed the value that it is named after: no failure.
        left = [test for test in tests if not any(_name(test) in line for line in gone)]
        print(f"{len(tests) - len(left)} tests were not run: {gone[0]}", file=sys.stderr)
        if left == tests:
            raise LookupError(gone[0])
        return _failure(copy, left, limit_s) if left else ""
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return (failed or [f"exit {process.exitcode}"])[0] if process.exitcode else ""


def _name(test: str) -> str:
    return test.partition("[")[0]


def _run_tests(copy: Path, tests: list[str], limit_s: int) -> None:
    # By processor time: on a busy machine nothing can be said of the time of the clock.
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    os.setsid()
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy / "skill"), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    for name in [*sys.modules]:
        if name.startswith(("daily_memory", "tests")):
            del sys.modules[name]
    with open(OUTPUT, "wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.stdout = sys.stderr = os.fdopen(1, "w")
    code = pytest.main(["-q", "-x", "-rfE", "-p", "no:cacheprovider", *tests])
    sys.stdout.flush()
    os._exit(code)  # the threads of the parent can't be waited for


def run(mutants: list[Mutant], jobs: int, executed: Executed) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant and the test that failed, or ""."""
    importlib.import_module("tests.conftest")  # and with it the libraries that tests need
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            whole = Path(folder, str(number))
            shutil.copytree(executed.copy.parent, whole, symlinks=True)
            copies.put(whole / executed.copy.name)

        def try_one(mutant: Mutant) -> tuple[Mutant, str]:
            copy = copies.get()
            try:
                return mutant, find_killer(mutant, copy, executed)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(try_one, mutants)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, default=300, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=1, help="which sample is drawn")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--at-least", type=float, default=0.9, help="the share that must be killed")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir(), "mutants-cache"),
        help="where to keep which tests execute which lines",
    )
    parser.add_argument("--json", help="write a line for each mutant to this file")
    parser.add_argument("paths", nargs="*", help="folders of the package; those that matter most")
    options = parser.parse_args()
    os.chdir(CHECKOUT)
    everything = [
        mutant
        for folder in options.paths or FOLDERS
        for path in sorted(Path(PACKAGE, folder).rglob("*.py"))
        for mutant in find_mutants(str(path), path.read_text(encoding="utf-8"))
    ]
    executed = executed_lines.load(options.cache, options.jobs)
    drawn = random.Random(options.seed).sample(everything, min(options.sample, len(everything)))
    killed = 0
    with open(options.json or os.devnull, "w", encoding="utf-8") as results:
        for count, (mutant, test) in enumerate(run(drawn, options.jobs, executed), 1):
            killed += bool(test)
            results.write(json.dumps({**mutant._asdict(), "killed by": test}) + "\n")
            results.flush()
            if not test:
                print(f"survived: {mutant}", flush=True)
            if count % 20 == 0:
                print(f"{killed} of {count} killed", file=sys.stderr, flush=True)
    share = killed / len(drawn) if drawn else 1.0
    print(f"{killed} of {len(drawn)} mutants killed ({share:.1%}), of {len(everything)} possible")
    return 0 if share >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
