"""The way of an answer from a trial to its environment.

The gates accept answers, and the environment takes one of them. It may refuse an answer that
the gates accepted, for example because its form is wrong. The solver may then send another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.agent.events import AnswerDone, AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.trial_answers import accepted_answer, empty_answer
from controlplane.sandbox.interface import Plain


@dataclass(slots=True)
class AnswerOutlet:
    """Sends the answer of one trial, and knows whether the environment took it.

    The gates, which are rules for answers, accept an answer. The environment may refuse it all
    the same, and the solver may send another. A trial whose process was killed is resumed in
    a second attempt. So there are these states:

    | what happened | accepted | is_closed | is_answered |
    |---|---|---|---|
    | no answer was accepted | None | False | False |
    | the gates accepted an answer, the environment refused it | the answer | False | False |
    | the environment took it in this attempt | the answer | True | True |
    | the environment took it in an earlier attempt | the answer | True | False |
    | the environment ended the trial by itself | an empty answer | True | False |

    If `is_answered` is False when the trial ends, `accepted` or a fallback is sent then. An
    environment that has taken it in an earlier attempt replies with `already exists`.
    """

    recorder: Recorder
    """Sends answers to the environment, and records them in the current step."""
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, even in an earlier attempt."""
    is_closed: bool = field(init=False)
    """True once nothing more can be sent."""
    is_answered: bool = False
    """True once the environment took an answer in this attempt."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape
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
        outcome = self.recorder.answers.send(answer)
        self.learn_result(outcome.result)
        self.is_answered = self.is_closed and not outcome.was_taken_before
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
        """Close without an answer if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if self.is_closed or not has_ended:
            return
        self.accepted = empty_answer(self.recorder)
        self.is_closed = True
