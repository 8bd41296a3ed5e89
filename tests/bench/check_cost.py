"""Measures the pre-call check, which judges a call that would change something before it is sent.

    python -m tests.bench.check_cost [SEEDS] [REPEATS]      (5 seeds, 20 repeats)

For each kind of change, this prints the milliseconds that the check takes and the CPU time that it
uses. The CPU time includes the child process; the reads of the check count in neither. Each seed
generates another world of the embedded shop. In each, the check is repeated, and its fastest repeat
counts. The printed figure is the median over the worlds.
"""

import sys

from controlplane.agent.loop import sandbox_of
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits
from tests.bench.timing.check_clocks import Cost, median_of
from tests.bench.timing.checked_trials import CheckedTrial, first_change
from tests.benchmarks.ecom.variants import generate_variant

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
