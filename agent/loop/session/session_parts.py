"""The parts of a trial's session, and what they know.

A *session* is the interface between a trial and its solver, which works on the user's request.
Each thing that the solver does has a part, for example:

| the solver | part |
|---|---|
| asks a model for the next action | `models` |
| calls a function, `read("/docs/fees.md")` | `calls` |
| cites `/docs/fees.md` as a source | `citations` |
| hands in its answer, `420 EUR` | `gated_exit` |
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.loop.session.citations import Citations
from controlplane.agent.loop.session.request_log import RequestLog
from controlplane.agent.loop.session.solver_calls import SolverCalls
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.loop.session.trial_models import TrialModels
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.sandbox.interface import ToolSchema


def _interrupt_nothing(reason: str) -> None:
    """Do nothing. The default of `SessionParts.interrupt`, until a sandbox can run scripts."""


@dataclass(eq=False)
class SessionParts:
    """The parts of one trial's session."""

    models: TrialModels
    calls: SolverCalls
    citations: Citations
    gated_exit: GatedExit
    """Has the gates judge an answer, and sends it if they accept it."""
    steps: TrialSteps
    trial: TrialContext
    recorder: Recorder
    """Makes calls, and learns from their results what the trial has read."""
    log: RequestLog
    """Writes to the journal what models are asked, and notices for the user."""
    clock: TrialClock
    stop: threading.Event
    """Set when the trial should stop after its current step."""
    interrupt: Callable[[str], None] = _interrupt_nothing
    """Ends the running script for a reason, such as `the client left`. Used by any thread."""

    @property
    def trial_id(self) -> str:
        """The id of the trial: `t-3`."""
        return self.trial.trial_id

    @property
    def instruction(self) -> str:
        """The request that the trial must carry out."""
        return self.trial.instruction

    @property
    def tool_schema(self) -> ToolSchema:
        """The environment's declaration."""
        return self.recorder.tool_schema

    @property
    def rules(self) -> str:
        """The text of the workspace's rules; empty until it is read."""
        return self.gated_exit.rules.text

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.gated_exit.outlet.is_closed
