"""What tests of day files share: a day with two sessions, and its topics."""

from __future__ import annotations

import os
from datetime import date

from daily_memory.storage import days
from daily_memory.storage.roots import Root

DAY = date(2026, 1, 29)
OTHER = b"## Session 1 - 10:30\n\n### Topic\none\n\n---\n\n## Session 2 - 11:00\n\n### Topic\ntwo\n"


def write(root: Root, data: bytes, name: str = "2026-01-29.md") -> str:
    path = os.path.join(root.daily_folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def topics(root: Root) -> list[str]:
    return [section.session.topic for section in days.load_day(root, DAY).sections]
