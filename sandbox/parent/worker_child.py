"""The process of a worker: started when it is needed, and perhaps shared with other trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.messages.frames import send_frame
from controlplane.sandbox.interface.messages.worker_messages import WorkerSetup
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from controlplane.sandbox.parent.fork_server import ForkServer
from controlplane.sandbox.parent.servers.idle_workers import WorkerSetting

_MAX_SHARED_S: Final = 1.0
"""A process that used more seconds is not shared with other trials: the kernel
limits the total CPU time of a process, so a later trial would have less."""


class WorkerChild:
    """Starts, shares and ends the process in which a worker runs functions for one trial.

    The trial may have several, one after another. Their CPU time is added up, since its
    limit is that of the trial. Between two calls, another trial may use a shared process.
    """

    def __init__(
        self, server: ForkServer, setting: WorkerSetting, *, is_shared: bool
    ) -> None:
        self._server = server
        """Forks processes, and keeps those that no trial uses at the moment."""
        self._setting = setting
        """The limits of the process. Only workers with the same setting may share one."""
        self._is_shared = is_shared
        """True if another trial may use the process between two calls."""
        self._child: ChildProcess | None = None
        """The present process; None if there is none, or if it was left to others."""
        self._preparations: list[Callable[[], None]] = []
        """Called whenever a process has started."""
        self._cpu_s = 0.0
        """CPU seconds of the processes that have ended."""

    @property
    def is_time_over(self) -> bool:
        """True if the trial has used all its CPU time."""
        return self._cpu_s > self._setting.limits.trial_cpu_s

    def when_started(self, prepare: Callable[[], None]) -> None:
        """Call `prepare` whenever a process has started, and now if one is running."""
        self._preparations.append(prepare)
        if self._child is not None:
            prepare()

    def ready(self) -> ChildProcess:
        """Return the process. If there is none, start one and prepare it for the trial.

        Raises `SandboxBroken` if none can be started.
        """
        if self._child is not None:
            return self._child

        # The preparations below make calls, which call this method again. It must then return
        # this process and not start another, so the process is stored now.
        child = self._idle_or_new_child()
        self._child = child

        # Send it the limits, less the CPU time of the trial's earlier processes.
        limits = self._setting.limits
        remaining_cpu_s = limits.trial_cpu_s - self._cpu_s
        remaining_limits = limits._replace(trial_cpu_s=remaining_cpu_s)
        setup = WorkerSetup(remaining_limits, self._setting.with_kernel)
        send_frame(child.connection, setup.encode(), bounds.MOST_REQUEST_BYTES)

        for prepare in self._preparations:
            prepare()
        return child

    def _idle_or_new_child(self) -> ChildProcess:
        """Take over a process that another trial left, or start a new one."""
        if self._is_shared:
            child = self._server.idle_worker(self._setting)
            if child is not None:
                return child
        return self._server.spawn(
            with_kernel=self._setting.with_kernel, for_workers=True
        )

    def leave_to_others(self, busy_s: float) -> None:
        """Give a shared process back to the fork server, for the next call of any trial.

        `busy_s` is the duration of the last call. This trial keeps the process in three cases:
        it was prepared with data of this trial, it has worked for too long, or the server has
        enough idle processes already.
        """
        if not self._is_shared or self._preparations or self._child is None:
            return
        # `busy_s` of the process counts all its calls, also those of other trials.
        child = replace(self._child, busy_s=self._child.busy_s + busy_s)
        self._child = child
        if child.busy_s > _MAX_SHARED_S:
            return
        is_given_back = self._server.keep_idle_worker(self._setting, child)
        if is_given_back:
            self._child = None

    def end(self) -> ChildEnd:
        """End the process, if there is one, and add its CPU time to that of the trial."""
        child = self._child
        self._child = None
        end = UNKNOWN_END if child is None else child.end()
        self._cpu_s += end.cpu_s
        return end
