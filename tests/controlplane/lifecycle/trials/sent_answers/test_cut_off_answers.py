"""A trial that was cut off when it had sent its answer, "17", sends it again when it is resumed.

The events of such a trial end like this:

    answer_sent      a script gives the answer, which is about to be sent
    answer_done      the environment has taken it
    step             the script has ended
    score
    trial_ended

An answer that is sent again without its script is marked as `late`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.journals.trial_records import trial_records_of
from tests.support.phonebook import Phonebook


def record_up_to(last_event_type: str) -> TrialRecord:
    """Play the trial, and return its record as if the run had been killed after this event."""
    played = play_trial(Phonebook(delay_s=0.0))
    kept_count = played.event_types.index(last_event_type) + 1
    return trial_records_of(played.events[:kept_count])["ada-0"]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step() -> None:
    """Nobody knows whether the environment has taken the answer. The script has not ended."""
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
    last_event_type: str,
) -> None:
    """The environment had taken the answer. The resumed trial has a new one, which lacks it."""
    record = record_up_to(last_event_type)

    resumed = play_trial(Phonebook(delay_s=0.0), record=record)

    (sent,) = resumed.sent_answers
    assert sent.message == "17"
    assert sent.late is True
    assert resumed.ended_how == "answered"
    assert resumed.score == 1.0
