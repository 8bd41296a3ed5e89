"""Failures and retries: what a code means, and one engine that retries calls of models, platforms and benchmarks."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.retry.failure_codes import Failure as Failure
    from agent.retry.failure_codes import failure_of as failure_of
    from agent.retry.failure_codes import may_yet_succeed as may_yet_succeed
    from agent.retry.retry_policy import FailedAttempt as FailedAttempt
    from agent.retry.retry_policy import RetryBudget as RetryBudget
    from agent.retry.retry_policy import RetryPolicy as RetryPolicy
    from agent.retry.retry_policy import call_with_retry as call_with_retry
    from agent.retry.retry_policy import named_pause_s as named_pause_s

_HOMES = {
    "failure_codes": ("Failure", "failure_of", "may_yet_succeed"),
    "retry_policy": ("FailedAttempt", "RetryBudget", "RetryPolicy", "call_with_retry", "named_pause_s"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
