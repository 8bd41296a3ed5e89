"""Fuzzer targets: messages from a script's process, or a worker's, that an attacker controls.

Such a process is connected to its parent by a socket and sends *frames*, JSON objects such as
`{"printed": "text"}`. Here a thread plays the process and sends forged frames. The parent must end
the step or the call with an error, quickly, whatever it receives.
"""

from contextlib import suppress
from random import Random
from typing import Any, ClassVar

from controlplane.sandbox import Limits, StepResult, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.damaged_json import damaged_message
from tests.fuzz.forging_peer import ForgedServer, ForgingPeer
from tests.fuzz.sample_frames import SCRIPT_FRAMES, WORKER_FRAMES
from tests.fuzz.target import Target
from tests.sandbox.script_world import new_sandbox


class ForgedFrames(Target):
    """Sends up to 6 forged frames to the parent for each input, and lets it receive them.

    A subclass has the right frames of a kind of process, and receives as the parent of one.
    """

    frames: ClassVar[list[dict[str, Any]]]
    """Right frames. What is sent is one of them, altered or damaged in most cases, or junk."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        frame_count = rng.randrange(1, 7)
        bodies = [damaged_message(rng, self.frames) for _ in range(frame_count)]
        peer = ForgingPeer(bodies)
        self._server.peer = peer
        try:
            self.receive(str(bodies)[:300])
        finally:
            peer.close()

    def receive(self, input_text: str) -> None:
        """Do what the parent does with a process of this kind. Here the process is the peer.

        `input_text` describes the frames in reports.
        """
        raise NotImplementedError


class ScriptFrames(ForgedFrames):
    """Forged frames of a script that broke out of its interpreter, and now controls its process."""

    frames = SCRIPT_FRAMES

    def receive(self, input_text: str) -> None:
        """Run a step of the script. It must have a result, whatever it is."""
        sandbox = new_sandbox(
            self._server, limits=Limits(step_wall_s=2.0, verify_s=1.0)
        )

        result = self.meter.call(input_text, lambda: sandbox.run("pass"))

        assert isinstance(result, StepResult)


class WorkerFrames(ForgedFrames):
    """Forged frames of a worker: a process that reads hostile files and answers queries."""

    frames = WORKER_FRAMES

    def receive(self, input_text: str) -> None:
        """Call a function of the worker. It must return or raise `CallError`."""
        with Worker(self._server, limits=WorkerLimits(call_wall_s=2.0)) as worker:

            def call() -> Any:
                return worker.call("forged:function", 1, serve=lambda question: "text")

            with suppress(CallError):
                self.meter.call(input_text, call)
