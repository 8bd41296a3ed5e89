"""What the limits of a trial, such as 12 steps, say about its latest step.

The message to the model about a step ends with their warnings, and only then is the step counted. So
each limit is asked what it would say `after` the step. In step 8 of 12, with the output `21`:

    feedback so far                   with the warnings
    "<output step=8>21</output>"      "<output step=8>21</output>", "4 steps are left."
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.events import StepDone
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.loop_limits import LoopLimits
from controlplane.agent.record.trial_step import TrialStep


def summary_with_warnings(limits: LoopLimits, step: TrialStep) -> StepDone:
    """Return the summary of a step, with the limits' warnings in its feedback to the model."""
    feedback = list(step.summary.feedback)
    # The feedback, with these warnings, takes room in the model's context. So that limit comes last.
    for limit in limits.all_but_context:
        warning = limit.after(step).warning
        if warning:
            feedback.append(warning)

    warning = limits.context.after_message(step, feedback).warning
    if warning:
        feedback.append(warning)
    return step.summary.model_copy(update={"feedback": tuple(feedback)})


def is_last_answer_due(limits: Sequence[TrialLimit], step: TrialStep) -> bool:
    """Return True if a limit ends the trial with this step, and lets it submit a left answer.

    A script may leave an answer in its data, for the next script to submit. If there is no next
    script, the answer is submitted without one, but not for every limit.
    """
    for limit in limits:
        ends_trial = limit.submits_left_answer and limit.after(step).reason
        if ends_trial:
            return True
    return False
