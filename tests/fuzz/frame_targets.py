"""Fuzzer targets: messages from a script's process, or a worker's, that an attacker controls.

Such a process is connected to the parent by a socket and sends *frames*: a length of four bytes
and a JSON object, such as `{"printed": "text"}`. Here a thread plays the process and sends forged
frames. The parent must end the step or the call with an error, quickly, whatever it receives.
"""

import struct
import threading
from contextlib import suppress
from random import Random
from socket import SHUT_WR, socketpair
from typing import Any, ClassVar

from controlplane.sandbox import ForkServer, Limits, StepResult, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import FrameReader
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.damaged_json import damaged_message
from tests.fuzz.target import Target
from tests.sandbox.script_world import new_sandbox

FRAME_LENGTH = struct.Struct("!I")
"""The length at the beginning of a frame: four bytes, the most significant first."""

# One frame of each kind that the process of a script sends
#
# `number` marks a request, which the parent answers. `body` says what is requested. Any frame may also
# have `printed` text, or the `scratchpad`: the values that a script keeps for later steps.

PRINTED = {"printed": "text"}
"""The script has printed a text."""

SCRATCHPAD = {"scratchpad": {"a": 1}}
"""The script has changed its scratchpad."""

CALL = {
    "scratchpad": {"a": [1]},
    "number": 1,
    "body": {
        "kind": "call",
        "operation": "read",
        "positional": [],
        "named": {"path": "/AGENTS.MD", "start_line": 0, "end_line": 0},
    },
}
"""The script calls `harness.read("/AGENTS.MD")`."""

CITATION = {
    "number": 1,
    "body": {
        "kind": "cite",
        "path": "/AGENTS.MD",
        "reason": "the rules of the workspace",
        "quote": "",
    },
}
"""The script calls `scratchpad.cite("/AGENTS.MD", "the rules of the workspace")`."""

ANSWER = {
    "scratchpad": {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}},
    "number": 1,
    "body": {
        "kind": "answer",
        "verify_is_callable": True,
        "verify_takes_one_argument": True,
    },
}
"""The script calls `harness.answer(scratchpad, verify)`, where `verify` checks the answer."""

REPLY_OF_VERIFY = {"body": {"kind": "verified", "says_yes": True, "error": ""}}
"""The parent has asked the process to call `verify`, which returned True."""

END_OF_STEP = {
    "scratchpad": {"b": {"$": "set", "v": [1]}},  # {1}, which JSON cannot write
    "body": {
        "kind": "end",
        "ending": "finished",
        "error": "",
        "end_of_output": "",
        "is_spent": False,
    },
}
"""The script has ended without an error. Its process may run further scripts: it is not spent."""

SCRIPT_FRAMES: list[dict[str, Any]] = [
    PRINTED,
    SCRATCHPAD,
    CALL,
    CITATION,
    ANSWER,
    REPLY_OF_VERIFY,
    END_OF_STEP,
]

# One frame of each kind that a worker sends: the end of a call, by a result or an error, or a
# question that it asks during a call
WORKER_FRAMES: list[dict[str, Any]] = [
    {"kind": "result", "value": {"content": "x"}},
    {
        "kind": "error",
        "code": "not_found",
        "message": "there is none",
        "process_must_end": False,
    },
    {"kind": "question", "arguments": ["/a.md", "/b.md"]},
]


class ForgingPeer:
    """Plays a process that an attacker controls: a thread that sends forged frames over a socket.

    It ignores what it receives. The parent gets `parents_socket`. Call `close` at last.
    """

    def __init__(self, bodies: list[bytes]) -> None:
        """Begin to send frames with these bodies."""
        self.parents_socket, self._socket = socketpair()
        self._thread = threading.Thread(target=self._play, args=(bodies,), daemon=True)
        self._thread.start()

    def _play(self, bodies: list[bytes]) -> None:
        with suppress(OSError):  # The parent may close its end at any time.
            for body in bodies:
                self._socket.sendall(FRAME_LENGTH.pack(len(body)) + body)
            self._socket.shutdown(SHUT_WR)
            # Receive until the parent closes its end, so that it is never blocked by a full socket.
            while self._socket.recv(1 << 16):
                pass

    def close(self) -> None:
        """Close both ends, and end the thread."""
        self.parents_socket.close()
        self._thread.join(5)
        self._socket.close()
        assert not self._thread.is_alive()


class UnknownChildMaker:
    """Stands in for the server process that forked a child: it cannot say how the child ended."""

    def end(self, child: ChildProcess) -> ChildEnd:
        return UNKNOWN_END


class ForgedServer(ForkServer):
    """A server that forks no process. Each child that it returns is the forging peer of an input."""

    peer: ForgingPeer
    """The peer that the next child is; set before each input."""

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        """Return the peer as a child, whatever kind of child is asked for."""
        connection = self.peer.parents_socket
        return ChildProcess(
            pid=0,  # There is no process.
            connection=connection,
            reader=FrameReader(connection),
            server=UnknownChildMaker(),
            generation=0,
        )


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
