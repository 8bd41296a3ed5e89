"""The turns of one trial, in each of which the model calls tools.

The last call is a *completion*, which has the answer. The gates (rules for answers) check it
before it is sent, and the trial ends once they accept it.
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.helper_model import HelperModel, with_short_retries
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.reply_calls import CALLS_SCHEMA, calls_of
from controlplane.agent.exoskeleton.step_messages import step_messages
from controlplane.agent.exoskeleton.step_summaries import (
    summary_with_calls,
    summary_without_calls,
)
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Model
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget


class ToolTurns(TurnLoop):
    """The turns of one trial, in each of which the model calls tools.

    `run` of the base class works on the trial. It calls the methods below:

        begin                  first: prepares the trial, and begins the conversation
        do_step                in each turn: asks the model, and makes the calls of its reply
        add_to_conversation    after each turn: adds the reply and the results of its calls
    """

    runner: ToolRunner
    """Makes the calls of the replies. `begin` sets it."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        preparation: Preparation,
    ) -> None:
        """`preparation` does what is done before the model is asked."""
        super().__init__(model, session, settings, run_budget)
        self.preparation = preparation

    def begin(self) -> None:
        """Prepare the trial, and begin the conversation.

        Checks of the benchmark may answer the request here. Then the trial is over.
        """
        # Small models classify the request and format the answer. Their requests are
        # retried for a shorter time, because the trial can go on without them.
        helper = HelperModel(with_short_retries(self.model), self.prompts)
        prepared = self.preparation.prepare(helper)
        self.runner = prepared.runner
        for message in prepared.messages:
            self.say(message)

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, make the calls of its reply, and set `step.done`."""
        replied = self.model.solve(
            self.conversation,
            schema=CALLS_SCHEMA,
            tools=self.runner.tools,
            tool_choice="required",
        )
        done = self._carry_out(replied, step.number)
        feedback: tuple[str, ...] = ()  # If the trial is over, the model reads no more.
        if not self.session.is_over:
            feedback = (*done.feedback, *notes_block(self.session.notes))
        step.done = done.model_copy(update={"feedback": feedback})

    def _carry_out(self, replied: ModelReplied, step: int) -> StepDone:
        """Make the calls of a reply, or remind the model to make calls. Return the summary."""
        trial_id = self.session.trial_id
        calls = calls_of(replied)
        if calls:
            outcomes = self.runner.run(calls)
            return summary_with_calls(trial_id, step, replied, outcomes)
        return summary_without_calls(
            trial_id,
            step,
            replied,
            reminder=self.prompts.filled("reminder"),
            may_refund=self.limits.steps.refunds.can_refund_reply,
        )

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add a step's reply and its feedback to the conversation."""
        for message in step_messages(step):
            self.say(message)
