"""The first request of a run whose cost is limited goes alone.

What a request costs is known only when its reply arrives. Until the first reply of a run, two
requests at once might exceed the limit. So one trial sends a request, and the others wait for their
turn: `wait_for_turn(spending, "second", stop)` returns True once the trial may send its request, or
False if the user has interrupted the run.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spending_limits import EarlierSpending, SpendingLimits
from controlplane.agent.limits.turn_wait import wait_for_turn
from tests.support.command import PATIENCE_S


@pytest.fixture
def stop() -> threading.Event:
    """Return the event that is set when the user interrupts the run."""
    return threading.Event()


@pytest.fixture
def thread(stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """Return a thread for the second trial, which ends with the test."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool
        stop.set()


def is_waiting(turn: Future[bool]) -> bool:
    """Return True if a trial has not got its turn within a tenth of a second."""
    return not wait([turn], timeout=0.1).done


def reply_to_first(spending: Spending) -> None:
    """The first request has got its reply, which shows what a request costs."""
    spending.count_reply("first", cost_usd=0.0, tokens=0)


def fail_first(spending: Spending) -> None:
    """The first request has failed, so that the second trial may try."""
    spending.end_request("first")


def close_the_spending(spending: Spending) -> None:
    """The limit is reached. The second trial gets its turn, and sees that by itself."""
    spending.end.declare("over")


def resume_after_a_reply(spending: Spending) -> None:
    """The run was resumed, and had a reply before, of 10 tokens for $1."""
    spending.take_over(EarlierSpending(1, 10))


class TestWaitingRequests:
    """A second request waits until the first one has shown its cost, or failed.

    `spending` counts what the run has spent, and its limits are of tokens or of dollars. The second
    trial asks for its turn in a thread.
    """

    @pytest.mark.parametrize(
        ("limits", "end_the_wait"),
        [
            (SpendingLimits(tokens=9), reply_to_first),
            (SpendingLimits(cost_usd=9), fail_first),
            (SpendingLimits(cost_usd=9), close_the_spending),
            (SpendingLimits(cost_usd=9), resume_after_a_reply),
        ],
    )
    def test_a_second_request_waits_until_the_first_shows_its_cost(
        self,
        limits: SpendingLimits,
        end_the_wait: Callable[[Spending], None],
        stop: threading.Event,
        thread: ThreadPoolExecutor,
    ) -> None:
        spending = Spending(limits)
        assert wait_for_turn(spending, "first", stop)

        second_turn = thread.submit(wait_for_turn, spending, "second", stop)
        assert is_waiting(second_turn)

        end_the_wait(spending)
        assert second_turn.result(PATIENCE_S)

    def test_a_second_request_is_not_sent_if_the_run_is_interrupted(
        self, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        spending = Spending(SpendingLimits(cost_usd=9))
        assert wait_for_turn(spending, "first", stop)

        second_turn = thread.submit(wait_for_turn, spending, "second", stop)
        assert is_waiting(second_turn)

        stop.set()
        assert second_turn.result(PATIENCE_S) is False


class TestRequestsWithoutWait:
    """A request need not wait if its cost cannot exceed a limit, or for itself."""

    @pytest.mark.parametrize(
        "limits",
        [
            pytest.param(SpendingLimits(), id="no limit"),
            pytest.param(SpendingLimits(time_s=60), id="time limit"),
        ],
    )
    def test_a_second_request_is_sent_at_once_if_no_amount_is_limited(
        self, limits: SpendingLimits, stop: threading.Event, thread: ThreadPoolExecutor
    ) -> None:
        """A request has to wait only if its cost might exceed a limit of dollars or tokens."""
        spending = Spending(limits)
        assert wait_for_turn(spending, "first", stop)

        second_turn = thread.submit(wait_for_turn, spending, "second", stop)

        assert second_turn.result(PATIENCE_S)

    def test_a_trial_does_not_wait_for_its_own_request(
        self, stop: threading.Event
    ) -> None:
        """A trial that repeats a failed request still has its turn."""
        spending = Spending(SpendingLimits(cost_usd=9))
        assert wait_for_turn(spending, "first", stop)

        assert wait_for_turn(spending, "first", stop)
