"""An answer of a trial is sent until the environment, which is too busy at first, takes it.

A trial sends its answer, "17", to the environment. The event `AnswerSent` records it. An answer
that is sent once more, after the script that gave it has ended, is marked as `late`.
"""

from __future__ import annotations

from typing import Any

from controlplane import Trial
from controlplane.agent.events import AnswerSent
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError
from tests.controlplane.lifecycle.trials.played_trial import play_trial
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


def test_an_accepted_answer_is_sent_until_the_environment_takes_it() -> None:
    played = play_trial(BusyPhonebook(refused_answers=2))

    assert [sent.message for sent in played.sent_answers] == ["17", "17", "17"]
    assert [sent.late for sent in played.sent_answers] == [False, True, True]
    assert played.ended_how == "answered"
    assert played.score == 1.0


def test_a_recorded_answer_is_sent_until_the_environment_takes_it() -> None:
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
