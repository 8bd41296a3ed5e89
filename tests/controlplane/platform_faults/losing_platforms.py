"""A platform, the server of a benchmark, that plays three trials of a run well and loses one.

A lost trial is one whose calls the platform refuses, from some call on. Tests look at what the run
makes of it, and whether it plays the others to their end:

    loss = LossOfThirdTrial(at="Write", refusal=BROKEN)   # refuses its first `Write` and all after it
    with losing_platform(folder, loss, monkeypatch) as platform:
        platform.command(*IMPATIENT_RUN)                  # `controlplane run ...`, with four trials
    loss.trial_id                                         # the id of the lost trial
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
"""A run of four trials, two at a time, that tries each refused call for 0.5 s, not for minutes.

The settings are for calls that start and end trials, for calls of scripts, and for the first contact.
"""


@contextmanager
def losing_platform(
    folder: Path,
    loss: LossOfThirdTrial,
    monkeypatch: pytest.MonkeyPatch,
    options: ServerOptions | None = None,
) -> Iterator[RelayedPlatform]:
    """Serve a benchmark of four trials, and refuse calls of the third one as `loss` says.

    A run tries only for 0.3 s to end the lost trial (`END_RETRY_S`), instead of 15 minutes.
    """
    monkeypatch.setattr(bounds, "END_RETRY_S", 0.3)
    with relayed_platform(folder, loss, options, trials=4) as platform:
        yield platform
