"""A call of a worker that crashes, hangs or takes too much memory fails alone, and says why.

A worker runs single functions on foreign data in an isolated process, each for at most 0.2 s of
CPU:

    run(worker, "echo", 1)      # 1
    failure(worker, "die")      # CallError: internal: … died …
    run(worker, "echo", 2)      # 2, from a new process
"""

import time

import pytest

from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.parent.workers.worker_calls import REACHING_OUT, failure, run

# A worker works on foreign data, and cannot reach the machine.
#
# A worker runs single functions in an isolated process. `reach_out("file")` tries to open a file, and
# returns "PermissionError", because the isolation works.


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


# The results of a worker's calls, and its CPU time in all, are limited.
#
# A worker runs single functions on foreign data in an isolated process: `echo(value)` returns its
# argument, and `loop()` never returns.


def test_a_result_that_is_too_large_fails_its_call_only(server):
    with Worker(server, limits=WorkerLimits(reply_bytes=1_000)) as worker:
        error = failure(worker, "echo", "x" * 2_000)

        assert error.code == "resource_exhausted"
        assert run(worker, "echo", 1) == 1


def test_all_calls_of_a_trial_together_have_a_limit_of_cpu(server):
    """A trial may use 0.2 s of CPU, less than the 0.3 s that one call may use. After endless calls
    have used up the 0.2 s, even a harmless call is refused."""
    limits = WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)
    with Worker(server, limits=limits) as worker:
        # One call may be ended a little too early, because the kernel's timer is coarse.
        # Then the next calls use up the rest.
        for _ in range(6):
            failure(worker, "loop")

        assert "this trial" in failure(worker, "echo", 1).message


# A function in a worker may ask the process of its parent, within limits.
#
# A worker runs single functions on foreign data in an isolated process. A function that needs files
# asks the parent for each: `ask(3)` asks `("file", 0)`, `("file", 1)` and `("file", 2)`, and the
# function `serve` answers in the parent.


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


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä\x00", [1, [2]], {"a": {"b": []}}])
def test_plain_values_reach_a_worker_and_come_back_unchanged(worker, value):
    assert run(worker, "echo", value) == value


ENDLESS_SQL = """
    with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n
"""


@pytest.mark.parametrize(
    ("function", "arguments", "code", "message"),
    [
        pytest.param(
            "raise_type_error",
            (),
            "internal",
            "TypeError: no such thing",
            id="it raises an exception",
        ),
        pytest.param(
            "nan", (), "internal", "not JSON compliant", id="its result is not JSON"
        ),
        pytest.param("missing", (), "internal", "missing", id="there is no function"),
        pytest.param(
            "match",
            ("(a+)+$", "a" * 50 + "b"),
            "resource_exhausted",
            "0.2 s of CPU",
            id="a regular expression backtracks",
        ),
        pytest.param(
            "query",
            (ENDLESS_SQL,),
            "resource_exhausted",
            "0.2 s of CPU",
            id="SQL does not end",
        ),
        pytest.param(
            "loop", (), "resource_exhausted", "0.2 s of CPU", id="a loop does not end"
        ),
        pytest.param(
            "grow",
            (2_000,),  # megabytes
            "resource_exhausted",
            "memory",
            id="it takes too much memory",
        ),
        pytest.param("die", (), "internal", "died", id="its process dies"),
    ],
)
def test_a_call_that_fails_says_why_and_the_next_call_works(
    worker, function, arguments, code, message
):
    error = failure(worker, function, *arguments)

    assert error.code == code
    assert message in error.message
    assert run(worker, "echo", "still here") == "still here"
