"""The layers of docs/ARCHITECTURE.md: imports go downwards, without circles; the core is pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import daily_memory
from tests.source import syntax

PACKAGE = Path(str(daily_memory.__file__)).parent
FLOORS = (
    "text",
    "errors",
    "named_tuples",
    "model",
    "installation",
    "core",
    "storage",
    "backends",
    "services",
    "workspace",
    "results",
    "memory",
    "frontends",
)
# The folders of the services, each of which may import those before it.
SERVICES = ("setup", "reading", "writing", "changing", "upkeep", "importing")
# What reaches for disk, clock, environment, chance or other processes.
IMPURE = {
    "os",
    "pathlib",
    "time",
    "random",
    "secrets",
    "subprocess",
    "socket",
    "sqlite3",
    "tempfile",
    "shutil",
}


def floor(module: str) -> int:
    parts = module.split(".")
    name = parts[1] if len(parts) > 1 else "model"
    if name in daily_memory.__all__:
        name = "memory"  # what `from daily_memory import` gives to anybody
    return FLOORS.index(name) if name in FLOORS else len(FLOORS)


@cache
def imports(path: Path, *, at_runtime: bool = False) -> list[str]:
    found = []
    skipped = type_checking_only(syntax(path)) if at_runtime else set()
    for node in syntax(path):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@cache
def modules() -> list[tuple[str, Path]]:
    return [
        (".".join(("daily_memory", *path.relative_to(PACKAGE).with_suffix("").parts)), path)
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def test_imports_go_downwards_only():
    """An annotation may name what is above: a service is handed the workspace."""
    upwards = [
        f"{name} imports {imported}"
        for name, path in modules()
        if name not in ("daily_memory.__init__", "daily_memory.__main__")
        for imported in imports(path, at_runtime=True)
        if imported.startswith("daily_memory.") and imported != "daily_memory.__version__"
        if floor(imported) > floor(name)
    ]

    assert upwards == []


def type_checking_only(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Return what is in the blocks `if TYPE_CHECKING:`."""
    return {
        inner
        for node in nodes
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }


@cache
def import_graph() -> dict[str, set[str]]:
    """Return the modules that each module imports, at its top or inside of a function."""
    paths = {
        name.removesuffix(".__init__"): path
        for name, path in modules()
        if not name.endswith("__main__")
    }
    graph: dict[str, set[str]] = {}
    for name, path in paths.items():
        skipped = type_checking_only(syntax(path))
        full = {
            target
            for node in syntax(path)
            if isinstance(node, ast.ImportFrom) and node.module and node not in skipped
            for alias in node.names
            for target in [f"{node.module}.{alias.name}", node.module]
        }
        # `from package.module import name` is about the module; a package is itself a module.
        graph[name] = {
            target
            for target in full & paths.keys()
            if not any(other.startswith(f"{target}.") for other in full & paths.keys())
        } - {name}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other."""
    reached = {}
    for start in graph:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for following in graph.get(waiting.pop(), set()) - seen:
                seen.add(following)
                waiting.append(following)
        reached[start] = seen
    groups = {
        tuple(sorted(other for other in reached[node] if node in reached[other]))
        for node in graph
        if node in reached[node]
    }
    return sorted(map(list, groups))


def folder_graph(parent: str) -> dict[str, set[str]]:
    """Return which folders and modules right below a package import which."""
    graph: dict[str, set[str]] = {}
    for name, targets in import_graph().items():
        if name.startswith(f"{parent}."):
            inside = {other for other in targets if other.startswith(f"{parent}.")}
            folder = name.removeprefix(f"{parent}.").split(".")[0]
            others = {other.removeprefix(f"{parent}.").split(".")[0] for other in inside}
            graph.setdefault(folder, set()).update(others - {folder})
    return graph


def test_no_modules_import_each_other_in_a_circle():
    """An import inside of a function hides a circle; it counts as well."""
    assert circles(import_graph()) == []


def test_the_folders_of_the_core_form_no_circle():
    assert circles(folder_graph("daily_memory.core")) == []


def test_the_folders_of_the_services_come_in_an_order():
    upwards = [
        f"{folder} imports {other}"
        for folder, others in folder_graph("daily_memory.services").items()
        for other in others
        if folder in SERVICES and SERVICES.index(other) > SERVICES.index(folder)
    ]

    assert upwards == []
    assert set(folder_graph("daily_memory.services")) == set(SERVICES)


def test_what_is_ours_and_what_is_not_know_nothing_of_each_other():
    both = {"daily_memory.storage", "daily_memory.backends"}
    across = [
        f"{name} imports {imported}"
        for name, path in modules()
        for wing in both
        for other in both - {wing}
        if name.startswith(wing)
        for imported in imports(path)
        if imported.startswith(other)
    ]

    assert across == []


def test_the_doors_call_memory_alone():
    behind = ("services", "storage", "backends", "workspace")
    through = [
        f"{name} imports {imported}"
        for name, path in modules()
        if name.startswith("daily_memory.frontends")
        for imported in imports(path)
        if imported.startswith("daily_memory.") and imported.split(".")[1] in behind
    ]

    assert through == []


def test_one_module_sends_requests():
    talking = {
        name
        for name, path in modules()
        if not name.startswith("daily_memory.frontends")
        for imported in imports(path)
        if imported.split(".")[0] in {"httpx2", "http", "urllib", "socket", "ssl"}
        if not imported.startswith("urllib.parse.")
    }

    assert talking == {"daily_memory.backends.transport"}


def test_the_core_is_pure():
    reaching = [
        f"{name} imports {imported}"
        for name, path in modules()
        if name.startswith("daily_memory.core")
        for imported in imports(path)
        if imported.split(".")[0] in IMPURE
    ]

    assert reaching == []


def test_only_the_edges_and_the_gate_catch_everything():
    broad = [
        name
        for name, path in modules()
        for node in syntax(path)
        if isinstance(node, ast.ExceptHandler)
        and isinstance(node.type, ast.Name)
        and node.type.id in ("Exception", "BaseException")
        and not any(isinstance(inner, ast.Raise) and inner.exc is None for inner in node.body)
    ]

    assert broad == [
        "daily_memory.core.redaction.privacy",
        "daily_memory.frontends.cli.__init__",
        # An event, and what it leaves to a process of its own: nobody sees either fail.
        "daily_memory.frontends.hooks",
        "daily_memory.frontends.hooks",
        "daily_memory.frontends.http.app",
        "daily_memory.frontends.mcp_server.server",
    ]
