"""Carries out a reply of the model as one step: runs the script that the reply has.

The summary of the step says what came of it, and what the model is told (the *feedback*). The
first steps in which nothing was run do not count: they are *refunded*.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.script.script_runner import ScriptRunner
from controlplane.agent.loop.script_endings import was_refused
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable


@dataclass(frozen=True, slots=True)
class ScriptSteps:
    """Carries out the replies of the model in one trial, each as one step.

    | the reply | the summary of its step |
    |---|---|
    | `{"code": "print(4)"}` | `StepDone(code="print(4)", output="4\\n", ending="finished", ...)` |
    | an empty one | `StepDone(error="The reply was empty. ...", fault="empty", ...)` |

    If nothing was run, the step may be *refunded*: it then does not count towards the limit of
    steps.
    """

    session: TrialSession
    """Has the number of the current step."""
    runner: ScriptRunner
    """Runs scripts in the sandbox, and writes what the model is told about them."""
    step_limit: StepLimit
    """Says if one more step can be refunded."""
    prompts: Prompts
    """Has the text about a reply that could not be used."""

    def carry_out(self, replied: ModelReplied, *, in_fences: bool) -> StepDone:
        """Run the script of a reply, if it has one, and return the summary of the step.

        `in_fences` is true if the model was asked for a script in a fence (```), so that its
        reply may have other text, too.
        """
        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            return self._without_script(action, in_fences=in_fences)
        # Only the first script of a reply is run. Others are in its text or its tool calls.
        other_actions = action.further_actions + len(replied.tool_calls)
        return self._with_script(action, other_actions)

    def _without_script(self, unusable: Unusable, *, in_fences: bool) -> StepDone:
        """Return the summary for a reply without a script, such as an empty one."""
        session = self.session
        reason = unusable.reason_in_fences if in_fences else unusable.reason
        # A model that declines the request has replied. Only other faults are refunded.
        has_declined = unusable.fault is Fault.REFUSED
        return StepDone(
            trial_id=session.trial_id,
            step=session.current_step.number,
            error=reason,
            fault=str(unusable.fault),
            scratchpad=self.runner.scratchpad,
            feedback=(self.prompts.filled("unusable", reason=reason),),
            refunded=not has_declined and self.step_limit.refunds.can_refund_reply,
        )

    def _with_script(self, action: Action, other_actions: int) -> StepDone:
        """Run the script of an action, and return the summary."""
        session = self.session
        run = self.runner.run(action.code, other_actions)
        result = run.result
        # The sandbox refuses a script before it runs, for example for its syntax.
        is_refused = was_refused(result.ending)
        return StepDone(
            trial_id=session.trial_id,
            step=session.current_step.number,
            state=action.state,
            plan=action.plan,
            done=action.done,  # The model says so, but it need not be true.
            code=action.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            feedback=run.feedback,
            elapsed_ms=result.elapsed_ms,
            refunded=is_refused and self.step_limit.refunds.can_refund_script,
        )
