"""Forks the children, and ends them, as the parent requests it over the control socket."""

import os
import signal
import socket
from typing import Final, NamedTuple, Never

from controlplane.sandbox.child.child_imports import ChildServer
from controlplane.sandbox.child.walls import isolation, kernel
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface.messages.fork_server_messages import (
    Action,
    ChildReply,
    ChildRequest,
)

BROKEN: Final = 70
"""The exit code of a process that failed through no fault of a script (EX_SOFTWARE)."""


class WaitingChild(NamedTuple):
    """A child that was forked before the parent asked for it."""

    pid: int
    connection: socket.socket
    """The parent's end of its connection."""


class ForkingProcess:
    """Forks a child, a process for one trial, whenever the parent requests one.

    The parent sends requests over the control socket: for a new child, or to end one. One
    child is always forked in advance, so that no request has to wait for a fork.
    """

    def __init__(
        self,
        control: socket.socket,
        server: ChildServer,
        linux: Kernel | None,
        lifeline: socket.socket | None,
    ) -> None:
        self._control = control
        """The socket to the parent, for requests and replies."""
        self._server = server
        """What a child does: it serves scripts, or functions of a worker."""
        self._linux = linux
        """The kernel layer of the isolation; None if this machine does not have it."""
        self._lifeline = lifeline
        """The socket that keeps the pid namespace alive; None if there is no namespace.
        Without one, each child asks the kernel to end it with this process."""
        self._waiting_child: WaitingChild | None = None
        """The child that the next request gets."""

    def run(self) -> None:
        """Serve requests until the parent is gone."""
        while True:
            if self._waiting_child is None:
                self._waiting_child = self._fork_child()
            try:
                record = self._control.recv(ChildRequest.SIZE, socket.MSG_WAITALL)
            except OSError:
                return
            if len(record) < ChildRequest.SIZE:  # The parent closed the connection.
                return

            request = ChildRequest.decode(record)
            match request.action:
                case Action.NEW_CHILD:
                    self._hand_out(self._waiting_child)
                    self._waiting_child = None
                case Action.END_CHILD:
                    self._control.sendall(_end_child(request.pid).encode())

    def _hand_out(self, child: WaitingChild) -> None:
        """Send a child's number and its connection to the parent, and close the copy here."""
        with child.connection:
            record = ChildReply(child.pid).encode()
            socket.send_fds(self._control, [record], [child.connection.fileno()])

    def _fork_child(self) -> WaitingChild:
        """Fork a child, which waits for the parent's first message. Returns it to the fork server.

        In the child itself, this does not return.
        """
        end_of_parent, end_of_child = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            # A child must not have the sockets of the fork server. Each is closed here, because
            # `_become_child` closes the descriptors only up to the limit of open files, and
            # the numbers of these may be higher.
            end_of_parent.close()
            self._control.close()
            if self._lifeline is not None:
                self._lifeline.close()
            self._become_child(end_of_child)  # It does not return.
        end_of_child.close()
        return WaitingChild(pid, end_of_parent)

    def _become_child(self, connection: socket.socket) -> Never:
        """Serve the parent over the connection as a child, and end this process.

        The child must never return to the code of the fork server, so every way ends it here.
        """
        try:
            if self._lifeline is None and self._linux is not None:
                self._linux.set_option(kernel.DIE_WITH_PARENT)

            connection_at_0 = _only_open_descriptor(connection)
            self._server.serve(connection_at_0, self._linux)
        except BaseException:  # noqa: BLE001 - the border of the child: any failure ends it here
            os._exit(BROKEN)
        finally:
            os._exit(0)


def _only_open_descriptor(connection: socket.socket) -> socket.socket:
    """Make the connection the only open descriptor of this process, with the number 0."""
    # Close 0 to 2, copy the connection to the lowest free number, and close all others.
    os.closerange(0, 3)
    os.dup(connection.fileno())
    isolation.close_descriptors()
    # Family and type are given because the isolation forbids to ask the kernel for them.
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=0)


def _end_child(pid: int) -> ChildReply:
    """Kill a child if it is alive, and return its exit code and its CPU time.

    If there is no such child, the reply has neither.
    """
    try:
        ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
        if ended_pid == 0:  # The child is still alive.
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return ChildReply(pid)  # This process has no such child.
    cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
    return ChildReply(pid, os.waitstatus_to_exitcode(status), cpu_ms)
