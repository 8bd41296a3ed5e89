"""The server that starts the processes of a solver's scripts."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.lifecycle.resources.run_sandbox import RunSandbox
from controlplane.sandbox import ForkServer


@dataclass(slots=True)
class ScriptServer:
    """Starts the processes of scripts, if the solver runs scripts.

    Its isolation is checked unless the scripts can be trusted. What is called when:

    1. While the solver is opened, it may ask for the `server`. That shows that it runs scripts.
    2. `note_opened_solver`: from now on, it is known whether the scripts are trusted.
    3. Before the run begins, `check_isolation`.
    4. A solver that asks for the server only now, in a trial, has it checked then.
    """

    sandbox: RunSandbox
    _is_used: bool = False
    """True once the solver has asked for the server."""
    _is_solver_open: bool = False
    """True after step 2."""
    _scripts_are_trusted: bool = False
    """True if scripts come from a player or a recording, and not from a model."""

    def server(self) -> ForkServer:
        """Return the server. A solver that runs scripts calls this.

        Raises `UsageError` if its isolation does not work. A solver that is still being
        opened gets it unchecked, since the run is checked before it begins.
        """
        self._is_used = True
        if self._is_solver_open:
            self.check_isolation()
        return self.sandbox.server()

    def note_opened_solver(self, *, scripts_are_trusted: bool) -> None:
        """Note that the solver is open, and whether its scripts can be trusted."""
        self._is_solver_open = True
        self._scripts_are_trusted = scripts_are_trusted

    def launch(self) -> None:
        """Start the server if the solver runs scripts; do not wait for it."""
        if self._is_used:
            self.sandbox.launch()

    def check_isolation(self) -> None:
        """Raise `UsageError` if a layer of the sandbox that a model's scripts need does not work.

        Waits for the server.
        """
        if self._is_used and not self._scripts_are_trusted:
            self.sandbox.check_isolation()
