"""The cost of the check before a call that changes the shop, without the cost of its reads.

Before a basket is bought, the check reads the basket's record and the rules. The check is computed in
the sandbox, a child process. This asks a *host*, an object of the parent process, to read for it:

    cost of the check  =  cost with its reads  -  cost of the reads
"""

from contextlib import suppress
from datetime import UTC, datetime

from controlplane.agent.evidence import Recorder, new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox import ForkServer, Sandbox
from controlplane.sandbox.functions import Call
from controlplane.sandbox.interface import CallError
from tests.bench.timing.costs import Cost, cost_of
from tests.bench.timing.timed_host import TimedHost

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""What time it is for scripts."""


def cost_of_check(task: Task, call: Call, server: ForkServer) -> Cost:
    """Return the cost of the check of a call that is the first of a trial."""
    # 1. Open a trial, and build the first prompt, for which rules are read that the check needs.
    environment = EcomEnvironment(workspace_of(task.world))
    recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
    trial = TrialContext(
        trial_id="t", task_id="task.0", instruction=task.instruction, now=NOW
    )
    session = TrialSession(trial, recorder)
    recorder.step_log.begin(0)  # Step 0 builds the first prompt.
    build_initial_prompt(trial, recorder)

    # 2. Start a sandbox, whose host measures the reads.
    recorder.step_log.begin(1)  # Step 1 is that of the first script.
    host = TimedHost(session)
    with Sandbox(
        environment.tool_schema, host, now=NOW, seed=trial.seed, server=server
    ) as sandbox:
        let_checks_run_in(sandbox, recorder)
        sandbox.ready_child()  # Starting the child process is no part of the check.

        # 3. Check the call. If the check objects, its cost counts as well.
        operation, arguments = call

        def check() -> None:
            with suppress(CallError):
                recorder.checks.check_change(operation, arguments)

        # With the sandbox as argument, the CPU time of the child process counts, too.
        cost_with_reads = cost_of(check, sandbox)

    assert host.reads_cost.time_ms > 0  # The check has run, and has read records.
    return cost_with_reads.minus(host.reads_cost)


def let_checks_run_in(sandbox: Sandbox, recorder: Recorder) -> None:
    """Let the check be computed in a sandbox: it is one of the benchmark's functions."""
    recorder.calls.function_caller.functions.runner = sandbox
    # `TrialSession(trial, recorder)` without rule sets has turned the check off.
    recorder.checks.environment_check.is_on = True
