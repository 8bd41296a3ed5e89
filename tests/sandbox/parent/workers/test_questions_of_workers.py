"""A function in a worker may ask the process of its parent, within limits.

A worker runs single functions on foreign data in an isolated process. A function that needs files
asks the parent for each: `ask(3)` asks `("file", 0)`, `("file", 1)` and `("file", 2)`, and the
function `serve` answers in the parent.
"""

import time

from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.parent.workers.worker_calls import failure, run


def test_a_call_that_asks_its_parent_too_often_fails_and_the_next_call_works(worker):
    error = failure(worker, "ask", 400, serve=lambda question: "text of the file")

    assert error.code == "resource_exhausted"
    assert "more than 300 files" in error.message
    assert run(worker, "echo", "still here") == "still here"


def test_an_error_of_the_parent_is_raised_in_the_function_that_asked(worker):
    """The function `ask` does not catch the error, so that its call fails with it."""

    def refuse(question):
        raise CallError("not_found", "no such file")

    error = failure(worker, "ask", 1, serve=refuse)

    assert error.code == "not_found"
    assert error.message == "no such file"


def test_a_call_that_waits_is_ended_at_its_wall_clock_limit(server):
    """The function asks its parent one question, and uses no CPU while it waits."""

    def answer_late(question):
        time.sleep(0.5)

    with Worker(server, limits=WorkerLimits(call_wall_s=0.3)) as worker:
        error = failure(worker, "ask", 1, serve=answer_late)

    assert "0.3 s" in error.message
