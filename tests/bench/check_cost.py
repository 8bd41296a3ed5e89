"""What the pre-call check costs where a trial changes something:
python -m tests.bench.check_cost [SEEDS] [REPEATS]

Prints by kind of change, in milliseconds: the pre-call check's time without the reads
that it asks for, and its CPU, the child's included, each the median over seeds of the
best of some repeats behind the initial prompt, with a child used before.
"""

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

VARIANTS = (
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


class Cost(NamedTuple):
    """Milliseconds of time and of CPU."""

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


def clocks(box: Sandbox | None = None) -> Cost:
    """Return what the clock shows, and the CPU time so far of this process and of the
    child of `box`."""
    child_ns = 0
    child = None if box is None else box._process.child
    if child is not None:
        schedstat = Path(f"/proc/{child.pid}/schedstat").read_text("ascii")
        child_ns = int(schedstat.split()[0])
    own_cpu_ms = time.process_time() * 1_000
    return Cost(time.perf_counter() * 1_000, own_cpu_ms + child_ns / 1e6)


class TimedHost(ScriptHost):
    """A host that adds up the cost of the reads that the pre-call check asks for."""

    reads = Cost(0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        started = clocks()
        try:
            return super().call_all(calls)
        finally:
            self.reads = self.reads.plus(clocks().minus(started))


def cost_of_check(variant: str, seed: str, repeats: int, server: ForkServer) -> Cost:
    """Return the least cost, over the repeats, of the pre-call check before the first
    change of a right solution."""
    task = generate_variant(variant, seed)
    solved = RecordingEnvironment(workspace_of(task.world))
    reference_answer(solved, task.truth)
    changes = [call for call in solved.calls if solved.tool_schema.may_change(*call)]
    operation, arguments = changes[0]

    recorders = [
        Recorder("t", EcomEnvironment(workspace_of(task.world)), lambda _: None)
        for _ in range(repeats)
    ]
    costs = []
    first_session = new_session(TRIAL, recorders[0])
    with sandbox_of(first_session, server, Limits(), ALL_LAYERS) as box:
        for recorder in recorders:
            host = TimedHost(new_session(TRIAL, recorder))
            box.host = host
            recorder.functions.runner = box
            recorder.step.begin(0)
            build_initial_prompt(task.instruction, recorder)
            recorder.step.begin(1)

            host.reads = Cost(0.0, 0.0)
            started = clocks(box)
            with suppress(CallError):
                recorder.checks.check_change(
                    operation, arguments, has_pre_call_check=True
                )
            costs.append(clocks(box).minus(started).minus(host.reads))

    later_costs = costs[1:]  # The first check starts the child.
    return Cost(
        min(cost.time_ms for cost in later_costs),
        min(cost.cpu_ms for cost in later_costs),
    )


def main(seeds: str = "5", repeats: str = "20") -> None:
    medians = []
    with ForkServer((), FUNCTION_MODULES) as server:
        for variant in VARIANTS:
            costs = [
                cost_of_check(variant, f"cost {seed}", int(repeats), server)
                for seed in range(int(seeds))
            ]
            median = median_of(costs)
            medians.append(median)
            print(f"{variant:24} {median.time_ms:6.2f} ms, CPU {median.cpu_ms:6.2f} ms")
    overall = median_of(medians)
    print(f"{'median':24} {overall.time_ms:6.2f} ms, CPU {overall.cpu_ms:6.2f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
