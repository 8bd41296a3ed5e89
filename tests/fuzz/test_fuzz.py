"""Plays every target of the fuzzer for half a second.

The fuzzer sends random hostile inputs to the parts of the product that read untrusted data.
`python -m tests.fuzz --minutes 60` plays an hour.
"""

import pytest

from tests.fuzz.playing import play
from tests.fuzz.targets import TARGETS
from tests.fuzz.wire_target import CpuMeter

pytestmark = pytest.mark.second_tier

MIN_INPUTS = 25
"""So many inputs are played even on a machine that is slow."""


@pytest.mark.parametrize("name", TARGETS)
def test_no_hostile_input_makes_a_target_fail_or_hang(name: str, heavy: bool) -> None:
    """An input fails if it raises an unexpected exception.

    How long it takes is not checked here, where other tests run at the same time.
    """
    seconds = 120.0 if heavy else 0.5
    meter_without_limit = CpuMeter()

    played = play(
        name, meter_without_limit, seconds=seconds, seed=1, min_inputs=MIN_INPUTS
    )

    assert played.count >= MIN_INPUTS
    assert played.failures == []
