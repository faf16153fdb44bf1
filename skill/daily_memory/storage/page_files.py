"""The style and script of the pages, which are files of this package."""

from __future__ import annotations

import os

from daily_memory.core import pages
from daily_memory.core.pages.html import Assets


def load() -> Assets:
    return Assets(_read("page.css"), _read("sessions.js"))


def _read(name: str) -> str:
    folder = os.path.dirname(os.path.abspath(str(pages.__file__)))
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return file.read()
