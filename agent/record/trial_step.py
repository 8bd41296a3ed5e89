"""Everything that happened in one step of a trial: a list for each kind of event, in order.

In a step, the solver gets a reply of its model, and carries it out: it makes calls, and may
submit an answer. A running trial fills the lists itself. For a reader of its journal,
`add_event` does so: of a `CitationAnswered`, it adds the `Citation` to `citations`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallRecord,
    CallStopped,
    Citation,
    Judged,
    ModelReplied,
    ScriptMeasured,
    StepDone,
)
from controlplane.agent.record.step_calls import StepCalls


@dataclass(slots=True)
class TrialStep:
    """Everything that happened in one step of a trial."""

    number: int = 0
    """The step's number in the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    """The replies to the solver, without those to a grader or a second reader (`SideReply`)."""
    step_calls: StepCalls = field(default_factory=StepCalls)
    """The calls that were sent or refused, as their events add them. Read them from `calls`."""
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that a check stopped, which are not among `calls`. One that was stopped after
    `calls[0]` has the `number` 1."""
    approvals: list[CallApproval] = field(default_factory=list)
    """The user's decisions about calls."""
    citations: list[Citation] = field(default_factory=list)
    """The requests to cite a path, with their answers."""
    submissions: list[Judged] = field(default_factory=list)
    """The submissions: answers that were handed in, with the verdicts of the gates on them."""
    sent_answers: list[AnswerSent] = field(default_factory=list)
    """The answers that were then sent to the environment, while the step's script ran."""
    answer_results: list[AnswerDone] = field(default_factory=list)
    """Whether the environment took each of `sent_answers`. The last may be missing."""
    measured: ScriptMeasured | None = None
    """How much memory the script used; None if that is unknown, or without a script."""
    done: StepDone | None = None
    """The summary of the step; None while the step runs, or if it was cut off."""

    @property
    def calls(self) -> list[CallRecord]:
        """The calls that were sent or refused. A call under way has no outcome yet."""
        return self.step_calls.in_order

    @property
    def summary(self) -> StepDone:
        """The summary of the step. Raises `ValueError` if the step is not done."""
        if self.done is None:
            msg = f"step {self.number} is not done"
            raise ValueError(msg)
        return self.done

    @property
    def solve_reply(self) -> ModelReplied:
        """The reply that the step carries out. Raises `ValueError` if there is none."""
        for reply in self.replies:
            if reply.role == "solve":
                return reply
        msg = f"step {self.number} has no reply in the role solve"
        raise ValueError(msg)
