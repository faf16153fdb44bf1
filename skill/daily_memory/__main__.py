"""The command `memory`, also `python -m daily_memory`."""

import sys

from daily_memory.frontends.cli import main

if __name__ == "__main__":
    sys.exit(main())
