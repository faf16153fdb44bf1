"""The source of the product as syntax, parsed once for all tests that read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of a module, the module itself first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
