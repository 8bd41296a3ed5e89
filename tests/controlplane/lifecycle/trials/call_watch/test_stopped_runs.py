"""A call of a trial that fails while the run stops may leave the trial open.

Ctrl-C in a terminal also ends a benchmark's server. A read without an answer then raises
`LeftOpen`: the trial is resumed later, and reads again. A write may have happened, so that its
failure has to be recorded.
"""

import threading

import pytest

from controlplane.agent.loop import LeftOpen
from controlplane.lifecycle.run_controls import RunControls
from controlplane.sandbox.interface import CallError
from tests.controlplane.lifecycle.trials.failing_environment import (
    FailingEnvironment,
    watched,
)


@pytest.mark.parametrize(
    ("operation", "code", "error_after_stop"),
    [
        pytest.param("read", "unavailable", LeftOpen, id="a read that reached nobody"),
        pytest.param("read", "internal", LeftOpen, id="a read that broke"),
        pytest.param("read", "not_found", CallError, id="a read of what is not there"),
        pytest.param("write", "unavailable", CallError, id="a write"),
    ],
)
def test_a_read_that_fails_while_the_run_stops_leaves_the_trial_open(
    operation: str, code: str, error_after_stop: type[Exception]
) -> None:
    stop = threading.Event()
    environment = watched(FailingEnvironment([code, code]), RunControls(stop=stop))

    with pytest.raises(CallError):
        environment.call(operation, {"path": "/a"})
    stop.set()
    with pytest.raises(error_after_stop):
        environment.call(operation, {"path": "/a"})
