"""Answers that a trial sends more than once: to a busy environment, or after an interruption.

A trial sends its answer to the environment, and two events record it: `AnswerSent` before the
answer is sent, and `AnswerDone` when the environment has taken it. An answer that is sent once
more, after the script that gave it has ended, is marked as `late`.
"""

from __future__ import annotations

from typing import Any

import pytest

from controlplane import Trial
from controlplane.agent.events import AnswerSent
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import Phonebook


class BusyPhonebook(Phonebook):
    """A phone book that is too busy to take the first answers, as many as `refused_answers`."""

    def __init__(self, *, refused_answers: int) -> None:
        super().__init__(delay_s=0.0)
        self.refused_answers = refused_answers

    def start_trial(self, trial_id: str) -> Trial:
        trial = super().start_trial(trial_id)
        environment = self.worlds[trial_id]
        take_answer = environment.answer

        def refuse_or_take_answer(*answer: Any) -> None:
            if self.refused_answers > 0:
                self.refused_answers -= 1
                raise CallError("unavailable", "busy")
            take_answer(*answer)

        environment.answer = refuse_or_take_answer
        return trial


class TestBusyEnvironments:
    """The environment is too busy to take the answer "17", which is sent until it is taken."""

    def test_an_accepted_answer_is_sent_until_the_environment_takes_it(self) -> None:
        played = play_trial(BusyPhonebook(refused_answers=2))

        assert [sent.message for sent in played.sent_answers] == ["17", "17", "17"]
        assert [sent.late for sent in played.sent_answers] == [False, True, True]
        assert played.ended_how == "answered"
        assert played.score == 1.0

    def test_a_recorded_answer_is_sent_until_the_environment_takes_it(self) -> None:
        """The trial was interrupted when it had sent its answer."""
        sent_answer = AnswerSent(
            trial_id="ada-0", step=1, message="17", outcome="OUTCOME_OK", refs=()
        )

        played = play_trial(
            BusyPhonebook(refused_answers=1), record=TrialRecord(answer=sent_answer)
        )

        assert {sent.message for sent in played.sent_answers} == {"17"}
        assert played.ended_how == "answered"
        assert played.score == 1.0


def record_up_to(last_event_type: str) -> TrialRecord:
    """Play the trial, and return its record as if the run had been killed after this event."""
    played = play_trial(Phonebook(delay_s=0.0))
    kept_count = played.event_types.index(last_event_type) + 1
    return trial_records_of(played.events[:kept_count])["ada-0"]


class TestCutOffAnswers:
    """A trial was cut off when it had sent its answer, "17", and is resumed from its record."""

    def test_an_answer_that_was_cut_off_is_sent_again_in_its_step(self) -> None:
        """Nobody knows whether the environment has taken the answer."""
        record = record_up_to("answer_sent")

        resumed = play_trial(Phonebook(delay_s=0.0), record=record)

        assert resumed.event_types == [
            "trial_started",
            "answer_done",
            "step",
            "score",
            "trial_ended",
        ]
        assert resumed.ended_how == "answered"
        assert resumed.score == 1.0

    @pytest.mark.parametrize("last_event_type", ["answer_done", "step"])
    def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
        self, last_event_type: str
    ) -> None:
        """The environment had taken the answer. The resumed trial has a new one, which lacks it."""
        record = record_up_to(last_event_type)

        resumed = play_trial(Phonebook(delay_s=0.0), record=record)

        (sent,) = resumed.sent_answers
        assert sent.message == "17"
        assert sent.late is True
        assert resumed.ended_how == "answered"
        assert resumed.score == 1.0
