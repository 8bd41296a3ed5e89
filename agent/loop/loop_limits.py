"""All limits of a trial that takes turns: those of the loop, and those of its session."""

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
    """The limits of one trial, which warn the model and end the trial."""

    def __init__(
        self, session: TrialSession, settings: LoopSettings, *, may_switch: bool
    ) -> None:
        """`may_switch`: after unusable replies, the model may be asked for another form.

        Another form is, for example, a script in a text instead of a JSON object.
        """
        budget = settings.budget
        prompts = settings.prompts
        time_s = session.trial.time_limit_s or budget.trial_time_s
        self.repetition = RepetitionLimit(budget.same_refusals, budget.same_scripts)
        self.unusable = UnusableReplies(budget, FormChoice(may_switch))
        self.steps = StepLimit(budget, prompts=prompts)
        self.time = TimeLimit(session.clock, time_s, prompts=prompts)
        self.context = ContextLimit(settings.context_tokens, prompts=prompts)
        self._session_limits = session.limits
        """Limits that hold for every solver, such as that on calls."""

    @property
    def all(self) -> tuple[TrialLimit, ...]:
        """All limits.

        The first that is used up gives the reason for the end, so those with
        more precise reasons than `no answer within 35 steps` come first.
        """
        return (
            self.repetition,
            self.unusable,
            *self._session_limits,
            self.steps,
            self.time,
            self.context,
        )

    def count(self, step: TrialStep) -> None:
        """Count a completed step. The session itself has counted it in its limits."""
        self.repetition.count(step)
        self.unusable.count(step)
        self.steps.count(step)
        self.time.count(step)
        self.context.count(step)

    @property
    def reason(self) -> str:
        """Why the trial takes no further turn; empty while all limits hold."""
        for limit in self.all:
            reason = limit.reason
            if reason and limit.names_last_fault:
                last_fault = self.unusable.last_fault or self.repetition.last_fault
                return f"{reason}: {last_fault}"
            if reason:
                return reason
        return ""

    def summary_with_warnings(self, step: TrialStep) -> StepDone:
        """Return the summary of a step. Its feedback to the model also has the warnings.

        The step is about to end, so it is counted only in copies of the limits.
        """
        feedback = list(step.summary.feedback)
        for limit in self.all:
            # The context limit comes last. It measures the message with all other warnings.
            message = "".join((step.solve_reply.reply, *feedback))
            limit_after_step = limit.after(step)
            warning = limit_after_step.warning(message)
            if warning:
                feedback.append(warning)
        return step.summary.model_copy(update={"feedback": tuple(feedback)})

    def is_last_answer_due(self, step: TrialStep) -> bool:
        """Return True if a limit ends the trial after this step, and permits a last answer."""
        for limit in self.all:
            if limit.leaves_last_answer and limit.after(step).reason:
                return True
        return False
