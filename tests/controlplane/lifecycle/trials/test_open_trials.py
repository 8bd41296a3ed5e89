"""Trials that are interrupted: they stay open, and are resumed from their record.

- *events*: what happened in a trial, one after the other, as a call and its result
- *journal*: the file that keeps the events of all trials of a run, and never loses one
- *record*: what the events say of a trial at its end, such as all calls that it made. A trial that
  begins anew in a new environment has none of the calls before, though the journal has their events
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane import Trial
from controlplane.agent.events import TrialStarted
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned
from controlplane.journal.trial_reader import record_of
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import Phonebook


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(LeftOpen(), id="during a call"),
        pytest.param(
            Abandoned("stopped", retryable=False),
            id="during a request to the model",
        ),
    ],
)
def test_a_trial_that_was_stopped_stays_open_even_if_the_run_goes_on(
    error: Exception,
) -> None:
    """If a run stops, what the trial waits for raises one of these errors: `LeftOpen` from a
    call, and `Abandoned` from a request to a model. Here nothing else says that the run stops."""

    def wait_in_vain(session: TrialSession) -> None:
        raise error

    played = play_trial(Phonebook(delay_s=0.0), before_answer=wait_in_vain)

    assert "trial_left_open" in played.event_types
    assert played.sent_answers == []
    assert "trial_ended" not in played.event_types


class ForgetfulPhonebook(Phonebook):
    """A phone book that has lost the environment of an interrupted trial, as after a crash.

    It gives a resumed trial a new one, and says so: the trial begins anew.
    """

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def test_a_resumed_trial_begins_anew_if_its_environment_is_gone() -> None:
    """The record has no calls then: the new environment has never got them."""

    def look_up_and_stop(session: TrialSession) -> None:
        session.call("lookup", {"name": "ada"})
        raise LeftOpen

    interrupted = play_trial(Phonebook(delay_s=0.0), before_answer=look_up_and_stop)
    first_record = trial_records_of(interrupted.events)["ada-0"]
    (call,) = first_record.all_calls
    assert call.operation == "lookup"

    resumed = play_trial(ForgetfulPhonebook(delay_s=0.0), record=first_record)

    (started,) = [event for event in resumed.events if isinstance(event, TrialStarted)]
    assert started.begins_anew
    assert "trial_ended" in resumed.event_types
    record_of_both = record_of([*interrupted.events, *resumed.events])
    assert list(record_of_both.all_calls) == []
