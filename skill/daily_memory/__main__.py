"""The command `memory`, also `python -m daily_memory`."""

import gc
import os
import sys


def main() -> None:
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
