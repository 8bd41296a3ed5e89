"""The summary of a step, with which the journal records its end."""

from __future__ import annotations

from typing import Any

from controlplane.agent.events import StepDone, now_ms
from controlplane.agent.record.step_replies import reply_fields
from controlplane.agent.record.trial_step import TrialStep


def step_summary(step: TrialStep, trial_id: str, used_s: float) -> StepDone:
    """Return the summary of a step: the fields that the solver set, and those of the record.

    `used_s` are the seconds that the trial has used so far.
    """
    place: dict[str, Any] = {"trial_id": trial_id, "step": step.number}
    solver_part = step.done or StepDone(**place)
    return solver_part.model_copy(
        update={
            **place,
            "at_ms": now_ms(),
            "calls": tuple(step.calls),
            "citations": tuple(step.citations),
            "verdicts": tuple(step.submissions),
            "used_ms": round(used_s * 1000, 1),
            **reply_fields(step.replies),
        }
    )
