"""The tags of a digest: codes of errors, functions, classes, and technical words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from daily_memory.core.digests.actions import Actions
from daily_memory.core.digests.mentions import error_codes, identifiers
from daily_memory.core.digests.messages import Parts
from daily_memory.core.format import markdown
from daily_memory.core.redaction.view import MARK
from daily_memory.core.search import keywords
from daily_memory.model import Session

MAX_TAGS = 7
# A capital not at the beginning of a sentence.
_PROPER = re.compile(r"(?<=[a-z,，、：（\u3400-\u9fff]) ?\b([A-Z][A-Za-z]{2,20})(?![\w.-])")


def tags_of(session: Session, parts: Sequence[Parts], done: Actions) -> tuple[str, ...]:
    """Return the codes of errors, functions and classes that matter, then words of the digest."""
    lists = (session.key_points, session.decisions, session.open_questions, session.next_steps)
    # What was hidden is no word of the user.
    topic = MARK.sub(" ", session.topic)
    chosen = MARK.sub(" ", "\n".join((topic, *(text for texts in lists for text in texts))))
    said = MARK.sub(" ", "\n".join(part.prose for part in parts))
    codes = _ranked(error_codes(f"{chosen}\n{said}\n{MARK.sub(' ', done.errors)}"))
    codes = [code for code in codes if code != "AssertionError" or code in said][:3]
    files = "\n".join(f"`{path.rpartition('/')[2]}`" for path in done.touched)
    kept = set(identifiers(f"{chosen}\n{files}"))
    named = [name for name in _ranked(identifiers(f"{chosen}\n{said}\n{files}")) if name in kept]
    # A name such as Redis, used more than once.
    capitals = Counter(_PROPER.findall(said)).most_common(20)
    proper = [name for name, count in capitals if count > 1 and name in chosen][:2]
    words = keywords.suggest_tags(Session(session.date, topic=topic, summary=chosen), said=said)
    first = (*codes, *named[:3])
    known = " ".join(first).lower()
    others = (word for word in (*proper, *words) if word.lower() not in known)
    tags = [markdown.clean_tag(name.replace(" ", "-")) for name in (*first, *others)]
    spelled = {tag.lower(): tag for tag in reversed(tags)}
    ordered = dict.fromkeys(spelled[tag.lower()] for tag in tags if tag)
    return tuple(keywords.without_flags(ordered))[:MAX_TAGS]


def _ranked(names: Iterable[str]) -> list[str]:
    """Return the names, the most frequent first."""
    return [name for name, _ in Counter(names).most_common()]
