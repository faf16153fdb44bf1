# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "filelock>=3.16",
#     "pystemmer>=2.2",
#     "python-frontmatter>=1.1",
#     "pyyaml>=6.0",
#     "rapidfuzz>=3.9",
# ]
# ///
"""The command `memory`, straight from a checkout: `python scripts/memory.py search "…"`.

With uv nothing need be installed first: `uv run scripts/memory.py search "…"`.
"""

import os
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is imported under another name than it is installed under.
PACKAGES = {"Stemmer": "pystemmer", "frontmatter": "python-frontmatter", "yaml": "pyyaml"}


def run() -> int:
    """Run the command; a missing dependency is one line that says what to run."""
    # In place of `scripts/`, which Python puts there and whose `memory.py` is this file.
    sys.path[0] = os.path.join(CHECKOUT, "skill")
    try:
        from daily_memory.frontends.cli import main

        return main()
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name == "daily_memory":
            raise
        package = PACKAGES.get(name, name)
        command = f"{sys.executable} -m pip install {CHECKOUT}"
        print(f"error: the package {package!r} is missing; run: {command}", file=sys.stderr)
        return 6


if __name__ == "__main__":
    sys.exit(run())
