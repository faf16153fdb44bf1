"""The docs are true: examples run, links lead somewhere, commands exist.

The blocks of a page run from top to bottom, in one empty project folder (it holds `.git`), with a
home folder of its own.

- A ```python block with `>>>` is a doctest; any other is run, and its `assert`s must hold. The
  blocks of a page share their names.
- A ```console block holds commands after `$ `, each followed by its output.
- In output, `…` stands for any text.
- A ```bash block is not run; the parser must accept its `memory` commands.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import arguments
from tests import components

CHECKOUT = Path(__file__).resolve().parent.parent
READMES = (CHECKOUT / "README.md", CHECKOUT / "README.zh-CN.md")
PAGES = (*READMES, CHECKOUT / "SKILL.md", *sorted((CHECKOUT / "docs").rglob("*.md")))
FLAGS = doctest.ELLIPSIS

_COMMENT = re.compile(r"""('[^']*'|"(?:\\.|[^"\\])*")|(?<!\S)\#[^\n]*""")
_ELLIPSES = ("…", "...")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_REFERENCE = re.compile(r"[^\w\- ]")


def name(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


def tokens(page: Path) -> list[Token]:
    text = page.read_text(encoding="utf-8")
    return MarkdownIt("commonmark").enable("table").parse(text)


def blocks(page: Path, *languages: str) -> list[tuple[str, str, int]]:
    """Return language, text and first line of each fenced block in one of these languages."""
    fences = [token for token in tokens(page) if token.type == "fence" and token.map]
    return [
        (token.info, token.content, token.map[0] + 2)
        for token in fences
        if token.map and token.info in languages
    ]


def every_page() -> list[Path]:
    """Return all Markdown files of the checkout, without those of hidden folders."""
    found = sorted(CHECKOUT.rglob("*.md"))
    return [
        page
        for page in found
        if not any(part.startswith(".") for part in page.relative_to(CHECKOUT).parts)
    ]


# ---------------------------------------------------------------------------- examples


def run_python(text: str, names: dict[str, object], page: Path, line: int) -> None:
    if ">>>" not in text:
        exec(compile("\n" * (line - 1) + text, name(page), "exec"), names)
        return
    shown = text.replace("…", "...")
    example = doctest.DocTestParser().get_doctest(shown, names, name(page), str(page), line - 1)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(
        example, out=report.append, clear_globs=False
    )
    names.update(example.globs)
    assert not result.failed, "".join(report)


def run_console(text: str, page: Path) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        done = subprocess.run(
            ["bash", "-c", f'memory() {{ "$PYTHON" -m daily_memory "$@"; }}\n{command}'],
            env={**os.environ, "PYTHON": sys.executable},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        is_as_shown = doctest.OutputChecker().check_output(
            wanted.replace("…", "...").rstrip("\n"), done.stdout.rstrip("\n"), FLAGS
        )
        assert is_as_shown, f"{name(page)}: $ {command}\nshown:\n{wanted}\nprinted:\n{done.stdout}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, which is the working folder, and a home of its own."""
    folder = tmp_path / "project"
    for made in (tmp_path / "home", folder / ".git", folder / "path" / "to" / "project"):
        made.mkdir(parents=True)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.delenv("MEMORY_PROJECT", raising=False)
    monkeypatch.chdir(folder)
    return folder


def with_examples() -> list[Path]:
    return [page for page in PAGES if blocks(page, "python", "console")]


@pytest.mark.parametrize("page", with_examples(), ids=name)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page, project):
    if blocks(page, "console"):
        components.require("bash")
    names: dict[str, object] = {"__name__": "example"}

    for language, text, line in blocks(page, "python", "console"):
        if language == "python":
            run_python(text, names, page, line)
        else:
            run_console(text, page)


@pytest.mark.parametrize(
    "block", [">>> 1 + 1\n3\n", "assert 1 + 1 == 3\n", ">>> undefined\n"], ids=repr
)
def test_an_example_that_is_not_so_fails(block):
    with pytest.raises(AssertionError):
        run_python(block, {}, READMES[0], 1)


@pytest.mark.needs("bash")
def test_a_console_example_that_prints_something_else_fails():
    with pytest.raises(AssertionError, match=r"printed:\s+two"):
        run_console("$ echo one\none\n$ echo two\nthree\n", READMES[0])


# ---------------------------------------------------------------------------- links


def targets(page: Path) -> Iterator[str]:
    """Yield what the links and pictures of a page point at, but for other sites."""
    for token in tokens(page):
        for child in token.children or []:
            target = str(child.attrs.get("href") or child.attrs.get("src") or "")
            if target and not _SCHEME.match(target):
                yield target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, by the rules of GitHub."""
    parsed = tokens(page)
    found: dict[str, int] = {}
    for opened, inside in pairwise(parsed):
        if opened.type == "heading_open":
            text = "".join(child.content for child in inside.children or [])
            anchor = _REFERENCE.sub("", text.lower()).replace(" ", "-")
            found[anchor] = found.get(anchor, -1) + 1
            if found[anchor]:
                found[f"{anchor}-{found[anchor]}"] = 0
    return set(found)


def broken_links(page: Path) -> list[str]:
    broken = []
    for target in targets(page):
        path, _, anchor = target.partition("#")
        aimed = page.parent / path if path else page
        if not aimed.exists() or (anchor and anchor not in anchors(aimed)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", every_page(), ids=name)
def test_every_link_of_a_page_leads_somewhere(page):
    assert broken_links(page) == []


def test_the_architecture_names_modules_that_exist():
    page = CHECKOUT / "docs" / "ARCHITECTURE.md"
    named = re.findall(r"`(\w+/[\w/.]*|\w+\.py)`", page.read_text("utf-8"))
    package = CHECKOUT / "skill" / "daily_memory"

    assert len(named) > 50
    assert [
        path for path in named if not (package / path).exists() and not (CHECKOUT / path).exists()
    ] == []


def test_links_to_missing_files_and_headings_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A heading: `code`, twice\n\n[a](#a-heading-code-twice) [b](#gone) [c](gone.md)"
        " [d](page.md#a-heading-code-twice) [e](https://example.com/gone)\n"
    )

    assert broken_links(page) == ["#gone", "gone.md"]


# ---------------------------------------------------------------------------- commands


def commands(text: str) -> list[list[str]]:
    """Return the words of each simple command in a block for a shell, without redirects."""
    text = _COMMENT.sub(lambda match: match[1] or "", text.replace("\\\n", " "))
    text = re.sub(r"<[a-z][a-z'-]*>", "PLACEHOLDER", text)
    text = re.sub(r"(?<=\s)[0-9]+(?=[<>])", "", text)  # the number of a stream, as in 2>&1
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    found: list[list[str]] = [[]]
    is_file = False
    for word in lexer:
        if set(word) <= set("<>&") and set(word) & set("<>"):
            is_file = True
        elif set(word) <= set("();<>|&\n"):
            found.append([])
            is_file = False
        elif is_file:
            is_file = False
        else:
            found[-1].append(word)
    return [command for command in found if command]


def memory_words(command: list[str]) -> list[str] | None:
    """Return the words behind `memory`, or behind the script that is the same; else None."""
    for place, word in enumerate(command[:3]):
        program = PurePosixPath(word).name
        is_ours = place == 0 and program in ("memory", "daily-memory")
        if is_ours or word.endswith("scripts/memory.py"):
            return command[place + 1 :]
    return None


def memory_commands(page: Path) -> list[list[str]]:
    found = [
        memory_words(command) for _, text, _ in blocks(page, "bash") for command in commands(text)
    ]
    shown = [
        memory_words(command)
        for _, text, _ in blocks(page, "console")
        for line in text.splitlines()
        if line.startswith("$ ")
        for command in commands(line[2:])
    ]
    return [words for words in (*found, *shown) if words is not None]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=f"{name(page)}: {' '.join(words)}")
        for page in PAGES
        for words in memory_commands(page)
    ],
)
def test_a_command_on_a_page_is_one_that_the_parser_takes(words):
    given = ["search" if word == "COMMAND" else word for word in words]

    status = 0

    try:
        arguments.parse([word for word in given if word not in _ELLIPSES])
    except SystemExit as done:
        status = int(done.code or 0)  # --help and --version end the process themselves

    assert status == 0


def test_a_command_that_there_is_not_is_refused():
    [words] = [memory_words(command) for command in commands("memory serach redis --k 3\n")]

    assert words is not None
    with pytest.raises(InvalidInputError):
        arguments.parse(words)


def test_commands_are_found_between_pipes_redirects_and_comments():
    text = """
    # memory nothing
    echo '{"topic": "a # b",
           "tags": []}' | memory save --topic "c # d" > out.json  # memory nothing
    python3 -m venv .venv && .venv/bin/memory demo; cat < memory | memory add x \\
        --important 2>&1
    memory show <id>
    uv run scripts/memory.py today
    """

    found = [words for words in map(memory_words, commands(text)) if words is not None]

    assert found == [
        ["save", "--topic", "c # d"],
        ["demo"],
        ["add", "x", "--important"],
        ["show", "PLACEHOLDER"],
        ["today"],
    ]


def test_there_are_at_most_15_pages():
    assert len(list((CHECKOUT / "docs").glob("*.md"))) <= 15


def test_the_readmes_are_short():
    assert [page for page in READMES if len(page.read_text("utf-8").split("\n")) > 150] == []


def test_the_pages_for_users_show_commands():
    shown = {words[0] for page in PAGES for words in memory_commands(page)}

    assert shown >= {"init", "save", "add", "search", "inject", "redact", "today", "show", "doctor"}


# ---------------------------------------------------------------------------- both languages


def outline(page: Path) -> list[str]:
    return [token.tag for token in tokens(page) if token.type == "heading_open"]


def shapes(page: Path) -> list[list[list[str]]]:
    """Return the commands of each bash block, without what is said in a human language."""
    return [
        [
            [word for word in command if word.isascii() and " " not in word]
            for command in commands(text)
        ]
        for _, text, _ in blocks(page, "bash")
    ]


def test_both_readmes_have_the_same_sections():
    english, chinese = map(outline, READMES)

    assert english == chinese
    assert len(english) > 3


def test_both_readmes_show_the_same_commands():
    english, chinese = map(shapes, READMES)

    assert english == chinese
    assert ["memory", "install"] in [command for block in english for command in block]
