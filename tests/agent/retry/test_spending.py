"""What a run and a trial may spend."""

import pytest

from agent.retry import Spending, SpendingLimits, TrialSpending


def test_a_run_is_used_up_once_its_limit_is_spent() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.pay("a", 0.4, 10)
    assert spending.used_up == ""
    spending.pay("a", 0.6, 10)
    assert spending.used_up == "the run's $1 are used up (--run-cost)"


def test_requests_under_way_are_reckoned_like_the_dearest_reply() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.pay("a", 0.3, 10)
    spending.ask("a")
    spending.ask("b")
    assert spending.used_up == ""
    spending.ask("c")  # 0.3 + 3 * 0.3 is more than may be spent
    assert "--run-cost" in spending.used_up


def test_a_trial_that_ended_is_under_way_no_more() -> None:
    spending = Spending(SpendingLimits(tokens=100))
    spending.pay("a", None, 40)
    spending.ask("a")
    spending.leave("a")
    spending.ask("b")
    assert spending.used_up == ""


def test_tokens_and_time_have_limits_of_their_own() -> None:
    spending = Spending(SpendingLimits(tokens=100))
    spending.pay("a", None, 100)
    assert spending.used_up == "the run's 100 tokens are used up (--max-tokens-run)"
    assert "--run-time" in Spending(SpendingLimits(time_s=0.0)).used_up


def test_what_earlier_processes_spent_counts() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.take_over(1.5, 10)
    assert "$1 are used up" in spending.used_up


def test_an_unknown_price_ends_what_has_a_limit_in_dollars() -> None:
    spending = Spending(SpendingLimits(cost_usd=1.0))
    spending.pay("a", None, 10)
    assert "unknown" in spending.used_up
    assert "--prices" in spending.used_up
    trial = TrialSpending(0.5)
    trial.pay(None)
    assert "--trial-cost cannot be kept" in trial.used_up


def test_the_first_reason_stands() -> None:
    spending = Spending()
    spending.close("one")
    spending.close("two")
    assert spending.used_up == "one"


@pytest.mark.parametrize(("costs", "is_over"), [((0.2, 0.2), False), ((0.2, 0.2, 0.2), True), ((0.4,), True)])
def test_a_trial_stops_before_a_reply_that_it_could_not_pay(costs: tuple[float, ...], is_over: bool) -> None:
    trial = TrialSpending(0.6)
    for each in costs:
        trial.pay(each)
    assert bool(trial.used_up) is is_over
