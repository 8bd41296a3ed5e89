"""The sandbox of a run: one server, from which the processes of all its trials are forked.

A trial has a process for its scripts, or for the benchmark's functions
if its solver runs no scripts. It also has a worker: a process in which its calls
and judgements are computed.
"""

from __future__ import annotations

import threading

from controlplane.agent.loop import LoopSettings, TrialSession, sandbox_of
from controlplane.agent.trial_gates import judging_modules
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
    It starts itself at its first use, or by `launch_for_scripts`.

    If the solver runs scripts, their isolation is checked, unless the scripts can be trusted. What is
    called when:

    1. While the solver is opened, it may ask for the `script_server`. That shows that it runs scripts.
    2. `note_opened_solver`: from now on, it is known whether the scripts are trusted.
    3. Before the run begins, `check_isolation`.
    4. A solver that asks for the server only now, in a trial, has it checked then.
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
        self._runs_scripts = False
        """True once the solver has asked for the server of its scripts."""
        self._is_solver_open = False
        """True after step 2."""
        self._scripts_are_trusted = False
        """True if scripts come from a player or a recording, and not from a model."""

    def server(self) -> ForkServer:
        """Return the server; the first call starts it."""
        with self._lock:
            if self._server is None:
                self._server = ForkServer(
                    self._worker_modules, self._opened.function_modules
                )
            return self._server

    def script_server(self) -> ForkServer:
        """Return the server. A solver that runs scripts calls this.

        Raises `UsageError` if its isolation does not work. A solver that is still being
        opened gets it unchecked, since the run is checked before it begins.
        """
        self._runs_scripts = True
        if self._is_solver_open:
            self.check_isolation()
        return self.server()

    def note_opened_solver(self, *, scripts_are_trusted: bool) -> None:
        """Note that the solver is open, and whether its scripts can be trusted."""
        self._is_solver_open = True
        self._scripts_are_trusted = scripts_are_trusted

    def launch_for_scripts(self) -> None:
        """Start the server if the solver runs scripts; do not wait for it."""
        if self._runs_scripts:
            self.server().launch(with_kernel=Layer.KERNEL in self._isolation)

    def check_isolation(self) -> None:
        """Raise an error if a layer of the sandbox that a model's scripts need does not work here.

        Waits for the server; see the function of the same name.
        """
        if self._runs_scripts and not self._scripts_are_trusted:
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
