"""What the limits of a trial say about a step that is still under way.

The message to the model about a step also has the warnings of the limits, so they are asked
before the step is counted. In step 8 of 12, with the output `21`:

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
    for limit in limits.all_but_context:
        warning = limit.after(step).warning
        if warning:
            feedback.append(warning)

    # The feedback itself takes room in the model's context, so this limit comes last.
    warning = limits.context.after_message(step, feedback).warning
    if warning:
        feedback.append(warning)
    return step.summary.model_copy(update={"feedback": tuple(feedback)})


def is_last_answer_due(limits: Sequence[TrialLimit], step: TrialStep) -> bool:
    """Return True if this is the last step, and an answer that it left may be submitted.

    A script may leave an answer in its data, for the next script to submit. There is no next
    one if a limit that counts this step gives a reason for the trial's end.
    """
    for limit in limits:
        if limit.submits_left_answer and limit.after(step).reason:
            return True
    return False
