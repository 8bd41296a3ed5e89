"""A recorded call that was not answered, or was cut off, is not made again.

A trial was interrupted, and goes on in a new environment. `look` reads and `put` changes something.
The record of a call has the state "failed", with the code of its error, "under_way" if the trial
was cut off, or "lost" if its reply was.
"""

import pytest

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.tape.resuming.repeated_calls import repeat_calls
from tests.controlplane.lifecycle.trials.repeated_calls.recorded_calls import (
    NewEnvironment,
    completed_call,
    either_way,
    failed_look,
)

UNFINISHED_PUT = CallRecord(operation="put", arguments={}, state="under_way")
LOST_PUT = CallRecord(
    operation="put",
    arguments={"path": "a"},
    state="lost",
    error=CallFailure(code="unknown", message=""),
)
"""A change that had begun when the trial was cut off, and one whose reply was lost."""


@either_way
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(failed_look("unavailable"), id="read that reached nobody"),
        pytest.param(completed_call("find_all"), id="function of the benchmark"),
        pytest.param(completed_call("server.tool"), id="tool of another server"),
    ],
)
def test_a_call_that_the_environment_did_not_answer_is_left_out(
    call: CallRecord, repeats_reads: bool
) -> None:
    """Its recorded outcome says nothing about the environment."""
    environment = NewEnvironment()

    repeated = list(repeat_calls(environment, [call], repeats_reads=repeats_reads))

    assert repeated == []
    assert environment.called == []


@either_way
@pytest.mark.parametrize(
    "put",
    [
        pytest.param(UNFINISHED_PUT, id="under way"),
        pytest.param(LOST_PUT, id="reply lost"),
    ],
)
def test_a_change_that_was_cut_off_is_listed_and_not_made_again(
    put: CallRecord, repeats_reads: bool
) -> None:
    """It may have happened, and must not happen twice."""
    environment = NewEnvironment()

    (listed,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == []
    assert listed.recorded == put
    assert listed.difference == "was cut off, so its end state is not known"
