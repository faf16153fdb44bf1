"""What `doctor` says about sessions that others wrote, and texts that look like commands."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial

from daily_memory.core import prompt_injection
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import with_progress
from daily_memory.core.prompt_injection import Suspicion
from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.model import Problem, Span
from daily_memory.storage import days, scan_cache, workers
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.git import authors, history
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

# See `scan_cache`.
_COMMANDS = "commands"


def remarks(root: Root, loaded: Sequence[Day]) -> list[Problem]:
    """Return remarks on the origins of sessions, and on commands in them."""
    return [*_foreign(root, loaded), *_git_remarks(root), *_suspicious(root, loaded)]


def _foreign(root: Root, loaded: Sequence[Day]) -> list[Problem]:
    """Return a remark for each other author: the number of sessions, and the newest."""
    origins = refresh.load_origins(root)
    sessions = [section.session for day in loaded for section in day.all_sections]
    listed = [(origins.get(session.id) or session.origin, session.id) for session in sessions]
    newest = {origin: id_ for origin, id_ in listed if origin}
    counts = Counter(origin for origin, _ in listed if origin)
    return [
        Problem(
            root.daily_folder,
            0,
            filled(
                "{} of others ({}), the last one {}; `memory list --foreign` shows them",
                counted(count, "session"),
                origin,
                newest[origin],
            ),
        )
        for origin, count in sorted(counts.items())
    ]


def _git_remarks(root: Root) -> list[Problem]:
    found = []
    with refresh.opened(root) as index:
        fault = index.meta("authors_fault")
    if fault:
        message = filled(
            "git did not tell the authors of all sessions: {}; `memory reindex` asks again", fault
        )
        found.append(Problem(root.daily_folder, 0, message))
    with contextlib.suppress(BackendError):
        if authors.has_repository(root.path) and history.tracked(root.index_folder):
            message = "is in git, so that others can change it; run `git rm -r --cached` on it"
            found.append(Problem(root.index_folder, 0, message))
    return found


def _suspicious(root: Root, loaded: Sequence[Day]) -> list[Problem]:
    found: list[Problem] = []
    rules = scan_cache.fingerprint(prompt_injection)
    known = scan_cache.load(root, _COMMANDS, rules)
    stamps = {f"{day.date}.md": files.stamp(days.day_path(root, day.date)) for day in loaded}
    clean: dict[str, Stamp] = {
        name: stamps[name] for name in known if known[name] == stamps.get(name)
    }
    new = [day for day in loaded if f"{day.date}.md" not in clean]
    tasks = [(day.date, [section.span for section in day.all_sections]) for day in new]
    sizes = [stamps[f"{day.date}.md"][0] for day in new]
    looked = workers.each(partial(_look, root), tasks, sizes, modes=root.modes)
    for day, each in zip(with_progress(new), looked, strict=True):
        path = days.day_path(root, day.date)
        for section, suspicions in zip(day.all_sections, each, strict=True):
            found += _warnings(path, section.span.first + 1, suspicions, str(section.session.id))
        if not any(each):
            name = f"{day.date}.md"
            clean[name] = stamps[name]
    scan_cache.save(root, _COMMANDS, rules, clean)
    path = os.path.join(root.path, "summary.md")
    if os.path.isfile(path):
        try:
            text = days.decode(files.read_bytes(path))
        except DailyMemoryError as error:
            found.append(Problem(path, 0, error.message))
        else:
            found += _warnings(path, 1, prompt_injection.find_suspicions(text), "it")
    return found


def _look(root: Root, task: tuple[date, Sequence[Span]]) -> list[list[Suspicion]]:
    """Return what looks like a command in each span of a day."""
    day, spans = task
    lines = days.load_lines(root, day) if spans else []
    # Without the heading.
    return prompt_injection.find_in_each(
        ["\n".join(lines[span.first : span.last]) for span in spans]
    )


def _warnings(
    path: str, first_line: int, suspicions: Iterable[Suspicion], what: str
) -> list[Problem]:
    return [
        Problem(
            path,
            first_line + line,
            filled("{} looks like a command to the assistant: {}", what, reason),
        )
        for line, reason in suspicions
    ]
