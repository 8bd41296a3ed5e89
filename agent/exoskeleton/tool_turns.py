"""The turns of one trial, in each of which the model calls tools.

The last call is a *completion*, which has the answer. The gates check the answer before
it is sent, and the trial ends once they accept it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.helper_model import HelperModel, impatient
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.reply_calls import CALLS_SCHEMA, calls_of
from controlplane.agent.exoskeleton.step_messages import step_messages
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import ToolCall
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import Fault

MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""


class ToolTurns(TurnLoop):
    """The turns of one trial. `begin` comes first."""

    runner: ToolRunner
    """Makes the calls of the replies."""

    def begin(self, parts: frozenset[str], bindings: SolverBindings) -> None:
        """Prepare the trial, and begin the conversation.

        A check may answer the request. `parts` are the optional parts that are on.
        """
        helper = HelperModel(impatient(self.model), self.prompts)
        preparation = Preparation(self.session, self.settings, parts, bindings)
        prepared = preparation.prepare(helper)
        self.runner = prepared.runner
        for message in prepared.messages:
            self.say(message)

    def take_turn(self) -> None:
        """Take one turn: ask the model, make its calls, record the results."""
        with self.session.step() as step:
            replied = self.model.solve(
                self.conversation,
                schema=CALLS_SCHEMA,
                tools=self.runner.tools,
                tool_choice="required",
            )
            calls = calls_of(replied)
            if calls:
                step.done = self._done_by_calls(replied, calls)
            else:
                step.done = self._done_without_calls(replied)
            self.add_warnings(step)
        self.count_step(step)

    def _done_by_calls(
        self, replied: ModelReplied, calls: Sequence[ToolCall]
    ) -> StepDone:
        """Make the calls of a reply, and return the summary of the step."""
        outcomes = self.runner.run(calls)
        refusals = [outcome.refusal for outcome in outcomes if outcome.refusal]
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            state=state_of(replied),
            error="\n".join(refusals),
            feedback=self._feedback([outcome.text for outcome in outcomes]),
        )

    def _done_without_calls(self, replied: ModelReplied) -> StepDone:
        """Return the summary of a step whose reply has no calls. An empty reply is refunded."""
        reminder = self.prompts.filled("reminder")
        is_unusable = not replied.reply.strip()
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            error=reminder.strip(),
            fault=fault_of(replied.finish_reason),
            feedback=self._feedback([reminder]),
            refunded=self.limits.steps.refunds_reply(is_unusable=is_unusable),
        )

    def _feedback(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return what the model reads after a step: texts and notes. Empty if the trial is over."""
        if self.session.is_over:
            return ()
        return (*texts, *notes_block(self.session.notes))

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add a step's reply and its feedback to the conversation."""
        for message in step_messages(step):
            self.say(message)


def state_of(replied: ModelReplied) -> str:
    """Return what the model says that it is doing: the first line beside its native calls."""
    lines = replied.reply.strip().splitlines()
    if not replied.tool_calls or not lines:
        return ""
    return lines[0][:MAX_STATE_CHARS]


def fault_of(finish_reason: str) -> str:
    """Return the fault of a reply without calls, by the reason why the reply ended."""
    match finish_reason:
        case "length":
            return str(Fault.CUT_OFF)
        case "refusal":
            return str(Fault.REFUSED)
    return str(Fault.NO_CALL)
