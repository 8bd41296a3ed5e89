"""The results of a worker's calls, and its CPU time in all, are limited.

A worker runs single functions on foreign data in an isolated process. `echo("x" * 2_000)` fails if
a result may have 1,000 bytes, and the next call works.
"""

from controlplane.sandbox import Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.parent.workers.worker_calls import failure, run


def test_a_result_that_is_too_large_fails_its_call(server):
    with Worker(server, limits=WorkerLimits(reply_bytes=1_000)) as worker:
        error = failure(worker, "echo", "x" * 2_000)

        assert error.code == "resource_exhausted"
        assert run(worker, "echo", 1) == 1


def test_all_calls_of_a_trial_together_have_a_limit_of_cpu(server):
    """After six endless calls, even a harmless one is refused: the trial has used up its 0.2 s. The
    limit of a single call, 0.3 s, is above that, so that it ends none of them."""
    limits = WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)
    with Worker(server, limits=limits) as worker:
        # The first call may be ended a little before it has used all of the 0.2 s, because the
        # kernel's timer is coarse. Each further call uses up a part of the rest.
        for _ in range(6):
            failure(worker, "loop")

        assert "this trial" in failure(worker, "echo", 1).message
