"""A trial of a run with a limit of tokens or dollars waits for the first reply of the run.

What a request costs is known only when its reply arrives, so two requests at once might exceed the limit.
`wait_for_turn(spending, trial, stop)` returns True at the end of the wait, and False if the user has
interrupted the run, by the event `stop`. The second trial waits in a `thread`.
"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait

from controlplane.agent.limits.spending import Spending, SpendingLimits, wait_for_turn
from tests.support.command import PATIENCE_S


def is_waiting(turn: Future[bool]) -> bool:
    """Return True if a trial has not got its turn within a tenth of a second."""
    return not wait([turn], timeout=0.1).done


def test_a_second_request_waits_for_the_reply_to_the_first(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    spending = Spending(SpendingLimits(tokens=9))
    assert wait_for_turn(spending, "first", stop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop)
    assert is_waiting(second_turn)

    # Even a reply that has cost nothing ends the wait.
    spending.count_reply("first", cost_usd=0.0, tokens=0)

    assert second_turn.result(PATIENCE_S) is True


def test_the_wait_ends_when_the_run_may_spend_nothing_more(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    """The wait has not been interrupted, so it returns True. Whoever has waited looks at
    `spending.end` next, and sends nothing."""
    spending = Spending(SpendingLimits(cost_usd=9))
    assert wait_for_turn(spending, "first", stop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop)
    assert is_waiting(second_turn)

    spending.end.declare("over")

    assert second_turn.result(PATIENCE_S) is True
    assert spending.end.reason == "over"


def test_a_second_request_is_not_sent_if_the_run_is_interrupted(
    stop: threading.Event, thread: ThreadPoolExecutor
) -> None:
    spending = Spending(SpendingLimits(cost_usd=9))
    assert wait_for_turn(spending, "first", stop)
    second_turn = thread.submit(wait_for_turn, spending, "second", stop)
    assert is_waiting(second_turn)

    stop.set()

    assert second_turn.result(PATIENCE_S) is False
