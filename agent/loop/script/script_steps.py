"""Carries out a reply of the model as one step: runs the script that the reply has.

The first steps in which nothing was run do not count, they are *refunded*:

| the reply | is run | counts |
|---|---|---|
| `{"code": "print(4)"}` | yes | yes |
| `{"code": "from math import *"}`, which the sandbox refuses | no | from the fourth on |
| an empty one | no | from the third on |
| the model declines the request | no | yes: it has replied |
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
from controlplane.agent.loop.script_endings import was_refused
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable


@dataclass(frozen=True, slots=True)
class ScriptSteps:
    """Carries out the replies of the model in one trial, each as one step."""

    session: TrialSession
    runner: ScriptRunner
    """Runs scripts in the sandbox, and writes what the model is told about them."""
    step_limit: StepLimit
    """Says if one more step can be refunded."""
    prompts: Prompts

    def carry_out(self, replied: ModelReplied, *, in_fences: bool) -> StepDone:
        """Run the script of a reply, and return the summary of the step.

        `in_fences` is true if the model was asked for a script in a fence (```).
        """
        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            return self._without_script(action, in_fences=in_fences)

        # Only the first script of a reply is run. `tool_calls` are further calls with others.
        other_actions = action.further_actions + len(replied.tool_calls)
        run = self.runner.run(action.code, other_actions)
        can_refund = self.step_limit.refunds.can_refund_script
        refunded = was_refused(run.result.ending) and can_refund
        return summary_with_script(self.session, action, run, refunded=refunded)

    def _without_script(self, unusable: Unusable, *, in_fences: bool) -> StepDone:
        """Return the summary for a reply without a script, such as an empty one."""
        reason = unusable.reason_in_fences if in_fences else unusable.reason
        has_declined = unusable.fault is Fault.REFUSED
        return summary_without_script(
            self.session,
            unusable.fault,
            reason,
            self.prompts.filled("unusable", reason=reason),
            self.runner.scratchpad,
            refunded=not has_declined and self.step_limit.refunds.can_refund_reply,
        )
