"""A death or an error at the calls of each command that writes; the long form is `soak.py`."""

from __future__ import annotations

import pytest

from tests.reliability.crashes import Bench
from tests.reliability.store import CAN_FORK
from tests.reliability.victims import VICTIMS

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
# Every call of every command takes minutes: a fourth of what differs, another fourth for each.
PARTS = 4


@pytest.mark.parametrize("place", range(len(VICTIMS)), ids=[victim.name for victim in VICTIMS])
def test_nothing_is_lost_torn_or_doubled_wherever_a_command_breaks(place, tmp_folder, zygote):
    bench = Bench(VICTIMS[place], tmp_folder, zygote)

    faults = [fault for trial in bench.quick_trials(place, PARTS) for fault in bench.faults(trial)]

    assert faults == []
