import threading
import time
from collections.abc import Callable

import pytest

from agent.loop.turn_loop import ModelRetry
from agent.model import ModelError, Reply
from agent.retry import RetryBudget

PASSING = ModelError("down", retryable=True, affects_all=True)


def failing(times: int, error: ModelError = PASSING) -> Callable[[], Reply]:
    """Return something to ask that fails so often and then replies."""
    asked = iter(range(1_000_000))

    def ask() -> Reply:
        if next(asked) < times:
            raise error
        return Reply(text="here")

    return ask


def quick(**more: object) -> ModelRetry:
    return ModelRetry(longest_pause_s=0.01, **more)


def test_the_retries_of_a_run_are_bounded_over_all_its_trials() -> None:
    retries, told = RetryBudget(20), []
    errors: list[ModelError] = []

    def trial() -> None:
        with pytest.raises(ModelError) as caught:
            quick(budget=retries).ask(failing(1_000_000), told.append)
        errors.append(caught.value)

    threads = [threading.Thread(target=trial) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 20
    assert len(errors) == 6
    assert all("used up its 20 retries (--model-retries)" in str(error) and error.affects_all for error in errors)


def test_a_pause_that_the_endpoint_names_holds_for_every_trial_of_the_run() -> None:
    retries, asked = RetryBudget(20), []
    slow_down = ModelError("slow down", retryable=True, affects_all=True, retry_after_s=0.4)
    first = failing(1, slow_down)
    started = time.monotonic()
    holder = threading.Thread(target=lambda: ModelRetry(budget=retries).ask(first, lambda text: None))
    holder.start()
    while not retries.paused_s():
        time.sleep(0.005)
        assert time.monotonic() - started < 5

    def other() -> Reply:
        asked.append(time.monotonic() - started)
        return Reply(text="here")

    ModelRetry(budget=retries).ask(other, lambda text: None)
    holder.join()
    assert asked[0] >= 0.4


@pytest.mark.parametrize("named", [None, 60.0])
def test_a_stop_ends_the_pause_at_once_and_nothing_more_is_asked(named: float | None) -> None:
    stop, asked = threading.Event(), []
    error = ModelError("down", retryable=True, affects_all=True, retry_after_s=named)

    def ask() -> Reply:
        asked.append(stop.is_set())
        raise error

    threading.Timer(0.1, stop.set).start()
    started = time.monotonic()
    with pytest.raises(ModelError):
        ModelRetry(stop=stop, longest_pause_s=60).ask(ask, lambda text: None)
    assert time.monotonic() - started < 2
    assert True not in asked
