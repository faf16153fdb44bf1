"""One word per idea: the glossary of docs/ARCHITECTURE.md, and names that the code gives once."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "skill" / "daily_memory"

# Class names that two modules still share. The list only gets shorter.
SHARED_CLASS_NAMES = {
    "Answer", "Change", "Document", "Filters", "Finding", "Found", "Host", "Index", "Key",
    "Line", "Listed", "Mirror", "Moved", "Opened", "Page", "Pair", "Part", "Plan", "Query",
    "Ranked", "Recall", "Record", "Section", "Source", "Summary", "Wanted", "_Form", "_Known",
    "_Opened", "_Part", "_Plan", "_Reader", "_RefusedError", "_Source",
}  # fmt: skip


def class_names() -> list[str]:
    return [
        node.name
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]


def test_no_two_classes_share_a_name():
    shared = {name for name, count in Counter(class_names()).items() if count > 1}

    assert shared <= SHARED_CLASS_NAMES
