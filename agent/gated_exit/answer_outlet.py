"""Sends the answer of a trial to its environment, and knows whether the environment took it.

The environment may refuse an answer that the gates accepted, for example for its form. The
solver may then send another. A trial whose process was killed goes on in a second *attempt*.
The second attempt cannot be sure that an answer has arrived, so it sends it at its end:

| what happened | `accepted` | `is_closed` | `is_answered` | sent at the end |
|---|---|---|---|---|
| the environment refused "7 EUR" | "7 EUR" | no | no | "7 EUR" |
| the environment took "7 EUR" | "7 EUR" | yes | yes | nothing |
| an earlier attempt had sent it | "7 EUR" | yes | no | "7 EUR" |
| the environment ended the trial by itself | an empty answer | yes | no | an empty answer |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import AnswerDone, AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.trial_answers import accepted_answer, empty_answer
from controlplane.sandbox.interface import Plain


class AnswerOutlet:
    """Sends the answer of one trial."""

    def __init__(self, recorder: Recorder) -> None:
        tape = recorder.tape  # the record of an earlier attempt
        self.recorder = recorder
        self.accepted: AnswerSent | None = tape.sent_answer
        """The last answer that the gates accepted, even in an earlier attempt."""
        self.is_closed = tape.is_solved
        """True if nothing more can be submitted."""
        self.is_answered = False
        """True if this attempt has sent the answer. Then the outlet is closed, too."""

    def keep_accepted(self, judged: Judged) -> AnswerSent:
        """Keep a submission of the current step, which the gates accepted, as the answer."""
        self.accepted = accepted_answer(self.recorder, judged)
        return self.accepted

    def send(self, answer: AnswerSent) -> None:
        """Send an answer, or take its recorded result. Raises `CallError` if it is refused."""
        outcome = self.recorder.answers.send(answer)
        self.learn_result(outcome.result)
        if self.is_closed and outcome.was_sent_now:
            self.is_answered = True
        if outcome.error is not None:
            raise outcome.error

    def learn_result(self, result: AnswerDone) -> None:
        """Learn whether the environment took an answer, from a new or a recorded result."""
        # A late answer is sent when the steps are over.
        is_part_of_step = not result.late
        if is_part_of_step:
            self.recorder.current_step.answer_results.append(result)
        if result.is_taken:
            self.is_closed = True

    def learn_call(self, operation: str, result: Mapping[str, Plain]) -> None:
        """Close, with an empty answer, if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if has_ended and not self.is_closed:
            self.accepted = empty_answer(self.recorder)
            self.is_closed = True
