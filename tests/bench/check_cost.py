"""Measures the pre-call check, which judges a call that would change something before it is sent.

    python -m tests.bench.check_cost [SEEDS] [REPEATS]      (5 seeds, 20 repeats)

For example, before a script's call that checks out a basket, the check reads the basket's record
and the rules. For each kind of change, this prints the milliseconds that the check takes and the
CPU time that it uses. The CPU time includes the child process; the check's reads count in neither.
"""

# Each seed generates another world of the embedded shop. In each world, the check is repeated, and
# its fastest repeat counts. The printed figure is the median over the worlds.

import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from controlplane.agent.evidence import new_recorder
from controlplane.agent.loop import TrialContext, new_session, sandbox_of
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.loop.script.script_host import ScriptHost
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, Sandbox
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import (
    RecordingEnvironment,
    generate_variant,
    reference_answer,
)

TASKS = (
    "basket-addition: one product fits",
    "basket-checkout: possible",
    "discount-grant: named percentage",
    "refund-approval: possible",
    "refund-closure: possible",
    "verification-restart: possible",
    "temporary-files: every file",
    "crosslist",
    "inventory-export",
)
"""Tasks of the embedded shop whose right solution changes something, each of another kind."""


TRIAL = TrialContext("t", "task.0", "Do the task.", datetime(2031, 5, 4, tzinfo=UTC))


class Cost(NamedTuple):
    """Milliseconds on the clock, and of CPU: of some work, or since the clocks began."""

    time_ms: float
    cpu_ms: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms + other.time_ms, self.cpu_ms + other.cpu_ms)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms - other.time_ms, self.cpu_ms - other.cpu_ms)


def median_of(costs: Sequence[Cost]) -> Cost:
    """Return the median time and the median CPU, which may be those of different costs."""
    return Cost(
        statistics.median(cost.time_ms for cost in costs),
        statistics.median(cost.cpu_ms for cost in costs),
    )


def clocks() -> Cost:
    """Return what the clock shows, and the CPU time of this process so far.

    The cost of some work is `clocks().minus(started)`, with `started = clocks()` before it.
    """
    return Cost(time_ms=time.perf_counter() * 1_000, cpu_ms=time.process_time() * 1_000)


def clocks_with_child(sandbox: Sandbox) -> Cost:
    """Return `clocks()`, with the CPU time of the child process in which the sandbox runs code.

    The child starts with the first code that the sandbox runs, so there may be none yet.
    """
    own_clocks = clocks()
    child = sandbox._process.child
    if child is None:
        return own_clocks

    # The first number of this Linux file: nanoseconds that the process has spent on a CPU.
    schedstat = Path(f"/proc/{child.pid}/schedstat").read_text("ascii")
    child_cpu_ns = int(schedstat.split()[0])
    return own_clocks.plus(Cost(time_ms=0.0, cpu_ms=child_cpu_ns / 1e6))


class TimedHost(ScriptHost):
    """The host makes the calls that sandboxed code asks for. This one adds up what they cost.

    The pre-call check runs in the sandbox and asks for reads of records.
    """

    reads_cost = Cost(0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        started = clocks()
        try:
            return super().call_all(calls)
        finally:
            self.reads_cost = self.reads_cost.plus(clocks().minus(started))


def first_change(task: Task) -> Call:
    """Return the first call of the task's right solution that changes something."""
    environment = RecordingEnvironment(workspace_of(task.world))
    reference_answer(environment, task.truth)
    for call in environment.calls:
        if environment.tool_schema.may_change(*call):
            return call
    raise LookupError("the solution changes nothing")


class CheckedTrial:
    """A trial of a task, in a world where nothing was changed yet. Its checks are timed."""

    def __init__(self, task: Task) -> None:
        self.task = task
        environment = EcomEnvironment(workspace_of(task.world))
        self.recorder = new_recorder("t", environment, lambda event: None)
        self.session = new_session(TRIAL, self.recorder)
        self.recorder.pre_call_check.is_on = True
        self.host = TimedHost(self.session)

    def enter(self, sandbox: Sandbox) -> None:
        """Bring the trial to the step in which its model makes its first call, in this sandbox."""
        sandbox.host = self.host  # Code in the sandbox makes its calls in this trial,
        functions = self.recorder.calls.functions
        functions.runner = sandbox  # and the trial's checks run in the sandbox.

        # Step 0 reads the files of the initial prompt, from which the checks learn the rules.
        self.recorder.step_log.begin(0)
        trial = replace(TRIAL, instruction=self.task.instruction, now=None)
        build_initial_prompt(trial, self.recorder)
        self.recorder.step_log.begin(1)

    def cost_of_check(self, call: Call, sandbox: Sandbox) -> Cost:
        """Check a call before it is sent. Return the cost without the reads that the check makes."""
        operation, arguments = call
        self.host.reads_cost = Cost(0.0, 0.0)
        started = clocks_with_child(sandbox)

        # The check raises an error if it objects to the call. Either way it has its cost.
        with suppress(CallError):
            self.recorder.checks.check_change(operation, arguments)

        ended = clocks_with_child(sandbox)
        return ended.minus(started).minus(self.host.reads_cost)


def least_cost_of_check(
    task_name: str, seed: str, *, repeats: int, server: ForkServer
) -> Cost:
    """Return the least cost of the check before the first change of a right solution."""
    task = generate_variant(task_name, seed)
    call = first_change(task)

    # A check is fast if the trial already knows the records, so each repeat is a new trial.
    trials = [CheckedTrial(task) for _ in range(repeats)]

    costs = []
    with sandbox_of(trials[0].session, server, Limits(), ALL_LAYERS) as sandbox:
        for trial in trials:
            trial.enter(sandbox)
            costs.append(trial.cost_of_check(call, sandbox))

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
                cost = least_cost_of_check(
                    task_name, f"cost {number}", repeats=int(repeats), server=server
                )
                costs.append(cost)
            medians.append(median_of(costs))
            print_cost(task_name, medians[-1])
    print_cost("median", median_of(medians))


if __name__ == "__main__":
    main(*sys.argv[1:])
