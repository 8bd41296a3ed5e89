"""The trials of a run share their retries of failed requests to a model.

If an endpoint is down, each trial would repeat its requests for minutes. `RunBudget` is what the trials
share, and `affects_all` says that an error is not due to one trial: six trials, 20 retries in all.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry import RetryBudget, RunBudget


def test_the_trials_of_a_run_share_their_retries() -> None:
    """Six trials share 20 retries, while the endpoint is down for all of them."""
    run_budget = RunBudget(RetryBudget(20))
    retry_notices: list[str] = []

    def fail() -> Reply:
        raise ModelError("down", retryable=True, affects_all=True)

    def error_of_trial(number: int) -> ModelError:
        retry = ModelRetry(longest_pause_s=0.01, run_budget=run_budget)
        with pytest.raises(ModelError) as caught:
            retry.ask(fail, retry_notices.append)
        return caught.value

    with ThreadPoolExecutor(max_workers=6) as threads:
        errors = list(threads.map(error_of_trial, range(6)))

    assert len(retry_notices) == 20
    for error in errors:
        assert "used up its 20 retries (--model-retries)" in str(error)
        assert error.affects_all
