"""The process that runs a trial's scripts.

A trial has a process from its first step on. If a step exceeds a limit or breaks its
process, the process is ended, and the next step gets a new one. So a trial may have
several, one after another. The limit of CPU time is for all of them together.
"""

from __future__ import annotations

import socket
from contextlib import suppress

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.interface.messages.frames import Closed, send_frame
from controlplane.sandbox.interface.messages.parent_messages import Setting
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from controlplane.sandbox.parent.fork_server import ForkServer


class TrialProcess:
    """Starts and ends the child: the process in which the scripts of a trial run.

    A trial may have several, one after another, because a child that exceeds a limit is
    ended. Their CPU time is added up, since its limit is that of the trial.
    """

    def __init__(self, server: ForkServer, setting: Setting) -> None:
        self._server = server
        """Forks the children."""
        self._setting = setting
        """Sent to each child first: the limits, the clock, and the calls that scripts may make."""
        self.child: ChildProcess | None = None
        """None if there is no process at the moment."""
        self.cpu_s = 0.0
        """CPU seconds of the children that have ended."""
        self.interruption = ""
        """Why the running script was interrupted; empty if it was not."""

    @property
    def overrun(self) -> str:
        """Why no script may run any more; empty if the trial has CPU time left."""
        limit_s = self._setting.limits.trial_cpu_s
        if self.cpu_s > limit_s:
            return f"the trial used more than {limit_s:g} s of CPU"
        return ""

    def ready(self) -> ChildProcess:
        """Return the child after starting it if there is none.

        A new child gets the CPU time that the earlier ones have left. Raises `Closed` if it
        dies at once, and `SandboxBroken` if none can be started.
        """
        if self.child is not None:
            return self.child
        with_kernel = Layer.KERNEL in self._setting.isolation
        self.child = self._server.spawn(with_kernel=with_kernel)

        remaining_cpu_s = max(self._setting.limits.trial_cpu_s - self.cpu_s, 0.0)
        setting = self._setting.with_trial_cpu(remaining_cpu_s)
        send_frame(self.child.connection, setting.encode(), bounds.MOST_REQUEST_BYTES)
        return self.child

    def connected(self) -> ChildProcess:
        """Return the child, without starting one. Raises `Closed` if it was ended in this step."""
        if self.child is None:
            raise Closed
        return self.child

    def end(self) -> ChildEnd:
        """End the child, if there is one. Returns its exit code and CPU time (`ChildEnd`)."""
        child = self.child
        self.child = None
        end = UNKNOWN_END if child is None else child.end()
        self.cpu_s += end.cpu_s
        return end

    def interrupt(self, reason: str) -> None:
        """End the running script by closing its connection. Any thread may call this.

        The thread that runs the step finds the connection closed, and ends the child.
        """
        child = self.child
        if child is None:
            return
        self.interruption = reason
        with suppress(OSError):
            child.connection.shutdown(socket.SHUT_RDWR)
