"""The turns of one trial, in each of which the model calls tools.

| reply of the model | then, the conversation gets |
|---|---|
| `read(path="/docs/a.md")` | the file |
| "I am done." | a reminder to call a tool |
| the last call, the *completion* | what the gates (rules for answers) object to |
"""

from __future__ import annotations

from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.replies.reply_calls import CALLS_SCHEMA, calls_of
from controlplane.agent.exoskeleton.step_messages import step_messages
from controlplane.agent.exoskeleton.step_summaries import (
    summary_with_calls,
    summary_without_calls,
)
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Message, Model
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget


class ToolTurns(TurnLoop):
    """The turns of one trial. `run` of the base class calls the methods below it."""

    runner: ToolRunner
    """Makes the calls of the replies. `first_messages` sets it, before the first step."""

    def __init__(
        self, model: Model, run_budget: RunBudget, preparation: Preparation
    ) -> None:
        super().__init__(model, preparation.session, preparation.settings, run_budget)
        self.preparation = preparation

    def first_messages(self) -> list[Message]:
        """Prepare the trial, and return the first messages. If this answers it, no step follows."""
        # Some functions of a benchmark ask small models.
        helper = HelperModel.beside(self.model, self.prompts)
        prepared = self.preparation.prepare(helper)
        self.runner = prepared.runner
        return prepared.messages

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, make the calls of its reply, and set `step.done`."""
        replied = self.model.solve(
            self.conversation,
            schema=CALLS_SCHEMA,
            tools=self.runner.tools,
            tool_choice="required",
        )
        calls = calls_of(replied)
        if calls:
            done = summary_with_calls(replied, self.runner.run(calls))
        else:
            reminder = self.prompts.filled("reminder")
            # The first few empty replies do not count as steps; later ones do.
            may_refund = self.limits.steps.refunds.can_refund_reply
            done = summary_without_calls(replied, reminder, may_refund=may_refund)

        feedback: tuple[str, ...] = ()  # If the trial is over, the model reads no more.
        if not self.session.is_over:
            # The notes tell, for example, why a call was stopped before it was sent.
            notes = notes_block(self.session.recorder.step_log.notes)
            feedback = (*done.feedback, *notes)
        step.done = done.model_copy(update={"feedback": feedback})

    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and the results of its calls."""
        return step_messages(step)
