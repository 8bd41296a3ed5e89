"""Measures the pre-call check, which judges a call that would change something before it is sent.

    python -m tests.bench.check_cost [SEEDS] [REPEATS]      (5 seeds, 20 repeats)

For each kind of change, this prints the milliseconds that the check takes and the CPU time that it
uses. The CPU time includes the child process; the reads of the check count in neither. Each seed
generates another world of the embedded shop. In each, the check is repeated, and its fastest repeat
counts. The printed figure is the median over the worlds.
"""

import sys

from controlplane.benchmarks.shop.shop_schema import FUNCTION_MODULES
from controlplane.sandbox import ForkServer
from tests.bench.timing.timed_checks import (
    Cost,
    cost_of_check,
    first_change,
    least_of,
    median_of,
)
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


def print_cost(title: str, cost: Cost) -> None:
    print(f"{title:34} {cost.time_ms:6.2f} ms, CPU {cost.cpu_ms:6.2f} ms")


def main(seeds: str = "5", repeats: str = "20") -> None:
    medians = []
    with ForkServer((), FUNCTION_MODULES) as server:
        for task_name in TASKS:
            costs = []
            for number in range(int(seeds)):
                task = generate_variant(task_name, f"cost {number}")
                call = first_change(task)
                repeated = []
                for _ in range(int(repeats)):
                    repeated.append(cost_of_check(task, call, server))
                costs.append(least_of(repeated))
            medians.append(median_of(costs))
            print_cost(task_name, medians[-1])
    print_cost("median", median_of(medians))


if __name__ == "__main__":
    main(*sys.argv[1:])
