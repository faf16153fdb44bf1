"""Find flags that no user set: earlier versions turned words such as "private" into tags."""

from __future__ import annotations

from collections.abc import Iterable

from daily_memory.core.format.flags import FLAGS
from daily_memory.core.format.markdown import Day
from daily_memory.core.search import keywords
from daily_memory.model import Problem, Section
from daily_memory.services.writing import save
from daily_memory.storage import days
from daily_memory.storage.roots import Root

_EFFECTS = {
    "important": "never fades",
    "outdated": "ranks low",
    "private": "is in no search",
}


def remarks(root: Root, loaded: Iterable[Day]) -> list[Problem]:
    """Return a problem for each section whose flag comes from a word of its own text.

    Flags set with `memory mark` or in an editor are left out: they change the section.
    """
    return [
        Problem(days.day_path(root, day.date), section.span.first, _message(root, section, flags))
        for day in loaded
        for section in day.sections
        if (flags := _unasked(root, section))
    ]


def _unasked(root: Root, section: Section) -> list[str]:
    session = section.session
    is_digest = bool(session.conversation)
    tags = keywords.suggested_flags(session, is_digest=is_digest)
    if not tags or (is_digest and not save.is_untouched(root, section)):
        return []
    return [flag for flag, names in FLAGS.items() if any(tag.casefold() in names for tag in tags)]


def _message(root: Root, section: Section, flags: list[str]) -> str:
    tags = " and ".join(f"#{flag}" for flag in flags)
    effects = " and ".join(_EFFECTS[flag] for flag in flags)
    options = " ".join(f"--not {flag}" for flag in flags)
    scope = " --scope global" if root.scope == "global" else ""
    command = f"memory mark {section.session.id} {options}{scope}"
    return (
        f"{section.session.id} {effects}: a word in its text became the tag {tags};"
        f" if you did not set it, run `{command}`"
    )
