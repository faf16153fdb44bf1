"""The summary of decisions and rules in force: our part of `summary.md`, and of the context block.

Only `memory summarize` rewrites the file: people commit it, and a rewrite after each conversation
would make every branch differ. The lines for new conversations are updated in `index/` whenever one
ends. Lines whose sources were deleted or made private are never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core import prompt_injection
from daily_memory.core.digests import wording
from daily_memory.core.format import markdown
from daily_memory.core.redaction import privacy
from daily_memory.core.review import contradictions, summary_lines, summary_region
from daily_memory.core.review.cache import Cache, uncached
from daily_memory.core.review.summary_lines import SummaryLine
from daily_memory.core.review.summary_region import DEFAULT_MAX_CHARS, LEAST_CHARS
from daily_memory.core.search import fields
from daily_memory.core.settings import Settings
from daily_memory.errors import InvalidInputError
from daily_memory.services.changing import summary_file
from daily_memory.services.reading import browse, summary_text
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.upkeep import cached_days
from daily_memory.storage import days, scan_cache, start_summary
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import refresh
from daily_memory.storage.review_cache import ReviewCache
from daily_memory.storage.roots import Root
from daily_memory.storage.start_summary import StartSummary

# How many of the last sessions decide the language of the headings.
_LANGUAGE_SESSIONS = 50
_TITLE = "# 记忆摘要 / Summary\n"


class Summary(NamedTuple):
    """Our part of `summary.md`, and how many lines did not fit."""

    path: str
    scope: str
    lines: tuple[SummaryLine, ...]
    left_out: int
    text: str
    is_changed: bool


def summarize(
    root: Root, settings: Settings, *, max_chars: int = 0, dry_run: bool = False
) -> Summary:
    """Rewrite our part of `summary.md`; with `dry_run` only return it.

    `max_chars` limits our part; 0 lets the whole file fit into the context block.
    """
    max_chars = max_chars or _room(root)
    if max_chars < LEAST_CHARS:
        raise InvalidInputError("{}: {} is less than {}", "max_chars", max_chars, LEAST_CHARS)
    # Archived decisions are still in force.
    cache = ReviewCache(root, rules())
    loaded = cached_days.each_day(root, cache, contradictions.fill_cache)
    stored = browse.sessions([root], archived=True, loaded=loaded)
    made = _made(settings, stored, max_chars, cache.get)
    cache.save()
    if dry_run:
        is_changed = _differs(root, made)
    else:
        with locked(root):
            is_changed = summary_file.rewrite(root, made.put)
    path, text = summary_file.path_of(root), "\n".join(made.text)
    return Summary(path, root.scope, made.lines, made.left_out, text, is_changed)


def is_behind(
    root: Root, settings: Settings, stored: Iterable[StoredSession], cache: Cache
) -> bool:
    """Tell whether `summarize` would change the file; `stored` are the sessions of day files."""
    if not summary_file.has_part(root):
        return False
    both = sorted((*browse.archived_sessions([root]), *stored), key=lambda each: each.session.id)
    return _differs(root, _made(settings, both, _room(root), cache=cache))


def _differs(root: Root, made: _Made) -> bool:
    file = summary_file.load(root)
    return made.put(file) != file


def rules() -> str:
    """Return a fingerprint of the review rules, for `ReviewCache`."""
    return "".join(
        scan_cache.fingerprint(module)
        for module in (summary_lines, wording, prompt_injection, fields)
    )


class _Made(NamedTuple):
    lines: tuple[SummaryLine, ...]
    left_out: int
    text: list[str]
    days: frozenset[date]

    def put(self, file: str) -> str:
        """Return the text of the file with this as our part."""
        return summary_region.put(file or (_TITLE if self.text else ""), self.text)


def _made(
    settings: Settings, stored: Iterable[StoredSession], max_chars: int, cache: Cache = uncached
) -> _Made:
    sessions = [each.session._replace(origin=each.origin) for each in stored]
    sessions = [session for session in sessions if not session.is_private]
    hide = policy(settings)
    hidden = lambda text: privacy.redact(text, hide).text  # noqa: E731
    holding = summary_lines.statements_in_force(sessions, hidden, cache)
    language = markdown.heading_language(
        settings.recording.language, sessions[-_LANGUAGE_SESSIONS:]
    )
    lines = summary_lines.select_lines(holding.lines, language, max_chars)
    left_out = sum(map(len, holding.lines.values())) - len(lines)
    return _Made(tuple(lines), left_out, summary_lines.format_lines(lines, language), holding.days)


def renew(root: Root, settings: Settings) -> None:
    """Update the lines that conversations are shown at their start.

    Only changed days, and the sources of present lines, are read; all days if any is gone.
    """
    known = start_summary.find(root) or StartSummary()
    stamps = {file.name: file.stamp[:2] for file in days.list_days(root)}
    changed = [name for name, stamp in stamps.items() if known.days.get(name, ())[:2] != stamp]
    if known.days and not changed and len(known.days) == len(stamps):
        return
    stored: Iterable[StoredSession]
    if known.days.keys() <= stamps.keys() and known.days:
        matter = [name for name in stamps if name in changed or known.days[name][2]]
        stored = _of_days(root, matter)
    else:
        stored = browse.sessions([root], archived=True)
    made = _made(settings, stored, _room(root))
    noted = {name: (*stamp, int(days.day_of(name) in made.days)) for name, stamp in stamps.items()}
    start_summary.save(root, StartSummary(tuple(made.text), noted))


def _of_days(root: Root, names: Sequence[str]) -> Iterator[StoredSession]:
    """Yield the sessions of some day files, and the archived ones."""
    yield from browse.archived_sessions([root])
    origins = refresh.load_origins(root)
    for name in names:
        day = days.day_of(name)
        for section in days.load_day(root, day).all_sections if day else ():
            yield browse.stored_session(root, section, origins)


def _room(root: Root) -> int:
    """Return how many characters the user's own lines leave for ours."""
    by_hand = summary_text.content_lines(summary_region.put(summary_file.load(root), []))
    return max(DEFAULT_MAX_CHARS - sum(map(len, by_hand)), LEAST_CHARS)
