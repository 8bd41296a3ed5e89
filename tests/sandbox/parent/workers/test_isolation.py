"""A worker works on foreign data, and cannot reach the machine.

A worker runs single functions in an isolated process. `reach_out("file")` tries to open a file, and
returns "PermissionError", because the isolation works.
"""

import pytest

from tests.sandbox.parent.workers.worker_calls import REACHING_OUT


@pytest.mark.parametrize("kind", ["file", "socket", "fork", "parent", "array"])
def test_a_worker_cannot_reach_the_machine(worker, kind):
    """The function `reach_out` tries to open a file or a socket, to fork, to send a signal to
    its parent, or to use the module `array`, which only workers that read spreadsheets may."""
    assert worker.call(f"{REACHING_OUT}:reach_out", kind) in (
        "PermissionError",
        "OSError",
    )


def test_a_worker_does_not_get_the_environment_variables(worker, monkeypatch):
    """The variable is set in the process of the test, the parent of the worker."""
    monkeypatch.setenv("SECRET", "s3cret")

    assert "s3cret" not in str(worker.call(f"{REACHING_OUT}:reach_out", "environment"))
