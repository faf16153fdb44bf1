# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "filelock>=3.20.3",
#     "pystemmer>=2.2",
#     "python-frontmatter>=1.1",
#     "pyyaml>=6.0",
#     "rapidfuzz>=3.9",
#     "shtab>=1.13",
#     "tomli>=2.0; python_version < '3.11'",
# ]
# ///
"""The command `memory`, straight from a checkout: `python scripts/memory.py search redis`.

With uv nothing need be installed first: `uv run scripts/memory.py search redis`.
"""

import os
import sys

if sys.version_info < (3, 10):  # noqa: UP036  # an older one can't even read what follows
    running = ".".join(map(str, sys.version_info[:2])) + ", " + sys.executable
    hint = "hint: run it with another one, as in: python3.12 " + sys.argv[0]
    sys.exit("error: Daily Memory needs Python 3.10 or newer; this is " + running + "\n" + hint)

# In place of `scripts/`, which Python puts there and whose `memory.py` is this file.
sys.path[0] = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "skill")

from daily_memory.frontends.cli import main  # noqa: E402  # the path comes first

if __name__ == "__main__":
    sys.exit(main())
