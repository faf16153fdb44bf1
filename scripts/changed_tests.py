"""Print the unit tests of what changed: in the work tree, or else since origin/main, or main.

Those of a module are the test file that mirrors it, the test files that import it, and its own
doctests. `tests/journeys` and `tests/reliability` are left to the full run, and so are the tests
that import what many import: with them it would take minutes.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ("tests/test_architecture.py", "tests/test_imports.py")
SLOW = ("tests/journeys/", "tests/reliability/")
MANY = 20


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1]


def changed_files() -> list[str]:
    in_work_tree = git("diff", "--name-only", "HEAD")
    in_work_tree += git("ls-files", "--others", "--exclude-standard")
    committed = (git("diff", "--name-only", f"{main}...HEAD") for main in ("origin/main", "main"))
    return in_work_tree or next(filter(None, committed), [])


def module(path: str) -> str:
    """Return the name that a file is imported by."""
    return (
        path.removeprefix("skill/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )


def mirror(path: str) -> str:
    """Return the test file that mirrors a module: the same folders, the name with `test_`."""
    inside = Path(path.removeprefix("skill/daily_memory/"))
    return str(Path("tests") / inside.with_name(f"test_{inside.name}"))


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def main() -> None:
    changed = [path for path in changed_files() if path.endswith(".py") and (ROOT / path).exists()]
    names = {module(path) for path in changed}
    selected = {*ALWAYS, *changed, *map(mirror, changed)}
    importers: dict[str, set[str]] = {name: set() for name in names}
    tests = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    for test in tests:
        for name in names.intersection(imported_modules(ROOT / test)):
            importers[name].add(test)
    selected = selected.union(*(found for found in importers.values() if len(found) <= MANY))
    for test in sorted(selected.intersection(tests)):
        if not test.startswith(SLOW):
            print(test)
    for path in changed:
        if path.startswith("skill/"):
            print(path)  # for its doctests


if __name__ == "__main__":
    main()
