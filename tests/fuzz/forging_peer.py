"""A child process that an attacker controls, as its parent sees it: the other end of a socket.

    with ForgedServer(["forged"]) as server, server.child_that_sends([b'{"printed": 1}']):
        child = server.spawn()
        child.connection        # the parent's end of the connection, on which the message arrives

A message is sent as a *frame*: its length in four bytes, and then the message.
"""

import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socket import SHUT_WR, socket, socketpair

from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface.frames import Connection
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)


def send_frames(connection: socket, messages: list[bytes]) -> None:
    """Send messages as frames, and then receive until the other end is closed."""
    with suppress(OSError):  # The parent may close its end at any time.
        for message in messages:
            length = struct.pack("!I", len(message))  # the most significant byte first
            connection.sendall(length + message)
        connection.shutdown(SHUT_WR)
        # What the parent sends is ignored, but received: a full socket would block it.
        while connection.recv(1 << 16):
            pass


def unknown_end(child: ChildProcess) -> ChildEnd:
    """Return the end of a child whose server process cannot say how it ended."""
    return UNKNOWN_END


class ForgedServer(ForkServer):
    """A server that forks no process: the child that it returns is a thread of this one."""

    _parents_end: socket  # of the connection to the next child

    @contextmanager
    def child_that_sends(self, messages: list[bytes]) -> Iterator[None]:
        """Let the next child send these messages. It must be spawned within the block."""
        self._parents_end, childs_end = socketpair()
        thread = threading.Thread(
            target=send_frames, args=(childs_end, messages), daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            self._parents_end.close()
            thread.join(5)
            childs_end.close()
            assert not thread.is_alive()

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        """Return the thread as a child, whatever kind of child is asked for."""
        return ChildProcess(
            pid=0,  # There is none.
            connection=Connection(self._parents_end),
            end_in_server=unknown_end,
            generation=0,
        )
