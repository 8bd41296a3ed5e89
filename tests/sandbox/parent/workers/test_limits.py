"""The results of a worker's calls, and its CPU time in all, are limited.

A worker runs single functions on foreign data in an isolated process: `echo(value)` returns its
argument, and `loop()` never returns.
"""

from controlplane.sandbox import Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.parent.workers.worker_calls import failure, run


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
