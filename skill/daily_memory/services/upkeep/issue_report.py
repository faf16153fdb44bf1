"""The report that a user attaches to an issue: the state of an installation, without user text.

Only words from our own source are shown. Each message is reduced to its template in the source, and
only small numbers stay in the gaps. So it can't contain a path, a name or text of a memory.
"""

from __future__ import annotations

import ast
import os
import platform
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib import metadata
from importlib.util import find_spec
from itertools import zip_longest

import daily_memory
from daily_memory import installation
from daily_memory.core import templates
from daily_memory.core.setting_keys import KEYS
from daily_memory.core.settings import Settings
from daily_memory.model import Problem
from daily_memory.services.upkeep.doctor import Report
from daily_memory.storage import hook_log
from daily_memory.storage.roots import Root
from daily_memory.text import Text, counted

_PACKAGE = os.path.dirname(os.path.abspath(daily_memory.__file__))
_LOG_DAYS = 7
# Larger numbers may be private, such as phone numbers.
_SMALL_NUMBER = re.compile(r"[0-9]{1,5}")
_LIBRARIES = ("filelock", "pystemmer", "python-frontmatter", "pyyaml", "rapidfuzz", "mcp")
# Our own names below a memories folder; day files are recognized by their shape.
_OWN_NAMES = frozenset(
    "daily index archive observations config.json summary.md hook.log journal.jsonl lookup.sqlite3"
    " keywords.json mirror.sqlite3 embeddings spool undo .gitattributes .gitignore".split()
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:\.md)?")


def issue_report(
    reports: Mapping[str, Report],
    roots: Sequence[Root],
    settings: Settings,
    hosts: Sequence[str],
    now: datetime,
) -> str:
    """Return the report as Markdown; `hosts` are the titles of those that record."""
    known = own_messages(_PACKAGE)
    lines = ["# daily-memory: report for an issue", "", *_program()]
    lines += [f"- recording: {', '.join(hosts) or 'no assistant'}", "", "## Settings", ""]
    lines += [f"- {line}" for line in _settings(settings)] or ["- all as by default"]
    for number, (path, report) in enumerate(reports.items(), 1):
        title = f"## Memory {number}"
        lines += ["", title, "", f"- {counted(report.sessions, 'session')}"]
        lines.append(f"- {counted(report.days, 'day')}, {_megabytes(path):.1f} MB")
        for kind, problems in (("fault", report.faults), ("note", report.remarks)):
            lines += [f"- {kind}: {_problem(item, path, known)}" for item in problems]
        lines += [f"- mended: {redacted(text, known)}" for text in report.mended]
    lines += ["", "## Log of hooks", ""]
    logged = [line for root in roots for line in _logged(root, now)]
    lines += [f"- {redacted(line, known)}" for line in logged[-20:]] or ["- empty"]
    return "\n".join(lines) + "\n"


def own_messages(folder: str) -> frozenset[str]:
    """Return all texts in the source of a package, with gaps where values are put in."""
    texts: set[str] = set()
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(parent, name), encoding="utf-8") as file:
                    texts.update(source_texts(ast.parse(file.read())))
    # A single word may also be a user's topic.
    return frozenset(text for text in texts if re.search(r"[A-Za-z]{2}.* .*[A-Za-z]{2}", text))


def source_texts(tree: ast.AST) -> Iterator[str]:
    """Yield the string literals in a syntax tree; f-strings with gaps for their values."""
    pieces: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces.update(map(id, node.values))
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else templates.GAP
                for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in pieces
        ):
            yield templates.without_formats(node.value)


def redacted(text: str, known: Collection[str]) -> str:
    """Return a message without the values put into it, except small numbers and other messages.

    >>> redacted("no session 3 on /home/ann/app", ["no session {} on {}"])
    'no session 3 on …'
    >>> redacted("a text of somebody", ["no session {} on {}"])
    '…'
    """
    values: Sequence[object]
    if isinstance(text, Text):
        template, values = templates.without_formats(text.template), text.values
    else:  # from a log
        template, values = templates.best_match(known, text)
    if not template:
        first, separator, rest = text.partition(": ")
        return f"{redacted(first, known)}: {redacted(rest, known)}" if separator else "…"
    shown = (_redacted_value(value, known) for value in values)
    return "".join(
        f"{piece}{gap}"
        for piece, gap in zip_longest(template.split(templates.GAP), shown, fillvalue="")
    )


def _redacted_value(value: object, known: Collection[str]) -> str:
    if isinstance(value, Text):
        return redacted(value, known)
    text = str(value)
    return text if _SMALL_NUMBER.fullmatch(text) or text in known else "…"


def _problem(problem: Problem, root: str, known: Collection[str]) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{_place(problem.path, root)}{line}: {redacted(problem.message, known)}"


def _place(path: str, root: str) -> str:
    """Return a path below the root, with names that are not ours left out."""
    if not path.startswith(os.path.join(root, "")):
        return "…"
    parts = os.path.relpath(path, root).split(os.sep)
    return "/".join(part if part in _OWN_NAMES or _DAY.fullmatch(part) else "…" for part in parts)


def _program() -> Iterator[str]:
    yield f"- daily-memory {daily_memory.__version__}, Python {platform.python_version()}"
    yield f"- {platform.system()} {platform.release()} {platform.machine()}"
    extras = [name for name, module in installation.EXTRAS.items() if find_spec(module)]
    yield f"- extras: {', '.join(extras) or 'none'}"
    yield f"- libraries: {', '.join(filter(None, map(_version, _LIBRARIES)))}"
    yield f"- encodings: {sys.stdout.encoding}, {sys.getfilesystemencoding()}"


def _version(library: str) -> str:
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        return ""


def _settings(settings: Settings) -> Iterator[str]:
    """Yield the settings that differ from the default, without free text."""
    for key in KEYS:
        value = getattr(getattr(settings, key.section), key.field)
        if value != key.default:
            is_ours = isinstance(value, (bool, int, float)) or value in key.choices
            yield f"{key.name}: {value if is_ours else 'set'}"


def _megabytes(root: str) -> float:
    sizes = (
        os.lstat(os.path.join(parent, name)).st_size
        for parent, _, names in os.walk(root)
        for name in names
    )
    return sum(sizes) / 1e6


def _logged(root: Root, now: datetime) -> list[str]:
    lines = hook_log.load_since(root, now - timedelta(days=_LOG_DAYS))
    return [line.partition(" ")[2] for line in lines]
