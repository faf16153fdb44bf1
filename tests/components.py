"""Programs that some tests need, such as Chromium: skipped where missing, an error in CI.

A test names them with `pytest.mark.needs("chromium")`. `.ci/run` sets
DAILY_MEMORY_REQUIRE_COMPONENTS=1: a missing program then fails the tests that need it. What only
depends on the system (Windows, no root, no data beside the checkout) uses `pytest.skip`.
"""

from __future__ import annotations

import glob
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest

REQUIRED = "DAILY_MEMORY_REQUIRE_COMPONENTS"
# Other names of a program.
NAMES = {"chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")}
# Where Debian has programs that are on no PATH but root's, or on none.
PLACES = "/usr/sbin", *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
# Programs that pip installs beside this Python.
OURS = ("agentskills", "memory")
# skills-ref, which brings the first, needs Python 3.11.
OPTIONAL = ("agentskills",) if sys.version_info < (3, 11) else ()


def find(component: str) -> str:
    """Return the path of a program, "" where it isn't installed."""
    folders = [os.environ.get("PATH", os.defpath), *PLACES]
    if component in OURS:
        folders = [str(Path(sys.executable).parent)]
    names = NAMES.get(component, (component,))
    paths = (shutil.which(name, path=os.pathsep.join(folders)) for name in names)
    return next(filter(None, paths), "")


def require(component: str) -> str:
    """Return the path of a program; skip the test without it, or fail if it is required."""
    return find(component) or miss(component)


def miss(component: str) -> NoReturn:
    """Skip the test, or fail if what it needs is required."""
    reason = f"{component} is not installed"
    if os.environ.get(REQUIRED) == "1" and component not in OPTIONAL:
        pytest.fail(f"{reason}, and {REQUIRED} is set", pytrace=False)
    pytest.skip(reason)
