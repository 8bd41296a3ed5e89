"""The summary of a step, with which the journal records its end.

It has the calls, citations, submissions and replies of the step, and what the solver adds, such
as the script that was run.
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.events import StepDone, now_ms
from controlplane.agent.record.step_replies import reply_fields
from controlplane.agent.record.trial_step import TrialStep


def step_summary(step: TrialStep, trial_id: str, used_s: float) -> StepDone:
    """Return the summary of a step that ends.

    The solver may have set its own fields of the summary in `step.done`, such as the script.
    They are kept, and the calls, replies and other things that the step has are added.
    `used_s` are the seconds that the trial has used so far.
    """
    identity: dict[str, Any] = {"trial_id": trial_id, "step": step.number}
    summary_of_solver = step.done or StepDone(**identity)
    return summary_of_solver.model_copy(
        update={
            **identity,
            "at_ms": now_ms(),
            "calls": tuple(step.calls),
            "citations": tuple(step.citations),
            "verdicts": tuple(step.submissions),
            "used_ms": round(used_s * 1000, 1),
            **reply_fields(step.replies),
        }
    )
