"""A resumed trial restores a recorded step: nothing is judged, sent or called again.

Here a call has ended the trial after the environment had refused an answer. Such a trial needs no
answer any more.
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.events import TrialEvent
from controlplane.sandbox.interface import CallError, Plain
from tests.agent.gated_exit.sending.trial_exits import (
    ACCEPTABLE,
    RefusingEnvironment,
    exit_of,
)
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import LOOKUP

HANG_UP = LOOKUP._replace(name="hang_up", parameters=(), ends_trial="over")


def hang_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result of the operation `hang_up`, which ends the trial."""
    return {"over": True}


def test_a_call_that_ended_the_trial_after_a_refused_answer_leaves_an_empty_answer() -> (
    None
):
    """1. The gates accept an answer, but the environment refuses it.
    2. A call of the same step ends the trial, so that no answer is needed any more.
    3. The trial is resumed. It must not take the refused answer for the last one."""
    events: list[TrialEvent] = []
    environment = RefusingEnvironment("invalid_argument", HANG_UP, hang_up)
    recorded_exit = exit_of(environment, events)
    with pytest.raises(CallError, match="refused"):
        recorded_exit.submit(ACCEPTABLE)
    result = recorded_exit.recorder.calls.make("hang_up", {})
    recorded_exit.outlet.learn_call("hang_up", result)

    resumed_exit = exit_of(environment, [])
    (recorded_step,) = trial_records_of(events)["t"].all_steps
    resumed_exit.restore(recorded_step)

    for gated_exit in (recorded_exit, resumed_exit):
        assert gated_exit.outlet.is_closed
        assert gated_exit.outlet.accepted is not None
        assert gated_exit.outlet.accepted.ended_by_environment
