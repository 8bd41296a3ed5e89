"""A trial that is resumed begins anew if the benchmark has lost its environment, as after a crash.

The record of a trial, which is read from its events, has the calls that its environment has got.
The events of the first part stay, with a call of `lookup`. But the new environment has not got this
call, so that the record has no calls after the new beginning.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane import Trial
from controlplane.agent.events import TrialStarted
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.journal.trial_reader import record_of
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.journals.trial_records import trial_records_of
from tests.support.phonebook import Phonebook


class ForgetfulPhonebook(Phonebook):
    """A phone book that gives a resumed trial a new environment, and says so."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def test_a_resumed_trial_begins_anew_if_its_environment_is_gone() -> None:
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
