"""The turns of one trial, in each of which the model writes a script.

A turn asks the model, and runs the script of its reply in the sandbox:

    the reply               {"code": "print(3 + 4)"}
    the model reads next    <output>7</output>
"""

from __future__ import annotations

from collections.abc import Iterator

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
from controlplane.agent.model import Message, Model
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import Sandbox


class ScriptTurns(TurnLoop):
    """The turns of one trial. The base class has `run`, which calls the methods after `next_request`."""

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
        self.steps = ScriptSteps(runner, self.limits.steps, self.prompts)

    @property
    def next_request(self) -> NextRequest:
        """How the model is asked next. It depends on its replies so far, which the limits count."""
        always_in_fences = self.settings.replies_in_fences
        return NextRequest.after(self.limits, always_in_fences=always_in_fences)

    def first_messages(self) -> list[Message]:
        """Return how scripts are written, and the request: the first messages to the model."""
        return open_conversation(self.session, self.settings)

    def restored_steps(self) -> Iterator[TrialStep]:
        """Yield the complete steps of an earlier attempt, whose scripts need not run again."""
        for step in restore_steps(self.session):
            # The next script gets the data that this one has left.
            self.box.restore(dict(step.summary.scratchpad))
            yield step

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, run the script of its reply, and set `step.done`."""
        request = self.next_request
        replied = self.model.solve(self.conversation, **request.arguments)
        in_fences = request.asks_for_fences
        step.done = self.steps.carry_out(replied, in_fences=in_fences)
        if is_last_answer_due(self.limits.all, step):
            # No script follows. So an answer that this one has only left in its data counts.
            submit_left_answer(self.session, step.done.scratchpad)

    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and the output of its script."""
        return step_messages(step, leaves_out_reply=self.next_request.leaves_out_reply)
