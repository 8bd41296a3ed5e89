"""The turns of one trial, in each of which the model writes a script.

A turn asks the model, and runs the script of its reply in the sandbox:

    the reply               {"code": "print(3 + 4)"}
    the model reads next    <output>7</output>
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
    """The turns of one trial. `run` of the base class makes them by these calls:

    begin                       say("You write scripts. ..."), say("What is the late fee?")
    take_turn
        do_step(step)           the reply: a script, which is run; `step.done` has its output
        add_to_conversation     say(the reply), say(the output)
    take_turn                   and so on, until the trial is over or a limit is reached
    """

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        box: Sandbox,
    ) -> None:
        may_change_form = settings.switches_reply_mode
        super().__init__(
            model, session, settings, run_budget, may_change_form=may_change_form
        )
        self.box = box
        runner = ScriptRunner(session, box)
        self.steps = ScriptSteps(session, runner, self.limits.steps, self.prompts)
        self.next_request = NextRequest(self.limits, settings.replies_in_fences)

    def begin(self) -> None:
        """Open the conversation, and restore the complete steps of an earlier attempt."""
        for message in open_conversation(self.session, self.settings):
            self.say(message)
        for step in restore_steps(self.session):
            self.count_step(step)
            # The next script gets the data that this one has left.
            self.box.restore(dict(step.summary.scratchpad))

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, run the script of its reply, and set `step.done`."""
        in_fences = self.next_request.asks_for_fences
        replied = self.model.solve(self.conversation, **self.next_request.arguments)
        step.done = self.steps.carry_out(replied, in_fences=in_fences)
        if is_last_answer_due(self.limits.all, step):
            # No script follows. So an answer that this one has only left in its data counts.
            submit_left_answer(self.session, step.done.scratchpad)

    def take_turn(self) -> None:
        """Take a turn, and tell the user if the model is asked in another form from now on."""
        super().take_turn()
        notice = self.limits.unusable.form_choice.notice_to_user
        if notice:
            self.session.notice(notice)

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the model's reply, and the feedback on it, to the conversation."""
        leaves_out_reply = self.next_request.leaves_out_reply
        for message in step_messages(step, leaves_out_reply=leaves_out_reply):
            self.say(message)
