"""The tags of a digest: codes of errors, functions, classes, names, and technical words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from daily_memory.core.digests.actions import Actions
from daily_memory.core.digests.mentions import error_codes, identifiers
from daily_memory.core.digests.messages import Parts
from daily_memory.core.format import markdown
from daily_memory.core.redaction.view import MARK
from daily_memory.core.search import keywords
from daily_memory.model import Session

MAX_TAGS = 7
# A capital not at the beginning of an English sentence.
_CALENDAR = frozenset(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_PROPER = re.compile(
    r"""
    (?: (?<=[a-z,]\ ) | (?<=[\u3400-\u9fff，、：（]) | (?<=[\u3400-\u9fff，。、：]\ ) )
    [A-Z][A-Za-z]{2,20} (?: \ [A-Z][a-z]{2,20} )? (?![\w.-])
    """,
    re.VERBOSE,
)


def tags_of(session: Session, parts: Sequence[Parts], done: Actions) -> tuple[str, ...]:
    """Return the codes of errors, functions and classes that matter, then words of the digest."""
    told = (*session.key_points, *session.decisions, *session.open_questions, *session.next_steps)
    chosen = _unmarked("\n".join((session.topic, *told)))
    said = _unmarked("\n".join(part.prose for part in parts))
    codes = _ranked(error_codes(f"{chosen}\n{said}\n{_unmarked(done.errors)}"))
    codes = [code for code in codes if code != "AssertionError" or code in said][:3]
    files = "\n".join(f"`{path.rpartition('/')[2]}`" for path in done.touched)
    kept = set(identifiers(f"{chosen}\n{files}"))
    named = [name for name in _ranked(identifiers(f"{chosen}\n{said}\n{files}")) if name in kept]
    named = [name for name in named if name not in codes][:3]
    words = keywords.suggest_tags(
        Session(session.date, topic=_unmarked(session.topic), summary=chosen), said=said
    )
    known = " ".join((*codes, *named)).lower()
    proper = [name for name in _proper_names(said) if name in chosen][:2]
    others = (word for word in (*proper, *words) if word.lower() not in known)
    cleaned: dict[str, str] = {}
    spelled = (name.replace(" ", "-") for name in (*codes, *named, *others))
    for tag in map(markdown.clean_tag, spelled):
        cleaned.setdefault(tag.lower(), tag)
    return tuple(tag for tag in keywords.without_flags(cleaned.values()) if tag)[:MAX_TAGS]


def _proper_names(said: str) -> Iterator[str]:
    """Yield names such as Redis that are used more than once, the most frequent first."""
    for name, count in Counter(_PROPER.findall(said)).most_common(20):
        if count > 1 and name not in _CALENDAR:
            yield name


def _unmarked(text: str) -> str:
    # What was hidden is no word of the user.
    return MARK.sub(" ", text)


def _ranked(names: Iterable[str]) -> list[str]:
    """Return the names, the most frequent first."""
    return [name for name, _ in Counter(names).most_common()]
