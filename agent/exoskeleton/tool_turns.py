"""The turns of one trial, in each of which the model calls tools.

The last call is a *completion*, which has the answer. The gates, which are rules for
answers, check it before it is sent, and the trial ends once they accept it.
"""

from __future__ import annotations

from controlplane.agent.events import StepDone
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.helper_model import HelperModel, with_short_retries
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.reply_calls import CALLS_SCHEMA
from controlplane.agent.exoskeleton.step_messages import step_messages
from controlplane.agent.exoskeleton.tool_step import ToolStep
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.record.trial_step import TrialStep


class ToolTurns(TurnLoop):
    """The turns of one trial, in each of which the model calls tools.

    The model ends the trial by a last call, which has the answer. Call `begin` first, then
    `run` of the base class, which takes turns until the trial is over or at a limit. The base
    class also has `say`, which adds a message to the conversation.
    """

    runner: ToolRunner
    """Makes the calls of the replies. `begin` sets it."""

    def begin(self, parts: frozenset[str], bindings: SolverBindings) -> None:
        """Prepare the trial, and begin the conversation.

        `parts` are the optional parts that are on, and `bindings` the functions that the
        benchmark adds to them. If its checks answer the request in the preparation, the session
        is over, and `run` takes no turn.
        """
        # Small models classify the request and format the answer. Their requests are
        # retried for a shorter time, because the trial can go on without them.
        helper = HelperModel(with_short_retries(self.model), self.prompts)
        preparation = Preparation(self.session, self.settings, parts, bindings)
        prepared = preparation.prepare(helper)
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
        tool_step = ToolStep(
            trial_id=self.session.trial.trial_id,
            number=step.number,
            runner=self.runner,
            step_limit=self.limits.steps,
            prompts=self.prompts,
        )
        step.done = self._with_notes(tool_step.carry_out(replied))

    def _with_notes(self, done: StepDone) -> StepDone:
        """Return the summary of a step with the notes about its calls in the feedback.

        If the trial is over, the model reads no feedback, so all of it is left out.
        """
        feedback: tuple[str, ...] = ()
        if not self.session.is_over:
            feedback = (*done.feedback, *notes_block(self.session.notes))
        return done.model_copy(update={"feedback": feedback})

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add a step's reply and its feedback to the conversation."""
        for message in step_messages(step):
            self.say(message)
