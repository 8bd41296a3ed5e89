"""Fuzzer targets: messages from a script's process, or a worker's, that an attacker controls.

Such a process is connected to the parent by a socket and sends *frames*: a length of four bytes
and a JSON object, such as `{"printed": "text"}`. Here a thread plays the process and sends forged
frames. The parent must end the step or the call with an error, quickly, whatever it receives.
"""

import struct
import threading
from contextlib import suppress
from random import Random
from socket import SHUT_WR, socket, socketpair
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
from tests.fuzz import generators
from tests.fuzz.generators import Measured
from tests.fuzz.target import Target
from tests.sandbox.script_world import new_sandbox

FRAME_LENGTH = struct.Struct("!I")
"""The length at the beginning of a frame: four bytes, the most significant first."""

# One frame of each kind that the process of a script sends. A frame with a number is a request,
# which the parent answers. Any frame may also have printed text, or the changed scratchpad: the
# values that a script keeps for later steps.

# The script has printed a text, and changed its scratchpad.
PRINTED = {"printed": "text"}
SCRATCHPAD = {"scratchpad": {"a": 1}}

# It calls `harness.read("/AGENTS.MD")`.
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

# It calls `scratchpad.cite("/AGENTS.MD", "the rules of the workspace")`.
CITATION = {
    "number": 1,
    "body": {
        "kind": "cite",
        "path": "/AGENTS.MD",
        "reason": "the rules of the workspace",
        "quote": "",
    },
}

# It calls `harness.answer(scratchpad, verify)`. The parent then asks it to call `verify`.
ANSWER = {
    "scratchpad": {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}},
    "number": 1,
    "body": {
        "kind": "answer",
        "verify_is_callable": True,
        "verify_takes_one_argument": True,
    },
}
REPLY_OF_VERIFY = {"body": {"kind": "verified", "says_yes": True, "error": ""}}

# It has ended. The scratchpad has a set, which JSON cannot write as it is.
END_OF_STEP = {
    "scratchpad": {"b": {"$": "set", "v": [1]}},
    "body": {
        "kind": "end",
        "ending": "finished",
        "error": "",
        "end_of_output": "",
        "is_spent": False,
    },
}

SCRIPT_FRAMES: list[dict[str, Any]] = [
    PRINTED,
    SCRATCHPAD,
    CALL,
    CITATION,
    ANSWER,
    REPLY_OF_VERIFY,
    END_OF_STEP,
]

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
"""One frame of each kind that a worker sends."""


class ForgingPeer:
    """The other end of a socket: a thread that sends frames and ignores what it receives.

    The parent's end is `parents_socket`.
    """

    def __init__(self, bodies: list[bytes]) -> None:
        self.parents_socket, self._socket = socketpair()
        self._thread = threading.Thread(target=self._play, args=(bodies,), daemon=True)
        self._thread.start()

    def _play(self, bodies: list[bytes]) -> None:
        with suppress(OSError):  # The parent may close its end at any time.
            for body in bodies:
                self._socket.sendall(FRAME_LENGTH.pack(len(body)) + body)
            self._socket.shutdown(SHUT_WR)
            while self._socket.recv(1 << 16):
                pass

    def close(self) -> None:
        self.parents_socket.close()
        self._thread.join(5)
        self._socket.close()
        assert not self._thread.is_alive()


class UnknownServer:
    """The server process of the forged children: it cannot say how they ended."""

    def end(self, child: ChildProcess) -> ChildEnd:
        return UNKNOWN_END


class ForgedServer(ForkServer):
    """Instead of forking children, returns one whose socket is that of a forging peer."""

    connection: socket
    """The parent's end of the peer's socket; set before each input."""

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        return ChildProcess(
            pid=0,
            connection=self.connection,
            reader=FrameReader(self.connection),
            server=UnknownServer(),
            generation=0,
        )


class ScriptFrames(Target):
    """Forged frames of a script that broke out of its interpreter, and now controls its process."""

    frames: ClassVar[list[dict[str, Any]]] = SCRIPT_FRAMES

    def __init__(self) -> None:
        super().__init__()
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        bodies = [generators.body(rng, self.frames) for _ in range(rng.randrange(1, 7))]
        peer = ForgingPeer(bodies)
        self._server.connection = peer.parents_socket
        try:
            self.receive(str(bodies)[:300])
        finally:
            peer.close()

    def receive(self, input_text: str) -> None:
        """Run a step whose child is the peer; it must have a result, whatever that is."""
        sandbox = new_sandbox(
            self._server, limits=Limits(step_wall_s=2.0, verify_s=1.0)
        )

        result = Measured.call(input_text, lambda: sandbox.run("pass"))

        assert isinstance(result, StepResult)


class WorkerFrames(ScriptFrames):
    """Forged frames of a worker: a process that reads hostile files and answers queries."""

    frames: ClassVar[list[dict[str, Any]]] = WORKER_FRAMES

    def receive(self, input_text: str) -> None:
        """Call a function of the peer; the call must return or raise `CallError`."""
        with Worker(self._server, limits=WorkerLimits(call_wall_s=2.0)) as worker:

            def call() -> Any:
                return worker.call("forged:function", 1, serve=lambda question: "text")

            with suppress(CallError):
                Measured.call(input_text, call)
