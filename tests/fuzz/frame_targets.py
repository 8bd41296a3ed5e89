"""Fuzzer targets: what a process that an attacker controls may send to its parent.

The product runs scripts, and workers that read files, in processes of their own. Such a process is
connected to its parent by a socket and sends *frames*, JSON objects such as `{"printed": "text"}`.
Here a thread, the *peer*, plays the process and sends forged frames. Whatever the parent receives,
it must end the step of the script, or the call of the worker, quickly.
"""

from contextlib import suppress
from random import Random
from typing import Any, ClassVar

from controlplane.sandbox import Limits, StepResult, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.forging_peer import ForgedServer, ForgingPeer
from tests.fuzz.inputs.damaged_json import damaged_message
from tests.fuzz.inputs.sample_frames import SCRIPT_FRAMES, WORKER_FRAMES
from tests.fuzz.target import Target
from tests.sandbox.opened_sandboxes import new_sandbox


class ForgedFrames(Target):
    """Plays inputs of 1 to 6 forged frames. A subclass is for one kind of process.

    For each input:
    1. a new peer begins to send the frames over a socket
    2. the parent asks the server for a process, and gets the peer
    3. the parent receives the frames
    """

    frames: ClassVar[list[dict[str, Any]]]
    """Frames as this kind of process sends them. What the peer sends is one of them, altered or
    damaged in most cases, or junk."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        frame_count = rng.randrange(1, 7)
        bodies = [damaged_message(rng, self.frames) for _ in range(frame_count)]
        name_of_input = str(bodies)[:300]
        peer = ForgingPeer(bodies)
        self._server.peer = peer
        try:
            self.receive(name_of_input)
        finally:
            peer.close()

    def receive(self, name_of_input: str) -> None:
        """Do what the parent does with a process of this kind, which here is the peer.

        Reports of failures show `name_of_input`, the beginning of the frames.
        """
        raise NotImplementedError


class ScriptFrames(ForgedFrames):
    """Forged frames of a script that broke out of its interpreter, and now controls its process."""

    frames = SCRIPT_FRAMES

    def receive(self, name_of_input: str) -> None:
        """Run a step of the script. It must have a result, whatever it is."""
        sandbox = new_sandbox(
            self._server, limits=Limits(step_wall_s=2.0, verify_s=1.0)
        )

        result = self.meter.call(name_of_input, lambda: sandbox.run("pass"))

        assert isinstance(result, StepResult)


class WorkerFrames(ForgedFrames):
    """Forged frames of a worker: a process that reads hostile files and answers queries."""

    frames = WORKER_FRAMES

    def receive(self, name_of_input: str) -> None:
        """Call a function of the worker. It must return or raise `CallError`."""
        with Worker(self._server, limits=WorkerLimits(call_wall_s=2.0)) as worker:

            def call() -> Any:
                return worker.call("forged:function", 1, serve=lambda question: "text")

            with suppress(CallError):
                self.meter.call(name_of_input, call)
