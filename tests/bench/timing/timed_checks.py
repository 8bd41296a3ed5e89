"""The cost of the check before a call that changes the shop, without the cost of its reads.

Before a basket is bought, the check reads the basket's record and the rules. The check is computed in
the sandbox, a child process. This asks a *host*, an object of the parent process, to read for it:

    cost of the check  =  cost with its reads  -  cost of the reads
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from controlplane.agent.evidence import Recorder, new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.scripts import ScriptHost, build_initial_prompt
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox import ForkServer, Sandbox
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.solutions.careless_solutions import reference_answer
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.support.run_budgets import ample_budget

# What work costs: milliseconds on the clock, and of CPU in this process and in a sandbox's child.
#
# cost_of(lambda: sorted(words))              # Cost(time_ms=12.1, cpu_ms=12.0)
# cost_of(lambda: sandbox.run("x = 7"), sandbox)      # with the CPU time of the child process


class Cost(NamedTuple):
    """What some work has cost, in milliseconds."""

    time_ms: float
    cpu_ms: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms + other.time_ms, self.cpu_ms + other.cpu_ms)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms - other.time_ms, self.cpu_ms - other.cpu_ms)


def cost_of(work: Callable[[], object], sandbox: Sandbox | None = None) -> Cost:
    """Do some work, and return its cost. With a sandbox, this includes its child process."""
    cpu_before_ms = cpu_ms(sandbox)
    started_s = time.perf_counter()

    work()

    time_ms = (time.perf_counter() - started_s) * 1_000
    return Cost(time_ms, cpu_ms(sandbox) - cpu_before_ms)


def cpu_ms(sandbox: Sandbox | None) -> float:
    """Return the CPU time so far of this process, and of the child process of a sandbox."""
    own_ms = time.process_time() * 1_000
    if sandbox is None or sandbox._process.child is None:
        return own_ms
    # The first number of this Linux file: nanoseconds that the process has spent on a CPU.
    schedstat = Path(f"/proc/{sandbox._process.child.pid}/schedstat").read_text("ascii")
    return own_ms + int(schedstat.split()[0]) / 1e6


def median_of(costs: Sequence[Cost]) -> Cost:
    """Return the median time and the median CPU time, which may be those of different costs."""
    return Cost(
        statistics.median(cost.time_ms for cost in costs),
        statistics.median(cost.cpu_ms for cost in costs),
    )


def least_of(costs: Sequence[Cost]) -> Cost:
    """Return the least time and the least CPU time, which may be those of different costs."""
    return Cost(min(cost.time_ms for cost in costs), min(cost.cpu_ms for cost in costs))


# Trials of the shop at their first step: a script may now make its first call.
#
# `opened_session(task).recorder.step_log` has begun step 1. Step 0 has built the initial prompt, for
# which the rules were read.

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""What time it is for scripts."""


def opened_session(task: WorldTask) -> TrialSession:
    """Return the session of a new trial of a task, whose events are not recorded anywhere."""
    environment = EcomEnvironment(workspace_of(task.world))
    recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
    trial = TrialContext(
        trial_id="t", task_id="task.0", instruction=task.instruction, now=NOW
    )
    session = TrialSession(trial, recorder, ample_budget())
    recorder.step_log.begin(0)
    build_initial_prompt(trial, recorder)
    recorder.step_log.begin(1)
    return session


# A host that measures what the calls of a sandbox cost.
#
# The sandbox, a child process in which scripts run, asks its *host* in this process for calls:
#
#     host.call_all([("read", {"path": "/a.md"})])    # makes the calls, and adds to `host.reads_cost`


class TimedHost(ScriptHost):
    """Makes the calls for which the sandbox asks, and adds up what they cost."""

    def __init__(self, session: TrialSession) -> None:
        super().__init__(session)
        self.reads_cost = Cost(time_ms=0.0, cpu_ms=0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        make_calls = super().call_all
        outcomes: list[Outcome] = []
        cost = cost_of(lambda: outcomes.extend(make_calls(calls)))
        self.reads_cost = self.reads_cost.plus(cost)
        return outcomes


# The first call of a task's right solution that changes something, such as a checkout.


def first_change(task: WorldTask) -> Call:
    """Return the first call of the task's right solution that changes something.

    `("exec", {"path": "/bin/checkout", "args": ["basket-12"], ...})`
    """
    environment = RecordingEnvironment(workspace_of(task.world))
    reference_answer(environment, task.truth)
    for call in environment.calls:
        if environment.tool_schema.may_change(*call):
            return call
    raise LookupError("the solution changes nothing")


def cost_of_check(task: WorldTask, call: Call, server: ForkServer) -> Cost:
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
                session.make_call(operation, arguments)

        # With the sandbox as argument, the CPU time of the child process counts, too.
        cost_with_reads = cost_of(check, sandbox)

    assert host.reads_cost.time_ms > 0  # The check has run, and has read records.
    return cost_with_reads.minus(host.reads_cost)


def let_checks_run_in(sandbox: Sandbox, recorder: Recorder) -> None:
    """Let the check be computed in a sandbox: it is one of the benchmark's functions."""
    recorder.calls.function_runner = sandbox
    # `opened_session` has no rule sets, so that the check is off.
    recorder.checks.pre_call_check.is_on = True
