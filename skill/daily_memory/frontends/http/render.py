"""Templates: every value that a template shows is escaped, and hidden characters become visible."""

from __future__ import annotations

import os
import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from daily_memory import __version__
from daily_memory.core.format.session_json import split_id
from daily_memory.core.pages.html import shown
from daily_memory.core.record import find_observation_id
from daily_memory.core.words import load_words
from daily_memory.frontends import chinese

WORDS = load_words("page")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
_CODE = re.compile("`([^`]+)`")


def safe(html: str) -> Markup:
    """Return HTML that `core.pages` made, which a template shows as it is."""
    return Markup(html)  # noqa: S704 - its text is escaped there


def _shown(value: object) -> Markup:
    return value if isinstance(value, Markup) else safe(shown(str(value)))


def session_url(id_: str, words: str = "") -> str:
    """Return the address of a session, whose page highlights the words.

    >>> session_url("2026-01-29#1")
    '/session/2026-01-29%231'
    """
    return f"/session/{quote(id_)}" + (f"?q={quote(words)}" if words else "")


def api_url(id_: str) -> str:
    return f"/api/sessions/{quote(id_)}"


def memory_url(id_: str, words: str = "") -> str:
    """Return the address of a session or an observation.

    >>> memory_url("2026-01-29/3f2a-77:12")
    '/live/2026-01-29/3f2a-77#o12'
    """
    place = find_observation_id(split_id(id_)[1])
    return f"/live/{place.day}/{place.name}#o{place.place}" if place else session_url(id_, words)


def tag_url(tag: str) -> str:
    """Return the address of the sessions with a tag."""
    return f"/?tag={quote(tag, safe='')}"


def in_language(message: str, language: str) -> str:
    """Return a message of ours in `en` or `zh`; what is quoted in it stays."""
    return chinese.translated(message) if language == "zh" else message


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=_shown,
)
_ENVIRONMENT.globals.update(
    {
        "in_language": in_language,
        "version": __version__,
        "memory_url": memory_url,
        "session_url": session_url,
        "tag_url": tag_url,
    }
)
# Text with what is between backticks as code.
_ENVIRONMENT.filters["code"] = lambda text: safe(_CODE.sub(r"<code>\1</code>", shown(text)))


def render(template: str, language: str, **values: Any) -> str:
    """Return a template as HTML in `en` or `zh`."""
    values = {"here": "", "memory": None, "title": "", **values}
    # No dict: `w.clear` must be a text, and no method.
    words = SimpleNamespace(**WORDS[language])
    return _ENVIRONMENT.get_template(template).render(w=words, language=language, **values)


def language_of(header: str) -> str:
    """Return the language that an `Accept-Language` header asks for first.

    >>> language_of("zh-CN,zh;q=0.9,en;q=0.8"), language_of("fr")
    ('zh', 'en')
    """
    return "zh" if header.strip().lower().startswith("zh") else "en"
