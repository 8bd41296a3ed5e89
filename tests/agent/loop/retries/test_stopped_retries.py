"""A run that the user stops does not wait for the end of a pause between two requests to a model.

After a failed request, `ModelRetry` pauses, here for up to an hour, and asks again. The event `stop` is
set when the user stops the run.
"""

import threading

import pytest

from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.model import ModelError, Reply


@pytest.mark.parametrize(
    "retry_after_s",
    [
        pytest.param(None, id="pause of the product"),
        pytest.param(3_600, id="pause that the endpoint asks for"),
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
        ModelRetry(stop=stop, longest_pause_s=3_600).ask(
            fail, on_retry=lambda notice: None
        )

    assert True not in was_stopped_at_request
