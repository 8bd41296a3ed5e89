"""The fuzzer's forged frames: what a child, or an aide, that a script took over may send to the parent."""

import struct
import threading
from contextlib import suppress
from random import Random
from socket import socket, socketpair
from typing import Any

from sandbox import Aide, ForkServer, Limits, Sandbox, StepResult
from sandbox.interface import CallError
from sandbox.interface.frames import FrameReader
from sandbox.interface.host import AideLimits
from sandbox.parent.fork_server import UNKNOWN_END, ChildEnd, ChildProcess
from tests.fuzz import generators
from tests.fuzz.generators import Measured
from tests.sandbox.script_world import NOW, SURFACE, Desk

LENGTH = struct.Struct("!I")
READ = {"path": "/AGENTS.MD", "start_line": 0, "end_line": 0}
SUBMITTED = {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}}
SCRIPT_FRAMES: list[list[Any]] = [
    ["out", "text"],
    ["keep", "", {"a": 1}],
    ["call", "", {"a": [1]}, 1, "read", READ],
    ["cite", "", None, 1, "/AGENTS.MD", "the rules of the workspace"],
    ["answer", "", SUBMITTED, 1, True, True],
    ["verified", "", 1, True, ""],
    ["end", "", {"b": {"$": "set", "v": [1]}}, "finished", "", "", False],
]
AIDE_FRAMES: list[list[Any]] = [
    ["done", {"content": "x"}],
    ["failed", "not_found", "there is none"],
    ["ask", ["/a.md", "/b.md"]],
]


class Peer:
    """The other end of a socket: sends what it is given, reads what comes, until it is closed."""

    def __init__(self, bodies: list[bytes]) -> None:
        self.ours, self._theirs = socketpair()
        self._thread = threading.Thread(target=self._play, args=(bodies,), daemon=True)
        self._thread.start()

    def _play(self, bodies: list[bytes]) -> None:
        with suppress(OSError):
            for body in bodies:
                self._theirs.sendall(LENGTH.pack(len(body)) + body)
            self._theirs.shutdown(1)
            while self._theirs.recv(1 << 16):
                pass

    def close(self) -> None:
        self.ours.close()
        self._thread.join(5)
        self._theirs.close()
        assert not self._thread.is_alive()


class ForgedServer(ForkServer):
    """Hands out the connection of a peer in place of a child."""

    connection: socket

    def spawn(self, *, with_kernel: bool = True) -> ChildProcess:
        return ChildProcess(0, self.connection, FrameReader(self.connection), GoneServer(), 0)

    spawn_aide = spawn


class GoneServer:
    """Knows nothing of how a child ended."""

    def end(self, child: ChildProcess) -> ChildEnd:
        return UNKNOWN_END


class ScriptFrames:
    """What a child that broke out of its interpreter may send."""

    def __init__(self) -> None:
        self._server = ForgedServer(["forged"])

    def once(self, rng: Random) -> None:
        bodies = [generators.body(rng, SCRIPT_FRAMES) for _ in range(rng.randrange(1, 7))]
        peer = Peer(bodies)
        self._server.connection = peer.ours
        limits = Limits(step_wall_s=2.0, verify_s=1.0)
        box = Sandbox(SURFACE, Desk(), now=NOW, seed=1, limits=limits, server=self._server)
        try:
            result = Measured.take(str(bodies)[:300], lambda: box.run("pass"))
        finally:
            peer.close()
        assert isinstance(result, StepResult)

    def close(self) -> None:
        self._server.close()


class AideFrames:
    """What an aide that a script took over may send."""

    def __init__(self) -> None:
        self._server = ForgedServer(["forged"])

    def once(self, rng: Random) -> None:
        bodies = [generators.body(rng, AIDE_FRAMES) for _ in range(rng.randrange(1, 7))]
        peer = Peer(bodies)
        self._server.connection = peer.ours
        with Aide(self._server, limits=AideLimits(call_wall_s=2.0)) as aide, suppress(CallError):
            Measured.take(str(bodies)[:300], lambda: aide.call("forged:function", 1, serve=lambda question: "text"))
        peer.close()

    def close(self) -> None:
        self._server.close()
