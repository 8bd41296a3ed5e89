"""`ForkServer`: makes the processes in which scripts and workers run.

It starts up to four server processes: for scripts and for workers, each with and without the
*kernel layer* of the isolation (namespaces, seccomp and other means of Linux). A server process
has everything imported, and forks a child whenever one is asked for. This process itself never
forks, so it may have any number of threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from controlplane.sandbox.parent.child_process import ChildProcess
from controlplane.sandbox.parent.servers.idle_workers import IdleWorkers, WorkerSetting
from controlplane.sandbox.parent.servers.server_process import ServerProcess
from controlplane.sandbox.parent.servers.server_program import ServerSetting


class ServerKind(NamedTuple):
    """One of the four kinds of server processes."""

    with_kernel: bool
    for_workers: bool


class ForkServer(contextlib.AbstractContextManager["ForkServer"]):
    """Makes the processes of any number of trials. A context manager for any thread.

    `worker_modules` are the modules whose functions `Worker.call` may run, and
    `function_modules` those whose functions `Sandbox.compute` may run. Both are imported
    before the isolation begins. A server process is started when it is first needed.
    """

    def __init__(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> None:
        self.worker_modules = tuple(worker_modules)
        self.function_modules = tuple(function_modules)
        self._processes: dict[ServerKind, ServerProcess] = {}
        """All four kinds. Each process starts when it is first needed."""
        for with_kernel in (True, False):
            for for_workers in (True, False):
                kind = ServerKind(with_kernel, for_workers)
                self._processes[kind] = ServerProcess(self._setting_of(kind))
        self._idle_workers = IdleWorkers()

    def _setting_of(self, kind: ServerKind) -> ServerSetting:
        modules = self.worker_modules if kind.for_workers else self.function_modules
        return ServerSetting(modules, kind.with_kernel, kind.for_workers)

    def __exit__(self, *failure: object) -> None:
        self.close()

    def launch(self, *, with_kernel: bool = True) -> None:
        """Start the server processes that will be needed, without waiting for them.

        If one cannot be started, `spawn` raises the error.
        """
        for for_workers in (False, True):
            self._processes[ServerKind(with_kernel, for_workers)].launch()

    def kernel_report(self) -> dict[str, str]:
        """Return the parts of the kernel layer: "" for a part that works, else the reason why not.

        Starts the server process unless it runs. Raises `SandboxBroken`.
        """
        return self._processes[ServerKind(with_kernel=True, for_workers=False)].start()

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        """Return a ready child for scripts, or for a worker. Raises `SandboxBroken`.

        A server process that died is started again once.
        """
        return self._processes[ServerKind(with_kernel, for_workers)].spawn()

    def idle_worker(self, setting: WorkerSetting) -> ChildProcess | None:
        """Take over a child that no trial uses at the moment; None if there is none."""
        return self._idle_workers.take(setting)

    def keep_idle_worker(self, setting: WorkerSetting, child: ChildProcess) -> bool:
        """Keep a child for the next trial. Returns False if enough children are kept already."""
        return self._idle_workers.keep(setting, child)

    def close(self) -> None:
        """End the server processes and every child."""
        self._idle_workers.end_all()
        for process in self._processes.values():
            process.close()
