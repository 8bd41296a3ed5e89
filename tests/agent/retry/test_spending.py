"""What a run and a trial may spend."""

import threading
from collections.abc import Callable

import pytest

from agent.retry import Spending, SpendingLimits, TrialSpending


def test_requests_under_way_are_reckoned_like_the_dearest_reply() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.pay("a", 0.3, 10)
    spending.ask("a")
    spending.ask("b")
    assert spending.used_up == ""
    spending.ask("c")  # 0.3 + 3 * 0.3 is more than may be spent
    assert "--run-cost" in spending.used_up


@pytest.mark.parametrize(
    ("limits", "goes_on"),
    [
        (SpendingLimits(), lambda spending, stop: None),
        (SpendingLimits(time_s=60, trial_cost_usd=1), lambda spending, stop: None),
        (SpendingLimits(tokens=9), lambda spending, stop: spending.pay("a", 0.0, 0)),
        (SpendingLimits(cost_usd=9), lambda spending, stop: spending.leave("a")),
        (SpendingLimits(cost_usd=9), lambda spending, stop: spending.close("over")),
        (SpendingLimits(cost_usd=9), lambda spending, stop: stop.set()),
        (SpendingLimits(cost_usd=9), lambda spending, stop: spending.take_over(1, 10)),
    ],
)
def test_the_second_request_of_a_limited_run_waits_for_what_the_first_one_shows(
    limits: SpendingLimits, goes_on: Callable[[Spending, threading.Event], None]
) -> None:
    spending, stop = Spending(limits), threading.Event()
    for _ in range(2):
        spending.wait_for_turn("a", stop)  # it never waits for itself
    turns: list[bool] = []
    second = threading.Thread(target=lambda: turns.append(spending.wait_for_turn("b", stop)), daemon=True)
    second.start()
    second.join(0.1)
    assert second.is_alive() == (limits.cost_usd is not None or limits.tokens is not None)
    goes_on(spending, stop)
    second.join(5)
    assert turns == [not stop.is_set()]


def test_spending_of_earlier_processes_counts() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.take_over(1.5, 10)
    assert "its limit of $1" in spending.used_up


@pytest.mark.parametrize(("costs", "is_over"), [((0.2, 0.2), False), ((0.2, 0.2, 0.2), True), ((0.4,), True)])
def test_a_trial_stops_before_a_reply_that_it_could_not_pay(costs: tuple[float, ...], is_over: bool) -> None:
    trial = TrialSpending(0.6)
    for cost in costs:
        trial.pay(cost)
    assert bool(trial.used_up) is is_over
