"""The events of an answer: it is sent to the environment, which takes or refuses it.

The environment may refuse the answer, for example for its form. Then the solver may send another:

    answer_sent   step 3  "7 EUR"
    answer_done   step 3  error: invalid_argument, "the answer must be a number"
    answer_sent   step 4  "7"
    answer_done   step 4  error: null
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.call_record import CallFailure
from controlplane.agent.events.event import StepEvent
from controlplane.agent.events.record import Text
from controlplane.sandbox.interface import error_codes


class AnswerSent(StepEvent):
    """An answer is about to be sent to the environment."""

    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields again, and compares them with the recorded ones.
    compared_by_replay = ("message", "outcome", "refs", "fallback", "failed")

    type: Literal["answer_sent"] = "answer_sent"
    message: Text
    """The answer."""
    outcome: str
    """How the trial ends: `OUTCOME_OK`, or why the task was not done."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """True if the trial ended without an answer that the gates accept, so that this one is sent.
    A fallback is always `late`."""
    failed: tuple[str, ...] = ()
    """For a fallback that repeats a rejected submission: the gates and rules that rejected it."""
    late: bool = False
    """True if it is sent at the end of the trial, after its last step."""
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
        """True if the environment has an answer: this one, or an earlier one that it has taken."""
        return self.error is None or self.error.code == error_codes.ALREADY_EXISTS
