"""The command `memory`, also `python -m daily_memory`."""

from __future__ import annotations

import gc
import os
import sys

import daily_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec, SourceFileLoader
else:  # `importlib` would have to be loaded first
    ModuleSpec, SourceFileLoader = type(daily_memory.__spec__), type(daily_memory.__loader__)


class Finder:
    """Finds the modules of this package; Python looks for four other kinds of file first.

    A command loads sixty to a hundred of them (docs/decisions/0043).
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, _target: object = None
    ) -> ModuleSpec | None:
        """Return where a module of ours is; None for all others, which Python finds."""
        if path is None or not name.startswith("daily_memory."):
            return None
        place = f"{path[0]}{os.sep}{name.rpartition('.')[2]}"
        package = f"{place}{os.sep}__init__.py"
        file = next(filter(os.path.isfile, (f"{place}.py", package)), "")
        if not file:
            return None
        spec = ModuleSpec(
            name, SourceFileLoader(name, file), origin=file, is_package=file == package
        )
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(place)
        return spec


def main() -> None:
    """Run a command and end the process."""
    sys.meta_path.insert(0, Finder)
    # Most commands live for some milliseconds: looking for garbage would take a tenth of them.
    gc.disable()
    if sys.argv[1:2] == ["hook"]:
        # The host waits for it: it goes past all that reads options.
        from daily_memory.frontends import hooks

        status = hooks.main(sys.argv[2:])
    else:
        from daily_memory.frontends.cli import main as run

        status = run()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # whoever started us may have closed it
            stream.flush()
    # Nothing is left to do, and taking the interpreter apart would take another tenth.
    os._exit(status)


if __name__ == "__main__":
    main()
