"""The cost of the check before a call that changes the shop, without the cost of its reads.

Before a basket is bought, the check reads the basket's record and the rules. The check is computed in
the sandbox, a child process. This asks a *host*, an object of the parent process, to read for it:

    cost of the check  =  cost with its reads  -  cost of the reads
"""

from contextlib import suppress

from controlplane.agent.evidence import Recorder
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.sandbox import ForkServer, Sandbox
from controlplane.sandbox.functions import Call
from controlplane.sandbox.interface import CallError
from tests.bench.timing.costs import Cost, cost_of
from tests.bench.timing.opened_sessions import NOW, opened_session
from tests.bench.timing.timed_host import TimedHost


def cost_of_check(task: Task, call: Call, server: ForkServer) -> Cost:
    """Return the cost of the check of a call that is the first of a trial."""
    session = opened_session(task)
    host = TimedHost(session)
    with Sandbox(
        session.tool_schema, host, now=NOW, seed=session.trial.seed, server=server
    ) as sandbox:
        let_checks_run_in(sandbox, session.recorder)
        sandbox.ready_child()  # Starting the child process is no part of the check.
        operation, arguments = call

        def check() -> None:
            with suppress(CallError):  # If the check objects, its cost counts as well.
                session.recorder.checks.check_change(operation, arguments)

        # With the sandbox as argument, the CPU time of the child process counts, too.
        cost_with_reads = cost_of(check, sandbox)

    assert host.reads_cost.time_ms > 0  # The check has run, and has read records.
    return cost_with_reads.minus(host.reads_cost)


def let_checks_run_in(sandbox: Sandbox, recorder: Recorder) -> None:
    """Let the check be computed in a sandbox: it is one of the benchmark's functions."""
    recorder.calls.function_caller.functions.runner = sandbox
    # `opened_session` has no rule sets, so that the check is off.
    recorder.checks.environment_check.is_on = True
