"""Carries out a reply of the model as one step: makes the calls that the reply has.

Calls are *native*, in a field of the protocol beside the reply's text. For an endpoint that
has no such field, they are JSON in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.exoskeleton.calls.tool_runner import ToolRunner
from controlplane.agent.exoskeleton.reply_calls import calls_of
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.model import ToolCall
from controlplane.agent.reply.unusable_reply import Fault

MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """Carries out one reply. The feedback of the step has a text for each call."""

    trial_id: str
    number: int
    """Counts the steps of the trial, from 1."""
    runner: ToolRunner
    step_limit: StepLimit
    """Says if one more empty reply need not count as a step."""
    prompts: Prompts
    """Has the text that reminds the model to make calls."""

    def carry_out(self, replied: ModelReplied) -> StepDone:
        """Make the calls of a reply, if it has any, and return the summary of the step."""
        calls = calls_of(replied)
        if calls:
            return self._with_calls(replied, calls)
        return self._without_calls(replied)

    def _with_calls(self, replied: ModelReplied, calls: Sequence[ToolCall]) -> StepDone:
        """Make calls, and return the summary. Its error says which calls were refused."""
        outcomes = self.runner.run(calls)
        refusals = [outcome.refusal for outcome in outcomes if outcome.refusal]
        return StepDone(
            trial_id=self.trial_id,
            step=self.number,
            state=state_of(replied),
            error="\n".join(refusals),
            feedback=tuple(outcome.text for outcome in outcomes),
        )

    def _without_calls(self, replied: ModelReplied) -> StepDone:
        """Return the summary for a reply without calls.

        The model is reminded to make calls. The recorded error is the same text. The first
        few empty replies do not count as steps: they are *refunded*.
        """
        reminder = self.prompts.filled("reminder")
        is_empty = not replied.reply.strip()
        return StepDone(
            trial_id=self.trial_id,
            step=self.number,
            error=reminder.strip(),
            fault=fault_of(replied.finish_reason),
            feedback=(reminder,),
            refunded=is_empty and self.step_limit.refunds.can_refund_reply,
        )


def state_of(replied: ModelReplied) -> str:
    """Return what the model says that it is doing: the first line of its text.

    If the calls are in the text, there is no such line, but JSON.
    """
    lines = replied.reply.strip().splitlines()
    has_native_calls = bool(replied.tool_calls)
    if not has_native_calls or not lines:
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
