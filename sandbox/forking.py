"""The fork server's own process: single-threaded, imports done once, one child for every request.

It reads one-byte requests with a number from its control socket: `+` hand out a child (its socket and number go back),
`-` end child number N and say how it ended. It ends with its parent, and its children end with it.
"""

from __future__ import annotations

import array
import gc
import os
import signal
import socket
import struct
from typing import Any, Final

REQUEST: Final = struct.Struct("!cI")
REPLY: Final = struct.Struct("!Ii")


class ForkingProcess:
    """Forks children that are ready before they are asked for."""

    def __init__(self, control: socket.socket, everything: dict[str, Any]) -> None:
        self._control = control
        self._everything = everything
        self._ready: list[tuple[int, socket.socket]] = []

    def run(self) -> None:
        """Serve requests until the parent is gone."""
        self._make_ready()
        while True:
            try:
                request = self._control.recv(REQUEST.size, socket.MSG_WAITALL)
            except OSError:
                return
            if len(request) < REQUEST.size:
                return
            kind, number = REQUEST.unpack(request)
            if kind == b"+":
                self._hand_out()
                self._make_ready()
            else:
                self._end(number)

    def _make_ready(self) -> None:
        if self._ready:
            return
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            ours.close()
            self._control.close()
            become_child(theirs, self._everything)
        theirs.close()
        self._ready.append((pid, ours))

    def _hand_out(self) -> None:
        self._make_ready()
        pid, ours = self._ready.pop()
        descriptors = array.array("i", [ours.fileno()])
        self._control.sendmsg([REPLY.pack(pid, 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        ours.close()

    def _end(self, pid: int) -> None:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended == 0:
                os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
            code = os.waitstatus_to_exitcode(status)
        except ChildProcessError:
            code = 0
        self._control.sendall(REPLY.pack(pid, code))


def become_child(connection: socket.socket, everything: dict[str, Any]) -> None:
    """Serve scripts over `connection`, and never return."""
    from sandbox.child import serve

    try:
        serve(connection, everything)
    finally:
        os._exit(0)


def main(descriptor: int) -> None:
    """Be the fork server over the control socket at `descriptor`."""
    import _strptime  # noqa: F401 - imported lazily by strptime otherwise, when files are out of reach
    import locale  # noqa: F401 - the same

    from sandbox import child, facades, pinned, replacements

    control = socket.socket(fileno=descriptor)
    everything = facades.build(replacements.table())
    pinned.install()
    child.measure()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    control.sendall(b"!")
    ForkingProcess(control, everything).run()
