"""The first request of a run whose cost is limited goes alone.

What a request costs is known only when its reply arrives. Until the first reply of a run, two
requests at once might exceed the limit.

    spending = Spending(SpendingLimits(cost_usd=9))
    spending.take_turn("first")    # True: this trial may send its request
    spending.take_turn("second")   # False: this trial has to wait
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spending_limits import EarlierSpending, SpendingLimits
from controlplane.agent.limits.turn_wait import wait_for_turn
from tests.support.command import PATIENCE_S


class TestTurns:
    """`take_turn(trial)` tells whether a trial may send its request now."""

    def test_a_second_request_may_be_sent_once_the_first_has_failed(self) -> None:
        spending = Spending(SpendingLimits(cost_usd=9))
        assert spending.take_turn("first")
        assert not spending.take_turn("second")

        spending.end_request("first")

        assert spending.take_turn("second")

    def test_two_requests_may_be_sent_if_the_run_had_a_reply_before_its_resumption(
        self,
    ) -> None:
        spending = Spending(SpendingLimits(cost_usd=9))
        assert spending.take_turn("first")
        assert not spending.take_turn("second")

        spending.take_over(EarlierSpending(cost_usd=1, tokens=10))

        assert spending.take_turn("second")

    def test_a_trial_may_repeat_its_own_failed_request(self) -> None:
        spending = Spending(SpendingLimits(cost_usd=9))
        assert spending.take_turn("first")

        assert spending.take_turn("first")


@pytest.fixture
def stop() -> threading.Event:
    """Return the event that is set when the user interrupts the run."""
    return threading.Event()


@pytest.fixture
def thread(stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """Return a thread in which the second trial waits. It ends with the test."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool
        stop.set()


def is_waiting(turn: Future[bool]) -> bool:
    """Return True if a trial has not got its turn within a tenth of a second."""
    return not wait([turn], timeout=0.1).done


class TestWaits:
    """`wait_for_turn` waits until a trial has its turn; False means that the run was interrupted."""

    def test_a_second_request_waits_for_the_reply_to_the_first(
        self, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        spending = Spending(SpendingLimits(tokens=9))
        assert wait_for_turn(spending, "first", stop)
        second_turn = thread.submit(wait_for_turn, spending, "second", stop)
        assert is_waiting(second_turn)

        spending.count_reply("first", cost_usd=0.0, tokens=0)

        assert second_turn.result(PATIENCE_S) is True

    def test_the_wait_ends_when_the_run_may_spend_nothing_more(
        self, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        """The trial then finds the reason, "over", in `spending.end`, and sends nothing."""
        spending = Spending(SpendingLimits(cost_usd=9))
        assert wait_for_turn(spending, "first", stop)
        second_turn = thread.submit(wait_for_turn, spending, "second", stop)
        assert is_waiting(second_turn)

        spending.end.declare("over")

        assert second_turn.result(PATIENCE_S) is True

    def test_a_second_request_is_not_sent_if_the_run_is_interrupted(
        self, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        spending = Spending(SpendingLimits(cost_usd=9))
        assert wait_for_turn(spending, "first", stop)
        second_turn = thread.submit(wait_for_turn, spending, "second", stop)
        assert is_waiting(second_turn)

        stop.set()

        assert second_turn.result(PATIENCE_S) is False

    @pytest.mark.parametrize(
        "limits",
        [
            pytest.param(SpendingLimits(), id="no limit"),
            pytest.param(SpendingLimits(time_s=60), id="a limit of time only"),
        ],
    )
    def test_a_second_request_is_sent_at_once_if_no_amount_is_limited(
        self, limits: SpendingLimits, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        spending = Spending(limits)
        assert wait_for_turn(spending, "first", stop)

        second_turn = thread.submit(wait_for_turn, spending, "second", stop)

        assert second_turn.result(PATIENCE_S) is True
