"""What became of an answer that a trial sends to its environment.

An environment takes one answer, and refuses others. If the answer is not sent, because its step is
recorded, the outcome is the recorded one:

    the environment takes it now                   error None          was_sent_now True
    the environment refuses it now                 error "too long"    was_sent_now True
    the environment has it from an earlier try     error None          was_sent_now True
    it is recorded as taken                        error None          was_sent_now False
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure
from controlplane.sandbox.interface import CallError


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of an answer: whether the environment took it, or why it did not."""

    result: AnswerDone
    """The event that says whether the environment took the answer."""
    error: CallError | None
    """Why the environment did not take the answer. None if it did."""
    was_sent_now: bool
    """False if the answer was not sent, because its step is recorded."""


def outcome_now(answer: AnswerSent, refusal: CallError | None) -> AnswerOutcome:
    """Return what became of an answer that was sent now. `refusal` is None if it was not refused."""
    failure: CallFailure | None = None
    if refusal is not None:
        failure = CallFailure(code=str(refusal.code), message=str(refusal.message))
    result = AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
    # “Already exists” is no refusal: an earlier attempt had sent the answer.
    error = None if result.is_taken else refusal
    return AnswerOutcome(result, error, was_sent_now=True)


def recorded_outcome(result: AnswerDone) -> AnswerOutcome:
    """Return what became of an answer when its step was recorded."""
    error = None
    if result.error is not None and not result.is_taken:
        error = CallError(result.error.code, result.error.message)
    return AnswerOutcome(result, error, was_sent_now=False)
