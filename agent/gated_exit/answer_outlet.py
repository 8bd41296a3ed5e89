"""The way of an answer from a trial to its environment.

The gates accept answers, and the environment takes one of them. It may refuse an answer that
the gates accepted, for example because its form is wrong. The solver may then send another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.agent.events import AnswerDone, AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedAnswers
from controlplane.agent.gated_exit.trial_answers import accepted_answer, empty_answer
from controlplane.sandbox.interface import Plain


@dataclass(slots=True)
class AnswerOutlet:
    """Sends the answer of one trial, and knows whether the environment took it.

    | what happened | `accepted` | `is_closed` | `is_answered` |
    |---|---|---|---|
    | the gates accepted "7 EUR", but the environment refused it | "7 EUR" | no | no |
    | the environment took it | "7 EUR" | yes | yes |
    | it took it, then the process was killed; the trial is resumed | "7 EUR" | yes | no |
    | the environment ended the trial by itself | an empty answer | yes | no |

    A trial that is not answered sends `accepted` at its end, even if that was sent before.
    """

    recorder: Recorder
    """Has the current step, in which answers are recorded."""
    taped_answers: TapedAnswers = field(init=False)
    """Sends answers to the environment, unless their outcomes are recorded."""
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, even in an earlier attempt at the trial."""
    is_closed: bool = field(init=False)
    """True if nothing more can be submitted."""
    is_answered: bool = field(init=False, default=False)
    """True if this attempt at the trial has sent the answer. Then the outlet is closed, too."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape  # the record of an earlier attempt
        self.taped_answers = TapedAnswers(
            tape,
            self.recorder.step_log,
            self.recorder.live,
            self.recorder.emit,
        )
        self.accepted = tape.sent_answer
        self.is_closed = tape.is_solved

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
            self.is_answered = True
        if outcome.error is not None:
            raise outcome.error

    def learn_result(self, result: AnswerDone) -> None:
        """Learn whether the environment took an answer, from a new or a recorded result."""
        # A late answer is sent at the end of the trial, and is not a part of any step.
        if not result.late:
            self.recorder.current_step.answer_results.append(result)
        if result.is_taken:
            self.is_closed = True

    def close_if_environment_ended(
        self, operation: str, result: Mapping[str, Plain]
    ) -> None:
        """Close with an empty answer if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if has_ended and not self.is_closed:
            self.accepted = empty_answer(self.recorder)
            self.is_closed = True
