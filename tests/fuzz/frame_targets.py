"""Fuzzer targets: what a process that an attacker controls may send to its parent.

    parent  <-- {"printed": "text"} --  child

The product runs scripts, and workers that read files, in child processes, which send it *frames*: JSON
objects. Here a thread plays the child, and sends right, damaged or junk frames. Whatever it sends, the
parent must end the step of the script, or the call of the worker, quickly.
"""

from contextlib import suppress
from random import Random
from typing import Any

from controlplane.sandbox import Limits, StepResult, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.forging_peer import ForgedServer
from tests.fuzz.inputs.damaged_json import damaged_message
from tests.fuzz.inputs.script_frames import SCRIPT_FRAMES
from tests.fuzz.inputs.worker_frames import WORKER_FRAMES
from tests.fuzz.target import Target
from tests.sandbox.opened_sandboxes import new_sandbox


def random_messages(rng: Random, frames: list[dict[str, Any]]) -> list[bytes]:
    """Return 1 to 6 messages; each is one of the frames, mostly altered or damaged, or junk."""
    count = rng.randrange(1, 7)
    return [damaged_message(rng, frames) for _ in range(count)]


class ScriptFrames(Target):
    """Lets a script's process send forged frames, as if the script controlled its interpreter."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        """Run a step. It must have a result, whatever it is."""
        messages = random_messages(rng, SCRIPT_FRAMES)
        with self._server.child_that_sends(messages):
            limits = Limits(step_wall_s=2.0, verify_s=1.0)
            sandbox = new_sandbox(self._server, limits=limits)
            result = self.meter.call(
                str(messages)[:300],  # what reports of failures show
                lambda: sandbox.run("pass"),
            )

        assert isinstance(result, StepResult)


class WorkerFrames(Target):
    """Lets a worker send forged frames, as if a hostile file controlled it."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        """Call a function of the worker. It must return or raise `CallError`."""
        messages = random_messages(rng, WORKER_FRAMES)
        limits = WorkerLimits(call_wall_s=2.0)
        with (
            self._server.child_that_sends(messages),
            Worker(self._server, limits=limits) as worker,
            suppress(CallError),
        ):
            self.meter.call(
                str(messages)[:300],
                lambda: worker.call(
                    "forged:function", 1, serve=lambda question: "text"
                ),
            )
