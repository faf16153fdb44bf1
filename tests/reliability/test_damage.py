"""Damaged and hostile memories: every command ends well, finds what is there, and keeps it."""

from __future__ import annotations

import pytest

from tests.reliability.damage import CASES, damage_faults
from tests.reliability.store import CAN_FORK

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
# The limit is for what hangs; what is slow is measured in `soak.py`.
LIMIT_S = 60.0
BIG = ("ten megabytes", "a very long line", "very many headings", "very many blanks")
QUICK = [case for case in CASES if case.name not in BIG]


@pytest.mark.parametrize("case", QUICK, ids=[case.name for case in QUICK])
def test_a_damaged_memory_is_read_and_kept(case, store):
    assert damage_faults(case, store, limit_s=LIMIT_S) == []
