"""A process that an attacker controls, as its parent sees it: the other end of a socket.

    server = ForgedServer(["forged"])
    server.peer = ForgingPeer([b'{"printed": 1}'])
    child = server.spawn()      no process is forked: the child is the peer

A *frame* is a length of four bytes and a JSON object.
"""

import struct
import threading
from contextlib import suppress
from socket import SHUT_WR, socketpair

from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface.messages.frames import FrameReader
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)

FRAME_LENGTH = struct.Struct("!I")
"""The length at the beginning of a frame: four bytes, the most significant first."""


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
