"""The cost of the pre-call check, without that of the reads that it makes.

Before a script's call that checks out a basket, the check reads the basket's record and the rules. It
runs in the sandbox, a child process, which asks the *host*, in this process, for these reads:

    cost of the check  =  cost from the call to the verdict  -  cost of the reads
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.loop.script.script_host import ScriptHost
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox import ForkServer, Sandbox
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError
from tests.bench.timing.costs import Cost, cost_of

TRIAL = TrialContext("t", "task.0", "Do the task.", datetime(2031, 5, 4, tzinfo=UTC))


class TimedHost(ScriptHost):
    """Makes the calls for which the sandbox asks, and adds up what they cost."""

    reads_cost = Cost(0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        make_calls = super().call_all
        outcomes: list[Outcome] = []
        cost = cost_of(lambda: outcomes.extend(make_calls(calls)))
        self.reads_cost = self.reads_cost.plus(cost)
        return outcomes


def cost_of_check(task: Task, call: Call, server: ForkServer) -> Cost:
    """Return the cost of the check of a call, in a trial where nothing was changed before."""
    # 1. Open a trial. Its initial prompt reads files, from which the check learns the rules.
    environment = EcomEnvironment(workspace_of(task.world))
    recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
    session = TrialSession(TRIAL, recorder)
    recorder.step_log.begin(0)
    trial = replace(TRIAL, instruction=task.instruction, now=None)
    build_initial_prompt(trial, recorder)

    # 2. Begin the step of the model's first script, and let the check run in its sandbox.
    recorder.step_log.begin(1)
    recorder.checks.environment_check.is_on = True
    host = TimedHost(session)
    with Sandbox(
        environment.tool_schema, host, now=TRIAL.now, seed=TRIAL.seed, server=server
    ) as sandbox:
        recorder.calls.function_caller.functions.runner = sandbox
        sandbox.ready_child()  # Starting the child process is no part of the check.

        # 3. Check the call. An objection is an error, and has its cost, too.
        operation, arguments = call

        def check() -> None:
            with suppress(CallError):
                recorder.checks.check_change(operation, arguments)

        cost_with_reads = cost_of(check, sandbox)

    assert host.reads_cost.time_ms > 0  # The check has run, and has read records.
    return cost_with_reads.minus(host.reads_cost)
