"""A platform that loses the third trial of a run: from one of its calls on, it refuses all.

    loss = LossOfThirdTrial(at="Write", refusal=BROKEN)
    with losing_platform(folder, loss, monkeypatch) as platform:
        platform.command(*IMPATIENT_RUN)

The other three trials of the run are not disturbed. `loss.trial_id` is the id of the lost one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import bounds
from tests.controlplane.platform_faults.relayed_platforms import (
    RelayedPlatform,
    relayed_platform,
)
from tests.controlplane.platform_faults.trial_loss import LossOfThirdTrial
from tests.support.effect_counter import RUN_EFFECT_COUNTER

IMPATIENT_RUN = (
    *RUN_EFFECT_COUNTER,
    "--set",
    "lifecycle_patience_s=0.5",
    "--set",
    "call_patience_s=0.5",
    "--set",
    "contact_patience_s=0.5",
    "--concurrency",
    "2",
)
"""A run of four trials, two at a time, that tries every call for 0.5 s only."""


@contextmanager
def losing_platform(
    folder: Path,
    loss: LossOfThirdTrial,
    monkeypatch: pytest.MonkeyPatch,
    options: ServerOptions | None = None,
) -> Iterator[RelayedPlatform]:
    """Serve a platform of four trials that loses the third one.

    A run tries only for 0.3 s to end the lost trial, instead of 15 minutes.
    """
    monkeypatch.setattr(bounds, "END_RETRY_S", 0.3)
    with relayed_platform(folder, loss, options, trials=4) as platform:
        yield platform
