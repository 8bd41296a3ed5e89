"""A recorded change that was cut off is not made again, since it may have happened.

A trial was interrupted while it called `put`, which changes something, and goes on in a new
environment. `repeat_calls` makes its recorded calls again. It lists such a change with a remark,
but does not make it.
"""

import pytest

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.tape.resuming import repeat_calls
from tests.controlplane.lifecycle.trials.repeated_calls.recorded_calls import (
    NewEnvironment,
)

PUT_UNDER_WAY = CallRecord(operation="put", arguments={}, state="under_way")
"""The trial was cut off before `put` returned."""

PUT_WITH_LOST_REPLY = CallRecord(
    operation="put",
    arguments={"path": "a"},
    state="lost",
    error=CallFailure(code="unknown", message=""),
)
"""The reply to `put` did not arrive."""


@pytest.mark.parametrize("repeats_reads", [False, True])
@pytest.mark.parametrize(
    "put",
    [
        pytest.param(PUT_UNDER_WAY, id="under way"),
        pytest.param(PUT_WITH_LOST_REPLY, id="reply lost"),
    ],
)
def test_a_change_that_was_cut_off_is_listed_and_not_made_again(
    put: CallRecord, repeats_reads: bool
) -> None:
    environment = NewEnvironment()

    (listed,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == []
    assert listed.recorded == put
    assert listed.difference == "was cut off, so its end state is not known"
