"""The sandbox of a run: one server, from which the processes of all its trials are forked.

A trial has a process for its scripts, or for the benchmark's functions
if its solver runs no scripts. It also has a worker: a process in which its calls
and judgements are computed.
"""

from __future__ import annotations

import threading

from controlplane.agent.loop import LoopSettings, TrialSession, sandbox_of
from controlplane.agent.submission import judging_modules
from controlplane.benchmark import OpenedBenchmark, Trial
from controlplane.errors import Unreachable, UsageError
from controlplane.sandbox import (
    ForkServer,
    Layer,
    Sandbox,
    SandboxBroken,
    Worker,
    missing_layer,
)


class RunSandbox:
    """Forks the processes of a run's trials from one server.

    The server imports the modules that the processes need once, so that each of them starts at once.
    It starts itself at its first use, or by `launch`.
    """

    def __init__(
        self,
        opened: OpenedBenchmark,
        rule_sets: tuple[str, ...],
        settings: LoopSettings,
    ) -> None:
        """Record which modules the server will import, without starting it.

        They are the gates and rule sets, which judge answers, and the benchmark's own.
        """
        self._opened = opened
        self._worker_modules = (*judging_modules(rule_sets), *opened.worker_modules)
        self._limits = settings.limits
        self._isolation = settings.isolation
        self._lock = threading.Lock()
        self._server: ForkServer | None = None

    def server(self) -> ForkServer:
        """Return the server; the first call starts it."""
        with self._lock:
            if self._server is None:
                self._server = ForkServer(
                    self._worker_modules, self._opened.function_modules
                )
            return self._server

    def launch(self) -> None:
        """Start the server without waiting for it, while other resources are opened."""
        self.server().launch(with_kernel=Layer.KERNEL in self._isolation)

    def check_isolation(self) -> None:
        """Raise an error if scripts cannot be isolated here; see the function of the same name."""
        check_isolation(self.server(), self._isolation)

    def worker_of(self, trial: Trial) -> Worker:
        """Return the process in which a trial's calls and judgements are computed.

        It starts on first use.
        """
        worker = Worker(
            self.server(),
            limits=self._opened.worker_limits,
            isolation=self._isolation,
            is_shared=True,  # Judging keeps no data, so trials may take turns with a process.
        )
        # An environment whose calls are computed in the worker is given it.
        if trial.use_worker is not None and self._opened.worker_modules:
            trial.use_worker(worker)
        return worker

    def functions_of(self, session: TrialSession) -> Sandbox:
        """Return the sandbox for the functions that a trial's environment declares.

        It is not used if the solver runs scripts: these call the functions in their own
        sandbox. Its process starts on first use.
        """
        return sandbox_of(session, self.server(), self._limits, self._isolation)

    def close(self) -> None:
        """End the server and its processes."""
        if self._server is not None:
            self._server.close()


def check_isolation(server: ForkServer, isolation: frozenset[Layer]) -> None:
    """Wait until the server has started, and check that it can isolate processes.

    Raises `UsageError` if a layer of `isolation`, such as `kernel`, does not work on this machine,
    and `Unreachable` if the server does not start.
    """
    try:
        missing = missing_layer(server, isolation)
    except SandboxBroken as error:
        raise Unreachable(str(error)) from error
    if missing:
        raise UsageError(missing)
