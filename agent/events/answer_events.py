"""The events of an answer: it is judged, sent, and taken by the environment.

If the gates, which are rules for answers, accept a submission, it is sent:

    submission_judged, answer_sent   "The fee is 7 EUR"
    answer_done                      error: null, as the environment took it
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

    in_step_record = True
    in_totals = True
    compared_by_replay = ("judged",)
    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""


class AnswerSent(StepEvent):
    """An answer is about to be sent to the environment."""

    in_totals = True
    compared_by_replay = ("message", "outcome", "refs", "fallback", "failed")
    type: Literal["answer_sent"] = "answer_sent"
    message: Text
    """The answer."""
    outcome: str
    """How the trial ends: `OUTCOME_OK`, or why the task was not done."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """True if the gates accepted no answer. This one is sent instead, and is always `late`."""
    failed: tuple[str, ...] = ()
    """For a fallback that repeats a rejected submission: the gates and rules that rejected it."""
    late: bool = False
    """True if it is sent at the end of the trial, when the record of its step is complete."""
    ended_by_environment: bool = False
    """True if the environment ended the trial by itself. The answer is then empty."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it belongs to the end of the trial."""
        return not self.late


class AnswerDone(StepEvent):
    """The environment took the answer, or `error` says why it did not."""

    type: Literal["answer_done"] = "answer_done"
    error: CallFailure | None = None
    """Why it was not taken; null if it was."""
    late: bool = False
    """True if it was sent at the end of the trial."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it belongs to the end of the trial."""
        return not self.late

    @property
    def is_taken(self) -> bool:
        """True if the environment has the answer, even from an earlier attempt."""
        return self.error is None or self.error.code == error_codes.ALREADY_EXISTS
