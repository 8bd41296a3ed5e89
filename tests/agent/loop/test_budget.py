from agent.loop import BudgetLimits
from agent.loop.budget import Budget


def spend(budget: Budget, times: int) -> list[str]:
    notices = []
    for _ in range(times):
        budget.spend()
        notices.append(budget.notice())
    return notices


def test_the_warning_comes_five_steps_before_the_end_and_the_nudge_at_it() -> None:
    notices = spend(Budget(BudgetLimits()), 40)
    assert [(at + 1, each) for at, each in enumerate(notices) if each] == [(30, "warning"), (35, "nudge")]


def test_nothing_is_left_after_the_extra_steps() -> None:
    budget = Budget(BudgetLimits(max_steps=3, extra_steps=2))
    spend(budget, 4)
    assert not budget.exhausted
    spend(budget, 1)
    assert "3 + 2 steps" in budget.exhausted


def test_a_trial_ends_with_its_time() -> None:
    budget = Budget(BudgetLimits(trial_time_s=0.0))
    assert "0 s" in budget.exhausted


def test_refused_scripts_are_refunded_three_times_and_unusable_replies_twice() -> None:
    budget = Budget(BudgetLimits())
    for _ in range(5):
        budget.spend(script_refused=True)
    assert budget.spent == 2
    for _ in range(5):
        budget.spend(reply_unusable=True)
    assert budget.spent == 5
