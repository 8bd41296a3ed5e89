"""A request of a run whose cost is not limited does not wait for the reply to the first one.

`wait_for_turn(spending, trial, stop)` waits until a trial may send its request. `thread` is a thread in
which the second trial would wait.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from controlplane.agent.limits.spending import Spending, SpendingLimits, wait_for_turn
from tests.support.command import PATIENCE_S


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(SpendingLimits(), id="no limit"),
        pytest.param(SpendingLimits(time_s=60), id="a limit of time only"),
    ],
)
def test_a_second_request_is_sent_at_once_if_no_amount_is_limited(
    limits: SpendingLimits, stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    spending = Spending(limits)
    assert wait_for_turn(spending, "first", stop)

    second_turn = thread.submit(wait_for_turn, spending, "second", stop)

    assert second_turn.result(PATIENCE_S) is True
