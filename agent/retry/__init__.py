"""Failures and retries: what a code means, and one engine that retries calls of models, platforms and benchmarks."""

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
