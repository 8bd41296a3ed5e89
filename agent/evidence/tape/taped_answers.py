"""Sends the answers of a trial to its environment, unless they are recorded as sent.

An environment takes one answer, and may refuse others. Each answer has two lines in the journal:

    answer_sent  step 3  "The fee is 7 EUR."
    answer_done  step 3                         the environment took it, or why it refused it

If the process of the trial was killed, the next one finds the lines of its recorded steps on the
*tape*: both, only the first, or none. A *replay* repeats a trial without an environment.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerSent, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.tape.answer_outcome import AnswerOutcome
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import CallError, guarded


@dataclass(frozen=True, slots=True)
class TapedAnswers:
    """Sends the answers of one trial, and writes to the journal how they fared."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step: StepLog
    """The step that the trial is at, with its answers so far."""
    environment: Environment
    emit: Emit
    """Writes an event to the journal."""

    def send(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, unless its outcome is recorded.

        | the tape has | what happens |
        |---|---|
        | `answer_sent` and `answer_done` | nothing: the recorded outcome counts |
        | not both, and this is a replay | nothing: the answer counts as taken |
        | only `answer_sent` | it is sent again, and `answer_done` is written |
        | nothing of the answer | `answer_sent` is written, it is sent, `answer_done` is written |
        """
        recorded_step = self._recorded_step(answer)
        number = len(self.step.trial_step.answer_results)  # its position in the step
        recorded_result = entry_at(recorded_step.answer_results, number)
        if recorded_result is not None:
            return AnswerOutcome.recorded(answer, recorded_result)
        if self.tape.is_replay:
            return AnswerOutcome.taken_before(answer)
        if entry_at(recorded_step.sent_answers, number) is None:
            self.emit(answer)
        outcome = self._send_now(answer)
        self.emit(outcome.result)
        return outcome

    def _recorded_step(self, answer: AnswerSent) -> TrialStep:
        """Return the recorded step of an answer. A late one, after all steps, is in none."""
        return TrialStep() if answer.late else self.tape.steps[answer.step]

    def _send_now(self, answer: AnswerSent) -> AnswerOutcome:
        """Send an answer to the environment, and return whether it was taken."""
        parts = (answer.message, answer.outcome, answer.refs)
        try:
            # `guarded` turns any exception of the environment into a `CallError`.
            guarded("answer", lambda: self.environment.answer(*parts))
        except CallError as error:
            return AnswerOutcome.refused(answer, error)
        return AnswerOutcome.taken_now(answer)
