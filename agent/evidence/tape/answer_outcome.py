"""What became of an answer that a trial sent to its environment.

An environment takes one answer, and refuses others. If a process was killed, the next one may
find in the journal what became of its answer, and need not send it again:

| the answer | made by | `error` | `was_taken_before` |
|---|---|---|---|
| was sent now, and the environment took it | `taken_now` | None | False |
| was sent now, and the environment refused it | `refused` | says why | False |
| is recorded as taken | `recorded` | None | True |
| is recorded as refused | `recorded` | says why | False |
| belongs to a replay, which sends nothing | `taken_before` | None | True |
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
    error: CallError | None = None
    """Why the environment did not take the answer. None if it did."""
    was_taken_before: bool = False
    """True if the answer counts as taken, although it was not sent now."""

    @classmethod
    def taken_now(cls, answer: AnswerSent) -> AnswerOutcome:
        """Return the outcome of an answer that was sent now, and that the environment took."""
        return cls(_result_of(answer))

    @classmethod
    def taken_before(cls, answer: AnswerSent) -> AnswerOutcome:
        """Return the outcome of an answer that counts as taken, and is not sent."""
        return cls(_result_of(answer), was_taken_before=True)

    @classmethod
    def refused(cls, answer: AnswerSent, error: CallError) -> AnswerOutcome:
        """Return the outcome of an answer for which the environment raised an error.

        If this says `already_exists`, the environment has the answer from an earlier attempt.
        """
        result = _result_of(answer, error)
        return cls(result, None if result.is_taken else error)

    @classmethod
    def recorded(cls, answer: AnswerSent, recorded: AnswerDone) -> AnswerOutcome:
        """Return what became of an answer when its step was recorded."""
        if recorded.error is None or recorded.is_taken:
            return cls.taken_before(answer)
        error = CallError(recorded.error.code, recorded.error.message)
        return cls.refused(answer, error)


def _result_of(answer: AnswerSent, error: CallError | None = None) -> AnswerDone:
    """Return the event that says whether the environment took an answer."""
    failure = None
    if error is not None:
        failure = CallFailure(code=str(error.code), message=str(error.message))
    return AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
