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
    "Hit",
    "InvalidInputError",
    "LockedError",
    "Memory",
    "NotFoundError",
    "Query",
    "SaveResult",
    "SearchResult",
    "Session",
    "__version__",
]

_HOME = {
    "Hit": "services.reading.root_search",
    "Memory": "memory",
    "Query": "services.reading.root_search",
    "SaveResult": "services.writing.save",
    "SearchResult": "services.reading.search",
    "Session": "model",
}


def __getattr__(name: str) -> object:
    # Loaded when asked for: `import daily_memory` is also the first step of every hook.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # As `importlib.import_module` does, which would itself have to be loaded first.
    module = __import__(f"{__name__}.{_HOME.get(name, 'errors')}", fromlist=[name])
    value: object = getattr(module, name)
    return value


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.errors import (
        BackendError,
        ConflictError,
        DailyMemoryError,
        DamagedDataError,
        InvalidInputError,
        LockedError,
        NotFoundError,
    )
    from daily_memory.memory import Memory
    from daily_memory.model import Session
    from daily_memory.services.reading.root_search import Hit, Query
    from daily_memory.services.reading.search import SearchResult
    from daily_memory.services.writing.save import SaveResult
