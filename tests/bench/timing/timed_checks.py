"""The cost of the pre-call check, without that of the reads that it makes.

Before a script's call that checks out a basket, the check reads the basket's record and the rules. It
runs in the sandbox, a child process, which asks the *host*, in this process, for these reads:

    cost of the check  =  cost from the call to the verdict  -  cost of the reads
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
    """Return the cost of the check of a call, in a trial where nothing was changed before."""
    # 1. Open a trial. Its initial prompt reads files, from which the check learns the rules.
    environment = EcomEnvironment(workspace_of(task.world))
    recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
    trial = TrialContext(
        trial_id="t", task_id="task.0", instruction=task.instruction, now=NOW
    )
    session = TrialSession(trial, recorder)
    recorder.step_log.begin(0)  # Step 0 makes the initial prompt.
    build_initial_prompt(trial, recorder)

    # 2. Start the sandbox of the first script, in which the check runs, too.
    recorder.step_log.begin(1)  # Step 1 runs the first script.
    host = TimedHost(session)
    with Sandbox(
        environment.tool_schema, host, now=NOW, seed=trial.seed, server=server
    ) as sandbox:
        let_checks_run_in(sandbox, recorder)
        sandbox.ready_child()  # Starting the child process is no part of the check.

        # 3. Check the call. An objection is an error, and has its cost, too.
        operation, arguments = call

        def check() -> None:
            with suppress(CallError):
                recorder.checks.check_change(operation, arguments)

        # The check computes in the child process, so the child's CPU time counts, too.
        cost_with_reads = cost_of(check, sandbox)

    assert host.reads_cost.time_ms > 0  # The check has run, and has read records.
    return cost_with_reads.minus(host.reads_cost)


def let_checks_run_in(sandbox: Sandbox, recorder: Recorder) -> None:
    """Let the benchmark's functions, of which the pre-call check is one, run in a sandbox."""
    recorder.calls.function_caller.functions.runner = sandbox
    # A session without rule sets has turned the check off.
    recorder.checks.environment_check.is_on = True
