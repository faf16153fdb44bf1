"""How the outcome of a save is shown."""

from __future__ import annotations

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import screen
from daily_memory.memory import Memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import SaveResult


def show_saved(result: SaveResult, memory: Memory, *, as_json: bool) -> int:
    """Print the id, or why there is none."""
    screen.warn((*map(str, memory.settings_problems), *result.warnings))
    if as_json:
        screen.show_json(json_shapes.saved(result))
    elif result.skipped:
        screen.talk(f"not saved: {result.skipped}")
    else:
        screen.show(result.id)
        hidden = sum(count for _, count in result.redactions)
        where = f"{result.path}:{result.span.first}"
        screen.talk(
            f"saved to {where}" + (f"; {counted(hidden, 'secret')} hidden" if hidden else "")
        )
    return 0
