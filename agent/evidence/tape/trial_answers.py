"""Sends the answers of a trial to its environment, unless they are recorded as sent.

An environment takes one answer, and may refuse others. Each answer has two lines in the journal:

    answer_sent  step 3  "The fee is 7 EUR."
    answer_done  step 3                         the environment took it, or why it refused it

If the process of the trial was killed, the next one finds both lines, only the first, or none.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, Emit
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.tape.answer_outcome import (
    AnswerOutcome,
    recorded_outcome,
)
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.sandbox.interface import CallError, guarded


@dataclass(frozen=True, slots=True)
class TrialAnswers:
    """Sends the answers of one trial, and writes to the journal how they fared."""

    reader: TapeReader
    environment: Environment
    emit: Emit
    """Writes an event to the journal."""

    def send(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, unless the current step has done so before."""
        if answer.late:  # It comes after all steps.
            self.emit(answer)
            return self._send_now(answer)

        number = len(
            self.reader.current_step.answer_results
        )  # its position in the step
        result = self.reader.entry_at(number, AnswerDone)
        if result is not None:
            return recorded_outcome(result)
        if self.reader.is_complete:
            # The step may not send more answers than are recorded. This one counts as taken.
            return recorded_outcome(_result_of(answer, None))
        if self.reader.entry_at(number, AnswerSent) is None:
            self.emit(answer)
        return self._send_now(answer)

    def _send_now(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, and write whether it was taken."""
        error: CallError | None = None
        parts = (answer.message, answer.outcome, answer.refs)
        try:
            # `guarded` turns any exception of the environment into a `CallError`.
            guarded("answer", lambda: self.environment.answer(*parts))
        except CallError as refusal:
            error = refusal
        result = _result_of(answer, error)
        self.emit(result)
        if result.is_taken:
            error = None  # The environment has it, perhaps from an earlier attempt.
        return AnswerOutcome(result, error, was_sent_now=True)


def _result_of(answer: AnswerSent, error: CallError | None) -> AnswerDone:
    """Return the event that says whether the environment took an answer."""
    failure = None
    if error is not None:
        failure = CallFailure(code=str(error.code), message=str(error.message))
    return AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
