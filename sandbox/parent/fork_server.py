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
    """True if the kernel layer of the isolation confines its children."""
    for_workers: bool
    """True if its children run library functions for tools; else they run scripts."""


class ForkServer(contextlib.AbstractContextManager["ForkServer"]):
    """Makes the processes (children) of any number of trials. A context manager for any thread.

    Server processes, which have everything imported, fork the children. There is one for
    each of four kinds: for scripts or for workers, confined by the kernel or not. It is
    started when it is first needed.
    """

    def __init__(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> None:
        """Name the modules to import before the isolation begins; it permits no import later.

        `Worker.call` may run functions of the `worker_modules`, and `Sandbox.compute` those
        of the `function_modules`.
        """
        self.worker_modules = tuple(worker_modules)
        self.function_modules = tuple(function_modules)
        self._processes: dict[ServerKind, ServerProcess] = {}
        """One of each kind. None of them runs yet."""
        for with_kernel in (True, False):
            for for_workers in (True, False):
                kind = ServerKind(with_kernel, for_workers)
                self._processes[kind] = ServerProcess(self._setting_of(kind))
        self._idle_workers = IdleWorkers()
        """Children for workers that no trial uses at the moment."""

    def _setting_of(self, kind: ServerKind) -> ServerSetting:
        """Return what the server process of a kind imports, and how it confines its children."""
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
        """Return which parts of the kernel layer work here: "" if one does, else why it does not.

        For example `{"seccomp": "", "user namespace": "unshare: EPERM (...)"}`.
        Starts the server process unless it runs. Raises `SandboxBroken`.
        """
        return self._processes[ServerKind(with_kernel=True, for_workers=False)].start()

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        """Return a new child for scripts, or for a worker.

        A server process that died is started again once. If that one dies, too, raises
        `SandboxBroken`.
        """
        return self._processes[ServerKind(with_kernel, for_workers)].spawn()

    def idle_worker(self, setting: WorkerSetting) -> ChildProcess | None:
        """Return a child that no trial uses at the moment; None if none has this setting.

        The caller has it for itself until `keep_idle_worker` takes it back.
        """
        return self._idle_workers.take(setting)

    def keep_idle_worker(self, setting: WorkerSetting, child: ChildProcess) -> bool:
        """Keep a child for the next trial. Returns False if enough children are kept already."""
        return self._idle_workers.keep(setting, child)

    def close(self) -> None:
        """End the server processes and every child."""
        self._idle_workers.end_all()
        for process in self._processes.values():
            process.close()
