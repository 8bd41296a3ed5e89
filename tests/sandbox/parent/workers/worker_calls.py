"""Calls of the functions in `worker_functions.py`, in a worker.

A worker runs single functions on foreign data in an isolated process: `echo(value)` returns its
argument, `loop()` never returns, and `die()` ends the process.
"""

import pytest

from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError

MODULE = "tests.sandbox.parent.workers.worker_functions"
REACHING_OUT = "tests.sandbox.parent.workers.reaching_out"


def run(worker: Worker, name: str, *arguments, **options):
    """Call a function in a worker, and return its result: `run(worker, "echo", 1)` -> `1`."""
    return worker.call(f"{MODULE}:{name}", *arguments, **options)


def failure(worker: Worker, name: str, *arguments, **options) -> CallError:
    """Call a function in a worker, and return the error that the call fails with.

    `failure(worker, "die").message` -> "… died …"
    """
    with pytest.raises(CallError) as raised:
        run(worker, name, *arguments, **options)
    return raised.value
