"""The parent's connection to one fork server process that runs: the control socket."""

from __future__ import annotations

import os
import socket
import time
from typing import Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.fork_server_messages import (
    Action,
    ChildReply,
    ChildRequest,
    StartFailure,
    decode_start,
)
from controlplane.sandbox.interface.frames import Closed, Forged, FrameReader, Overdue
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.parent.child_process import ChildEnd, SandboxBroken
from controlplane.sandbox.parent.servers.server_program import (
    ServerSetting,
    start_process,
)

_START_TIMEOUT_S: Final = 20.0
"""The longest time until a process has imported everything, on a busy machine."""
_REPLY_TIMEOUT_S: Final = 10.0
"""The longest time until a process replies to a request."""

_CLOSE_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""A flag: programs that other threads start meanwhile
do not inherit received sockets. Linux only."""


class NewChild(NamedTuple):
    """A child that the process has forked."""

    pid: int
    connection: socket.socket


class ServerConnection:
    """A fork server process that was started, and the socket over which it gets requests."""

    def __init__(self, setting: ServerSetting) -> None:
        """Start the process, without waiting until it is ready. Raises `SandboxBroken`."""
        our_end, their_end = socket.socketpair()
        try:
            self._process = start_process(setting, their_end.fileno())
        except OSError as error:
            our_end.close()
            msg = f"the fork server cannot be started: {error}"
            raise SandboxBroken(msg) from error
        finally:
            their_end.close()
        self._control = our_end
        self._is_ready = False
        """True once the process has reported that it takes requests."""
        self.kernel_parts: dict[str, str] = {}
        """For each part of the kernel layer: "" if it works, else the reason why not.
        Known once the process is ready."""

    def wait_until_ready(self) -> None:
        """Return once the process takes requests. Raises `SandboxBroken`."""
        if self._is_ready:
            return
        deadline = time.monotonic() + _START_TIMEOUT_S
        try:
            message = FrameReader(self._control).receive(
                bounds.MOST_REQUEST_BYTES, deadline
            )
            start = decode_start(MessageFields(message))
        except (Closed, Overdue, Forged) as error:
            msg = f"the fork server ended before it was ready: {error}"
            raise SandboxBroken(msg) from error
        if isinstance(start, StartFailure):
            raise SandboxBroken(start.reason)
        self.kernel_parts = start.kernel_parts
        self._control.settimeout(_REPLY_TIMEOUT_S)
        self._is_ready = True

    def new_child(self) -> NewChild:
        """Return a new child. Raises `OSError` if the process is gone, and `SandboxBroken`."""
        self._control.sendall(ChildRequest(Action.NEW_CHILD).encode())
        record, descriptors, _, _ = socket.recv_fds(
            self._control, ChildReply.SIZE, 1, _CLOSE_ON_EXEC
        )
        if len(record) != ChildReply.SIZE:
            msg = "the fork server is gone"
            raise OSError(msg)
        pid = ChildReply.decode(record).pid

        if not descriptors:
            # The connection was lost, because this process has no descriptor left for it.
            # The server still works, so it need not be stopped. It only ends the child.
            self._control.sendall(ChildRequest(Action.END_CHILD, pid).encode())
            self._control.recv(ChildReply.SIZE, socket.MSG_WAITALL)
            msg = "this process can open no more files for the connections to its children (ulimit -n)"
            raise SandboxBroken(msg)

        os.set_inheritable(descriptors[0], False)
        return NewChild(pid, socket.socket(fileno=descriptors[0]))

    def end_child(self, pid: int) -> ChildEnd:
        """Kill a child if it is alive, and return how it ended.

        Raises `OSError` if the process is gone.
        """
        self._control.sendall(ChildRequest(Action.END_CHILD, pid).encode())
        record = self._control.recv(ChildReply.SIZE, socket.MSG_WAITALL)
        if len(record) != ChildReply.SIZE:
            msg = "the fork server is gone"
            raise OSError(msg)
        reply = ChildReply.decode(record)
        return ChildEnd(reply.exit_code, reply.cpu_ms / 1000)

    def stop(self) -> None:
        """End the process; its children end with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()
