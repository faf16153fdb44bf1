"""One word per idea: the glossary of docs/ARCHITECTURE.md, and names that the code gives once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.source import syntax

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = CHECKOUT / "skill" / "daily_memory"
ARCHITECTURE = CHECKOUT / "docs" / "ARCHITECTURE.md"

# How many variables are still called so, where a noun says more. The numbers only go down.
VAGUE_VARIABLES = {
    "one": 80, "found": 260, "wanted": 80, "said": 48, "kept": 56, "told": 30, "asked": 26,
    "gone": 15,
}  # fmt: skip


def nodes() -> Iterator[ast.AST]:
    return (node for path in sorted(PACKAGE.rglob("*.py")) for node in syntax(path))


@cache
def names() -> Counter[str]:
    """Return how often modules, classes, functions, parameters and variables have each name."""
    return Counter(_names())


def _names() -> Iterator[str]:
    yield from (path.stem for path in PACKAGE.rglob("*.py"))
    for node in nodes():
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id


def words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def glossary() -> list[list[str]]:
    """Return the rows of the glossary: the words, their meaning, and what is not written."""
    _, _, table = ARCHITECTURE.read_text(encoding="utf-8").partition("| word | meaning | not |")
    rows = [line for line in table.split("\n\n")[0].split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows[1:]]


def test_no_two_classes_share_a_name():
    classes = Counter(node.name for node in nodes() if isinstance(node, ast.ClassDef))

    assert [name for name, count in classes.items() if count > 1] == []


@pytest.mark.parametrize("word", VAGUE_VARIABLES)
def test_variables_are_called_by_nouns(word):
    assert names()[word] <= VAGUE_VARIABLES[word]


def test_names_use_the_words_of_the_glossary():
    unwanted = {word for row in glossary() for word in row[2:] for word in word.split(", ")}

    assert len(unwanted) > 10
    assert [name for name in names() if unwanted & set(words(name))] == []


def test_the_glossary_gives_each_word_once():
    entries = [word for row in glossary() for word in row[0].split(", ")]

    assert sorted(entries) == sorted(set(entries))


def test_the_docs_are_in_plain_english():
    pages = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")]
    odd = re.compile(
        r"\b(heeded|whoever|doubled|is told|made anew|nobody is there)\b", re.IGNORECASE
    )
    lines = [(page.name, line) for page in pages for line in page.read_text("utf-8").split("\n")]

    assert [(page, line) for page, line in lines if odd.search(line)] == []
