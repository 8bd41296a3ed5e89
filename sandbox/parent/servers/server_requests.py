"""The requests to a fork server process over the control socket, and its replies."""

from __future__ import annotations

import os
import socket
import time
from typing import Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.messages.fork_server_messages import (
    Action,
    ChildReply,
    ChildRequest,
    StartFailure,
    decode_start,
)
from controlplane.sandbox.interface.messages.frames import (
    Closed,
    Forged,
    FrameReader,
    Overdue,
)
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.parent.child_process import ChildEnd, SandboxBroken

_START_TIMEOUT_S: Final = 20.0
"""The longest time until a process has imported everything, on a busy machine."""
_REPLY_TIMEOUT_S: Final = 10.0
"""The longest time until a process replies to a request."""

_CLOSE_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""A flag: programs that other threads start meanwhile
do not inherit received sockets. Linux only."""


def receive_start(control: socket.socket) -> dict[str, str]:
    """Return the parts of the kernel layer once the process takes requests.

    A part is "" if it works, else the reason why not. Raises `SandboxBroken`.
    """
    deadline = time.monotonic() + _START_TIMEOUT_S
    try:
        message = FrameReader(control).receive(bounds.MOST_REQUEST_BYTES, deadline)
        start = decode_start(MessageFields(message))
    except (Closed, Overdue, Forged) as error:
        msg = f"the fork server ended before it was ready: {error}"
        raise SandboxBroken(msg) from error
    if isinstance(start, StartFailure):
        raise SandboxBroken(start.reason)
    control.settimeout(_REPLY_TIMEOUT_S)
    return start.kernel_parts


class NewChild(NamedTuple):
    """A child that the fork server's process has forked."""

    pid: int
    connection: socket.socket
    """The parent's end of the connection to the child."""


def request_child(control: socket.socket) -> NewChild:
    """Ask the fork server for a new child, over the control socket.

    Raises `OSError` if the fork server is gone, and `SandboxBroken` if this process can open no
    further connection.
    """
    control.sendall(ChildRequest(Action.NEW_CHILD).encode())
    # The reply comes with a copy of a descriptor: the parent's end of the child's connection.
    record, descriptors, _, _ = socket.recv_fds(
        control, ChildReply.SIZE, 1, _CLOSE_ON_EXEC
    )
    pid = _decoded(record).pid
    if not descriptors:
        # The connection was lost, because this process has no descriptor left for it.
        # The server still works, so it need not be stopped. It only ends the child.
        control.sendall(ChildRequest(Action.END_CHILD, pid).encode())
        control.recv(ChildReply.SIZE, socket.MSG_WAITALL)
        msg = "this process can open no more files for the connections to its children (ulimit -n)"
        raise SandboxBroken(msg)

    os.set_inheritable(descriptors[0], False)
    return NewChild(pid, socket.socket(fileno=descriptors[0]))


def request_end(control: socket.socket, pid: int) -> ChildEnd:
    """Have the fork server kill a child if it is alive, and return how the child ended.

    Raises `OSError` if the fork server is gone.
    """
    control.sendall(ChildRequest(Action.END_CHILD, pid).encode())
    reply = _decoded(control.recv(ChildReply.SIZE, socket.MSG_WAITALL))
    return ChildEnd(reply.exit_code, reply.cpu_ms / 1000)


def _decoded(record: bytes) -> ChildReply:
    """Return a reply of the fork server. Raises `OSError` if it is not whole."""
    if len(record) != ChildReply.SIZE:
        msg = "the fork server is gone"
        raise OSError(msg)
    return ChildReply.decode(record)
