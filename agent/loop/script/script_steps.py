"""Carries out a reply of the model as one step: runs the script that the reply has.

| the reply | what is known of the step afterwards |
|---|---|
| `{"code": "print(4)"}` | `StepDone(code="print(4)", output="4\\n", ending="finished", ...)` |
| an empty one | `StepDone(error="The reply was empty. ...", fault="empty", ...)` |

A trial has a limit of steps. A few steps in which nothing was run do not count towards it: they are
*refunded*, so that a slip of the model does not cost it a step.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.script.script_runner import ScriptRunner
from controlplane.agent.loop.script.step_summaries import (
    summary_with_script,
    summary_without_script,
)
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable


@dataclass(frozen=True, slots=True)
class ScriptSteps:
    """Carries out the replies of the model in one trial, each as one step."""

    runner: ScriptRunner
    """Runs scripts in the sandbox, and writes what the model is told about them."""
    step_limit: StepLimit
    """Counts the refunded steps, and says if one more may be refunded."""
    prompts: Prompts

    def carry_out(self, replied: ModelReplied, *, in_fences: bool) -> StepDone:
        """Run the script of a reply, and return the summary of the step.

        `in_fences` is true if the model was asked for a script in a fence (```), not in JSON.
        """
        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,  # tool calls beside the one that is the reply
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            reason = action.reason_in_fences if in_fences else action.reason
            done = self._tell_reason(replied, action.fault, reason)
        else:
            done = self._run_script(replied, action)
        # Each step that may be refunded is refunded.
        is_refunded = self.step_limit.refunds.may_refund(done)
        return done.model_copy(update={"refunded": is_refunded})

    def _run_script(self, replied: ModelReplied, action: Action) -> StepDone:
        """Run the first action of a reply. The model is told if there were others."""
        other_actions = action.further_actions + len(replied.tool_calls)
        run = self.runner.run(action.code, other_actions)
        return summary_with_script(replied, action, run)

    def _tell_reason(
        self, replied: ModelReplied, fault: Fault, reason: str
    ) -> StepDone:
        """Tell the model why its reply cannot be used."""
        feedback = self.prompts.filled("unusable", reason=reason)
        scratchpad = self.runner.scratchpad  # It stays as it was.
        return summary_without_script(replied, fault, reason, feedback, scratchpad)
