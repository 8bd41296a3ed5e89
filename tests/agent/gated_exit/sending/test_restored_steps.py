"""A call may end a trial: it then needs no answer, and keeps an empty one, `ended_by_environment`.

Here, the environment has refused an answer before. The refused answer must not be kept, also if the
trial is resumed after its process was killed, and restores the step from its journal.
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
from tests.support.journals.trial_records import trial_records_of
from tests.support.phonebook import LOOKUP

HANG_UP = LOOKUP._replace(
    name="hang_up",
    parameters=(),
    ends_trial="over",  # the field of the result that says whether the trial has ended
)


def hang_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result of the operation `hang_up`, which ends the trial."""
    return {"over": True}


def test_a_call_that_ends_the_trial_replaces_a_refused_answer() -> None:
    events: list[TrialEvent] = []
    environment = RefusingEnvironment("invalid_argument", HANG_UP, hang_up)
    recorded_exit = exit_of(environment, events)
    with pytest.raises(CallError, match="refused"):
        recorded_exit.submit(ACCEPTABLE)
    result = recorded_exit.recorder.calls.make("hang_up", {})
    # A trial's session makes calls so, and tells the outlet of each result.
    recorded_exit.outlet.learn_call("hang_up", result)

    resumed_exit = exit_of(environment, [])
    (recorded_step,) = trial_records_of(events)["t"].all_steps
    resumed_exit.restore(recorded_step)

    for gated_exit in (recorded_exit, resumed_exit):
        kept_answer = gated_exit.outlet.accepted
        assert gated_exit.outlet.is_closed
        assert kept_answer is not None
        assert kept_answer.message == ""
        assert kept_answer.ended_by_environment
