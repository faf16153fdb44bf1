"""The floors of docs/ARCHITECTURE.md: imports go downwards, and the core is pure."""

from __future__ import annotations

import ast
from pathlib import Path

import daily_memory

PACKAGE = Path(str(daily_memory.__file__)).parent
FLOORS = (
    "errors",
    "named_tuples",
    "model",
    "installation",
    "core",
    "storage",
    "backends",
    "services",
    "memory",
    "frontends",
)
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
    return FLOORS.index(name) if name in FLOORS else len(FLOORS)


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def modules() -> list[tuple[str, Path]]:
    return [
        (".".join(("daily_memory", *path.relative_to(PACKAGE).with_suffix("").parts)), path)
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def test_imports_go_downwards_only():
    upwards = [
        f"{name} imports {imported}"
        for name, path in modules()
        if name not in ("daily_memory.__init__", "daily_memory.__main__")
        for imported in imports(path)
        if imported.startswith("daily_memory.") and imported != "daily_memory.__version__"
        if floor(imported) > floor(name)
    ]

    assert upwards == []


def test_the_rooms_of_the_core_form_no_circle():
    """A room comes before those that it takes something from; what takes from itself is none."""
    needs: dict[str, set[str]] = {}
    for name, path in modules():
        if name.startswith("daily_memory.core."):
            room = name.split(".")[2]
            parts = [one.split(".") for one in imports(path) if one.startswith("daily_memory.core")]
            needs.setdefault(room, set()).update(part[2] for part in parts if part[2] != room)
    while free := {room for room, others in needs.items() if not others & needs.keys()}:
        needs = {room: others for room, others in needs.items() if room not in free}

    assert needs == {}


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


def test_one_module_sends_requests():
    talking = {
        name
        for name, path in modules()
        if not name.startswith("daily_memory.frontends")
        for imported in imports(path)
        if imported.split(".")[0] in {"httpx2", "http", "urllib", "socket", "ssl"}
        if not imported.startswith("urllib.parse.")
    }

    assert talking == {"daily_memory.backends.summarizers.transport"}


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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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
