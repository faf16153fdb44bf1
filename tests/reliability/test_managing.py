"""All that manages a memory, at random, against a model of plain values; long in `soak.py`."""

from __future__ import annotations

import pytest

from tests.reliability.managing import manage
from tests.reliability.managing_crowd import manage_beside
from tests.reliability.store import CAN_FORK


def test_a_memory_that_is_managed_holds_what_its_model_does():
    manage(memories=15, steps=12)


@pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
def test_what_is_saved_beside_somebody_who_manages_is_there_once(store):
    assert manage_beside(store, rounds=3, chance=1).faults == ()
