"""Many memories that all have a session of one id, as a user of some projects has them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from daily_memory import Memory

BARE = "2026-01-29#1"


def fill(folder: Path, clock: Callable[[], datetime]) -> dict[str, str]:
    """Save a session of the same id in each memory; return the topics by what the ids begin with.

    The project that is looked from is `app`; its ids are bare.
    """
    places = {
        "": "app",
        "商城: new #2": "商城: new #2",
        str(folder / "a/shop"): "a/shop",
        str(folder / "b/shop"): "b/shop",
        str(folder / "c/global"): "c/global",
        str(folder / "c/app"): "c/app",
    }
    home = folder / "home"
    home.mkdir(exist_ok=True)
    for place in places.values():
        (folder / place).mkdir(parents=True, exist_ok=True)
        memory = Memory(folder / place, home=home, clock=clock)
        memory.save({"topic": f"缓存 cache of {place}", "date": "2026-01-29"})
    memory.save({"topic": "缓存 cache of all", "date": "2026-01-29"}, scope="global")
    topics = {label: f"缓存 cache of {place}" for label, place in places.items()}
    return {**topics, "global": "缓存 cache of all"}


def scoped(label: str, bare: str = BARE) -> str:
    """Return an id of a memory as a door prints it."""
    return f"{label}:{bare}" if label else bare
