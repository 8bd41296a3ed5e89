"""How a trial in the shop ended: its score, and whether a check answered before the main model.

    PlayedTrial(family="staff-contact", truth="OUTCOME_DENIED_SECURITY", closed_by="refuse_request",
                score=1.0, steps=1, ...)

Here a guest asked for an employee's e-mail address, and the check `refuse_request` answered. The checks
before the model are the first step of a trial. Only if none has answered, the model answers in the
steps that follow. The state of a step that a check has answered is "answered by refuse_request".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import StepDone


@dataclass
class PlayedTrial:
    """How a trial of a family's task ended."""

    family: str
    instruction: str
    truth: str
    """The outcome that is right."""
    closed_by: str
    """The check before the model that answered the request; empty if the model had to."""
    score: float
    details: tuple[str, ...]
    """The grader's remarks."""
    sent_back: str
    """Why answers were not accepted; empty if the check before the model answered."""
    has_change_without_answer: bool
    """True if the shop was changed, although the trial ended without an answer."""
    steps: int
    requests: Sequence[str] = ()
    """The requests to the main model, as text."""


def why_sent_back(steps: Sequence[StepDone]) -> str:
    """Return the remarks of the gates on the model's answers; "" if a check answered before it."""
    if steps and _is_accepted(steps[0]):
        return ""
    messages: list[str] = []
    for step in steps:
        messages += [verdict.message[:200] for verdict in step.verdicts]
    return "; ".join(messages)


def closing_check(steps: Sequence[StepDone]) -> str:
    """Return the check that answered in the first step, or "" if its answer was not accepted."""
    if not steps or not _is_accepted(steps[0]):
        return ""
    return steps[0].state.removeprefix("answered by ")


def _is_accepted(step: StepDone) -> bool:
    """Return True if an answer of this step was accepted."""
    return any(verdict.accepted for verdict in step.verdicts)
