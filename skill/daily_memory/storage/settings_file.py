"""`config.json` on disk."""

from __future__ import annotations

from daily_memory.core import settings
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem
from daily_memory.storage import files
from daily_memory.storage.roots import Root


def load_settings(root: Root) -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings of a root, the defaults where it has no file, and what is wrong."""
    try:
        data = files.find_bytes(root.config)
    except DailyMemoryError as error:
        problem = Problem(root.config, 0, f"{error.message}; the defaults are used")
        return settings.DEFAULTS, (problem,)
    if data is None:
        return settings.DEFAULTS, ()
    return settings.parse_settings(data.decode("utf-8", "replace"), root.config)
