"""Recorded calls are made again if the environment in which they were made is gone.

A trial put a file into its environment, and was interrupted. It goes on in a new environment, which
lacks the file. So the recorded `put`, which changed something, is made again, and a recorded
`look`, which only read, if the caller asks for reads, to compare the results.
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
def test_a_recorded_change_is_made_again(repeats_reads: bool) -> None:
    put = completed_call("put")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == ["put"]
    assert repeated.recorded == put
    assert repeated.error is None


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(completed_call("look"), id="a result"),
        pytest.param(failed_look("not_found"), id="no such file"),
    ],
)
def test_a_recorded_read_is_left_out_if_it_is_not_asked_for(read: CallRecord) -> None:
    """It changed nothing, so the new environment does not need it."""
    environment = NewEnvironment()

    assert list(repeat_calls(environment, [read], repeats_reads=False)) == []
    assert environment.called == []


def test_calls_are_made_again_in_their_order() -> None:
    calls = [completed_call("look"), completed_call("put"), failed_look("not_found")]
    environment = NewEnvironment()

    repeated_calls = list(repeat_calls(environment, calls, repeats_reads=True))

    assert environment.called == ["look", "put", "look"]
    assert [repeated.recorded for repeated in repeated_calls] == calls
