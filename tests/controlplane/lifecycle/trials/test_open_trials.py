"""Trials that are interrupted: they stay open, and are resumed from their record.

The record of a trial is what its journal says of it, such as the calls that it made.
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
    """A phone book that loses the environment of an interrupted trial: it begins anew."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def look_up_and_stop(session: TrialSession) -> None:
    """Make one call, and leave the trial open, as a run does that is stopped."""
    session.call("lookup", {"name": "ada"})
    raise LeftOpen


class TestOpenTrials:
    """A trial is interrupted after a call, or because its run stops.

    The task is to look up ada's number in a phone book. `player.play(before_answer=stop)`
    plays the trial with a function that the solver calls before it answers "17".
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
        """If a run stops, what a trial waits for raises one of these errors. It leaves the trial
        open, so that it can be resumed, even if the run has not set its signal to stop, as here."""

        def stop(session: TrialSession) -> None:
            raise error

        events = player.play(before_answer=stop)

        assert events_of(TrialLeftOpen, events)
        assert not events_of(AnswerSent, events)
        assert not events_of(TrialEnded, events)

    def test_a_resumed_trial_begins_anew_if_its_environment_is_gone(
        self, player: TrialPlayer
    ) -> None:
        """1. The trial makes one call, and is interrupted. Its record has the call.
        2. It is resumed in a new environment, and answers at once.
        3. The journal still has the call, but the record has not: the new environment never had
        it."""
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
