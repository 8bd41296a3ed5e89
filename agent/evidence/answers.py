"""Sends the answers of a trial to its environment, unless they are recorded as sent.

An environment takes one answer, and may refuse others. Each answer has two lines in the journal:

    answer_sent  step 3  "The fee is 7 EUR."
    answer_done  step 3                         the environment took it, or why it refused it

If the process of the trial was killed, the next one repeats the step (one reply of the model). If
it finds both lines, nothing is sent. If it finds only the first, the answer may not have arrived,
so it is sent again.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, Emit
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.tape import TapeReader
from controlplane.sandbox.interface import CallError, guarded

# What became of an answer that a trial sends to its environment.
#
# An environment takes one answer, and refuses others. If the answer is not sent, because its step is
# recorded, the outcome is the recorded one:
#
#     the environment takes it now                   error None          was_sent_now True
#     the environment refuses it now                 error "too long"    was_sent_now True
#     the environment has it from an earlier try     error None          was_sent_now True
#     it is recorded as taken                        error None          was_sent_now False


@dataclass(frozen=True, slots=True)
class _AnswerOutcome:
    """What became of an answer: whether the environment took it, or why it did not."""

    result: AnswerDone
    """The event that says whether the environment took the answer."""
    error: CallError | None
    """Why the environment did not take the answer. None if it did."""
    was_sent_now: bool
    """False if the answer was not sent, because its step is recorded."""


def _outcome_now(answer: AnswerSent, refusal: CallError | None) -> _AnswerOutcome:
    """Return what became of an answer that was sent now. `refusal` is None if it was not refused."""
    failure: CallFailure | None = None
    if refusal is not None:
        failure = CallFailure(code=str(refusal.code), message=str(refusal.message))
    result = AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
    # “Already exists” is no refusal: an earlier attempt had sent the answer.
    error = None if result.is_taken else refusal
    return _AnswerOutcome(result, error, was_sent_now=True)


def recorded_outcome(result: AnswerDone) -> _AnswerOutcome:
    """Return what became of an answer when its step was recorded."""
    error = None
    if result.error is not None and not result.is_taken:
        error = CallError(result.error.code, result.error.message)
    return _AnswerOutcome(result, error, was_sent_now=False)


@dataclass(frozen=True, slots=True)
class TrialAnswers:
    """Sends the answers of one trial, and writes to the journal how they fared."""

    reader: TapeReader
    """Has the recorded step, if the current one repeats it."""
    environment: Environment
    emit: Emit
    """Writes an event to the journal."""

    def send(self, answer: AnswerSent) -> _AnswerOutcome:
        """Send an answer to the environment, unless the current step has done so before."""
        if answer.late:  # It comes after all steps.
            self.emit(answer)
            return self._send_now(answer)

        # 2 if two answers of this step were refused: then the third recorded result is next.
        number = len(self.reader.current_step.answer_results)
        result = self.reader.entry_at(number, AnswerDone)
        if result is not None:
            return recorded_outcome(result)
        if self.reader.is_complete:
            # The step has ended without this answer, or is replayed, so nothing may be sent or
            # written. The trial goes on as if the answer were taken.
            taken = AnswerDone(trial_id=answer.trial_id, step=answer.step)
            return recorded_outcome(taken)

        is_written = self.reader.entry_at(number, AnswerSent) is not None
        if not is_written:
            self.emit(answer)
        return self._send_now(answer)

    def _send_now(self, answer: AnswerSent) -> _AnswerOutcome:
        """Send an answer to the environment, and write whether it was taken."""
        outcome = _outcome_now(answer, self._refusal_of(answer))
        self.emit(outcome.result)
        return outcome

    def _refusal_of(self, answer: AnswerSent) -> CallError | None:
        """Send an answer to the environment, and return why it was refused; None if it was not."""
        parts = (answer.message, answer.outcome, answer.refs)
        try:
            # `guarded` turns any exception of the environment into a `CallError`.
            guarded("answer", lambda: self.environment.answer(*parts))
        except CallError as error:
            return error
        return None
