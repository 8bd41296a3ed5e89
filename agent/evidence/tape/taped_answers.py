"""Sends the answers of a trial to its environment, unless they are recorded as sent.

An environment takes one answer, and may refuse others. Each answer has two lines in the journal:

    answer_sent  step 3  "The fee is 7 EUR."
    answer_done  step 3                         the environment took it, or why it refused it

A trial that is *resumed* after its process was killed has the lines of its recorded steps on its
*tape*. If both are there, their outcome counts. If only the first one is, the answer is sent
again. A *replay* of a recorded trial has no environment, and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, Emit
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.sandbox.interface import CallError


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of an answer.

    | the answer | `error` | `was_taken_before` |
    |---|---|---|
    | was sent now, and the environment took it | None | False |
    | was sent now, and the environment refused it | says why | False |
    | is recorded as taken, or belongs to a replay, which sends nothing | None | True |
    | is recorded as refused | says why | False |
    """

    result: AnswerDone
    """Whether the environment took the answer, as the journal says it."""
    error: CallError | None = None
    """Why the environment did not take the answer. None if it did."""
    was_taken_before: bool = False
    """True if the answer counts as taken, although it was not sent now."""


@dataclass(frozen=True, slots=True)
class TapedAnswers:
    """Sends the answers of one trial, and writes to the journal how they fared.

    A *late* answer is sent after the solver's work, when the trial ends. It belongs to no step,
    so the tape has no outcome for it.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step: StepLog
    """The step that the trial is at, with its answers so far."""
    live: LiveCalls
    """Reaches the environment."""
    write: Emit
    """Writes an event to the journal."""

    def send(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, unless its outcome is recorded."""
        recorded_step = self.tape.step(answer.step)
        number = len(self.step.trial_step.answer_results)  # its position in the step
        recorded_result = entry_at(recorded_step.answer_results, number)
        if recorded_result is not None and not answer.late:
            return _recorded_outcome(answer, recorded_result)
        if self.tape.is_replay:
            # It has no environment, so the answer counts as taken.
            return AnswerOutcome(_result_of(answer), was_taken_before=True)

        # The journal first says that the answer is sent. If the trial breaks off before the
        # result is written, its next attempt sends the answer again, without this event.
        recorded_answer = entry_at(recorded_step.sent_answers, number)
        if recorded_answer is None or answer.late:
            self.write(answer)
        outcome = self._send_now(answer)
        self.write(outcome.result)
        return outcome

    def _send_now(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, and return whether it was taken."""
        try:
            self.live.answer(answer.message, answer.outcome, answer.refs)
        except CallError as error:
            result = _result_of(answer, error)
            if result.is_taken:  # The error is that an earlier attempt had sent it.
                return AnswerOutcome(result)
            return AnswerOutcome(result, error)
        return AnswerOutcome(_result_of(answer))


def _recorded_outcome(answer: AnswerSent, recorded: AnswerDone) -> AnswerOutcome:
    """Return what became of an answer when its step was recorded."""
    if recorded.error is None or recorded.is_taken:
        return AnswerOutcome(_result_of(answer), was_taken_before=True)
    error = CallError(recorded.error.code, recorded.error.message)
    return AnswerOutcome(_result_of(answer, error), error)


def _result_of(answer: AnswerSent, error: CallError | None = None) -> AnswerDone:
    """Return the event that says whether the environment took an answer."""
    failure = None
    if error is not None:
        failure = CallFailure(code=str(error.code), message=str(error.message))
    return AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
