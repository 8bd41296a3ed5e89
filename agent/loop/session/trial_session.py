"""The session of one trial, by which its solver does everything that the journal records.

A *trial* is one attempt to carry out a user's request, such as "What does a lost book cost?":

    with session.step() as step:                          begins a turn of the solver
        session.ask(model.reply_to, request)              the model wants to read a file
        session.call("read", {"path": "/docs/fees.md"})   {"content": "A lost book costs 9 EUR."}
        session.check_citation("/docs/fees.md", "has the fee")
        session.submit(Submission(answer="9 EUR", ...))
        step.done = StepDone(...)                         what only the solver knows

At the end of the block, the step is written. If the trial is resumed or replayed, the solver does
the same again, and gets the recorded results until the record ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from controlplane.agent.events import Judged, ModelReplied
from controlplane.agent.loop.session.model_requests import Complete
from controlplane.agent.loop.session.session_parts import SessionParts
from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import ModelRequest
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import Plain, ToolSchema, parsed_result


class TrialSession(SessionParts):
    """What a solver does and knows in one trial. Used by one thread at a time."""

    def step(self) -> AbstractContextManager[TrialStep]:
        """Do one step in a `with` block. An exception leaves the step open for a later attempt."""
        return self.steps.step()

    def call(
        self, operation: str, arguments: Mapping[str, Plain] | None = None
    ) -> dict[str, Any]:
        """Make a call and return its result. Raises `CallError` if it fails or is not allowed."""
        result = self.calls.make(operation, arguments or {})  # begins a step
        declared = self.tool_schema.operation(operation)
        return result if declared is None else parsed_result(declared, result)

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Return the cited path as listings spell it. Raises `ValueError` if it may not be cited."""
        return self.citations.check(path, reason, quotation)  # begins a step

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Raises `CallError`, `NotJudged`."""
        self.steps.begin()
        return self.gated_exit.submit(submission)

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Ask a model, by its function `complete`. Raises the errors of `SolverRequests.ask`."""
        self.steps.begin()
        return self.solver_requests.ask(
            complete, request, is_conversation=is_conversation
        )

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user to the journal. `retry`: a request is sent again."""
        self.replies.notice(text, retry=retry)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial should stop here. Call this between steps."""
        if self.stop.is_set():
            raise LeftOpen

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
