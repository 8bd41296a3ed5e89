"""Measures the pre-call check, which judges a call that would change something before it is sent.

    python -m tests.bench.check_cost [SEEDS] [REPEATS]      (5 seeds, 20 repeats)

For example, before a script's call that checks out a basket, the check reads the basket's record
and the rules. Printed in milliseconds for each kind of change: the time of the check without the
reads that it asks for, and its CPU, the child process included.
"""

# Each figure is a median over seeds, that is, over worlds of the embedded shop. Of each world it
# is the best of some repeats, in a child process that has checked a call before.

import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from controlplane.agent.evidence import Recorder
from controlplane.agent.loop import new_session, sandbox_of
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.loop.script.script_host import ScriptHost
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, Sandbox
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError
from tests.agent.loop.session.test_trial_session import TRIAL
from tests.benchmarks.ecom.reference_solutions import (
    RecordingEnvironment,
    generate_variant,
    reference_answer,
)

TASKS = (
    "basket-addition#1",
    "basket-checkout#1",
    "discount-grant#1",
    "refund-approval#1",
    "refund-closure#1",
    "verification-restart#1",
    "temporary-files#1",
    "crosslist#1",
    "inventory-export#1",
)
"""Tasks of the embedded shop whose right solution changes something, each of another kind."""


class Cost(NamedTuple):
    """Milliseconds on the clock, and of CPU."""

    time_ms: float
    cpu_ms: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms + other.time_ms, self.cpu_ms + other.cpu_ms)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms - other.time_ms, self.cpu_ms - other.cpu_ms)


def median_of(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.time_ms for cost in costs),
        statistics.median(cost.cpu_ms for cost in costs),
    )


def clocks() -> Cost:
    """Return what the clock shows, and the CPU time of this process so far."""
    return Cost(time_ms=time.perf_counter() * 1_000, cpu_ms=time.process_time() * 1_000)


def clocks_with_child(sandbox: Sandbox) -> Cost:
    """Return the same with the CPU time of the sandbox's child process, if it has started."""
    cost = clocks()
    child = sandbox._process.child
    if child is None:
        return cost
    schedstat = Path(f"/proc/{child.pid}/schedstat").read_text("ascii")
    child_cpu_ns = int(schedstat.split()[0])
    return cost.plus(Cost(time_ms=0.0, cpu_ms=child_cpu_ns / 1e6))


class TimedHost(ScriptHost):
    """A host that adds up the cost of the reads that the pre-call check asks for."""

    reads = Cost(0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        started = clocks()
        try:
            return super().call_all(calls)
        finally:
            self.reads = self.reads.plus(clocks().minus(started))


def first_change(task: Task) -> Call:
    """Return the first call of the task's right solution that changes something."""
    environment = RecordingEnvironment(workspace_of(task.world))
    reference_answer(environment, task.truth)
    for call in environment.calls:
        if environment.tool_schema.may_change(*call):
            return call
    raise LookupError("the solution changes nothing")


def cost_of_check(
    task_name: str, seed: str, *, repeats: int, server: ForkServer
) -> Cost:
    """Return the least cost of the check before the first change of a right solution."""
    task = generate_variant(task_name, seed)
    operation, arguments = first_change(task)

    # A recorder knows all results of a trial's calls, so each repeat has a fresh one.
    recorders = []
    for _ in range(repeats):
        environment = EcomEnvironment(workspace_of(task.world))
        recorders.append(Recorder("t", environment, lambda event: None))

    costs = []
    first_session = new_session(TRIAL, recorders[0])
    with sandbox_of(first_session, server, Limits(), ALL_LAYERS) as sandbox:
        for recorder in recorders:
            host = TimedHost(new_session(TRIAL, recorder))
            sandbox.host = host
            recorder.functions.runner = sandbox
            recorder.step.begin(0)
            build_initial_prompt(task.instruction, recorder)
            recorder.step.begin(1)

            host.reads = Cost(0.0, 0.0)
            started = clocks_with_child(sandbox)
            with suppress(CallError):
                recorder.checks.check_change(
                    operation, arguments, has_pre_call_check=True
                )
            ended = clocks_with_child(sandbox)
            costs.append(ended.minus(started).minus(host.reads))

    later_costs = costs[1:]  # The first check starts the child.
    return Cost(
        time_ms=min(cost.time_ms for cost in later_costs),
        cpu_ms=min(cost.cpu_ms for cost in later_costs),
    )


def print_cost(title: str, cost: Cost) -> None:
    print(f"{title:24} {cost.time_ms:6.2f} ms, CPU {cost.cpu_ms:6.2f} ms")


def main(seeds: str = "5", repeats: str = "20") -> None:
    medians = []
    with ForkServer((), FUNCTION_MODULES) as server:
        for task_name in TASKS:
            costs = []
            for number in range(int(seeds)):
                cost = cost_of_check(
                    task_name, f"cost {number}", repeats=int(repeats), server=server
                )
                costs.append(cost)
            medians.append(median_of(costs))
            print_cost(task_name, medians[-1])
    print_cost("median", median_of(medians))


if __name__ == "__main__":
    main(*sys.argv[1:])
