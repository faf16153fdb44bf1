"""`memory.deletion`: choose sessions by words, age or tags; delete them, or every trace of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daily_memory.core.format import session_json
from daily_memory.core.search import fields, text
from daily_memory.errors import InvalidInputError
from daily_memory.model import Session
from daily_memory.services import MemoryPart
from daily_memory.services.changing import edit, purge
from daily_memory.services.changing.edit import Edited
from daily_memory.services.changing.purge import Purged, Target
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession


class Deletion(MemoryPart):
    """Delete by words, age or tags, where `Memory.delete` takes ids; or purge."""

    def choose(
        self,
        named: Sequence[str] = (),
        *,
        query: str = "",
        before: date | None = None,
        tags: Sequence[str] = (),
        scope: str = "",
    ) -> tuple[StoredSession, ...]:
        """Return the sessions that ids and days name, narrowed by words, age and tags.

        Days and filters apply to the memory that a save goes to, or to `scope`.
        """
        if not (named or query or before or tags):
            hint = "an id is like 2026-01-29#1, a day like 2026-01-29; or by words, age or tag"
            raise InvalidInputError("no id given, and nothing to choose by", hint=hint)
        roots, today = self._workspace.roots_for_ids(named, scope), self._workspace.today()
        save_path = "" if scope else self._workspace.save_root().path
        own = [root for root in roots if scope or root.path == save_path]
        resolved = [_resolved(name, today) for name in named]
        ids = [name for name in resolved if isinstance(name, str)]
        found = list(browse.get_many(roots, ids)) if ids else []
        for day in sorted({day for day in resolved if isinstance(day, date)}):
            found += browse.sessions(own, first=day, last=day)
        if not named:
            found = list(browse.sessions(own))
        tagged = filter(browse.SessionFilter(tuple(tags)).takes, dict.fromkeys(found))
        kept = [each for each in tagged if each.session.date < (before or date.max)]
        return _with_words(kept, query) if query else tuple(kept)

    def delete(self, sessions: Sequence[StoredSession]) -> Edited:
        """Delete what `choose` returned, as one operation; see `Memory.delete`."""
        return self._workspace.after_edit(edit.delete_found(sessions, self._workspace.now()))

    def traces(
        self, sessions: Sequence[StoredSession], ids: Sequence[str] = (), *, scope: str = ""
    ) -> tuple[Target, ...]:
        """Return what `purge` would remove; `ids` may be of sessions that are deleted already."""
        return purge.targets(self._workspace.roots_for_ids(ids, scope), sessions, ids)

    def purge(self, targets: Sequence[Target], *, dry_run: bool = False) -> Purged:
        """Remove every trace of sessions from their memories. This can't be undone."""
        if dry_run:
            return Purged(tuple(targets))
        workspace = self._workspace
        purged = purge.purge(targets, workspace.settings, workspace.now())
        missed = workspace.after_purge(targets)
        return purged._replace(elsewhere=(*purged.elsewhere, *missed))


def _resolved(name: str, today: date) -> date | str:
    """Return the day of a name such as 'yesterday', or an id with its day as a date."""
    label, bare = session_json.split_id(name)
    head, mark, number = bare.partition("#")
    day = session_json.named_day(head, today)
    if day is None:
        return name if mark else _parsed(name)
    if not mark:
        return day
    return f"{label}:{day.isoformat()}#{number}" if label else f"{day.isoformat()}#{number}"


def _parsed(name: str) -> date:
    try:
        return session_json.parse_date(name)
    except InvalidInputError as error:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29; --query is for words"
        raise InvalidInputError("{!r} is neither an id nor a day", name, hint=hint) from error


def _with_words(found: Sequence[StoredSession], query: str) -> tuple[StoredSession, ...]:
    """Return those that have every word of a query.

    What a search shows beside these has a part of the question only: too little to be deleted for.
    """
    tokens = text.tokens(query)
    runs = [token for token in tokens if text.is_cjk(token)]
    words = {term for token in tokens if not text.is_cjk(token) for term in text.word_terms(token)}
    if not runs and not words:
        raise InvalidInputError("{!r} has no word to look for", query, hint="say more")
    return tuple(entry for entry in found if _says(entry.session, runs, words))


def _says(session: Session, runs: Sequence[str], words: set[str]) -> bool:
    """Tell whether a session, which is not private, has all runs of Chinese and all words."""
    if session.is_private:
        return False
    said = text.fold("\n".join(statement for _, statement in fields.units(session)))
    return all(run in said for run in runs) and (not words or words <= set(text.terms(said)))
