"""Many things one after the other, and texts of all kinds; the long form is `soak.py`."""

from __future__ import annotations

import pytest

from tests.reliability.histories import live
from tests.reliability.roundtrip import round_trips
from tests.reliability.store import CAN_FORK


@pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
def test_a_memory_holds_what_a_dictionary_does(zygote):
    live(zygote, histories=6, steps=12)


def test_what_is_saved_comes_back_to_the_character(tmp_folder):
    assert round_trips(tmp_folder, 30) >= 30
