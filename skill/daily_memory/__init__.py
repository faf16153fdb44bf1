"""Daily Memory: a long-term memory for AI coding assistants, in Markdown files.

>>> from daily_memory import Memory
"""

# A literal: reading the version of an installed package costs as much as a whole search.
__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "ConflictError",
    "DailyMemoryError",
    "DamagedDataError",
    "InvalidInputError",
    "Memory",
    "NotFoundError",
    "Session",
    "__version__",
]

_HOME = {
    "Memory": "memory",
    "Session": "model",
}


def __getattr__(name: str) -> object:
    # Loaded when asked for: `import daily_memory` is also the first step of every hook.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module = importlib.import_module(f"{__name__}.{_HOME.get(name, 'errors')}")
    return getattr(module, name)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.errors import (
        BackendError,
        ConflictError,
        DailyMemoryError,
        DamagedDataError,
        InvalidInputError,
        NotFoundError,
    )
    from daily_memory.memory import Memory
    from daily_memory.model import Session
