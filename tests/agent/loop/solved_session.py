"""Lets a solver work on a trial, from its start or from where it was interrupted.

A *solver* makes calls, asks a model, checks citations and submits answers by a `TrialSession`. Each of
these is an event of the trial's journal:

    events = events_of(solve)              # a whole trial
    further = events_of(solve, events[:4])  # resumed after the fourth event
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import TrialContext, TrialLimits, TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals import trial_records_of
from tests.support.run_budgets import ample_budget

TRIAL = TrialContext(
    "run1-0",
    "tally.0",
    "Check out, and answer with the word only.",
    datetime(2031, 5, 4, tzinfo=UTC),
)

Solver = Callable[[TrialSession], None]
"""Works on a trial from its start to its end."""


def events_of(
    solver: Solver,
    recorded_events: Sequence[TrialEvent] = (),
    *,
    max_cost_usd: float | None = None,
) -> list[TrialEvent]:
    """Let a solver work on the trial, and return the new events.

    With recorded events, the trial is a resumed one. The solver does all its work again, and gets
    the recorded results of what these events record, without a new event.
    """
    # A file /note.txt says "the word is heron", and the program /bin/checkout changes something.
    environment = EffectCounterBenchmark(1).start_trial(TRIAL.trial_id).environment
    # The tape gives the session what is recorded, instead of letting it do it again.
    record = trial_records_of(recorded_events).get(TRIAL.trial_id, TrialRecord())
    events: list[TrialEvent] = []
    recorder = new_recorder(
        TRIAL.trial_id, environment, events.append, tape=Tape(record)
    )
    limits = TrialLimits(max_cost_usd=max_cost_usd)
    session = TrialSession(replace(TRIAL, limits=limits), recorder, ample_budget())
    solver(session)
    session.end_step()
    return events
