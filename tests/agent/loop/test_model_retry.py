"""Requests to a model that failed are repeated, within limits that all trials of a run share.

If an endpoint is down, each trial would repeat its requests for minutes. So the trials of a run
share a number of retries, and a pause that the endpoint asks for holds for all of them.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry.run_budget import RetryBudget, RunBudget
from tests.support.command import PATIENCE_S


class TestSharedRetries:
    """The trials of a run share their retries, and the pauses that an endpoint asks for.

    `RunBudget` is what they share. An error with `affects_all` says that the endpoint fails for
    all.
    """

    def test_the_trials_of_a_run_share_their_retries(self) -> None:
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

    def test_a_pause_that_the_endpoint_asks_for_holds_for_every_trial_of_the_run(
        self,
    ) -> None:
        """The first trial is told to slow down. Then a second one asks, and has to wait as well."""
        pause_s = 0.4
        run_budget = RunBudget(RetryBudget(20))
        first_pauses = threading.Event()
        started_s = time.monotonic()

        def fail_before_pause() -> Reply:
            if not first_pauses.is_set():
                raise ModelError(
                    "slow down", retryable=True, affects_all=True, retry_after_s=pause_s
                )
            return Reply(text="here")

        def reply_with_time() -> Reply:
            return Reply(text=f"{time.monotonic() - started_s}")

        with ThreadPoolExecutor(max_workers=1) as thread:
            first_trial = thread.submit(
                ModelRetry(run_budget=run_budget).ask,
                fail_before_pause,
                lambda notice: first_pauses.set(),
            )
            assert first_pauses.wait(PATIENCE_S)

            second = ModelRetry(run_budget=run_budget).ask(
                reply_with_time, ignore_notice
            )

        seconds_until_second_request = float(second.reply.text)
        assert seconds_until_second_request >= pause_s
        assert first_trial.result().reply.text == "here"


def ignore_notice(notice: str) -> None:
    """Take a line about a further attempt."""


HOUR_S = 3_600
"""A pause that no test could wait for."""


class TestStoppedRetries:
    """A run that the user stops does not wait for the end of a pause between requests."""

    @pytest.mark.parametrize(
        "retry_after_s",
        [
            pytest.param(None, id="pause of the product"),
            pytest.param(HOUR_S, id="pause that the endpoint asks for"),
        ],
    )
    def test_a_stop_of_the_run_ends_a_pause_and_nothing_more_is_requested(
        self, retry_after_s: float | None
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
