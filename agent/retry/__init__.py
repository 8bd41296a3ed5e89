"""Failures and retries: what a code means, and one engine that retries calls of models, platforms and benchmarks."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.retry.retry_policy import (
        LONGEST_RETRY_S,
        FailedAttempt,
        RetryBudget,
        RetryPolicy,
        call_with_retry,
        failure_of,
        may_yet_succeed,
        named_pause_s,
        retry_after_s,
    )
    from agent.retry.spending import PRICE_REMEDY, RunBudget, Spending, SpendingLimits, TrialSpending

__getattr__ = agent.lazy_face(__name__, __file__)
