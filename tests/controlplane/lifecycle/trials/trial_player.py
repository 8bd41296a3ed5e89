"""Plays one trial of a phone book without a run around it, and returns its events.

A test says what happens before the answer, and may give the record of an interrupted trial:

    first_events = player.play(before_answer=look_up_and_stop)
    events = player.play(record=trial_records_of(first_events)["ada-0"])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controlplane.agent.loop import TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.run_events import JournalEvent, Scored, TrialEnded
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.sandbox import ForkServer
from tests.controlplane.lifecycle.trials.phonebook_trial import (
    PLANNED_TRIAL,
    BeforeAnswer,
    RightSolver,
    open_phonebook,
    resources_of_run,
)
from tests.support.phonebook import Phonebook


def do_nothing(session: TrialSession) -> None:
    pass


@dataclass
class TrialPlayer:
    """Plays the trial, as often as a test wants: `player.play()` returns its events."""

    server: ForkServer
    """Starts the processes in which answers are checked."""

    def play(
        self,
        *,
        before_answer: BeforeAnswer = do_nothing,
        benchmark: Phonebook | None = None,
        record: TrialRecord | None = None,
    ) -> list[JournalEvent]:
        """Play the trial, and return the events that the journal of its run would get.

        With the `record` of an interrupted trial, that trial is resumed.
        """
        events: list[JournalEvent] = []
        resources = resources_of_run(
            RightSolver(before_answer), benchmark or open_phonebook(), self.server
        )
        run_trial(
            resources,
            PLANNED_TRIAL,
            events.append,
            RunControls(),
            record or TrialRecord(),
        )
        return events


def events_of(event_type: type, events: list[JournalEvent]) -> list[Any]:
    """Return the events of this type."""
    return [event for event in events if isinstance(event, event_type)]


def check_right_answer_was_scored(events: list[JournalEvent]) -> None:
    """Assert that the trial ended with an answer, which the benchmark found right."""
    (ended,) = events_of(TrialEnded, events)
    (scored,) = events_of(Scored, events)
    assert ended.how == "answered"
    assert scored.score == 1.0
