"""A trial of a run with a limit of tokens or dollars waits for the first reply of the run.

What a request costs is known only when its reply arrives, so two requests at once might exceed the limit.
`wait_for_turn(spending, trial, stop)` returns True at the end of the wait, and False if the user has
interrupted the run, by the event `stop`. The second trial waits in a `thread`.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from controlplane.agent.limits.spending import (
    EarlierSpending,
    Spending,
    SpendingLimits,
    wait_for_turn,
)
from tests.support.command import PATIENCE_S


@pytest.fixture
def stop() -> threading.Event:
    """The event that is set when the user interrupts the run."""
    return threading.Event()


@pytest.fixture
def thread(stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """A thread in which the second trial waits. It ends with the test."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool
        stop.set()


# The first request of a run whose cost is limited goes alone.
#
# What a request costs is known only when its reply arrives. Until the first reply of a run, two requests at
# once might exceed the limit. `take_turn(trial)` tells whether a trial may send its request now.


def test_a_second_request_may_be_sent_once_the_first_has_failed() -> None:
    spending = Spending(SpendingLimits(cost_usd=9))
    assert spending.take_turn("first")
    assert not spending.take_turn("second")

    spending.end_request("first")

    assert spending.take_turn("second")


def test_two_requests_may_be_sent_if_the_run_had_a_reply_before_its_resumption() -> (
    None
):
    spending = Spending(SpendingLimits(cost_usd=9))
    assert spending.take_turn("first")
    assert not spending.take_turn("second")

    spending.take_over(EarlierSpending(cost_usd=1, tokens=10))

    assert spending.take_turn("second")


def test_a_trial_may_repeat_its_own_failed_request() -> None:
    spending = Spending(SpendingLimits(cost_usd=9))
    assert spending.take_turn("first")

    assert spending.take_turn("first")


def _drop(notice: str) -> None:
    """Take what the user is told about a long wait."""


# The first request of any other run has a head start, in which an endpoint refuses a wrong key.
#
# `wait_for_turn(spending, trial, stop)` waits until a trial may send its request. `thread` is a thread in
# which the second trial waits.


def is_waiting(turn: Future[bool]) -> bool:
    """Return True if a trial has not got its turn within a tenth of a second."""
    return not wait([turn], timeout=0.1).done


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(SpendingLimits(), id="no limit"),
        pytest.param(SpendingLimits(run_time_s=60), id="a limit of time only"),
    ],
)
def test_a_second_request_waits_for_no_reply_if_no_amount_is_limited(
    limits: SpendingLimits,
    stop: threading.Event,
    thread: ThreadPoolExecutor,
) -> None:
    spending = Spending(limits, head_start_s=0.5)
    assert wait_for_turn(spending, "first", stop, _drop)

    second_turn = thread.submit(wait_for_turn, spending, "second", stop, _drop)

    assert is_waiting(second_turn)
    assert second_turn.result(PATIENCE_S) is True


def test_no_request_waits_in_a_process_that_learns_of_no_reply(
    stop: threading.Event,
) -> None:
    """A worker of a cluster has no head start: the run's own process counts the replies."""
    spending = Spending(head_start_s=0.0)
    assert wait_for_turn(spending, "first", stop, _drop)

    stop.set()  # A trial that had to wait would not get its turn.
    assert wait_for_turn(spending, "second", stop, _drop)


def test_a_second_request_waits_for_the_reply_to_the_first(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    spending = Spending(SpendingLimits(tokens=9))
    assert wait_for_turn(spending, "first", stop, _drop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop, _drop)
    assert is_waiting(second_turn)

    # Even a reply that has cost nothing ends the wait.
    spending.count_reply("first", cost_usd=0.0, tokens=0)

    assert second_turn.result(PATIENCE_S) is True


def test_the_first_request_goes_alone_if_it_shows_whether_the_model_can_be_used(
    stop: threading.Event, thread: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No amount is limited. The user is told for what the second trial waits."""
    monkeypatch.setattr("controlplane.agent.limits.spending._FIRST_TOLD_AFTER_S", 0.0)
    told: list[str] = []
    spending = Spending()
    spending.first_request_decides = True
    assert wait_for_turn(spending, "first", stop, _drop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop, told.append)
    assert is_waiting(second_turn)

    spending.count_reply("first", cost_usd=None, tokens=9)

    assert second_turn.result(PATIENCE_S) is True
    assert told == [
        "waits for the first reply of the run, which another trial has asked for"
    ]


def test_the_wait_ends_when_the_run_may_spend_nothing_more(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    """The wait has not been interrupted, so it returns True. Whoever has waited looks at
    `spending.end` next, and sends nothing."""
    spending = Spending(SpendingLimits(cost_usd=9))
    assert wait_for_turn(spending, "first", stop, _drop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop, _drop)
    assert is_waiting(second_turn)

    spending.end.declare("over")

    assert second_turn.result(PATIENCE_S) is True
    assert spending.end.reason == "over"


def test_a_second_request_is_not_sent_if_the_run_is_interrupted(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    spending = Spending(SpendingLimits(cost_usd=9))
    assert wait_for_turn(spending, "first", stop, _drop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop, _drop)
    assert is_waiting(second_turn)

    stop.set()

    assert second_turn.result(PATIENCE_S) is False
