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
from controlplane.agent.events import AnswerSent, TrialStarted
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned
from controlplane.journal.run_events import TrialEnded, TrialLeftOpen
from controlplane.journal.trial_reader import record_of
from tests.controlplane.lifecycle.trials.phonebook_trial import PLANNED_TRIAL
from tests.controlplane.lifecycle.trials.trial_player import TrialPlayer, events_of
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import Phonebook


class ForgetfulPhonebook(Phonebook):
    """A phone book that has lost the environment of an interrupted trial, as after a crash.

    It gives a resumed trial a new one, and says so: the trial begins anew.
    """

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def look_up_and_stop(session: TrialSession) -> None:
    """Make one call, and leave the trial open, as a run does that is stopped."""
    session.call("lookup", {"name": "ada"})
    raise LeftOpen


class TestOpenTrials:
    """A trial is interrupted after a call, or because its run stops.

    The task is to look up ada's number in a phone book. `player.play(before_answer=stop)` plays the
    trial, and returns its events; the solver calls `stop(session)` before it answers "17".
    `PLANNED_TRIAL` has the trial's id and its task.
    """

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
        self, error: Exception, player: TrialPlayer
    ) -> None:
        """If a run stops, what the trial waits for raises one of these errors: `LeftOpen` from a
        call, and `Abandoned` from a request to a model. Here nothing else says that the run stops."""

        def wait_in_vain(session: TrialSession) -> None:
            raise error

        events = player.play(before_answer=wait_in_vain)

        assert events_of(TrialLeftOpen, events)
        assert not events_of(AnswerSent, events)
        assert not events_of(TrialEnded, events)

    def test_a_resumed_trial_begins_anew_if_its_environment_is_gone(
        self, player: TrialPlayer
    ) -> None:
        """1. The trial makes one call, and is interrupted. Its record has the call.
        2. It is resumed in a new environment, and answers at once.
        3. The events still have the call, but the record made from them has not: the new
        environment has never got it."""
        first_events = player.play(before_answer=look_up_and_stop)
        first_record = trial_records_of(first_events)[PLANNED_TRIAL.trial_id]
        assert list(first_record.all_calls) != []

        resumed_events = player.play(
            benchmark=ForgetfulPhonebook(delay_s=0.0), record=first_record
        )

        (started,) = events_of(TrialStarted, resumed_events)
        assert started.begins_anew
        assert events_of(TrialEnded, resumed_events)
        record_of_both = record_of([*first_events, *resumed_events])
        assert list(record_of_both.all_calls) == []
