"""A replay runs a trial again, and takes all results from the events of its journal (the *tape*).

The environment is not called, so that it does not get the trial's answer a second time.
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
from tests.support.journals.trial_records import trial_records_of


def test_a_replay_repeats_the_recorded_refusal_of_an_answer() -> None:
    """1. The environment of the trial refuses the answer.
    2. The environment of the replay would take every answer, but is not asked."""
    journal: list[TrialEvent] = []
    recorded_exit = exit_of(RefusingEnvironment("unavailable"), journal)
    with pytest.raises(CallError, match="refused"):
        recorded_exit.submit(ACCEPTABLE)
    (record,) = trial_records_of(journal).values()

    willing = willing_environment()
    replayed_exit = exit_of(willing, events=[], tape=Tape(record, is_replay=True))
    with pytest.raises(CallError, match="refused"):
        replayed_exit.submit(ACCEPTABLE)

    assert not replayed_exit.outlet.is_closed
    assert willing.answers == []
