"""What became of an answer that a trial sends to its environment.

An environment takes one answer, and refuses others. If the answer is not sent, because its step is
recorded, the outcome is the recorded one:

    the environment takes it now           error None            was_sent_now True
    the environment refuses it now         error "too long"      was_sent_now True
    it is recorded as taken                error None            was_sent_now False
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone
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


def recorded_outcome(result: AnswerDone) -> AnswerOutcome:
    """Return what became of an answer when its step was recorded."""
    error = None
    if result.error is not None and not result.is_taken:
        error = CallError(result.error.code, result.error.message)
    return AnswerOutcome(result, error, was_sent_now=False)
