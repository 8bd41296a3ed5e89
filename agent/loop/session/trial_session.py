"""The session of one trial, by which its solver does everything that the journal records.

A *trial* is one attempt to carry out a user's request, such as "What does a lost book cost?".
Its *solver* asks a model (`ask`), calls functions of the environment, such as
`read("/docs/fees.md")` (`call`), cites this file as a source of its answer (`check_citation`),
and hands the answer in (`submit`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import Judged, ModelReplied
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.loop.session.citations import Citations
from controlplane.agent.loop.session.request_log import Complete, RequestLog
from controlplane.agent.loop.session.solver_calls import SolverCalls
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.loop.session.trial_context import LeftOpen, TrialContext
from controlplane.agent.loop.session.trial_models import TrialModels
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.model import ModelRequest
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import Plain, ToolSchema


def _interrupt_nothing(reason: str) -> None:
    """Do nothing. The default of `TrialSession.interrupt`, until a sandbox can run scripts."""


@dataclass(eq=False)
class TrialSession:
    """The interface between a trial and its solver.

    | the solver | calls | which is done by |
    |---|---|---|
    | asks a model for the next action | `ask` | `models` |
    | calls a function, `read("/docs/fees.md")` | `call` | `calls` |
    | cites `/docs/fees.md` as a source | `check_citation` | `citations` |
    | hands in its answer, `420 EUR` | `submit` | `gated_exit` |
    | begins and ends its turns | `step` | `steps` |

    A method that is called outside of a step begins one. Used by one thread at a time.

    If the trial is resumed or replayed, its solver repeats its work, and gets the recorded
    results of its earlier attempt until the record ends.
    """

    models: TrialModels
    calls: SolverCalls
    citations: Citations
    gated_exit: GatedExit
    """Has the gates judge an answer, and sends it if they accept it."""
    steps: TrialSteps

    # What these have in common

    trial: TrialContext
    """The identity, the request and the limits of the trial."""
    recorder: Recorder
    """Makes calls, and learns from their results what the trial has read."""
    log: RequestLog
    """Writes to the journal what models are asked, and notices for the user."""
    clock: TrialClock
    """Has the time that the trial has used."""

    # How others end the trial, or the running script

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

    @property
    def budget(self) -> TrialBudget:
        """What the trial may spend on its models."""
        return self.log.budget

    @property
    def current_step(self) -> TrialStep:
        """What has happened in the current step; between two steps, in the last one."""
        return self.recorder.current_step

    @property
    def notes(self) -> list[str]:
        """Notes for the solver about the calls of the current step."""
        return self.recorder.step_log.notes

    def step(self) -> AbstractContextManager[TrialStep]:
        """Do one step in a `with` block, at whose end the step is written to the journal:

            with session.step() as step:
                result = sandbox.run(code)
                step.done = StepDone(trial_id=..., step=step.number, code=code)

        The solver sets in `step.done` what only it knows. If an exception ends the step, its end
        is not written, and a later attempt of the trial continues the step.
        """
        return self.steps.step()

    def call(
        self, operation: str, arguments: Mapping[str, Plain] | None = None
    ) -> dict[str, Any]:
        """Make a call and return its result.

        Raises `CallError` if the call fails or is not allowed.
        """
        return self.calls.make(operation, arguments or {})  # begins a step

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Check a citation, write it to the journal, and return the spelling in which to cite `path`.

        Raises `ValueError` with the reason if the path may not be cited.
        """
        return self.citations.check(path, reason, quotation)  # begins a step

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if the gates accept it.

        Raises `CallError` if the environment refuses the answer, and `NotJudged` if the
        step or the trial has no submission left.
        """
        self.steps.begin()
        return self.gated_exit.submit(submission)

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        Raises the errors of `TrialModels.ask`.
        """
        self.steps.begin()
        return self.models.ask(complete, request, is_conversation=is_conversation)

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user to the journal. `retry`: a request is sent again."""
        self.log.notice(text, retry=retry)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial should stop here. Call this between steps."""
        if self.stop.is_set():
            raise LeftOpen
