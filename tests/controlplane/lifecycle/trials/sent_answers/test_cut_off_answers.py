"""A trial that was cut off when it had sent its answer, "17", sends it again when it is resumed.

Two events record an answer: `answer_sent` before it is sent, and `answer_done` when the environment
has taken it. An answer that is sent once more, after the script that gave it has ended, is marked
as `late`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import Phonebook


def record_up_to(last_event_type: str) -> TrialRecord:
    """Play the trial, and return its record as if the run had been killed after this event."""
    played = play_trial(Phonebook(delay_s=0.0))
    kept_count = played.event_types.index(last_event_type) + 1
    return trial_records_of(played.events[:kept_count])["ada-0"]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step() -> None:
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
