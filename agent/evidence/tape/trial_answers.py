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
        """Send an answer to the environment, unless the current step has done so before.

        | lines of the answer in the journal | what is done |
        |---|---|
        | both | nothing: the recorded outcome counts |
        | only the first | it is sent again, as it may not have arrived |
        | none | the first line is written, and it is sent |
        """
        if answer.late:  # It comes after all steps.
            self.emit(answer)
            return self._send_now(answer)

        position = len(self.reader.current_step.answer_results)
        result = self._recorded_result(answer, position)
        if result is not None:
            return recorded_outcome(result)
        if self.reader.entry_at(position, AnswerSent) is None:
            self.emit(answer)
        return self._send_now(answer)

    def _recorded_result(self, answer: AnswerSent, position: int) -> AnswerDone | None:
        """Return the result that counts for the answer at a position of the step, if it is not sent."""
        result = self.reader.entry_at(position, AnswerDone)
        if result is None and self.reader.is_complete:
            # The step is over, and may send nothing. The trial goes on as if it were taken.
            return AnswerDone(trial_id=answer.trial_id, step=answer.step)
        return result

    def _send_now(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, and write whether it was taken."""
        failure: CallFailure | None = None
        refusal: CallError | None = None
        parts = (answer.message, answer.outcome, answer.refs)
        try:
            # `guarded` turns any exception of the environment into a `CallError`.
            guarded("answer", lambda: self.environment.answer(*parts))
        except CallError as error:
            failure = CallFailure(code=str(error.code), message=str(error.message))
            refusal = error

        result = AnswerDone(
            trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
        )
        self.emit(result)
        if result.is_taken:
            refusal = None  # “already exists”: an earlier attempt had sent it.
        return AnswerOutcome(result, refusal, was_sent_now=True)
