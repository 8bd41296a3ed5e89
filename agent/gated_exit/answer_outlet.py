"""The way of an answer from a trial to its environment.

The gates accept answers, and the environment takes one of them. It may refuse an answer that
the gates accepted, for example because its form is wrong. The solver may then send another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from controlplane.agent.events import AnswerDone, AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedAnswers
from controlplane.agent.gated_exit.trial_answers import accepted_answer, empty_answer
from controlplane.sandbox.interface import Plain


class OutletState(Enum):
    """Whether a trial may still send an answer."""

    OPEN = auto()
    """No answer was taken yet."""
    CLOSED = auto()
    """Nothing more can be submitted, although this attempt at the trial has sent nothing. Its
    answer is sent when the trial ends."""
    ANSWERED = auto()
    """This attempt has sent the answer."""

    @classmethod
    def at_start(cls, *, is_solved: bool) -> OutletState:
        """Return the state at the start of an attempt. An earlier one may have solved the trial."""
        return cls.CLOSED if is_solved else cls.OPEN


@dataclass(slots=True)
class AnswerOutlet:
    """Sends the answer of one trial, and knows whether the environment took it.

    | what happened | `state` | `accepted` |
    |---|---|---|
    | the gates accepted nothing | `OPEN` | None |
    | they accepted an answer, but the environment refused it | `OPEN` | the answer |
    | the environment took it | `ANSWERED` | the answer |
    | it took it before the process was killed; the trial is resumed | `CLOSED` | the answer |
    | the environment ended the trial by itself | `CLOSED` | an empty answer |
    """

    recorder: Recorder
    """Has the current step, in which answers are recorded."""
    taped_answers: TapedAnswers = field(init=False)
    """Sends answers to the environment, unless their outcomes are recorded."""
    state: OutletState = field(init=False)
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, even in an earlier attempt."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape  # the record of an earlier attempt
        self.taped_answers = TapedAnswers(
            tape,
            self.recorder.step_log,
            self.recorder.live,
            self.recorder.emit,
        )
        self.accepted = tape.sent_answer
        self.state = OutletState.at_start(is_solved=tape.is_solved)

    @property
    def is_closed(self) -> bool:
        """True if nothing more can be submitted."""
        return self.state is not OutletState.OPEN

    @property
    def is_answered(self) -> bool:
        """True if this attempt at the trial has sent the answer."""
        return self.state is OutletState.ANSWERED

    def keep_accepted(self, judged: Judged) -> None:
        """Keep a submission of the current step, which the gates accepted, as the answer."""
        self.accepted = accepted_answer(self.recorder, judged)

    def send_accepted(self) -> None:
        """Send the accepted answer. Raises `CallError` if the environment refuses it."""
        assert self.accepted is not None
        self.send(self.accepted)

    def send(self, answer: AnswerSent) -> None:
        """Send an answer. Raises `CallError` if the environment refuses it.

        If an earlier attempt has recorded the result of the answer, nothing is sent, and
        that result counts.
        """
        outcome = self.taped_answers.send(answer)
        self.learn_result(outcome.result)
        if self.is_closed and not outcome.was_taken_before:
            self.state = OutletState.ANSWERED
        if outcome.error is not None:
            raise outcome.error

    def learn_result(self, result: AnswerDone) -> None:
        """Learn whether the environment took an answer, from a new or a recorded result."""
        # A late answer is sent at the end of the trial, and is not a part of any step.
        if not result.late:
            self.recorder.current_step.answer_results.append(result)
        if result.is_taken:
            self._close()

    def close_if_environment_ended(
        self, operation: str, result: Mapping[str, Plain]
    ) -> None:
        """Close with an empty answer if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if has_ended and not self.is_closed:
            self.accepted = empty_answer(self.recorder)
            self._close()

    def _close(self) -> None:
        """Let nothing more be submitted."""
        if self.state is OutletState.OPEN:
            self.state = OutletState.CLOSED
