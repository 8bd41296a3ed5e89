"""Carries out a reply of the model as one step: runs the script that the reply has."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, ScriptMeasured, StepDone
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.script.script_feedback import (
    feedback_on_script,
    other_actions_note,
    other_actions_text,
)
from controlplane.agent.loop.script_endings import was_refused
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from controlplane.sandbox import Sandbox, StepResult


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Carries out one reply. Only the first script of a reply is run."""

    session: TrialSession
    box: Sandbox
    limit: StepLimit
    """Decides whether the step counts."""
    prompts: Prompts
    asks_for_fences: bool
    """True if scripts are asked for in fences (```), so a reply may have other text."""

    def done_by(self, replied: ModelReplied) -> StepDone:
        """Run the script of a reply, if it has one, and return the summary of the step."""
        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            return self._without_script(action)
        other_actions = action.others + len(replied.tool_calls)
        return self._with_script(action, other_actions)

    def _without_script(self, unusable: Unusable) -> StepDone:
        """Return the summary for a reply without a script, with the reason."""
        reason = unusable.reason
        if self.asks_for_fences:
            reason = unusable.reason_in_fences
        # A refusal of the request is a usable reply, so it counts as a step. The first unusable
        # replies of a trial are *refunded*: they do not count.
        is_unusable = unusable.fault is not Fault.REFUSED
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            error=reason,
            fault=str(unusable.fault),
            scratchpad=self.box.scratchpad,
            feedback=(self.prompts.filled("unusable", reason=reason),),
            refunded=self.limit.refunds_reply(is_unusable=is_unusable),
        )

    def _with_script(self, action: Action, other_actions: int) -> StepDone:
        """Run the script of an action, and return the summary.

        `other_actions` is the number of further actions, which are not run.
        """
        number = self.session.trace.number
        result = self.box.run(action.code, step=number)
        self._record_memory()
        is_refused = was_refused(result.ending)
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=number,
            state=action.state,
            plan=action.plan,
            done=action.done,
            code=action.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            feedback=self._feedback(action.code, result, other_actions),
            elapsed_ms=result.elapsed_ms,
            refunded=self.limit.refunds_script(is_refused=is_refused),
        )

    def _record_memory(self) -> None:
        """Record the peak memory of the process that runs the scripts, if it is known."""
        if self.box.peak_memory_bytes is None:
            return
        event = ScriptMeasured(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            peak_memory_bytes=self.box.peak_memory_bytes,
        )
        self.session.recorder.journal.measured(event)

    def _feedback(
        self, code: str, result: StepResult, other_actions: int
    ) -> tuple[str, ...]:
        """Return the message to the model after a script; empty if the trial is over."""
        session = self.session
        if session.is_over:
            if other_actions:
                session.notice(other_actions_text(other_actions))
            return ()
        last_step = session.steps.last
        scratchpad_before = last_step.scratchpad if last_step else {}
        feedback = feedback_on_script(
            code, result, session.trace, session.notes, scratchpad_before
        )
        if other_actions:
            feedback += (other_actions_note(other_actions),)
        return feedback
