"""Budgets of runs for trials that a test plays without a run: as many retries as they need."""

from controlplane.agent.limits.spending import Spending
from controlplane.agent.retry import RetryBudget, RetryLimits, RunBudget


def ample_budget(patience_s: float = 2.0, max_retries: int = 1_000) -> RunBudget:
    """Return a budget without limits of spending. A failed request is sent again for `patience_s`."""
    limits = RetryLimits(max_retries, patience_s)
    return RunBudget(RetryBudget(limits), Spending())
