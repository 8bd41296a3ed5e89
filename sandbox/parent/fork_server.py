"""Makes the processes of trials: children are forked from server processes.

Thread-safe; usable from a process with many threads, because nothing here forks.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from controlplane.sandbox.interface.host import WorkerLimits
from controlplane.sandbox.parent.child_process import ChildProcess
from controlplane.sandbox.parent.server_process import ServerProcess


class WorkerSetting(NamedTuple):
    """The isolation and limits of a worker's process."""

    with_kernel: bool
    limits: WorkerLimits


class ServerKind(NamedTuple):
    """What the children of a server process are for, and whether it has the kernel layer."""

    with_kernel: bool
    for_workers: bool


class ForkServer(contextlib.AbstractContextManager["ForkServer"]):
    """Makes the processes of any number of trials; a context manager.

    It has a server process for scripts and one for workers, each with and without the kernel layer;
    one starts when it is first needed. `worker_modules` are imported for workers before the
    isolation begins: `Worker.call` may name their functions. `function_modules` are imported so for
    scripts: `Sandbox.compute` may name their functions.
    """

    def __init__(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> None:
        self.worker_modules = tuple(worker_modules)
        self.function_modules = tuple(function_modules)

        self._processes: dict[ServerKind, ServerProcess] = {}
        for with_kernel in (True, False):
            self._processes[ServerKind(with_kernel, for_workers=False)] = ServerProcess(
                self.function_modules, with_kernel=with_kernel, for_workers=False
            )
            self._processes[ServerKind(with_kernel, for_workers=True)] = ServerProcess(
                self.worker_modules, with_kernel=with_kernel, for_workers=True
            )

        self.idle_workers: defaultdict[WorkerSetting, list[ChildProcess]] = defaultdict(list)
        """Children of workers between calls, which serve any trial with the same setting."""

    def __exit__(self, *failure: object) -> None:
        self.close()

    def launch(self, *, with_kernel: bool = True) -> None:
        """Start the server processes that will be needed, without waiting for them.

        Failures show at `spawn`.
        """
        for for_workers in (False, True):
            self._processes[ServerKind(with_kernel, for_workers)].launch()

    def kernel_report(self) -> dict[str, str]:
        """Return the parts of the kernel layer: "" for a part that works, else the reason why not.

        Starts the server process unless it runs. Raises `SandboxBroken`.
        """
        return self._processes[ServerKind(with_kernel=True, for_workers=False)].start()

    def spawn(self, *, with_kernel: bool = True, for_workers: bool = False) -> ChildProcess:
        """Return a ready child for scripts, or for a worker. Raises `SandboxBroken`.

        A server process that died is started again once.
        """
        return self._processes[ServerKind(with_kernel, for_workers)].spawn()

    def idle_worker(self, setting: WorkerSetting) -> ChildProcess | None:
        """Return the child of a worker between calls, if there is one."""
        with contextlib.suppress(IndexError):  # Another thread may take the last one.
            while True:
                child = self.idle_workers[setting].pop()
                if not child.reader.has_unread():
                    return child
                child.end()  # It said something between calls, or is gone.
        return None

    def close(self) -> None:
        """End the server processes and every child."""
        for children in self.idle_workers.values():
            for child in children:
                child.end()
        self.idle_workers.clear()
        for process in self._processes.values():
            process.close()
