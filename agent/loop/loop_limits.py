"""All limits of a trial in which a model takes turns.

The limits of the loop are those of steps, time, the model's context, repetitions and unusable
replies. The session has further ones, such as that of calls. Each may warn the model, and
end the trial.
"""

from __future__ import annotations

from controlplane.agent.events import StepDone
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.context_limit import ContextLimit
from controlplane.agent.loop.limits.form_choice import FormChoice
from controlplane.agent.loop.limits.repetition import RepetitionLimit
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.limits.time_limit import TimeLimit
from controlplane.agent.loop.limits.unusable_replies import UnusableReplies
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.record.trial_step import TrialStep


class LoopLimits:
    """The limits of one trial, which warn the model and end the trial.

    For step 30 of 35, for example:

        summary_with_warnings(step)  -> its summary, with "5 steps are left" for the model
        count(step)                  counts it
        reason                       -> ""; after step 35: "no answer within 35 steps: ..."
    """

    def __init__(
        self, session: TrialSession, settings: LoopSettings, *, may_change_form: bool
    ) -> None:
        """With `may_change_form`, a model whose replies are unusable is asked for another form.

        It then writes its script, for example, in a text instead of a JSON object.
        """
        budget = settings.budget
        prompts = settings.prompts
        time_s = session.trial.time_limit_s or budget.trial_time_s
        self.repetition = RepetitionLimit(budget.same_refusals, budget.same_scripts)
        self.unusable = UnusableReplies(budget, FormChoice(may_change_form))
        self.steps = StepLimit(budget, prompts=prompts)
        self.time = TimeLimit(session.clock, time_s, prompts=prompts)
        self.context = ContextLimit(settings.context_tokens, prompts=prompts)
        self.all: tuple[TrialLimit, ...] = (
            self.repetition,
            self.unusable,
            *session.steps.limits,  # Those of calls, submissions and dollars
            self.steps,
            self.time,
            self.context,
        )
        """All limits. The first one that is used up gives the reason for the trial's end, so
        those with a general reason, such as `no answer within 35 steps`, come late."""

    def count(self, step: TrialStep) -> None:
        """Count a completed step, except in the session's limits.

        The session counts it in its own limits (see `TrialSteps.complete`).
        """
        self.repetition.count(step)
        self.unusable.count(step)
        self.steps.count(step)
        self.time.count(step)
        self.context.count(step)

    @property
    def reason(self) -> str:
        """Why the trial takes no further turn; empty while all limits hold.

        `no answer within 35 steps: the last reply was empty`
        """
        for limit in self.all:
            reason = limit.reason
            if not reason:
                continue
            if limit.names_last_fault:
                return f"{reason}: {self._last_fault}"
            return reason
        return ""

    @property
    def _last_fault(self) -> str:
        """What was wrong with the last reply, or else with the last submission, in words.

        `the last reply was empty`, `the last submission was sent back by gate 3 (paths)`
        """
        return self.unusable.last_fault or self.repetition.last_fault

    def summary_with_warnings(self, step: TrialStep) -> StepDone:
        """Return the summary of a step, with the limits' warnings in its feedback to the model.

        The step is under way, and is not counted yet.
        """
        feedback = list(step.summary.feedback)
        for limit in self.all:
            warning = limit.warning_after(step, feedback)
            if warning:
                feedback.append(warning)
        return step.summary.model_copy(update={"feedback": tuple(feedback)})

    def is_last_answer_due(self, step: TrialStep) -> bool:
        """Return True if this is the last step, and an answer that it left may be submitted.

        A script may leave an answer in the scratchpad without submitting it. It is the last
        step if a limit that counts it gives a reason for the trial's end.
        """
        for limit in self.all:
            if limit.submits_left_answer and limit.after(step).reason:
                return True
        return False
