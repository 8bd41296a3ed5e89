"""The events of an answer: it is judged, sent, and taken by the environment.

The gates, which are rules for answers, judge each submission. If they accept it, it is sent.
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.call_record import CallFailure
from controlplane.agent.events.event import NumberedEvent, StepEvent
from controlplane.agent.events.judged import Judged
from controlplane.agent.events.record import Text
from controlplane.sandbox.interface import error_codes


class SubmissionJudged(NumberedEvent):
    """The gates gave their verdicts on a submission."""

    in_step_record = True  # The record of its step keeps it.
    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields anew, and compares them with the journal.
    compared_by_replay = ("judged",)

    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""


class AnswerSent(StepEvent):
    """An answer is about to be sent to the environment."""

    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields anew, and compares them with the journal.
    compared_by_replay = ("message", "outcome", "refs", "fallback", "failed")

    type: Literal["answer_sent"] = "answer_sent"
    message: Text
    """The answer."""
    outcome: str
    """How the trial ends: `OUTCOME_OK`, or why the task was not done."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """True if the trial ends without an accepted answer. This one is sent instead, and the
    gates do not judge it."""
    failed: tuple[str, ...] = ()
    """If the fallback repeats a submission that was
    rejected: the gates and rules that rejected it."""
    late: bool = False
    """True if it is sent after the script that submitted it has ended. The record of that
    step is then complete already."""
    ended_by_environment: bool = False
    """True if the environment ended the trial by itself,
    as the result of the last call says. The answer is then empty."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless the answer was sent after the end of the script that submitted it."""
        return not self.late


class AnswerDone(StepEvent):
    """The environment took the answer, or `error` says why it did not."""

    type: Literal["answer_done"] = "answer_done"
    error: CallFailure | None = None
    """The reason why it was not taken; null if it was."""
    late: bool = False
    """True if it was sent after the script that submitted it had ended."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless the answer was sent after the end of the script that submitted it."""
        return not self.late

    @property
    def is_taken(self) -> bool:
        """True if the environment has the answer, even from an earlier attempt."""
        return self.error is None or self.error.code == error_codes.ALREADY_EXISTS
