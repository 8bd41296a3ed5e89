"""Sends the answers of a trial to its environment, unless they are recorded as sent.

An environment accepts one answer. If a trial is *resumed* after its process was killed, the
answer may have been sent already: its outcome is then on the *tape*, the recorded
steps, and counts. A *replay* of a recorded trial has no environment, and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import AnswerDone, AnswerSent, Emit
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.sandbox.interface import CallError, error_codes


@dataclass(frozen=True, slots=True)
class TapedAnswers:
    """Sends the answers of one trial, and writes to the journal how they fared.

    Each answer has a number: its position in the step. A *late* answer is sent after the
    solver's work, when the trial ends. It belongs to no step, so the tape has no outcome
    for it.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    live: LiveCalls
    """Reaches the environment."""
    write: Emit
    """Writes an event to the journal."""

    def send(self, event: AnswerSent, number: int) -> bool:
        """Send an answer to the environment, unless its outcome is recorded.

        Return True if the answer was sent now. Raises `CallError` if the environment does
        not accept it now, or has not accepted it when the step was recorded.
        """
        # 1. The outcome is recorded. "Already exists" means that an even earlier attempt had
        # sent the answer, so it counts as accepted.
        recorded = self._recorded_result(event, number)
        if recorded is not None:
            error = recorded.error
            if error is not None and error.code != error_codes.ALREADY_EXISTS:
                raise CallError(error.code, error.message)
            return False

        # 2. A replay has no environment. The answer counts as accepted.
        if self.tape.is_replay:
            return False

        # 3. Send it.
        self.live.answer(event.message, event.outcome, event.refs)
        return True

    def _recorded_result(self, event: AnswerSent, number: int) -> AnswerDone | None:
        """Return the recorded outcome of an answer; None if it must be sent now."""
        if event.late:
            return None
        return entry_at(self.tape.step(event.step).answer_results, number)

    def write_sent(self, event: AnswerSent, number: int) -> None:
        """Write to the journal that an answer is sent, unless that is recorded."""
        recorded = entry_at(self.tape.step(event.step).sent_answers, number)
        self._write_if_new(event, recorded)

    def write_result(self, event: AnswerDone, number: int) -> None:
        """Write to the journal whether an answer was accepted, unless that is recorded."""
        recorded = entry_at(self.tape.step(event.step).answer_results, number)
        self._write_if_new(event, recorded)

    def _write_if_new(self, event: AnswerSent | AnswerDone, recorded: object) -> None:
        """Write an event, unless it is recorded. A replay sends and writes nothing."""
        is_new = recorded is None or event.late
        if is_new and not self.tape.is_replay:
            self.write(event)
