"""The first request of a run whose cost is limited goes alone.

What a request costs is known only when its reply arrives. Until the first reply of a run, two requests at
once might exceed the limit. `take_turn(trial)` tells whether a trial may send its request now.
"""

from controlplane.agent.limits.spending import EarlierSpending, Spending, SpendingLimits


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
