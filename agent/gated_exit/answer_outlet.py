"""The way of an answer to the environment, which takes one answer in a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.trial_answers import accepted_answer, empty_answer
from controlplane.sandbox.interface import CallError, Plain


@dataclass(slots=True)
class AnswerOutlet:
    """Sends the answer of one trial, and knows whether the environment took it."""

    recorder: Recorder
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, even in an
    earlier attempt. The environment may have refused it."""
    is_closed: bool = field(init=False)
    """True once nothing more can be sent: the environment took an answer, or ended the trial."""
    is_answered: bool = False
    """True once the environment took an answer in this attempt."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape
        self.accepted = tape.sent_answer
        self.is_closed = tape.is_solved

    def take_accepted(self, judged: Judged) -> None:
        """Keep a submission of the current step, which the gates accepted, as the answer."""
        self.accepted = accepted_answer(self.recorder, judged)

    def send_accepted(self) -> None:
        """Send the accepted answer. Raises `CallError` if the environment does not take it."""
        assert self.accepted is not None
        self.send(self.accepted)

    def send(self, answer: AnswerSent) -> None:
        """Send an answer. Raises `CallError` if the environment does not take it."""
        recorder = self.recorder
        number = len(recorder.trace.answer_results)
        # If the trial breaks off before the result is recorded, its next attempt knows
        # that the environment may have the answer.
        recorder.answers.record_sent(answer, number)
        error: CallError | None = None
        is_sent_now = True  # False if an earlier attempt sent it.
        try:
            is_sent_now = recorder.answers.send(answer, number)
        except CallError as refusal:
            error = refusal

        answered = result_of_answer(answer, error)
        recorder.answers.record_result(answered, number)
        self.take_result(answered)
        self.is_answered = self.is_closed and is_sent_now
        if error is not None and not answered.is_taken:
            raise error

    def take_result(self, answered: AnswerDone) -> None:
        """Update the state with the environment's result of an answer, new or recorded."""
        # A late answer is sent at the end of the trial, and is not a part of any step.
        if not answered.late:
            self.recorder.trace.answer_results.append(answered)
        if answered.is_taken:
            self.is_closed = True

    def close_if_environment_ended(
        self, operation: str, result: Mapping[str, Plain]
    ) -> None:
        """Close without an answer if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if self.is_closed or not has_ended:
            return
        self.accepted = empty_answer(self.recorder)
        self.is_closed = True


def result_of_answer(answer: AnswerSent, error: CallError | None) -> AnswerDone:
    """Return the event that says whether the environment took an answer."""
    failure = None
    if error is not None:
        failure = CallFailure(code=str(error.code), message=str(error.message))
    return AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
