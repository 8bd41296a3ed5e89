"""A replay runs a trial again, and takes all results from its record (a *tape*).

It never calls the environment, so it does not send the trial's answer a second time.
"""

import pytest

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape
from controlplane.sandbox.interface import CallError
from tests.agent.gated_exit.sending.trial_exits import (
    ACCEPTABLE,
    RefusingEnvironment,
    exit_of,
    willing_environment,
)
from tests.support.journals.read_events import trial_records_of


def test_a_replay_repeats_the_recorded_refusal_of_an_answer() -> None:
    """The environment of the replay would take every answer, but is not asked."""
    events: list[TrialEvent] = []
    recorded_exit = exit_of(RefusingEnvironment("unavailable"), events)
    recorded_exit.recorder.step_log.begin(1)
    with pytest.raises(CallError, match="no"):
        recorded_exit.submit(ACCEPTABLE)

    environment = willing_environment()
    tape = Tape(trial_records_of(events)["t"], is_replay=True)
    replayed_exit = exit_of(environment, events, tape)
    replayed_exit.recorder.step_log.begin(1)
    with pytest.raises(CallError, match="no"):
        replayed_exit.submit(ACCEPTABLE)

    assert not replayed_exit.outlet.is_closed
    assert environment.answers == []
