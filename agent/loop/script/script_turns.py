"""The turns of one trial, in each of which the model writes a script.

A turn asks the model, runs the script of its reply in the sandbox, and adds the reply and
the script's output to the conversation.
"""

from __future__ import annotations

from controlplane.agent.loop.limit_warnings import is_last_answer_due
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.script.next_request import NextRequest
from controlplane.agent.loop.script.script_messages import step_messages
from controlplane.agent.loop.script.script_opening import open_conversation
from controlplane.agent.loop.script.script_runner import ScriptRunner
from controlplane.agent.loop.script.script_steps import ScriptSteps
from controlplane.agent.loop.script.unsubmitted_answer import submit_left_answer
from controlplane.agent.loop.session.earlier_attempt import restore_steps
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Model
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import Sandbox


class ScriptTurns(TurnLoop):
    """The turns of one trial, in each of which the model writes a script.

    `run` of the base class works on the trial. It calls the methods below:

        begin                  first: opens the conversation
        do_step                in each turn: asks the model, and runs the script of its reply
        add_to_conversation    after each turn: adds the reply, and the script's output
    """

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
            may_change_form=settings.switches_reply_mode,
        )
        self.box = box
        self.script_steps = ScriptSteps(
            session, ScriptRunner(session, box), self.limits.steps, self.prompts
        )
        """Runs the scripts."""
        self.next_request = NextRequest(self.limits, settings.replies_in_fences)
        """How the model is asked for its next script."""

    def begin(self) -> None:
        """Open the conversation, and restore the complete steps of an earlier attempt.

        A step's *scratchpad* is the data that its script left for the next scripts.
        """
        for message in open_conversation(self.session, self.settings):
            self.say(message)
        for step in restore_steps(self.session):
            self.count_step(step)
            self.box.restore(dict(step.summary.scratchpad))

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, run the script of its reply, and set `step.done`.

        The script of the last step may leave an answer in the scratchpad, for the next script
        to submit. There is no next one, so the answer is submitted here.
        """
        in_fences = self.next_request.asks_for_fences
        replied = self.model.solve(self.conversation, **self.next_request.arguments)
        step.done = self.script_steps.carry_out(replied, in_fences=in_fences)
        if is_last_answer_due(self.limits.all, step):
            submit_left_answer(self.session, step.done.scratchpad)

    def take_turn(self) -> None:
        """Take a turn, and tell the user if the model is asked in another form from now on.

        The form of the scripts is changed after a few unusable replies.
        """
        super().take_turn()
        notice = self.limits.unusable.form_choice.notice_to_user
        if notice:
            self.session.notice(notice)

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the model's reply, and the feedback on it, to the conversation.

        Small models repeat what they see twice. So a reply whose script fails like the one
        before is left out: "(a script that failed like the one before)".
        """
        leaves_out_reply = self.limits.repetition.is_same_failure
        if self.next_request.asks_for_fences:
            # Here, models would copy that line as if it were a reply.
            leaves_out_reply = False
        for message in step_messages(step, leaves_out_reply=leaves_out_reply):
            self.say(message)
