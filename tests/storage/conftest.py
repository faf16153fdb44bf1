"""A root with folders for days and for the index."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daily_memory.storage.roots import Root, project_root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = project_root(str(tmp_path))
    os.makedirs(made.daily_folder)
    os.makedirs(made.index_folder)
    return made
