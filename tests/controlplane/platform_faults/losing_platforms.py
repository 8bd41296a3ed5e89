"""A platform that loses the third trial of a run: from one of its calls on, it refuses all.

    loss = LossOfThirdTrial(at="Write", refusal=BROKEN)
    with losing_platform(folder, loss, monkeypatch) as platform:
        platform.command(*IMPATIENT_RUN)

The other three trials of the run are not disturbed. `loss.trial_id` is the id of the lost one.
"""

import json
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
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.relayed_calls import RelayedCall

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
"""A run of four trials, two at a time, that gives up every call after 0.5 s."""


class LossOfThirdTrial:
    """The rule of a relay by which the platform loses the third trial that a run starts.

    `LossOfThirdTrial(at="Write", refusal=BROKEN)`: the first write of this trial, and all its calls
    afterwards, are refused. Its earlier calls, and those of other trials, are passed on.
    """

    def __init__(self, *, at: str, refusal: bytes) -> None:
        self.method = at
        self.refusal = refusal
        self.trial_id = ""
        """The id of the trial, once it has started."""
        self.is_lost = False

    def __call__(self, call: RelayedCall) -> bytes | None:
        if call.method == "StartTrial" and call.number == 3:
            self.trial_id = trial_id_in(call)
        if trial_id_in(call) != self.trial_id:
            return None
        if call.method == self.method:
            self.is_lost = True
        return self.refusal if self.is_lost else None


def trial_id_in(call: RelayedCall) -> str | None:
    """Return the id of the trial that a call is about, or None if it is about the whole run.

    POST /trials/x9f2/bitgn.vm.ecom.EcomRuntime/Write       -> "x9f2"
    POST /bitgn.harness.HarnessService/EndTrial
    {"trialId": "x9f2"}                                     -> "x9f2"
    """
    head, _, body = call.request.partition(b"\r\n\r\n")
    _, path, _ = head.decode().split(" ", 2)
    if path.startswith("/trials/"):
        return path.split("/")[2]
    trial_id: str | None = json.loads(body).get("trialId")
    return trial_id


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
    with relayed_platform(folder, loss, options) as platform:
        yield platform
