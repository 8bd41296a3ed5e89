"""Answers that a trial sends more than once: to a busy environment, or after an interruption.

A trial sends its answer to the environment, and two events record it: `AnswerSent` before the
answer is sent, and `AnswerDone` when the environment has taken it. An answer that is sent once
more, after the script that gave it has ended, is marked as `late`.
"""

from __future__ import annotations

from typing import Any

import pytest

from controlplane import Trial
from controlplane.agent.events import AnswerDone, AnswerSent, StepDone
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.run_events import JournalEvent
from controlplane.sandbox.interface import CallError
from tests.controlplane.lifecycle.trials.phonebook_trial import PLANNED_TRIAL
from tests.controlplane.lifecycle.trials.trial_player import (
    TrialPlayer,
    check_right_answer_was_scored,
    events_of,
)
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
    """The environment is too busy to take an answer, which is sent again until it is taken.

    `player.play(benchmark=..., record=...)` plays the trial of a phone book, whose solver
    answers "17", and returns its events.
    """

    def test_an_accepted_answer_is_sent_until_the_environment_takes_it(
        self, player: TrialPlayer
    ) -> None:
        """The environment is busy twice, so that the answer "17" is sent three times."""
        events = player.play(benchmark=BusyPhonebook(refused_answers=2))

        answers = events_of(AnswerSent, events)
        assert [answer.message for answer in answers] == ["17", "17", "17"]
        assert [answer.late for answer in answers] == [False, True, True]
        check_right_answer_was_scored(events)

    def test_a_recorded_answer_is_sent_until_the_environment_takes_it(
        self, player: TrialPlayer
    ) -> None:
        """The trial was interrupted when it had sent its answer. It is resumed, and sends the
        answer again; the environment is busy once."""
        sent_answer = AnswerSent(
            trial_id=PLANNED_TRIAL.trial_id,
            step=1,
            message="17",
            outcome="OUTCOME_OK",
            refs=(),
        )

        events = player.play(
            benchmark=BusyPhonebook(refused_answers=1),
            record=TrialRecord(answer=sent_answer),
        )

        assert {answer.message for answer in events_of(AnswerSent, events)} == {"17"}
        check_right_answer_was_scored(events)


def record_up_to(event_type: type, events: list[JournalEvent]) -> TrialRecord:
    """Return the record of a trial that was cut off after its event of this type."""
    kept_events: list[JournalEvent] = []
    for event in events:
        kept_events.append(event)
        if isinstance(event, event_type):
            break
    return trial_records_of(kept_events)[PLANNED_TRIAL.trial_id]


class TestCutOffAnswers:
    """A trial was cut off when it had sent its answer, "17", and is resumed from its record.

    `record_up_to(AnswerSent, events)` is the record of a trial whose last event is that one.
    `player.play(benchmark=..., record=...)` plays the trial of a phone book, whose solver
    answers "17", and returns its events.
    """

    def test_an_answer_that_was_cut_off_is_sent_again_in_its_step(
        self, player: TrialPlayer
    ) -> None:
        """The record ends with `AnswerSent`: nobody knows whether the answer was taken."""
        record = record_up_to(AnswerSent, player.play())

        events = player.play(record=record)

        assert [event.type for event in events] == [
            "trial_started",
            "answer_done",
            "step",
            "score",
            "trial_ended",
        ]
        check_right_answer_was_scored(events)

    @pytest.mark.parametrize("last_event_type", [AnswerDone, StepDone])
    def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
        self, last_event_type: type, player: TrialPlayer
    ) -> None:
        """The environment had taken the answer (`AnswerDone`) before the trial was interrupted. The
        resumed trial has a new environment, which lacks the answer."""
        record = record_up_to(last_event_type, player.play())

        events = player.play(record=record)

        (answer,) = events_of(AnswerSent, events)
        assert answer.late is True
        assert answer.message == "17"
        check_right_answer_was_scored(events)
