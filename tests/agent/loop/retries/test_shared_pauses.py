"""A pause that the endpoint of a model asks for holds for every trial of the run.

The first trial is told to slow down. Then a second one asks, and has to wait as well. `RunBudget` is what
the trials share.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry import RetryBudget, RunBudget
from tests.support.command import PATIENCE_S


def test_a_pause_that_the_endpoint_asks_for_holds_for_every_trial_of_the_run() -> None:
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
            reply_with_time, lambda notice: None
        )

    seconds_until_second_request = float(second.reply.text)
    assert seconds_until_second_request >= pause_s
    assert first_trial.result().reply.text == "here"
