"""Requests to a model that failed are repeated, within limits that all trials of a run share.

If an endpoint is down, each trial would repeat its requests for minutes. So the trials of a run
share a number of retries, and a pause that the endpoint asks for holds for all of them.
"""

from __future__ import annotations

import threading
import time

import pytest

from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry.run_budget import RetryBudget, RunBudget
from tests.support.command import wait_until

HOUR_S = 3_600
"""A pause that no test could wait for."""


def ignore_notice(notice: str) -> None:
    """Take a line about a further attempt."""


def test_the_trials_of_a_run_share_their_retries() -> None:
    """Six trials share 20 retries, while the endpoint is down for all of them."""
    trial_count = 6
    retries = RetryBudget(20)
    retry_notices: list[str] = []
    errors: list[ModelError] = []

    def fail() -> Reply:
        raise ModelError("down", retryable=True, affects_all=True)

    def run_trial() -> None:
        retry = ModelRetry(longest_pause_s=0.01, run_budget=RunBudget(retries))
        with pytest.raises(ModelError) as caught:
            retry.ask(fail, retry_notices.append)
        errors.append(caught.value)

    threads = [threading.Thread(target=run_trial) for _ in range(trial_count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(retry_notices) == 20
    assert len(errors) == trial_count
    for error in errors:
        assert "used up its 20 retries (--model-retries)" in str(error)
        assert error.affects_all


def test_a_pause_that_the_endpoint_asks_for_holds_for_every_trial_of_the_run() -> None:
    """One trial is told to slow down. Then another asks, and has to wait as well."""
    pause_s = 0.4
    retries = RetryBudget(20)
    first_trial_requests_s: list[float] = []
    second_trial_requests_s: list[float] = []
    started = time.monotonic()

    def fail_once() -> Reply:
        first_trial_requests_s.append(time.monotonic() - started)
        if len(first_trial_requests_s) == 1:
            raise ModelError(
                "slow down", retryable=True, affects_all=True, retry_after_s=pause_s
            )
        return Reply(text="here")

    def succeed() -> Reply:
        second_trial_requests_s.append(time.monotonic() - started)
        return Reply(text="here")

    def run_first_trial() -> None:
        ModelRetry(run_budget=RunBudget(retries)).ask(fail_once, ignore_notice)

    first_trial = threading.Thread(target=run_first_trial)
    first_trial.start()
    # On a very slow machine, the pause may already be over.
    wait_until(lambda: retries.paused_s() > 0 or len(first_trial_requests_s) > 1)

    ModelRetry(run_budget=RunBudget(retries)).ask(succeed, ignore_notice)
    first_trial.join()

    assert second_trial_requests_s[0] >= pause_s


@pytest.mark.parametrize(
    "retry_after_s",
    [
        pytest.param(None, id="pause of the product"),
        pytest.param(HOUR_S, id="pause that the endpoint asks for"),
    ],
)
def test_a_stop_of_the_run_ends_a_pause_and_nothing_more_is_requested(
    retry_after_s: float | None,
) -> None:
    """The run is stopped 0.1 s after a failed request, in a pause of up to an hour."""
    stop = threading.Event()
    was_stopped_at_request: list[bool] = []

    def fail() -> Reply:
        was_stopped_at_request.append(stop.is_set())
        raise ModelError(
            "down", retryable=True, affects_all=True, retry_after_s=retry_after_s
        )

    threading.Timer(0.1, stop.set).start()
    with pytest.raises(ModelError):
        ModelRetry(stop=stop, longest_pause_s=HOUR_S).ask(fail, ignore_notice)

    assert True not in was_stopped_at_request
