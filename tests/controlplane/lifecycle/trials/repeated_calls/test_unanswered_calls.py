"""A recorded call that the environment did not answer is left out when calls are made again.

A trial was interrupted, and goes on in a new environment. `repeat_calls(environment,
recorded_calls, ...)` makes the recorded calls again, and yields each that it made. The outcome of
some calls came from somebody else, and says nothing about the environment.
"""

import pytest

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.tape.resuming import repeat_calls
from tests.controlplane.lifecycle.trials.repeated_calls.recorded_calls import (
    NewEnvironment,
    completed_call,
    failed_look,
)


@pytest.mark.parametrize("repeats_reads", [False, True])
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(failed_look("unavailable"), id="nobody answered"),
        pytest.param(completed_call("find_all"), id="a function of the benchmark did"),
        pytest.param(completed_call("server.tool"), id="another server did"),
    ],
)
def test_a_call_that_the_environment_did_not_answer_is_not_made_again(
    call: CallRecord, repeats_reads: bool
) -> None:
    environment = NewEnvironment()

    repeated = list(repeat_calls(environment, [call], repeats_reads=repeats_reads))

    assert repeated == []
    assert environment.called == []
