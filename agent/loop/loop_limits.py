"""All limits of a trial in which a model takes turns: each may warn the model, and end the trial.

Some are made here: steps, time, the model's context, repetitions and unusable replies. Others, such
as that of calls, are the session's. After 35 steps and 5 extra ones, the trial ends for this
`reason`, to which the limit of steps has the last fault of the model added:

    no answer within 35 steps, and 5 more after the nudge: the last reply was empty
"""

from __future__ import annotations

import math

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.context_limit import ContextLimit
from controlplane.agent.loop.limits.form_history import FormHistory
from controlplane.agent.loop.limits.repetition import RepetitionLimit
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.loop.limits.time_limit import TimeLimit
from controlplane.agent.loop.limits.unusable_replies import UnusableReplies
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.record.trial_step import TrialStep


class LoopLimits:
    """The limits of one trial."""

    def __init__(
        self, session: TrialSession, settings: LoopSettings, *, may_change_form: bool
    ) -> None:
        """`may_change_form` is true if a model that fails in JSON, for example, may reply in text."""
        budget = settings.budget
        prompts = settings.prompts
        time_s = session.trial.time_limit_s or budget.trial_time_s
        self.repetition = RepetitionLimit(budget.same_refusals, budget.same_scripts)
        self.unusable = UnusableReplies(budget, FormHistory(may_change_form))
        self.steps = StepLimit(budget, prompts=prompts)
        self.time = TimeLimit(session.clock, time_s, prompts=prompts)
        context_tokens = settings.context_tokens or math.inf  # if it is unknown
        self.context = ContextLimit(context_tokens, prompts=prompts)
        # Those of calls, submissions and dollars, which the session counts itself
        limits_of_session = session.completed_steps.limits
        self.all_but_context: tuple[TrialLimit, ...] = (
            self.repetition,
            self.unusable,
            *limits_of_session,
            self.steps,
            self.time,
        )
        """They warn first. Their warnings then take room in the model's context."""
        self.all = (*self.all_but_context, self.context)
        """All limits. The first one that is used up gives the reason for the trial's end, so those
        with a general reason, such as `no answer within 35 steps`, come late."""

    def count(self, step: TrialStep) -> None:
        """Count a completed step. The session has counted it in its own limits."""
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
                return f"{reason}: {self._last_fault}"
            if reason:
                return reason
        return ""

    @property
    def _last_fault(self) -> str:
        """What was wrong with the last replies or, if they were usable, with the last submission."""
        return self.unusable.last_fault or self.repetition.submissions.last_fault
