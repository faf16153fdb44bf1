"""A death or an error at some calls of each command that writes.

`scripts/bench/soak.py --only calls` tries all of them.
"""

from __future__ import annotations

import pytest

from tests.reliability.crashes import Bench
from tests.reliability.store import CAN_FORK
from tests.reliability.victims import VICTIMS

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
TRIALS = 6


@pytest.mark.parametrize("victim", VICTIMS, ids=[victim.name for victim in VICTIMS])
def test_nothing_is_lost_torn_or_doubled_wherever_a_command_breaks(victim, tmp_folder, zygote):
    bench = Bench(victim, tmp_folder, zygote)

    faults = [fault for trial in bench.sample(TRIALS) for fault in bench.faults(trial)]

    assert faults == []
