"""Mutation testing: change the code a little, and see whether a test fails.

    python -m scripts.mutants --sample 300 --jobs 2

draws mutants at random from the folders where a slip would lose or leak something, and runs for
each the tests that are closest to the module: its own test file first, then the tests of the
modules that import it, then those of its folder. A mutant that no test notices survives, and is
printed with its change.
Read each survivor: it is a missing test, or a change that makes no difference.

The operators are the usual ones (Offutt et al., "An experimental determination of sufficient mutant
operators", 1996): comparison, arithmetic and logical operators, constants, `not`, return values,
and deleted statements. Unlike tools that wrap functions, this one also changes constants of
modules. Messages of errors and annotations are left alone.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from scripts.changed_tests import imported_modules, module

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = Path("skill/daily_memory")
FOLDERS = ("core/format", "core/redaction", "core/search", "storage")
TIMEOUT_S = 300
SURVIVED, KILLED = "survived", "killed"

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
    """One change: the text from `start` to `end` of a module, both in characters."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} → {self.after!r}"


def find_mutants(path: str, source: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its text."""
    lines = source.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))

    def place(line: int, column: int) -> int:
        text = lines[line - 1].encode()[:column].decode() if line <= len(lines) else ""
        return offsets[line - 1] + len(text)

    mutants = []
    for node in _changeable(ast.parse(source)):
        assert isinstance(node, ast.expr | ast.stmt)
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        before = source[start:end]
        for after in _variants(node, source):
            if after != before:
                mutants.append(Mutant(path, node.lineno, start, end, before, after))
    return sorted(mutants, key=lambda mutant: (mutant.start, mutant.after))


def _changeable(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that do something: no docstrings, annotations, messages, type checks."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [
                child for child in children if isinstance(child, ast.AST) and not _is_quiet(child)
            ]


def _is_quiet(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets)
    return isinstance(node, ast.keyword) and node.arg == "hint"


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
        case ast.Constant(int(value) | float(value)):
            yield str(value + 1)
        case ast.Constant(str(value)) if value:
            yield repr("XX" + value)
        case ast.Constant(bytes(value)) if value:
            yield repr(b"XX" + value)
        case ast.Return(ast.expr() as value) if not _is_falsy(value):
            yield "return None"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


def _is_falsy(node: ast.expr) -> bool:
    """Tell whether callers can hardly tell a value from None; `False` is also made `True`."""
    return isinstance(node, ast.Constant) and not node.value


# ------------------------------------------------------------------ which tests are run


class Tests(NamedTuple):
    """Which tests may notice a change, the closest first."""

    modules: dict[str, set[str]]
    files: dict[str, set[str]]

    def stages(self, path: str) -> Iterator[list[str]]:
        """Yield groups of test files for a module: its own, those that import it, its folder's."""
        name = module(path)
        users = sorted(user for user, names in self.modules.items() if name in names)
        folder = "/".join(("tests", *name.split(".")[1:-1], ""))
        groups = (
            [*self._own(name), path],  # with its doctests
            [test for test, names in self.files.items() if name in names],
            [test for user in users for test in self._own(user)],
            [test for test in self.files if test.startswith(folder)],
        )
        seen: set[str] = set()
        for group in groups:
            yield [test for test in dict.fromkeys(group) if test not in seen]
            seen.update(group)

    def _own(self, name: str) -> list[str]:
        """Return the test file that mirrors a module, and those whose names begin so."""
        *folders, last = name.split(".")[1:]
        start = "/".join(("tests", *folders, f"test_{last}"))
        return sorted(
            test for test in self.files if test[:-3] == start or test.startswith(f"{start}_")
        )


def load_tests() -> Tests:
    def read(folder: str, pattern: str) -> dict[str, set[str]]:
        paths = sorted((CHECKOUT / folder).rglob(pattern))
        return {str(path.relative_to(CHECKOUT)): set(imported_modules(path)) for path in paths}

    modules = {module(path): names for path, names in read(str(PACKAGE), "*.py").items()}
    return Tests(modules, read("tests", "test_*.py"))


# ------------------------------------------------------------------ running


def copy_checkout(folder: Path) -> Path:
    """Copy what the tests need, so that a mutant is never written into the checkout."""
    copy = folder / "checkout"
    shutil.copytree(
        CHECKOUT,
        copy,
        ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis"),
    )
    compileall.compile_dir(copy / PACKAGE, quiet=1)  # the tests run with -B: once is enough
    compileall.compile_dir(copy / "tests", quiet=1)
    beside = CHECKOUT.parent / "shared"
    if beside.exists():
        (folder / "shared").symlink_to(beside)
    return copy


def is_killed(mutant: Mutant, copy: Path, tests: Tests) -> bool:
    """Write a mutant into a copy of the checkout, and tell whether a test fails."""
    path = copy / mutant.path
    source = path.read_text(encoding="utf-8")
    mutated = source[: mutant.start] + mutant.after + source[mutant.end :]
    try:
        path.write_text(mutated, encoding="utf-8")
        return any(_fails(copy, stage) for stage in tests.stages(mutant.path) if stage)
    finally:
        path.write_text(source, encoding="utf-8")


def _fails(copy: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy / "skill")}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 5)  # 5: there was no test


def run(mutants: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Yield each mutant and whether it was killed, as they finish."""
    tests = load_tests()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            beside = Path(folder, str(number))
            beside.mkdir()
            copies.put(copy_checkout(beside))

        def try_one(mutant: Mutant) -> tuple[Mutant, bool]:
            copy = copies.get()
            try:
                return mutant, is_killed(mutant, copy, tests)
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
    parser.add_argument("--json", help="write a line for each mutant to this file")
    parser.add_argument("paths", nargs="*", help="folders of the package; those that matter most")
    options = parser.parse_args()
    everything = [
        mutant
        for folder in options.paths or FOLDERS
        for path in sorted((CHECKOUT / PACKAGE / folder).rglob("*.py"))
        for mutant in find_mutants(
            str(path.relative_to(CHECKOUT)), path.read_text(encoding="utf-8")
        )
    ]
    drawn = random.Random(options.seed).sample(everything, min(options.sample, len(everything)))
    killed = 0
    with open(options.json or os.devnull, "w", encoding="utf-8") as results:
        for count, (mutant, is_dead) in enumerate(run(drawn, options.jobs), 1):
            killed += is_dead
            outcome = KILLED if is_dead else SURVIVED
            results.write(json.dumps({**mutant._asdict(), "outcome": outcome}) + "\n")
            results.flush()
            if not is_dead:
                print(f"survived: {mutant}", flush=True)
            if count % 20 == 0:
                print(f"{killed} of {count} killed", file=sys.stderr, flush=True)
    share = killed / len(drawn) if drawn else 1.0
    print(f"{killed} of {len(drawn)} mutants killed ({share:.1%}), of {len(everything)} possible")
    return 0 if share >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
