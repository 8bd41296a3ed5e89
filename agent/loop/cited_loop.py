"""The solver whose model writes a script in each turn.

It asks the model, runs the script in a sandbox and reports the output. The last script
submits an answer, with citations of the files that support it. The turns end when the gates
accept an answer, or at a limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.script.script_turns import ScriptTurns
from controlplane.agent.loop.script.trial_sandbox import sandbox_of
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Model
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import ForkServer


@dataclass(frozen=True, slots=True)
class CitedLoop:
    """Solves trials with one model, scripts in a sandbox, and answers with citations."""

    model: Model
    server: ForkServer
    """Starts the processes in which scripts run."""
    settings: LoopSettings = field(default_factory=LoopSettings)
    budget: RunBudget = field(default_factory=RunBudget)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises the errors of `TurnLoop.run`.
        """
        settings = self.settings
        with sandbox_of(
            session, self.server, settings.limits, settings.isolation
        ) as box:
            turns = ScriptTurns(self.model, session, settings, self.budget, box)
            return turns.run()
