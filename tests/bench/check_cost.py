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
    *(
        "basket-addition#1",
        "basket-checkout#1",
        "discount-grant#1",
        "refund-approval#1",
        "refund-closure#1",
    ),
    *(
        "verification-restart#1",
        "temporary-files#1",
        "crosslist#1",
        "inventory-export#1",
    ),
)


def clocks(box: Sandbox | None = None) -> tuple[float, float]:
    """Return milliseconds of time and of CPU, of this process and of a child."""
    child_ns = 0
    child = None if box is None else box._process.child
    if child is not None:
        schedstat = Path(f"/proc/{child.pid}/schedstat").read_text("ascii")
        child_ns = int(schedstat.split()[0])
    return time.perf_counter() * 1_000, time.process_time() * 1_000 + child_ns / 1e6


def since(
    began: tuple[float, float], box: Sandbox | None = None
) -> tuple[float, float]:
    now = clocks(box)
    return now[0] - began[0], now[1] - began[1]


class TimedHost(ScriptHost):
    """A host that adds up time and CPU of the reads that the pre-call check asks for."""

    reads = (0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        began = clocks()
        try:
            return super().call_all(calls)
        finally:
            self.reads = tuple(map(sum, zip(self.reads, since(began), strict=True)))


def cost(
    variant: str, seed: str, repeats: int, server: ForkServer
) -> tuple[float, float]:
    """Return time and CPU of the pre-call check before the first change of a right solution."""
    task = generate_variant(variant, seed)
    solved = RecordingEnvironment(workspace_of(task.world))
    reference_answer(solved, task.truth)
    operation, arguments = next(
        call for call in solved.calls if solved.tool_schema.may_change(*call)
    )
    found = []
    recorders = [
        Recorder("t", EcomEnvironment(workspace_of(task.world)), lambda _: None)
        for _ in range(repeats)
    ]
    first = new_session(TRIAL, recorders[0])
    with sandbox_of(first, server, Limits(), ALL_LAYERS) as box:
        for recorder in recorders:
            timed = TimedHost(new_session(TRIAL, recorder))
            box.host = timed
            recorder.functions.runner = box
            recorder.step.begin(0)
            build_initial_prompt(task.instruction, recorder)
            recorder.step.begin(1)
            timed.reads, began = (0.0, 0.0), clocks(box)
            with suppress(CallError):
                recorder.checks.check_change(
                    operation, arguments, has_pre_call_check=True
                )
            found.append(
                [
                    whole - reads
                    for whole, reads in zip(since(began, box), timed.reads, strict=True)
                ]
            )
    times, cpus = zip(*found[1:], strict=True)
    return min(times), min(cpus)


def main(seeds: str = "5", repeats: str = "20") -> None:
    every = []
    with ForkServer((), FUNCTION_MODULES) as server:
        for variant in VARIANTS:
            costs = [
                cost(variant, f"cost {seed}", int(repeats), server)
                for seed in range(int(seeds))
            ]
            every.append(
                [statistics.median(column) for column in zip(*costs, strict=True)]
            )
            print(f"{variant:24} {every[-1][0]:6.2f} ms, CPU {every[-1][1]:6.2f} ms")
    times, cpus = zip(*every, strict=True)
    print(
        f"{'median':24} {statistics.median(times):6.2f} ms, CPU {statistics.median(cpus):6.2f} ms"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
