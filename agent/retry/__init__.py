"""Failures and retries: what a code means, and one engine that retries calls of models, platforms and benchmarks."""

from agent.retry.failure_codes import Failure, failure_of, may_yet_succeed
from agent.retry.retry_after import LONGEST_RETRY_S, retry_after_s
from agent.retry.retry_policy import FailedAttempt, RetryBudget, RetryPolicy, call_with_retry, named_pause_s
from agent.retry.run_budget import RunBudget
from agent.retry.spending import Spending, SpendingLimits, TrialSpending
