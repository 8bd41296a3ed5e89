"""The turns of one trial, in each of which the model writes a script."""

from __future__ import annotations

from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.script.next_request import NextRequest, notice_of_mode
from controlplane.agent.loop.script.script_messages import (
    step_messages,
)
from controlplane.agent.loop.script.script_opening import open_conversation
from controlplane.agent.loop.script.script_runner import ScriptRunner
from controlplane.agent.loop.script.script_step import ScriptStep
from controlplane.agent.loop.script.unsubmitted_answer import submit_left_answer
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Model
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import Sandbox


class ScriptTurns(TurnLoop):
    """The turns of one trial. `begin` comes first."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        box: Sandbox,
    ) -> None:
        """`box` is the sandbox in which the scripts run."""
        super().__init__(
            model,
            session,
            settings,
            run_budget,
            switches_reply_mode=settings.switches_reply_mode,
        )
        self.runner = ScriptRunner(session, box)
        self.request = NextRequest(self.limits, settings.replies_in_fences)

    def begin(self) -> None:
        """Open the conversation, and restore the complete steps of an earlier attempt.

        A step's *scratchpad* is the data that its script left for the next scripts.
        """
        for message in open_conversation(self.session, self.settings):
            self.say(message)
        for step in self.session.earlier_steps.restore_each():
            self.count_step(step)  # for the limits
            self.runner.box.restore(dict(step.summary.scratchpad))

    def take_turn(self) -> None:
        """Take one turn: ask the model, run the script of its reply, and record the step."""
        with self.session.step() as step:
            replied = self.model.solve(self.conversation, **self.request.arguments)
            script_step = ScriptStep(
                self.session.trial.trial_id,
                step.number,
                self.runner,
                self.limits.steps,
                self.prompts,
                self.request.asks_for_fences,
            )
            step.done = script_step.done_by(replied)
            if self.limits.is_last_answer_due(step):
                submit_left_answer(self.session, step.done.scratchpad)
            self.add_warnings(step)

        mode = self.request.form.mode
        self.count_step(step)
        if self.request.form.mode != mode:
            self.session.notice(notice_of_mode(self.request.form))

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the model's reply, and the feedback on it, to the conversation."""
        # Don't show the model its failed script again, so that it does not repeat it. But a
        # model that replies in fences would copy the line that stands in its place.
        has_failed_again = self.limits.repetition.is_same_failure
        leaves_out = has_failed_again and not self.request.asks_for_fences
        for message in step_messages(step, leaves_out_reply=leaves_out):
            self.say(message)
