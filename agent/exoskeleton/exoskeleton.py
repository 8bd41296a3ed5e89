"""The exoskeleton: a solver whose model calls tools natively, while code does the rest.

The code around the model carries what the model alone could not: it decides which
changes are permitted, and assembles the answer. It works in these stages:

| stage | module | what is done |
|---|---|---|
| 1 | `preparation` | files are read, and the benchmark's checks look at the request |
| 2 | `tool_turns` | the model calls tools; by the last call, the *completion*, it answers |
| 3 | `assembly` | the completion is turned into the submitted answer |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.parts import Part
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.tool_turns import ToolTurns
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Model
from controlplane.agent.retry.run_budget import RunBudget


@dataclass(frozen=True, slots=True)
class Exoskeleton:
    """Solves trials in stages: checks, then tool calls of the model, then the answer.

    A resumed trial repeats all work from the start. The session returns recorded replies
    and results, as far as the record goes, and then makes new requests and calls.
    """

    model: Model
    settings: LoopSettings = field(default_factory=LoopSettings)
    parts: frozenset[str] = frozenset(Part)
    """The optional parts of the solver that are on, such as the classifier (`--parts`)."""
    bindings: SolverBindings | None = None
    """The functions that the benchmark adds to the solver; None if there are none."""
    budget: RunBudget = field(default_factory=RunBudget)
    """The retries and the spending of the run."""

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        bindings = self.bindings or SolverBindings()
        preparation = Preparation(
            session, self.settings, self.parts, bindings.limited_to(self.parts)
        )
        turns = ToolTurns(self.model, self.budget, preparation)
        return turns.run()
