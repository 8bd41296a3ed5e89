"""A few seconds of the fuzzer in all; `python -m tests.fuzz --minutes 60` plays an hour."""

import pytest

from tests.fuzz.__main__ import play
from tests.fuzz.generators import Measured
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_makes_the_trusted_process_fail_or_wait(name, heavy, monkeypatch):
    # Only what hangs: other tests load the machine.
    monkeypatch.setattr(Measured, "most_s", 5.0)
    count, failed = play(name, 120.0 if heavy else 0.5, seed=1, least=25)

    assert count >= 25
    assert not failed
